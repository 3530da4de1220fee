"""Compiled placement and scoring of a route. Plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import smoothstep, wrap_angle

MAX_BODY_REACH = 3.0  # m: joints are farther than this from the hips on no body


@kernel
def lay_pieces(
    clip: Any, edge: Any, move: Any, half: int, frames: int, start: int, leaves: Any, count: int, pieces: Any
) -> Any:
    """The pieces of clips of a route, placed on the ground: fills `pieces` (., 5) from row 0 on.

    A piece is its first frame in the result, its first frame in the material, and its placement: turn, x, z. A blend
    belongs to its first clip before its middle and to its second from there on. Returns the number of pieces within
    the requested length, the frames that the route can last, and the sum of its transitions' costs; 0 pieces if a
    transition leaves before the previous one has entered, or from another clip. With g the ground transform of the
    first piece and h_e those of the transitions, piece k is placed by g h_1 ... h_k.
    """
    pieces[0, 0], pieces[0, 1] = 0, start
    turn, x, z = pieces[0, 2], pieces[0, 3], pieces[0, 4]
    n, time, frame, free, costs = 1, 0, start, start, 0.0
    for k in range(count):
        e = leaves[k]
        a, b = edge[e, 0], edge[e, 1]
        if clip[a, 0] != clip[frame, 0] or a - half < free:  # free: the first frame at which a blend may begin
            return 0, 0, 0.0
        time += a - frame
        if time > frames - 1:
            return n, frames, costs
        frame, free = b, b + half
        c, s = np.cos(turn), np.sin(turn)
        x += c * move[e, 2] + s * move[e, 3]
        z += c * move[e, 3] - s * move[e, 2]
        turn += move[e, 1]
        costs += move[e, 0]
        pieces[n, 0], pieces[n, 1], pieces[n, 2], pieces[n, 3], pieces[n, 4] = time, frame, turn, x, z
        n += 1
    return n, time + clip[frame, 1] - frame, costs


@kernel
def place_first(begin: Any, heading: Any, hips: Any, start: int, pieces: Any) -> None:
    """Place the first piece so that frame `start` is at the start of the result."""
    turn = begin[2] - heading[start]
    c, s = np.cos(turn), np.sin(turn)
    x, z = hips[start, 0], hips[start, 2]
    pieces[0, 2], pieces[0, 3], pieces[0, 4] = turn, begin[0] - (c * x + s * z), begin[1] - (c * z - s * x)


@kernel
def _piece_at(clip: Any, half: int, pieces: Any, n: int, time: int) -> Any:
    """The piece at a time and its frame; the other piece of a blend with its frame and weight (0 outside blends).

    Where a route is too short, its last frame is repeated.
    """
    k = n - 1
    while pieces[k, 0] > time:
        k -= 1
    first = int(pieces[k, 1])
    frame = min(first + time - int(pieces[k, 0]), clip[first, 1] - 1)
    other = k
    away = half
    if k + 1 < n and pieces[k + 1, 0] - time < half:
        other, away = k + 1, int(pieces[k + 1, 0]) - time
    elif k > 0 and time - pieces[k, 0] < half:
        other, away = k - 1, time - int(pieces[k, 0])
    if other == k:
        return k, frame, k, frame, 0.0
    p = (half - away) / (2.0 * half)
    beside = min(int(pieces[other, 1]) + time - int(pieces[other, 0]), clip[int(pieces[other, 1]), 1] - 1)
    return k, frame, other, beside, smoothstep(p)


@kernel
def _point_at(clip: Any, half: int, table: Any, pieces: Any, n: int, time: int) -> Any:
    """The position x, y, z of a table's point at a time; in a blend, interpolated as in rendering."""
    k, frame, other, beside, share = _piece_at(clip, half, pieces, n, time)
    c, s = np.cos(pieces[k, 2]), np.sin(pieces[k, 2])
    px, y, pz = table[frame, 0], table[frame, 1], table[frame, 2]
    x, z = c * px + s * pz + pieces[k, 3], c * pz - s * px + pieces[k, 4]
    if share > 0.0:
        c, s = np.cos(pieces[other, 2]), np.sin(pieces[other, 2])
        px, pz = table[beside, 0], table[beside, 2]
        x += share * (c * px + s * pz + pieces[other, 3] - x)
        y += share * (table[beside, 1] - y)
        z += share * (c * pz - s * px + pieces[other, 4] - z)
    return x, y, z


@kernel
def _nearest_joint(clip: Any, half: int, bodies: Any, pieces: Any, n: int, time: int, x: float, z: float) -> float:
    """The distance over the ground from (x, z) to the nearest joint at a time; in a blend, of interpolated joints."""
    k, frame, other, beside, share = _piece_at(clip, half, pieces, n, time)
    c, s = np.cos(pieces[k, 2]), np.sin(pieces[k, 2])
    oc, os = np.cos(pieces[other, 2]), np.sin(pieces[other, 2])
    nearest = np.inf
    for j in range(bodies.shape[1]):
        px, pz = bodies[frame, j, 0], bodies[frame, j, 1]
        dx, dz = c * px + s * pz + pieces[k, 3] - x, c * pz - s * px + pieces[k, 4] - z
        if share > 0.0:
            px, pz = bodies[beside, j, 0], bodies[beside, j, 1]
            dx += share * (oc * px + os * pz + pieces[other, 3] - x - dx)
            dz += share * (oc * pz - os * px + pieces[other, 4] - z - dz)
        nearest = min(nearest, dx * dx + dz * dz)
    return np.sqrt(nearest)


