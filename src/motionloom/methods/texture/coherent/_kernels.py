"""Links between similar example frames, and the cheapest path along them. Tests hold them against plain versions."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel

FAR = np.float32(1e30)


@kernel
def nearest_links(
    squares: Any, first: Any, rows: Any, clip_first: Any, clip_last: Any, gauss: Any, gap: Any, groups: Any, most: Any,
    links: Any, costs: Any,
) -> None:  # fmt: skip
    """For frames first .. first + rows - 1 the best others of each of G groups (G, N): targets and costs.

    Group g has the columns g * most .. of `links` and `costs`, in increasing order of cost, -1 where there are fewer.

    `squares` (rows + 2 h, N) holds squared distances of frames first - h .. to all frames (rows outside are not read).
    The cost of b is the mean of those at (j + m, b + m), weighted with the Gaussian, over the m that both clips have;
    only local minima along b count, at least `gap` frames from j in its own clip, and with a frame after them.
    """
    half, count = len(gauss) // 2, squares.shape[1]
    row = np.empty(count, np.float32)
    for at in range(rows):
        j = first + at
        for b in range(count):
            total, weight = 0.0, 0.0
            low = max(-half, clip_first[j] - j, clip_first[b] - b)
            high = min(half, clip_last[j] - j, clip_last[b] - b)
            for m in range(low, high + 1):
                total += gauss[m + half] * squares[at + half + m, b + m]
                weight += gauss[m + half]
            row[b] = total / weight
        links[j] = -1
        costs[j] = FAR
        for b in range(count):
            if b == clip_last[b] or (clip_first[b] == clip_first[j] and abs(b - j) < gap):
                continue
            d = row[b]
            for g in range(len(groups)):
                base = g * most
                if not groups[g, b + 1] or d >= costs[j, base + most - 1]:
                    continue
                if b > clip_first[b] and groups[g, b] and row[b - 1] < d:
                    continue
                if b + 1 < clip_last[b] and groups[g, b + 2] and row[b + 1] < d:
                    continue
                k = base + most - 1
                while k > base and costs[j, k - 1] > d:
                    costs[j, k], links[j, k] = costs[j, k - 1], links[j, k - 1]
                    k -= 1
                costs[j, k], links[j, k] = d, b


@kernel
def links_among(
    values: Any, frames: Any, candidates: Any, clip_first: Any, clip_last: Any, gauss: Any, gap: Any, targets: Any,
    links: Any, costs: Any,
) -> None:  # fmt: skip
    """As `nearest_links` for one group, among the local minima next to the candidates (P,) of each of `frames` (P,).

    Candidates of one frame stand together, the best first. `targets` (N,) are the frames that links of the group may
    lead to. `links` and `costs` (N, most). About 0.1 ms a frame.
    """
    most, near_by = links.shape[1], len(gauss) // 8
    seen, count = np.empty(2 * len(frames) + 2, np.int64), 0
    for p in range(len(frames)):
        j, b = frames[p], candidates[p]
        if p == 0 or frames[p - 1] != j:
            count = 0
            links[j] = -1
            costs[j] = FAR
        near = False
        for k in range(count):
            near = near or abs(seen[k] - b) <= near_by  # leads to the same minimum
        if near:
            continue
        seen[count] = b
        d = window_cost(values, j, b, clip_first, clip_last, gauss)
        moved = True
        while moved:
            moved = False
            for side in (-1, 1):
                c = b + side
                if c < clip_first[b] or c >= clip_last[b] or not targets[c]:
                    continue
                other = window_cost(values, j, c, clip_first, clip_last, gauss)
                if other < d:
                    b, d, moved = c, other, True
        seen[count + 1] = b
        count += 2
        if d >= costs[j, most - 1] or (clip_first[b] == clip_first[j] and abs(b - j) < gap):
            continue
        known = False
        for k in range(most):
            known = known or links[j, k] == b
        if known:
            continue
        k = most - 1
        while k > 0 and costs[j, k - 1] > d:
            costs[j, k], links[j, k] = costs[j, k - 1], links[j, k - 1]
            k -= 1
        costs[j, k], links[j, k] = d, b


@kernel
def window_cost(values: Any, j: Any, b: Any, clip_first: Any, clip_last: Any, gauss: Any) -> Any:
    """The cost of b for frame j in `nearest_links`, from the features (N, D) themselves."""
    half = len(gauss) // 2
    low = max(-half, clip_first[j] - j, clip_first[b] - b)
    high = min(half, clip_last[j] - j, clip_last[b] - b)
    total, weight = 0.0, 0.0
    for m in range(low, high + 1):
        square = np.float32(0.0)
        for k in range(values.shape[1]):
            away = values[j + m, k] - values[b + m, k]
            square += away * away
        total += gauss[m + half] * square
        weight += gauss[m + half]
    return total / weight


@kernel
def cheapest_choices(
    frame_costs: Any, usage: Any, goes_on: Any, links: Any, link_costs: Any, last: Any, closed: Any, stay: Any,
    extra: Any, choices: Any, values: Any, stop: Any,
) -> None:  # fmt: skip
    """From the last frame back, what to do in each frame of the result, example frame and state.

    In state 0 no jump has been made in this interval yet, in state 1 one has. V(t, j, s) = C(t, j) + usage(j) + the
    cheaper of going on to j + 1 and of a jump to b + 1 for a link b of j; a second jump, and any in a `closed` frame,
    costs `extra` more. At the end of an interval (`last`) the state goes back to 0, which costs `stay` if no jump was
    made. `choices` (T, N, 2) is 0 to continue, 1 + k for link k, 255 for none; `values` (2, N) are those of frame 0.
    O(T N L).
    """
    frames, count = len(last), len(usage)
    after = np.zeros((2, count), np.float32)
    for t in range(frames - 1, -1, -1):
        if stop[0]:
            return
        for j in range(count):
            own = frame_costs[t, j] + usage[j]
            if t == frames - 1:
                values[0, j], values[1, j] = own + (stay if last[t] else np.float32(0.0)), own
                choices[t, j, 0] = choices[t, j, 1] = 255
                continue
            jump, which = FAR, 255
            for k in range(links.shape[1]):
                b = links[j, k]
                if b < 0:
                    continue
                d = link_costs[j, k] + (after[0, b + 1] if last[t] else after[1, b + 1])
                if d < jump:
                    jump, which = d, k + 1
            for s in range(2):
                go = FAR
                if goes_on[j]:
                    if last[t]:
                        go = after[0, j + 1] + (stay if s == 0 else np.float32(0.0))
                    else:
                        go = after[s, j + 1]
                leave = jump if s == 0 and not closed[t] else jump + extra
                if go <= leave:
                    values[s, j] = own + go
                    choices[t, j, s] = 0 if go < FAR else 255
                else:
                    values[s, j] = own + leave
                    choices[t, j, s] = which if leave < FAR else 255
        after[:] = values


@kernel
def follow(choices: Any, links: Any, last: Any, start: Any, state: Any, out: Any) -> Any:
    """The example frames along the choices from `start`; the state after the last of `out`, -1 if there is none."""
    j = start
    for t in range(len(out)):
        out[t] = j
        choice = choices[t, j, state]
        if t == len(out) - 1 and choice == 255:
            return state
        if choice == 255:
            return -1
        if choice == 0:
            j += 1
        else:
            j, state = links[j, choice - 1] + 1, 1
        if last[t]:
            state = 0
    return 2 * j + state
