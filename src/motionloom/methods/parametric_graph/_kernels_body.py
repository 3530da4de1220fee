"""Bodies of a parametric graph: views of a node's arrays, clouds of joints, alignment on the ground. No checks.

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
from motionloom.methods.space._kernels_nearest import nearest_shares

ROWS, EXAMPLES, SIZE, MOMENTS, TERMS, NODES, MISSES = range(7)  # columns of `dims`
FRAMES = 3  # of a cloud


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
def cloud_distance(a: Any, b: Any, frame_weights: Any) -> Any:
    """Root mean square distance (m) of two clouds under the best turn and shift of b on the ground; and these.

    GUAN eqs 2.28-2.31 with weights that sum to 1 (see errata): (distance, turn, x, z).
    """
    joints = len(a) // FRAMES
    ax, az, bx, bz = 0.0, 0.0, 0.0, 0.0
    for f in range(FRAMES):
        for j in range(f * joints, (f + 1) * joints):
            w = frame_weights[f] / joints
            ax += w * a[j, 0]
            az += w * a[j, 2]
            bx += w * b[j, 0]
            bz += w * b[j, 2]
    along, across, total = 0.0, 0.0, 0.0
    for f in range(FRAMES):
        for j in range(f * joints, (f + 1) * joints):
            w = frame_weights[f] / joints
            px, pz, qx, qz = a[j, 0] - ax, a[j, 2] - az, b[j, 0] - bx, b[j, 2] - bz
            along += w * (px * qx + pz * qz)
            across += w * (px * qz - pz * qx)
            total += w * (px * px + pz * pz + qx * qx + qz * qz + (a[j, 1] - b[j, 1]) ** 2)
    size = math.hypot(along, across)
    turn = math.atan2(across, along)
    c, s = math.cos(turn), math.sin(turn)
    return math.sqrt(max(total - 2.0 * size, 0.0)), turn, ax - (c * bx + s * bz), az - (c * bz - s * bx)


@kernel
def feet_alignment(turn: float, a: Any, b: Any, on_a: Any, on_b: Any, x: float, z: float) -> Any:
    """The shift (x, z) that brings feet which stand in both poses together, after b is turned; else the given one."""
    c, s = math.cos(turn), math.sin(turn)
    count, dx, dz = 0, 0.0, 0.0
    for p in range(len(a)):
        if on_a[p] and on_b[p]:
            count += 1
            dx += a[p, 0] - (c * b[p, 0] + s * b[p, 2])
            dz += a[p, 2] - (c * b[p, 2] - s * b[p, 0])
    if count == 0:
        return x, z
    return dx / count, dz / count


@kernel
def laid(t: Any, a: Any, b: Any, by_feet: bool) -> Any:
    """RMS distance (m) of two clouds as b is laid on the ground; and its turn, x and z.

    a and b are (points, feet, contacts). The turn is that of `cloud_distance`, and so is the shift unless feet that
    stand in both determine it. A shift d from the best one adds |d|^2 to the mean square, as the weights sum to 1.
    """
    distance, turn, x, z = cloud_distance(a[0], b[0], t.cloud)
    if not by_feet:
        return distance, turn, x, z
    left, ahead = feet_alignment(turn, a[1], b[1], a[2], b[2], x, z)
    return math.sqrt(distance * distance + (left - x) ** 2 + (ahead - z) ** 2), turn, left, ahead


@kernel
def least_laid(t: Any, cells: Any, a: Any, b: Any, least: Any, where: Any) -> None:
    """The least distance of pairs as laid on the ground: least (S, T) m, and where (S, T, 2) among their clouds.

    Clouds with the same feet on the ground, if there are any: a foot that stands in one only would slide.
    cells (S, L, T, E) m^2: squares of the least distances under any alignment, most of which exceed what was found.
    a and b are (points, feet, contacts) of S x L and of T x E clouds.
    """
    sources, leaves, targets, enters = cells.shape
    for i in range(sources):
        for j in range(targets):
            best, found = np.inf, -1
            for alike in (True, False):
                for p in range(leaves):
                    for q in range(enters):
                        m, n = i * leaves + p, j * enters + q
                        if cells[i, p, j, q] >= best * best or (alike and not np.array_equal(a[2][m], b[2][n])):
                            continue
                        far = laid(t, (a[0][m], a[1][m], a[2][m]), (b[0][n], b[1][n], b[2][n]), t.by_feet)[0]
                        if far < best:
                            best, found = far, p * enters + q
                if found >= 0:
                    break
            least[i, j] = best
            where[i, j, 0], where[i, j, 1] = found // enters, found % enters


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
    """out (N,) m: the distance of N pairs as they are laid, at the point that edge e gives for the source's parameters.

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
        out[i] = laid(t, a, b, t.by_feet)[0]
