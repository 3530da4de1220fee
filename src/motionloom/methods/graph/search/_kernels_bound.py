"""Compiled branch and bound along a path: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods._kernels_schedule import has_bit


@kernel
def off_squared(x: float, z: float, s: float, line: Any, spacing: float) -> Any:
    """|P' - P(s)|^2 of GUAN eq 2.15: how far (x, z) is from the point at arc length s of the line, squared."""
    last = len(line) - 1
    at = min(s / spacing, float(last))
    k = min(int(at), last - 1)
    part = at - k
    dx = x - (line[k, 0] + part * (line[k + 1, 0] - line[k, 0]))
    dz = z - (line[k, 1] + part * (line[k + 1, 1] - line[k, 1]))
    return dx * dx + dz * dz


@kernel
def may_be(bits: Any, t: int, node: int) -> Any:
    """Is a graph frame (or transition, N + e) allowed at frame t? No `bits` (of `schedule.Reachable`) allow all."""
    if bits.shape[0] == 0:
        return True
    return t < bits.shape[0] and has_bit(bits, t, node)


@kernel
def fine(parts: Any, fines: Any, s: float, spacing: float, node: int) -> Any:
    """What it costs to show a graph frame at s metres along the line."""
    if len(parts) == 0:
        return 0.0
    row = parts[min(int(s / spacing), len(parts) - 1)]
    return fines[row, node] if row >= 0 else 0.0


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
    fines: Any,
    frames: int,
    least: float,
    budget: int,
    stop: Any,
) -> Any:
    """The way of `frames` frames from one of `starts` whose summed error (eq 2.14 with 2.15) is least.

    Depth first; the error so far bounds the error of every way that goes on from there, so a branch is left as soon as
    it is not below the best whole way (GUAN 2.4.1). Branches that did best per frame are looked at first. s grows by
    the distance walked, at least by `least` metres a frame; a way that reaches the end of the line is whole at once.

    begin: x, z, heading, s, shared by all starts (node numbers); t0 is their frame in the result, for `bits`. What a
    graph frame costs besides at each place of the line is fines[parts[k]] (see `goal.Goal`).
    Looks at `budget` frames at most, and returns at once when stop[0] is set. Returns the start, the transitions taken,
    the frames added (fewer where the line ends), whether the line has ended, the error, the frames looked at.
    Error inf: no way is that long. The slow version is `every_way` in tests/methods/graph/test_branch_and_bound.py.
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
    way = np.empty(deepest, np.int64)
    looked = 0
    while top > 0 and looked < budget and not stop[0]:
        top -= 1
        n, t, d, start = node[top], when[top], depth[top], origin[top]
        x, z, h, s, f = values[top]
        way[:d] = taken[top, :d]
        first_child = top
        while f < best:
            ch, sh = np.cos(h), np.sin(h)
            for e in range(first_out[n], first_out[n + 1]):
                if not may_be(bits, t0 + t, len(goes_on) + e):
                    continue
                px, pz, ps, pf, whole = x, z, s, f, False
                k = 0
                while k < blend and not whole and pf < best:
                    qx = x + ch * over[e, k, 0] + sh * over[e, k, 1]
                    qz = z + ch * over[e, k, 1] - sh * over[e, k, 0]
                    ps += max(least, np.hypot(qx - px, qz - pz))
                    shown = n + k + 1 if k + 1 < half else enter[e] - blend + k + 1
                    pf += off_squared(qx, qz, ps, line, spacing) + fine(parts, fines, ps, spacing, shown)
                    px, pz = qx, qz
                    k += 1
                    whole = t + k == frames or ps >= end
                looked += k
                if pf >= best:
                    continue
                if whole:
                    best, best_frames, best_start, done = pf, t + k, start, ps >= end
                    best_taken[:d] = way[:d]
                    best_taken[d], best_depth = e, d + 1
                else:
                    if top == len(node):
                        node, values, when, depth, taken, origin = _longer(node, values, when, depth, taken, origin)
                    node[top], when[top], depth[top], origin[top] = enter[e], t + k, d + 1, start
                    values[top, 0], values[top, 1], values[top, 2] = px, pz, h + over[e, blend - 1, 2]
                    values[top, 3], values[top, 4] = ps, pf
                    taken[top, :d] = way[:d]
                    taken[top, d] = e
                    top += 1
            if not goes_on[n] or not may_be(bits, t0 + t + 1, n + 1):
                break
            dx = ch * step[n, 0] + sh * step[n, 1]
            dz = ch * step[n, 1] - sh * step[n, 0]
            x, z, h = x + dx, z + dz, h + step[n, 2]
            s += max(least, np.hypot(dx, dz))
            n, t = n + 1, t + 1
            f += off_squared(x, z, s, line, spacing) + fine(parts, fines, s, spacing, n)
            looked += 1
            if f < best and (t == frames or s >= end):
                best, best_frames, best_start, done, best_depth = f, t, start, s >= end, d
                best_taken[:d] = way[:d]
                break
            if t == frames or s >= end:
                break
        _worst_first(first_child, top, node, values, when, depth, taken, origin)
    return best_start, best_taken[:best_depth].copy(), best_frames, done, best, looked


@kernel
def _longer(node: Any, values: Any, when: Any, depth: Any, taken: Any, origin: Any) -> Any:
    """Twice the room."""
    return (
        np.concatenate((node, node)),
        np.concatenate((values, values)),
        np.concatenate((when, when)),
        np.concatenate((depth, depth)),
        np.concatenate((taken, taken)),
        np.concatenate((origin, origin)),
    )


@kernel
def _worst_first(first: int, stop: int, node: Any, values: Any, when: Any, depth: Any, taken: Any, origin: Any) -> None:
    """Sort the newest branches so that the one with the least error per frame lies on top."""
    if stop - first < 2:
        return
    order = first + np.argsort(-values[first:stop, 4] / when[first:stop])
    node[first:stop] = node[order]
    values[first:stop] = values[order]
    when[first:stop] = when[order]
    depth[first:stop] = depth[order]
    taken[first:stop] = taken[order]
    origin[first:stop] = origin[order]
