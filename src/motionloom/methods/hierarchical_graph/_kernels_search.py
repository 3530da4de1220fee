"""Compiled random routes at the top level, and both mutations of a route. Plain arrays in and out, no checks.

A route is its first frame, and per transition a node of the trees and a leaf beneath it. `alive` (F, N / 8) has a bit
for each frame of the result and of the material: whether the rest of the request can be met from there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods._kernels_schedule import has_bit
from motionloom.methods.hierarchical_graph._kernels import score

MAX_DRAWS = 12  # of top-level edges before all leaves are tried
MAX_PASSES, PASS_GAIN = 5, 0.001  # of `take_best_leaves`: at most, and the relative gain that justifies another


@kernel
def draw(state: Any, count: int) -> int:
    """The next number in 0 .. count - 1 of the splitmix64 sequence with this state (1,)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return int((z >> np.uint64(11)) * (1.0 / 9007199254740992.0) * count)


@kernel
def is_alive(alive: Any, time: int, frame: int) -> bool:
    return time >= len(alive) or has_bit(alive, time, frame)


@kernel
def allowed(hard: Any, time: int, frame: int) -> bool:
    """Whether hard poses and labels allow a frame of the material at a time."""
    for i in range(len(hard.time)):
        if hard.time[i] == time and not hard.mask[i, frame]:
            return False
    for i in range(len(hard.span)):
        if hard.span[i, 0] <= time < hard.span[i, 1] and hard.carried[i, frame + 1] == hard.carried[i, frame]:
            return False
    return True


@kernel
def _may_stay(hard: Any, time: int, frame: int, count: int, frames: int) -> bool:
    """Whether `count` consecutive frames are allowed from here on."""
    left = 0 if len(hard.time) + len(hard.span) == 0 else min(count, frames - time)
    while left > 0 and allowed(hard, time + left - 1, frame + left - 1):
        left -= 1
    return left <= 0


@kernel
def _may_take(hard: Any, alive: Any, half: int, time: int, frame: int, a: int, b: int) -> bool:
    """Whether the transition from a to b can be taken from the state (time, frame), and the rest be met after it."""
    middle = time + a - frame
    if not is_alive(alive, middle + half, b + half):
        return False
    if len(hard.time) + len(hard.span) > 0:
        frames = len(alive)
        if not _may_stay(hard, time, frame, a - frame, frames) or not _may_stay(hard, middle, b, half, frames):
            return False
        for i in range(len(hard.time)):
            if abs(hard.time[i] - middle) < half:
                return False
    return True


@kernel
def fitting_leaf(edge: Any, node: Any, centre: Any, order: Any, half: int, which: int, low: int, high: int) -> Any:
    """The leaf nearest to a node's centre that leaves at `low` or later and has entered by `high`; -1 if none does.

    The mean of valid edges may be invalid (errata 2.4.3), so a leaf is always used.
    """
    if node[which, 3] - half < low or node[which, 4] + half > high:
        return -1
    e = node[which, 2]
    if edge[e, 0] - half >= low and edge[e, 1] + half <= high:
        return e
    best, nearest = -1, np.inf
    for i in range(node[which, 0], node[which, 1]):
        e = order[i]
        if edge[e, 0] - half >= low and edge[e, 1] + half <= high:
            d = (edge[e, 0] - centre[which, 0]) ** 2 + (edge[e, 1] - centre[which, 1]) ** 2
            if d < nearest:
                best, nearest = e, d
    return best


@kernel
def _fitting_leaf_in_time(
    edge: Any, move: Any, node: Any, order: Any, half: int, which: int, low: int, high: int, skip: int
) -> int:
    """The cheapest fitting leaf of a node that skips exactly `skip` frames (b - a), so that later times are kept."""
    best = -1
    if node[which, 3] - half < low or node[which, 4] + half > high:
        return best
    for i in range(node[which, 0], node[which, 1]):
        e = order[i]
        fits = edge[e, 1] - edge[e, 0] == skip and edge[e, 0] - half >= low and edge[e, 1] + half <= high
        if fits and (best < 0 or move[e, 0] < move[best, 0]):
            best = e
    return best


