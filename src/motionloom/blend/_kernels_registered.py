"""Compiled blends of registered clips: one pose, a step of the shared clock, many frames. Plain arrays, no checks.

`rows` is the tuple of arrays `Registered.tables()`: turns (R, K, 4, J), levels (R, K), steps (R, K, 3), paces (R, K),
contacts (R, K, P), axes (4,), and (3,) integers: rows before u = 0, rows from u = 0 to u = 1, 1 if clips are cyclic.
A position is a row number, which may be fractional. A track is x, z and heading at the row below a position.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.kinematics._kernels_heading import face

ROUNDS, STEPS = 8, 3  # of the power iteration, which ends earlier, usually in the third round; steps of a round
CLOSE = 1e-16  # squared change of a unit quaternion at which the iteration ends
INSTANT = 1e-12  # s: a row this near is reached now
MIN_PACE = 0.1  # of the mean pace: extrapolated weights cannot stop the clock or run it backwards


@kernel
def taps(share: float) -> Any:
    """Weights of the four rows around a position (Catmull-Rom): a C1 curve through all rows."""
    s2 = share * share
    s3 = s2 * share
    return (
        0.5 * (-share + 2 * s2 - s3),
        0.5 * (2 - 5 * s2 + 3 * s3),
        0.5 * (share + 4 * s2 - 3 * s3),
        0.5 * (-s2 + s3),
    )


@kernel(fastmath=True)
def average_turns(turns: Any, row: int, t: Any, used: Any, count: int, w: Any, sums: Any, out: Any) -> None:
    """out (J, 4) the mean rotation of every joint: the eigenvector of `rotation.average`, by power iteration.

    turns (R, K, 4, J): components first, so that loops run over joints. `used` (count,) are the clips with a weight,
    the heaviest first; `sums` is (18, J). The matrix sum_k w_k q_k q_k^T is added up once for each joint (ten numbers),
    so that a step of the iteration does not depend on the number of clips.
    """
    joints = turns.shape[3]
    t0, t1, t2, t3 = t
    flat = turns.reshape(turns.shape[0], turns.shape[1], 4 * joints)
    q = sums[0:4].reshape(4 * joints)
    x, y, z, v = sums[0], sums[1], sums[2], sums[3]
    a, b, c, d = sums[4], sums[5], sums[6], sums[7]
    aa, ab, ac, ad, bb = sums[8], sums[9], sums[10], sums[11], sums[12]
    bc, bd, cc, cd, dd = sums[13], sums[14], sums[15], sums[16], sums[17]
    sums[8:18] = 0.0
    for n in range(count):
        k = used[n]
        q0, q1, q2, q3 = flat[row - 1, k], flat[row, k], flat[row + 1, k], flat[row + 2, k]
        for j in range(4 * joints):
            q[j] = t0 * q0[j] + t1 * q1[j] + t2 * q2[j] + t3 * q3[j]
        if n == 0:
            for j in range(joints):
                size = 1.0 / math.sqrt(x[j] * x[j] + y[j] * y[j] + z[j] * z[j] + v[j] * v[j])
                a[j], b[j], c[j], d[j] = x[j] * size, y[j] * size, z[j] * size, v[j] * size
            if count == 1:
                break
        share = w[k]
        for j in range(joints):
            e, f, g, h = x[j], y[j], z[j], v[j]
            size = share / (e * e + f * f + g * g + h * h)
            aa[j] += size * e * e
            ab[j] += size * e * f
            ac[j] += size * e * g
            ad[j] += size * e * h
            bb[j] += size * f * f
            bc[j] += size * f * g
            bd[j] += size * f * h
            cc[j] += size * g * g
            cd[j] += size * g * h
            dd[j] += size * h * h
    for _ in range(ROUNDS if count > 1 else 0):
        change = 0.0
        for j in range(joints):
            e, f, g, h = a[j], b[j], c[j], d[j]
            for _ in range(STEPS):
                e, f, g, h = (
                    aa[j] * e + ab[j] * f + ac[j] * g + ad[j] * h,
                    ab[j] * e + bb[j] * f + bc[j] * g + bd[j] * h,
                    ac[j] * e + bc[j] * f + cc[j] * g + cd[j] * h,
                    ad[j] * e + bd[j] * f + cd[j] * g + dd[j] * h,
                )
            size = 1.0 / math.sqrt(max(e * e + f * f + g * g + h * h, 1e-30))
            e, f, g, h = e * size, f * size, g * size, h * size
            change = max(change, (e - a[j]) ** 2 + (f - b[j]) ** 2 + (g - c[j]) ** 2 + (h - d[j]) ** 2)
            a[j], b[j], c[j], d[j] = e, f, g, h
        if change < CLOSE:
            break
    for j in range(joints):
        out[j, 0], out[j, 1], out[j, 2], out[j, 3] = a[j], b[j], c[j], d[j]


@kernel
def active(w: Any, used: Any) -> int:
    """The clips with a weight, the heaviest first, in `used`; returns how many."""
    count, best = 0, 0
    for k in range(len(w)):
        if w[k] != 0.0:
            used[count] = k
            if w[k] > w[used[best]]:
                best = count
            count += 1
    used[0], used[best] = used[best], used[0]
    return count


@kernel
def workspace(clips: int, joints: int) -> Any:
    """Scratch arrays of one body: used (K,), sums (18, J)."""
    return np.empty(clips, np.int64), np.empty((18, joints))


@kernel
def wrapped(rows: Any, position: float) -> float:
    """The position within the stored rows: cyclic clips continue at their beginning, others stay at their ends."""
    meta = rows[6]
    lead, count = meta[0], meta[1]
    if meta[2] == 1:
        return lead + (position - lead) % count
    return min(max(position, 1.0), float(len(rows[1]) - 2) - 1e-9)


@kernel
def phase_between(meta: Any, first: float, second: float, share: float) -> float:
    """Cycles from u = 0 to a position between two that follow each other; NaN for clips that are not cyclic.

    `meta` is the last of `rows`. Where the second is more than half a cycle ahead (a jump), the nearer one counts.
    """
    lead, count, cyclic = meta
    if cyclic != 1:
        return math.nan
    ahead = (second - first) % count
    if 2.0 * ahead > count:
        share = np.round(share)
    return (first - lead + share * ahead) % count / count


@kernel
def pose(
    rows: Any, w: Any, position: float, track: Any, root: Any, rotations: Any, contacts: Any, scratch: Any
) -> None:
    """The blended pose at a position: root (3,), rotations (J, 4), contacts (P,); `scratch` is a `workspace`.

    Rotations are averaged, height and tilt too; the heading and the place are those of the track, carried on to the
    position. Contacts are those of more than half of the weights.
    """
    turns, levels, steps, _, touches, axes, _ = rows
    used, sums = scratch
    count = active(w, used)
    row = int(position)
    share = position - row
    t = taps(share)
    average_turns(turns, row, t, used, count, w, sums, rotations)
    height = 0.0
    for n in range(count):
        k = used[n]
        height += w[k] * (
            t[0] * levels[row - 1, k] + t[1] * levels[row, k] + t[2] * levels[row + 1, k] + t[3] * levels[row + 2, k]
        )
    left, forward, turn = moved(steps, used, count, w, row, t)
    c, s = math.cos(track[2]), math.sin(track[2])
    root[0] = track[0] + c * left + s * forward
    root[1] = height
    root[2] = track[1] + c * forward - s * left
    face(rotations[0], axes, track[2] + turn)
    for p in range(touches.shape[2]):
        on = 0.0
        for n in range(count):
            k = used[n]
            on += w[k] * ((1 - share) * touches[row, k, p] + share * touches[row + 1, k, p])
        contacts[p] = on > 0.5


@kernel
def blended_step(steps: Any, used: Any, count: int, w: Any, row: int) -> Any:
    """Left, forward and turn from one row to the next, in the heading of the first."""
    left, forward, turn = 0.0, 0.0, 0.0
    for n in range(count):
        k = used[n]
        left += w[k] * steps[row, k, 0]
        forward += w[k] * steps[row, k, 1]
        turn += w[k] * steps[row, k, 2]
    return left, forward, turn


@kernel
def moved(steps: Any, used: Any, count: int, w: Any, row: int, t: Any) -> Any:
    """Left, forward and turn from a row to the position behind it, on the C1 curve through the rows around it."""
    l0, f0, a0 = blended_step(steps, used, count, w, row - 1)
    l1, f1, a1 = blended_step(steps, used, count, w, row)
    l2, f2, a2 = blended_step(steps, used, count, w, row + 1)
    c, s = math.cos(-a0), math.sin(-a0)
    bl, bf = -(c * l0 + s * f0), -(c * f0 - s * l0)
    c, s = math.cos(a1), math.sin(a1)
    nl, nf = l1 + c * l2 + s * f2, f1 + c * f2 - s * l2
    return (
        t[0] * bl + t[2] * l1 + t[3] * nl,
        t[0] * bf + t[2] * f1 + t[3] * nf,
        -t[0] * a0 + t[2] * a1 + t[3] * (a1 + a2),
    )


@kernel
def pace_at(rows: Any, used: Any, count: int, w: Any, row: int) -> float:
    """Seconds from a row to the next one on the shared clock, sum_k w_k dS_k."""
    paces = rows[3]
    out, mean = 0.0, 0.0
    for n in range(count):
        out += w[used[n]] * paces[row, used[n]]
        mean += paces[row, used[n]]
    return max(out, MIN_PACE * mean / count)


@kernel
def advance(rows: Any, w: Any, place: Any, seconds: float, used: Any) -> float:
    """Move (position, x, z, heading) in `place` (4,) on by a time; returns what is left at the end of the clips."""
    steps, meta = rows[2], rows[6]
    count = active(w, used)
    last = meta[0] + meta[1]
    while True:
        row = int(place[0])
        pace = pace_at(rows, used, count, w, row)
        left = (row + 1 - place[0]) * pace
        if seconds < left - INSTANT:
            place[0] += seconds / pace
            return 0.0
        if meta[2] == 0 and row + 1 >= len(rows[1]) - 2:
            place[0] = min(row + 1.0, len(rows[1]) - 2.0)
            return seconds - left
        seconds = max(seconds - left, 0.0)
        side, forward, turn = blended_step(steps, used, count, w, row)
        c, s = math.cos(place[3]), math.sin(place[3])
        place[1] += c * side + s * forward
        place[2] += c * forward - s * side
        place[3] += turn
        place[0] = row + 1.0
        if meta[2] == 1 and row + 1 >= last:
            place[0] = float(meta[0])


@kernel
def seconds_between(rows: Any, w: Any, begin: float, end: float) -> float:
    """Time on the shared clock from one position to a later one."""
    used = np.empty(len(w), np.int64)
    count = active(w, used)
    out, at = 0.0, begin
    while at < end - 1e-12:
        row = int(at)
        to = min(row + 1.0, end)
        out += (to - at) * pace_at(rows, used, count, w, row)
        at = to
    return out


@kernel
def poses(rows: Any, weights: Any, position: Any, track: Any, root: Any, rotations: Any, contacts: Any) -> None:
    """`pose` for N bodies: weights (N, K) or (1, K), position (N,), track (N, 3); results in the last three."""
    space = workspace(rows[0].shape[1], rows[0].shape[3])
    for n in range(len(position)):
        w = weights[n if len(weights) > 1 else 0]
        pose(rows, w, wrapped(rows, position[n]), track[n], root[n], rotations[n], contacts[n], space)


@kernel
def play(
    rows: Any,
    weights: Any,
    begin: float,
    tick: float,
    stretch: float,
    places: Any,
    root: Any,
    rotations: Any,
    contacts: Any,
) -> None:
    """F frames `tick` seconds apart: frame f is moved on by the weights of f - 1, (F, K) or (1, K), and posed by its.

    places (F, 4): position, x, z and heading of the track; the first row is given. The clock runs `stretch` times as
    fast. Frame f is posed at its own position.
    """
    space = workspace(rows[0].shape[1], rows[0].shape[3])
    place = places[0].copy()
    place[0] = begin
    for f in range(len(places)):
        w = weights[f if len(weights) > 1 else 0]
        if f > 0:
            advance(rows, weights[f - 1 if len(weights) > 1 else 0], place, tick * stretch, space[0])
        places[f] = place
        at = wrapped(rows, place[0])
        pose(rows, w, at, place[1:], root[f], rotations[f], contacts[f], space)
