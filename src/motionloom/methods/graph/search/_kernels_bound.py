"""Compiled branch and bound along a path: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods._kernels_schedule import has_bit


@kernel
def squared_deviation(x: float, z: float, s: float, line: Any, spacing: float) -> Any:
    """|P' - P(s)|^2 of GUAN eq 2.15: squared distance of (x, z) from the point at arc length s of the line."""
    last = len(line) - 1
    at = min(s / spacing, float(last))
    k = min(int(at), last - 1)
    part = at - k
    dx = x - (line[k, 0] + part * (line[k + 1, 0] - line[k, 0]))
    dz = z - (line[k, 1] + part * (line[k + 1, 1] - line[k, 1]))
    return dx * dx + dz * dz


@kernel
def is_allowed(bits: Any, t: int, node: int) -> Any:
    """Is a graph frame (or transition, N + e) allowed at frame t? No `bits` (of `schedule.Reachable`) allow all."""
    if bits.shape[0] == 0:
        return True
    return t < bits.shape[0] and has_bit(bits, t, node)


@kernel
def frame_cost(parts: Any, frame_costs: Any, s: float, spacing: float, node: int) -> Any:
    """Cost of showing a graph frame at s metres along the line."""
    if len(parts) == 0:
        return 0.0
    row = parts[min(int(s / spacing), len(parts) - 1)]
    return frame_costs[row, node] if row >= 0 else 0.0


@kernel
def branch_and_bound(
    step: Any,
    goes_on: Any,
    first_out: Any,
    enter: Any,
    over: Any,
    line: Any,
    spacing: float,
    starts: Any,
    begin: Any,
    t0: int,
    bits: Any,
    parts: Any,
    frame_costs: Any,
    frames: int,
    least: float,
    budget: int,
    stop: Any,
) -> Any:
    """The route of `frames` frames from one of `starts` with the least summed error (eq 2.14 with 2.15).

    Depth first; the error so far is a lower bound for every continuation, so a branch is pruned as soon as it is not
    below the best complete route (GUAN 2.4.1). Branches with the least error per frame are expanded first. s grows by
    the distance walked, at least by `least` metres a frame; a route that reaches the end of the line is complete.

    begin: x, z, heading, s, shared by all starts (node numbers); t0 is their frame in the result, for `bits`. Further
    costs of a graph frame at each point of the line are frame_costs[parts[k]] (see `GroundGoal`).
    Expands at most `budget` states, and returns at once when stop[0] is set. Returns the start, the transitions taken,
    the frames added (fewer where the line ends), whether the line has ended, the error, the states expanded.
    Error inf: no route is that long. The slow version is `every_way` in tests/methods/graph/test_branch_and_bound.py.
    About 30 million frames a second.
    """
    blend = over.shape[1]
    half = blend // 2
    deepest = frames // blend + 2
    end = spacing * (len(line) - 1) - 1e-9
    room = 1024 + len(starts)
    node = np.empty(room, np.int64)
    values = np.empty((room, 5))  # x, z, heading, s, error
    when = np.empty(room, np.int64)
    depth = np.empty(room, np.int64)
    taken = np.empty((room, deepest), np.int64)
    origin = np.empty(room, np.int64)
    top = 0
    for k in range(len(starts) - 1, -1, -1):
        node[top], origin[top], when[top], depth[top] = starts[k], starts[k], 0, 0
        values[top, :4] = begin
        values[top, 4] = 0.0
        top += 1
    best, best_frames, best_depth, best_start, done = np.inf, 0, 0, -1, False
    best_taken = np.empty(deepest, np.int64)
    path = np.empty(deepest, np.int64)
    expanded = 0
    while top > 0 and expanded < budget and not stop[0]:
        top -= 1
        n, t, d, start = node[top], when[top], depth[top], origin[top]
        x, z, h, s, f = values[top]
        path[:d] = taken[top, :d]
        first_child = top
        while f < best:
            ch, sh = np.cos(h), np.sin(h)
            for e in range(first_out[n], first_out[n + 1]):
                if not is_allowed(bits, t0 + t, len(goes_on) + e):
                    continue
                px, pz, ps, pf, whole = x, z, s, f, False
                k = 0
                while k < blend and not whole and pf < best:
                    qx = x + ch * over[e, k, 0] + sh * over[e, k, 1]
                    qz = z + ch * over[e, k, 1] - sh * over[e, k, 0]
                    ps += max(least, np.hypot(qx - px, qz - pz))
                    shown = n + k + 1 if k + 1 < half else enter[e] - blend + k + 1
                    pf += squared_deviation(qx, qz, ps, line, spacing) + frame_cost(
                        parts, frame_costs, ps, spacing, shown
                    )
                    px, pz = qx, qz
                    k += 1
                    whole = t + k == frames or ps >= end
                expanded += k
                if pf >= best:
                    continue
                if whole:
                    best, best_frames, best_start, done = pf, t + k, start, ps >= end
                    best_taken[:d] = path[:d]
                    best_taken[d], best_depth = e, d + 1
                else:
                    if top == len(node):
                        node, values, when, depth, taken, origin = _doubled(node, values, when, depth, taken, origin)
                    node[top], when[top], depth[top], origin[top] = enter[e], t + k, d + 1, start
                    values[top, 0], values[top, 1], values[top, 2] = px, pz, h + over[e, blend - 1, 2]
                    values[top, 3], values[top, 4] = ps, pf
                    taken[top, :d] = path[:d]
                    taken[top, d] = e
                    top += 1
            if not goes_on[n] or not is_allowed(bits, t0 + t + 1, n + 1):
                break
            dx = ch * step[n, 0] + sh * step[n, 1]
            dz = ch * step[n, 1] - sh * step[n, 0]
            x, z, h = x + dx, z + dz, h + step[n, 2]
            s += max(least, np.hypot(dx, dz))
            n, t = n + 1, t + 1
            f += squared_deviation(x, z, s, line, spacing) + frame_cost(parts, frame_costs, s, spacing, n)
            expanded += 1
            if f < best and (t == frames or s >= end):
                best, best_frames, best_start, done, best_depth = f, t, start, s >= end, d
                best_taken[:d] = path[:d]
                break
            if t == frames or s >= end:
                break
        _sort_branches(first_child, top, node, values, when, depth, taken, origin)
    return best_start, best_taken[:best_depth].copy(), best_frames, done, best, expanded


@kernel
def _doubled(node: Any, values: Any, when: Any, depth: Any, taken: Any, origin: Any) -> Any:
    """The arrays with twice the capacity."""
    return (
        np.concatenate((node, node)),
        np.concatenate((values, values)),
        np.concatenate((when, when)),
        np.concatenate((depth, depth)),
        np.concatenate((taken, taken)),
        np.concatenate((origin, origin)),
    )


@kernel
def _sort_branches(
    first: int, stop: int, node: Any, values: Any, when: Any, depth: Any, taken: Any, origin: Any
) -> None:
    """Sort the newest branches so that the one with the least error per frame is on top of the stack."""
    if stop - first < 2:
        return
    order = first + np.argsort(-values[first:stop, 4] / when[first:stop])
    node[first:stop] = node[order]
    values[first:stop] = values[order]
    when[first:stop] = when[order]
    depth[first:stop] = depth[order]
    taken[first:stop] = taken[order]
    origin[first:stop] = origin[order]
