"""Bodies of a parametric graph: views of a node's arrays, clouds of joints, transition points. No checks.

`t` is a `ParametricGraphTables`. A place is (4,): the position in rows, and x, z and heading of the track at the row
below it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.blend._kernels_registered import active, advance, blended_step, pace_at, pose, workspace, wrapped
from motionloom.core._jit import kernel
from motionloom.kinematics._kernels import forward
from motionloom.methods.parametric_graph._kernels_alignment import FRAMES, cloud_distance
from motionloom.methods.space._kernels_nearest import nearest_shares

ROWS, EXAMPLES, SIZE, MOMENTS, TERMS, NODES, MISSES = range(7)  # columns of `dims`


@kernel
def rows_of(t: Any, n: int) -> Any:
    """The registered examples of node n, as `blend._kernels_registered` takes them."""
    r, k = t.dims[n, ROWS], t.dims[n, EXAMPLES]
    joints, parts = len(t.parents), len(t.parts)
    a, b, c = t.turns_at[n], t.rows_at[n], t.touches_at[n]
    return (
        t.turns[a : a + r * k * 4 * joints].reshape(r, k, 4, joints),
        t.levels[b : b + r * k].reshape(r, k),
        t.steps[3 * b : 3 * (b + r * k)].reshape(r, k, 3),
        t.paces[b : b + r * k].reshape(r, k),
        t.touches[c : c + r * k * parts].reshape(r, k, parts),
        t.axes,
        t.meta[n],
    )


@kernel
def known_of(t: Any, n: int) -> Any:
    """The map of node n from weights to parameters and what it misses, as `space._kernels_weights` takes them."""
    k, d, i, q = t.dims[n, EXAMPLES], t.dims[n, SIZE], t.dims[n, MOMENTS], t.dims[n, TERMS]
    a, b, c, s = t.values_at[n], t.moments_at[n], t.curve_at[n], t.section_at[n]
    misses, at, by = t.dims[n, MISSES], t.missed_at_at[n], t.missed_by_at[n]
    rows = misses + 1 if misses > 0 else 0
    return (
        t.values[a : a + k * d].reshape(k, d),
        t.moments[b : b + i * 4].reshape(i, 4),
        t.curve[c : c + i * q * d].reshape(i, q, d),
        t.spread[n],
        t.section[s : s + t.dims[n, NODES] * (k + 2)].reshape(t.dims[n, NODES], k + 2),
        t.missed_at[at : at + misses * d].reshape(misses, d),
        t.missed_by[by : by + rows * d].reshape(rows, d),
    )


@kernel
def scratch_of(t: Any) -> Any:
    """Arrays that the kernels of one body use again and again: those of `blend.workspace` for the largest node."""
    return workspace(t.most_examples, len(t.parents))


@kernel
def retreat(rows: Any, w: Any, place: Any, seconds: float, used: Any) -> None:
    """Move a place back by a time: the reverse of `advance`. A motion that ends stays within its margin."""
    steps, meta = rows[2], rows[6]
    count = active(w, used)
    row = int(place[0])
    pace = pace_at(rows, used, count, w, row)
    if seconds <= (place[0] - row) * pace:
        place[0] -= seconds / pace
        return
    seconds -= (place[0] - row) * pace
    place[0] = row
    while seconds > 1e-12:
        if meta[2] == 1 and row <= meta[0]:
            row += meta[1]
        if meta[2] == 0 and row <= 1:
            return
        row -= 1
        side, ahead, turn = blended_step(steps, used, count, w, row)
        place[3] -= turn
        c, s = math.cos(place[3]), math.sin(place[3])
        place[1] -= c * side + s * ahead
        place[2] -= c * ahead - s * side
        pace = pace_at(rows, used, count, w, row)
        part = min(seconds / pace, 1.0)
        place[0] = row + 1.0 - part
        seconds -= part * pace


@kernel
def cloud(t: Any, n: int, w: Any, place: Any, radius: float, level: float, out: Any, feet: Any, touch: Any) -> None:
    """Joints (3 J, 3) of node n at a place and `radius` s before and after it; feet (P, 3) and contacts (P,) there.

    `level` is added to all heights.
    """
    rows, space = rows_of(t, n), scratch_of(t)
    joints = len(t.parents)
    root, rotations, contacts = np.empty((1, 3)), np.empty((1, joints, 4)), np.empty(len(t.parts), np.bool_)
    turns = np.empty((1, joints, 4))
    at = np.empty(4)
    for f in range(FRAMES):
        at[:] = place
        if f == 0:
            retreat(rows, w, at, radius, space[0])
        elif f == 2:
            advance(rows, w, at, radius, space[0])
        pose(rows, w, wrapped(rows, at[0]), at[1:], root[0], rotations[0], contacts, space)
        root[0, 1] += level
        forward(t.parents, t.bones, root, rotations, out[f * joints : (f + 1) * joints].reshape(1, joints, 3), turns)
        if f == 1:
            touch[:] = contacts
            for p in range(len(t.parts)):
                j = t.parts[p]
                q, v = turns[0, j], t.tips[p]
                x = 2.0 * (q[2] * v[2] - q[3] * v[1])
                y = 2.0 * (q[3] * v[0] - q[1] * v[2])
                z = 2.0 * (q[1] * v[1] - q[2] * v[0])
                feet[p, 0] = out[joints + j, 0] + v[0] + q[0] * x + q[2] * z - q[3] * y
                feet[p, 1] = out[joints + j, 1] + v[1] + q[0] * y + q[3] * x - q[1] * z
                feet[p, 2] = out[joints + j, 2] + v[2] + q[0] * z + q[1] * y - q[2] * x


@kernel
def empty_cloud(t: Any) -> Any:
    """Room for a cloud: points (3 J, 3), feet (P, 3) and contacts (P,)."""
    joints, parts = len(t.parents), len(t.parts)
    return np.empty((FRAMES * joints, 3)), np.empty((parts, 3)), np.empty(parts, np.bool_)


@kernel
def clouds(t: Any, n: int, weights: Any, u: Any, level: Any, out: Any) -> None:
    """Clouds of node n with weights (N, K) at parameters u (N,), their feet and contacts; levels (N,) are added to
    heights."""
    points, feet, touch = out
    place = np.zeros(4)
    for i in range(len(u)):
        place[:] = 0.0
        place[0] = position_of(t, n, u[i])
        cloud(t, n, weights[i], place, t.radius[n], level[i], points[i], feet[i], touch[i])


@kernel
def position_of(t: Any, n: int, u: float) -> float:
    """The row of a parameter u of node n, within its rows."""
    meta = t.meta[n]
    at = meta[0] + u * meta[1]
    if meta[2] == 1:
        return meta[0] + (at - meta[0]) % meta[1]
    return min(max(at, 1.0), t.dims[n, ROWS] - 3.0)


@kernel
def lookup(t: Any, e: int, values: Any, k: int, low: Any, high: Any) -> Any:
    """HECK eqs 6.1-6.3: box (low, high) of edge e for source parameters, and the transition point (u, u').

    All in units of the ranges; the k nearest samples count. An exact hit is that sample.
    """
    first, last = t.edge_first[e], t.edge_first[e + 1]
    size, to = t.dims[t.edge_source[e], SIZE], t.dims[t.edge_target[e], SIZE]
    count = min(k, last - first)
    near, shares = np.empty(count, np.int64), np.empty(count)
    nearest_shares(t.sample_values[first:last], values, size, near, shares)
    low[:] = 0.0
    high[:] = 0.0
    leave, enter = 0.0, 0.0
    for i in range(count):
        x, s = shares[i], first + near[i]
        for c in range(to):
            low[c] += x * t.low[s, c]
            high[c] += x * t.high[s, c]
        leave += x * t.points[s, 0]
        enter += x * t.points[s, 1]
    return leave, enter


@kernel
def earlier(t: Any, n: int, w: Any, position: float, seconds: float, used: Any) -> float:
    """The position from which a time leads to another position; of a motion that ends, not before its margin."""
    rows, meta = rows_of(t, n), t.meta[n]
    count = active(w, used)
    at = position
    while seconds > 1e-12:
        if meta[2] == 1 and at <= meta[0]:
            at += meta[1]
        row = math.ceil(at) - 1
        if row < 1:
            return 1.0
        pace = pace_at(rows, used, count, w, row)
        if (at - row) * pace >= seconds:
            return at - seconds / pace
        seconds -= (at - row) * pace
        at = float(row)
    return at


@kernel
def verify(
    t: Any, e: int, source: Any, source_weights: Any, source_level: Any, target_weights: Any, k: int, out: Any
) -> None:
    """out (N,) m: the least distance of N pairs at the point that edge e gives for the source's parameters.

    source (N, D) in units of the range.
    """
    n, m = t.edge_source[e], t.edge_target[e]
    a, b = empty_cloud(t), empty_cloud(t)
    low, high = np.empty(t.low.shape[1]), np.empty(t.low.shape[1])
    place = np.zeros(4)
    for i in range(len(source)):
        leave, enter = lookup(t, e, source[i], k, low, high)
        place[:] = 0.0
        place[0] = position_of(t, n, leave)
        cloud(t, n, source_weights[i], place, t.radius[n], source_level[i], a[0], a[1], a[2])
        place[:] = 0.0
        place[0] = position_of(t, m, enter)
        cloud(t, m, target_weights[i], place, t.radius[m], 0.0, b[0], b[1], b[2])
        out[i] = cloud_distance(a[0], b[0], t.cloud)[0]