@kernel
def continue_walk(
    m: Any, hard: Any, alive: Any, gap: int, state: Any, time: int, frame: int, nodes: Any, leaves: Any, n: int
) -> int:
    """Continue at random from the state (time, frame) over edges of G1 to the requested length.

    Appends to `nodes` and `leaves` after their first n, and returns their new number; -1 if there is no continuation.
    Edges are drawn among all that leave later in this clip, and kept with their probabilities; of `MAX_DRAWS` that are
    not, the likeliest is taken; where none of them fits, every leaf is tried.
    """
    clip, edge, half, node, centre, order = m.clip, m.edge, m.half, m.node, m.centre, m.order
    frames, count = len(alive), len(m.clip)
    while True:
        end = clip[frame, 1]
        low, high = np.searchsorted(m.latest, np.array([frame + gap + half, end]))
        lasts = time + end - frame >= frames and _may_stay(hard, time, frame, frames - time, frames)
        taken, which, best = -1, -1, -np.inf
        for _ in range(MAX_DRAWS if high > low else 0):
            drawn = m.out[low + draw(state, high - low)]
            e = fitting_leaf(edge, node, centre, order, half, drawn, frame + gap, count)
            if e < 0:
                continue
            if time + edge[e, 0] - frame > frames - 1:  # after the end
                if lasts and _kept(m, state, frame, -1, frame + frames - time - 1):
                    return n
            elif _may_take(hard, alive, half, time, frame, edge[e, 0], edge[e, 1]):
                kept = _kept(m, state, frame, e, -1)
                if kept or m.likely[e] > best:
                    taken, which = e, drawn
                if kept:
                    break
                best = max(best, m.likely[e])
        if taken < 0:
            if lasts:
                return n
            taken = _any_leaf(m, hard, alive, state, time, frame)
            which = m.home[taken]
        if taken < 0 or n == len(leaves):
            return -1
        nodes[n], leaves[n] = which, taken
        n += 1
        time += edge[taken, 0] - frame + half
        frame = edge[taken, 1] + half
        if time >= frames:
            return n


@kernel
def _kept(m: Any, state: Any, frame: int, e: int, last: int) -> bool:
    """Whether edge e, or (-1) the rest of the clip up to frame `last`, is kept; draws only for a steady pace."""
    if m.steadiness <= 0.0:
        return True
    likely = m.gone[last] if e < 0 else m.likely[e]
    return bool(draw(state, 1 << 53) < np.exp(m.steadiness * (likely - m.gone[frame])) * (1 << 53))


@kernel
def _any_leaf(m: Any, hard: Any, alive: Any, state: Any, time: int, frame: int) -> int:
    """One of all possible transitions that leave this clip from here on, equally probable; -1 if there are none."""
    taken, seen = -1, 0
    for e in range(m.first_out[frame], m.first_out[m.clip[frame, 1]]):
        if _may_take(hard, alive, m.half, time, frame, m.edge[e, 0], m.edge[e, 1]):
            seen += 1
            if draw(state, seen) == 0:
                taken = e
    return taken