@kernel
def _heading_at(clip: Any, half: int, heading: Any, pieces: Any, n: int, time: int) -> Any:
    k, frame, other, beside, share = _piece_at(clip, half, pieces, n, time)
    here = heading[frame] + pieces[k, 2]
    return here + share * wrap_angle(heading[beside] + pieces[other, 2] - here)


@kernel
def _frames_without_label(pieces: Any, n: int, carried: Any, first: int, end: int) -> float:
    """The number of frames first .. end - 1 without a label."""
    lacking = 0.0
    for k in range(n):
        low = max(first, int(pieces[k, 0]))
        high = end if k + 1 == n else min(end, int(pieces[k + 1, 0]))
        if high > low:
            f = int(pieces[k, 1]) + low - int(pieces[k, 0])
            g = min(f + high - low, len(carried) - 1)
            lacking += high - low - (carried[g] - carried[f])
    return lacking


@kernel
def _keeps_hard_frames(clip: Any, half: int, hard: Any, pieces: Any, n: int) -> bool:
    """Whether the route keeps all hard poses and labels."""
    for i in range(len(hard.time)):
        _, frame, _, _, share = _piece_at(clip, half, pieces, n, hard.time[i])
        if share > 0.0 or not hard.mask[i, frame]:
            return False
    for i in range(len(hard.span)):
        if _frames_without_label(pieces, n, hard.carried[i], hard.span[i, 0], hard.span[i, 1]) > 0:
            return False
    return True


@kernel
def score(
    m: Any, t: Any, hard: Any, start: int, leaves: Any, count: int, bound: float, pieces: Any, line: Any, parts: Any
) -> Any:
    """GUAN eq. 2.18 for a route: fills `parts` (6,). Returns their sum, the number of pieces, the frames it can last.

    The score is infinite if it is no valid route (then there are no pieces), breaks a hard pose or label, or is found
    to be above `bound` before it is complete. `pieces` and `line` are workspace. 1 microsecond for ten transitions and
    one place.
    The slow version is `slow_score` in tests/methods/hierarchical_graph/test_score.py.
    """
    clip, half = m.clip, m.half
    parts[:] = 0.0
    place_first(t.begin, m.heading, t.tables[0], start, pieces)
    n, lasts, costs = lay_pieces(clip, m.edge, m.move, half, t.frames, start, leaves, count, pieces)
    if n == 0 or (len(hard.time) + len(hard.span) > 0 and not _keeps_hard_frames(clip, half, hard, pieces, n)):
        return np.inf, n, lasts
    parts[0] = t.smoothness * costs
    parts[1] = t.length * max(0, t.frames - lasts)
    points = t.points
    for i in range(len(points)):
        x, y, z = _point_at(clip, half, t.tables[int(points[i, 1])], pieces, n, int(points[i, 0]))
        away = points[i, 5] * ((x - points[i, 2]) ** 2 + (z - points[i, 4]) ** 2)
        away += points[i, 6] * (y - points[i, 3]) ** 2
        parts[int(points[i, 7])] += points[i, 8] * np.sqrt(away)
    headings = t.headings
    for i in range(len(headings)):
        faces = _heading_at(clip, half, m.heading, pieces, n, int(headings[i, 0]))
        parts[2] += headings[i, 2] * abs(wrap_angle(faces - headings[i, 1]))
    poses = t.poses
    for i in range(len(poses)):
        frame = _piece_at(clip, half, pieces, n, int(poses[i, 0]))[1]
        parts[3] += poses[i, 2] * t.unlike[int(poses[i, 1]), frame]
    spans = t.spans
    for i in range(len(spans)):
        first, end = int(spans[i, 0]), int(spans[i, 1])
        parts[4] += (
            spans[i, 3] * _frames_without_label(pieces, n, t.carried[int(spans[i, 2])], first, end) / (end - first)
        )
    if len(t.reaches) + len(t.circles) + len(t.paths) > 0:
        _add_path_terms(clip, half, m.heading, t, bound, pieces, n, line, parts)
    return parts.sum(), n, lasts