@kernel
def replace_portions(
    m: Any,
    t: Any,
    hard: Any,
    alive: Any,
    begins: Any,
    gap: int,
    state: Any,
    start: int,
    nodes: Any,
    leaves: Any,
    tries: int,
    shortcuts: bool,
    out_nodes: Any,
    out_leaves: Any,
    out_parts: Any,
) -> Any:
    """Mutation 1: the portion between two edges is replaced by none, one or two edges of G1, until `tries` are scored.

    The start and the end of the route count as edges: then the route gets another first frame, or continues at random.
    One or two edges are drawn among those that join the clips; half of the time the last one is a leaf that keeps later
    times (no edge, and such a leaf, only with `shortcuts`). The best route found is written to `out_*`; returns its
    score, first frame and length (-1: there is none) and the number of routes scored.
    """
    edge, half, count, size = m.edge, m.half, len(leaves), len(out_leaves)
    pieces, line, parts = np.zeros((size + 2, 5)), np.empty((t.frames // t.stride + 2, 2)), np.empty(6)
    new_nodes, new_leaves = np.empty(size, np.int64), np.empty(size, np.int64)
    best, best_start, best_count, looked = np.inf, start, -1, 0
    clock = np.empty(count + 1, np.int64)  # the time of a frame minus its number, after k transitions
    clock[0] = -start
    for k in range(count):
        clock[k + 1] = clock[k] + edge[leaves[k], 0] - edge[leaves[k], 1]
    for _ in range(4 * tries):
        if looked == tries:
            break
        i = draw(state, count + 1)  # edges 0 .. i - 1 stay
        j = i + draw(state, count + 1 - i)  # edges j .. count - 1 stay
        first, offset = start, clock[i]
        if i == 0 and draw(state, 3) > 0:
            first = begins[draw(state, len(begins))]
            if j < count and draw(state, 3) == 0:  # another start in the same clip
                leave = edge[leaves[j], 0] - half
                first = leave - draw(state, leave - m.clip[leave, 0] + 1)
                if not is_alive(alive, 0, first):
                    continue
            offset = -first
        new_nodes[:i], new_leaves[:i] = nodes[:i], leaves[:i]
        frame = first if i == 0 else edge[leaves[i - 1], 1] + half
        if j < count:
            n = _bridge(m, gap, state, shortcuts, frame, offset, leaves[j], clock[j], new_nodes, new_leaves, i)
            if n < 0 or n + count - j > size:
                continue
            more = count - j
            new_nodes[n : n + more], new_leaves[n : n + more] = nodes[j:], leaves[j:]
            n += more
        else:
            n = continue_walk(m, hard, alive, gap, state, offset + frame, frame, new_nodes, new_leaves, i)
            if n < 0:
                continue
        value, used, lasts = score(m, t, hard, first, new_leaves, n, best, pieces, line, parts)
        looked += 1
        if used > 0 and lasts < t.frames:  # too short: continue from the last edge
            n = used - 1
            frame = first if n == 0 else edge[new_leaves[n - 1], 1] + half
            time = int(pieces[n, 0]) + (0 if n == 0 else half)
            longer = continue_walk(m, hard, alive, gap, state, time, frame, new_nodes, new_leaves, n)
            if longer >= 0:
                value, used, _ = score(m, t, hard, first, new_leaves, longer, best, pieces, line, parts)
        if value < best:
            n = used - 1
            best, best_start, best_count = value, first, n
            out_nodes[:n], out_leaves[:n], out_parts[:] = new_nodes[:n], new_leaves[:n], parts
    return best, best_start, best_count, looked


@kernel
def _bridge(
    m: Any,
    gap: int,
    state: Any,
    shortcuts: bool,
    frame: int,
    offset: int,
    last: int,
    wanted: int,
    nodes: Any,
    leaves: Any,
    n: int,
) -> int:
    """None, one or two edges of G1 from `frame` to where the transition `last` leaves; -1 if those drawn do not fit."""
    edge, half, number = m.edge, m.half, m.number
    clips = int(np.sqrt(len(m.pair) - 1))
    goal = edge[last, 0] - half
    how = draw(state, 3) if shortcuts else 1 + draw(state, 2)
    if how == 0:
        return n if number[frame] == number[goal] and frame <= goal else -1
    if how == 2:
        low, high = np.searchsorted(m.latest, np.array([frame + gap + half, m.clip[frame, 1]]))
        if low >= high or n == len(leaves):
            return -1
        which = m.out[low + draw(state, high - low)]
        e = fitting_leaf(edge, m.node, m.centre, m.order, half, which, frame + gap, len(number))
        if e < 0:
            return -1
        nodes[n], leaves[n] = which, e
        n += 1
        offset += edge[e, 0] - edge[e, 1]
        frame = edge[e, 1] + half
    at = number[frame] * clips + number[goal]
    low, high = m.pair[at], m.pair[at + 1]
    if low == high or n == len(leaves):
        return -1
    which = m.roots[low + draw(state, high - low)]
    if shortcuts and draw(state, 2) == 0:
        e = _fitting_leaf_in_time(edge, m.move, m.node, m.order, half, which, frame, goal, offset - wanted)
        which = m.home[e]
    else:
        e = fitting_leaf(edge, m.node, m.centre, m.order, half, which, frame + gap, goal - gap)
    if e < 0:
        return -1
    nodes[n], leaves[n] = which, e
    return n + 1


@kernel
def take_children(
    m: Any,
    t: Any,
    hard: Any,
    state: Any,
    start: int,
    nodes: Any,
    leaves: Any,
    tries: int,
    shortcuts: bool,
    out_nodes: Any,
    out_leaves: Any,
    out_parts: Any,
) -> Any:
    """Mutation 2: every two edges (and every one, with `shortcuts`) are replaced by their children, in all four
    combinations.

    All of them if there are at most `tries`, else about as many at random. Returns the score of the best route, its
    length (-1: there is none) and the number of routes scored.
    """
    count, size = len(leaves), len(out_leaves)
    pieces, line, parts = np.zeros((size + 2, 5)), np.empty((t.frames // t.stride + 2, 2)), np.empty(6)
    new = np.empty(size, np.int64)
    best, best_count, looked = np.inf, -1, 0
    many = 2 * count * count
    for i in range(count):
        for j in range(i, count):
            for choice in range(2 if i == j else 4):
                if i == j and not shortcuts:
                    continue
                if many > tries and draw(state, many) >= tries:
                    continue
                u = _child(m.node, nodes[i], choice & 1)
                v = u if i == j else _child(m.node, nodes[j], choice >> 1)
                if u == nodes[i] and v == nodes[j]:
                    continue
                new[:count] = leaves
                if not _refit(m, start, new, count, i, u) or (j > i and not _refit(m, start, new, count, j, v)):
                    continue
                value, used, _ = score(m, t, hard, start, new, count, best, pieces, line, parts)
                looked += 1
                if value < best:
                    best, best_count = value, used - 1
                    out_nodes[:count], out_leaves[:count], out_parts[:] = nodes, new[:count], parts
                    out_nodes[i], out_nodes[j] = u, v
    return best, best_count, looked


@kernel
def take_best_leaves(m: Any, t: Any, hard: Any, start: int, leaves: Any, value: float, parts: Any) -> Any:
    """Each edge in turn becomes the best of all leaves below its edge of G1, until a pass over the route gains little.

    Changes `leaves` and `parts` of a route of the requested length that has the score `value`. Returns its new score,
    the number of transitions within the length, and the number of routes scored.
    """
    edge, half, count = m.edge, m.half, len(leaves)
    pieces, line, found = np.zeros((count + 2, 5)), np.empty((t.frames // t.stride + 2, 2)), np.empty(6)
    within, looked = count, 0
    for _ in range(MAX_PASSES):
        before = value
        for k in range(count):
            low = start if k == 0 else edge[leaves[k - 1], 1] + half
            high = len(m.number) if k == count - 1 else edge[leaves[k + 1], 0] - half
            root, best = m.root[leaves[k]], leaves[k]
            for i in range(m.node[root, 0], m.node[root, 1]):
                e = m.order[i]
                if e == best or edge[e, 0] - half < low or edge[e, 1] + half > high:
                    continue
                leaves[k] = e
                other, used, lasts = score(m, t, hard, start, leaves, count, value, pieces, line, found)
                looked += 1
                if lasts >= t.frames and other < value:
                    value, best, within = other, e, used - 1
                    parts[:] = found
            leaves[k] = best
        if value > (1.0 - PASS_GAIN) * before:
            break
    return value, within, looked


@kernel
def _child(node: Any, which: int, side: int) -> int:
    """A child of a node; a leaf is its own child."""
    if node[which, 1] - node[which, 0] < 2:
        return which
    return which + 1 if side == 0 else which + 2 * (node[which + 1, 1] - node[which + 1, 0])


@kernel
def _refit(m: Any, start: int, leaves: Any, count: int, k: int, which: int) -> Any:
    """Set entry k to the leaf of a node that fits between its neighbours."""
    low = start if k == 0 else m.edge[leaves[k - 1], 1] + m.half
    high = len(m.number) if k == count - 1 else m.edge[leaves[k + 1], 0] - m.half
    leaves[k] = fitting_leaf(m.edge, m.node, m.centre, m.order, m.half, which, low, high)
    return leaves[k] >= 0