@kernel
def _add_path_terms(
    clip: Any, half: int, heading: Any, t: Any, bound: float, pieces: Any, n: int, line: Any, parts: Any
) -> None:
    """Add the terms that need the whole path on the ground: arrivals, obstacles, paths."""
    if parts.sum() > bound:
        parts[2] = np.inf
        return
    stride, reaches, circles, paths = t.stride, t.reaches, t.circles, t.paths
    count = -(-(t.frames - 1) // stride) + 1
    _trace_hips(clip, half, t.tables[0], pieces, n, stride, count, t.frames - 1, line)
    for r in range(len(reaches)):
        x, z = reaches[r, 1], reaches[r, 2]
        best = np.inf
        for i in range(min(count, int(reaches[r, 0]) // stride + 1)):
            away = np.hypot(line[i, 0] - x, line[i, 1] - z)
            if reaches[r, 4] > 0 and away < best:
                faces = _heading_at(clip, half, heading, pieces, n, i * stride)
                away += reaches[r, 5] * abs(wrap_angle(faces - reaches[r, 3]))
            best = min(best, away)
        parts[2] += reaches[r, 6] * best
    for r in range(len(circles)):
        deepest = total = 0.0
        for i in range(count):
            depth = 0.0
            if np.hypot(line[i, 0] - circles[r, 0], line[i, 1] - circles[r, 1]) < circles[r, 2] + MAX_BODY_REACH:
                time = min(i * stride, t.frames - 1)
                near = _nearest_joint(clip, half, t.bodies, pieces, n, time, circles[r, 0], circles[r, 1])
                depth = max(0.0, circles[r, 2] - near)
            deepest, total = max(deepest, depth), total + depth
        parts[5] += circles[r, 3] * deepest + circles[r, 4] * total
    for r in range(len(paths)):
        i, j = -(-int(paths[r, 0]) // stride), int(paths[r, 1]) // stride + 1
        j = count if paths[r, 1] == t.frames - 1 else j
        if paths[r, 4] > 0:
            most = (bound - parts.sum()) / paths[r, 4]
            parts[2] += paths[r, 4] * _path_deviation(line[i:j], t.samples[int(paths[r, 2]) : int(paths[r, 3])], most)


@kernel
def _trace_hips(
    clip: Any, half: int, hips: Any, pieces: Any, n: int, stride: int, count: int, last: int, line: Any
) -> None:
    """The place of the hips at every `stride`-th frame and the last: outside blends by piece, `_point_at` inside."""
    i = 0
    for k in range(n):
        first, frame, end = int(pieces[k, 0]), int(pieces[k, 1]), clip[int(pieces[k, 1]), 1] - 1
        stop = count * stride if k + 1 == n else int(pieces[k + 1, 0])
        c, s, x, z = np.cos(pieces[k, 2]), np.sin(pieces[k, 2]), pieces[k, 3], pieces[k, 4]
        while i < count and min(i * stride, last) < stop:
            time = min(i * stride, last)
            if (k > 0 and time - first < half) or (k + 1 < n and stop - time < half):
                line[i, 0], _, line[i, 1] = _point_at(clip, half, hips, pieces, n, time)
            else:
                f = min(frame + time - first, end)
                line[i, 0] = c * hips[f, 0] + s * hips[f, 2] + x
                line[i, 1] = c * hips[f, 2] - s * hips[f, 0] + z
            i += 1


@kernel
def _path_deviation(line: Any, path: Any, most: float) -> Any:
    """The deviation of a walked line from a given path: half the mean, half the worst of the best monotonic pairing.

    Every other point of the line, and its last one, are paired with pieces of the path: its first point, the pieces
    between its points, its last point. So the spacing of the points does not count. The mean is that of dynamic time
    warping, the worst the discrete Frechet distance; both by c[i, j] from c[i-1, j], c[i, j-1] and c[i-1, j-1], one row
    at a time. Both only grow along a pairing, so once the least of a row is above `most` the result is infinite.
    """
    count = len(path) + 1
    if len(line) == 0 or len(path) == 0:
        return 0.0
    total = np.full(count, np.inf)
    worst = np.full(count, np.inf)
    rows = len(line) // 2 + 1
    longer = max(rows, count)
    for i in range(rows):
        at = min(2 * i, len(line) - 1)
        x, z = line[at, 0], line[at, 1]
        least_total = least_worst = np.inf
        corner_total = corner_worst = 0.0 if i == 0 else np.inf
        left_total = left_worst = np.inf
        for j in range(count):
            k, p = min(j, len(path) - 1), max(j - 1, 0)
            px, pz, ux, uz = x - path[p, 0], z - path[p, 1], path[k, 0] - path[p, 0], path[k, 1] - path[p, 1]
            u = min(1.0, max(0.0, (px * ux + pz * uz) / max(ux * ux + uz * uz, 1e-12)))
            d = (px - u * ux) ** 2 + (pz - u * uz) ** 2
            up_total, up_worst = total[j], worst[j]
            left_total = np.sqrt(d) + min(corner_total, up_total, left_total)
            left_worst = max(d, min(corner_worst, up_worst, left_worst))
            corner_total, corner_worst = up_total, up_worst
            total[j], worst[j] = left_total, left_worst
            least_total, least_worst = min(least_total, left_total), min(least_worst, left_worst)
        if 0.5 * least_total / longer + 0.5 * np.sqrt(least_worst) > most:
            return np.inf
    return 0.5 * total[count - 1] / longer + 0.5 * np.sqrt(worst[count - 1])
