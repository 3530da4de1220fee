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

ROUNDS = 16  # of the power iteration; it ends earlier, usually after two
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
def average_turns(turns: Any, row: int, t: Any, used: Any, count: int, w: Any, scratch: Any, out: Any) -> None:
    """out (J, 4) the mean rotation of every joint: the eigenvector of `rotation.average`, by power iteration.

    turns (R, K, 4, J): components first, so that loops run over joints. `used` (count,) are the clips with a weight,
    the heaviest first; `scratch` is (each (K, 4, J), sums (8, J)).
    """
    each, sums = scratch
    joints = turns.shape[3]
    t0, t1, t2, t3 = t
    a, b, c, d = sums[0], sums[1], sums[2], sums[3]
    for n in range(count):
        q0, q1, q2, q3 = (
            turns[row - 1, used[n]],
            turns[row, used[n]],
            turns[row + 1, used[n]],
            turns[row + 2, used[n]],
        )
        q = each[n]
        for i in range(4):
            x0, x1, x2, x3, x = q0[i], q1[i], q2[i], q3[i], q[i]
            for j in range(joints):
                x[j] = t0 * x0[j] + t1 * x1[j] + t2 * x2[j] + t3 * x3[j]
        x, y, z, v = q[0], q[1], q[2], q[3]
        for j in range(joints):
            size = 1.0 / math.sqrt(x[j] * x[j] + y[j] * y[j] + z[j] * z[j] + v[j] * v[j])
            x[j] *= size
            y[j] *= size
            z[j] *= size
            v[j] *= size
    first = each[0]
    for j in range(joints):
        a[j], b[j], c[j], d[j] = first[0, j], first[1, j], first[2, j], first[3, j]
    rounds = ROUNDS if count > 1 else 0
    new = sums[4:8]
    for turn in range(rounds):
        e, f, g, h = new[0], new[1], new[2], new[3]
        for j in range(joints):
            e[j], f[j], g[j], h[j] = 0.0, 0.0, 0.0, 0.0
        for n in range(count):
            x, y, z, v, share = each[n, 0], each[n, 1], each[n, 2], each[n, 3], w[used[n]]
            for j in range(joints):
                by = a[j] * x[j] + b[j] * y[j] + c[j] * z[j] + d[j] * v[j]
                if turn == 0:  # signs alone: the normalised sum, a good start
                    by = 1.0 if by >= 0 else -1.0
                by *= share
                e[j] += by * x[j]
                f[j] += by * y[j]
                g[j] += by * z[j]
                h[j] += by * v[j]
        change = 0.0
        for j in range(joints):
            size = 1.0 / math.sqrt(max(e[j] * e[j] + f[j] * f[j] + g[j] * g[j] + h[j] * h[j], 1e-30))
            x0, x1, x2, x3 = e[j] * size, f[j] * size, g[j] * size, h[j] * size
            change = max(change, (x0 - a[j]) ** 2 + (x1 - b[j]) ** 2 + (x2 - c[j]) ** 2 + (x3 - d[j]) ** 2)
            a[j], b[j], c[j], d[j] = x0, x1, x2, x3
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
def workspace(rows: Any) -> Any:
    """Scratch arrays of one body: used (K,), each (K, 4, J), sums (8, J)."""
    _, clips, _, joints = rows[0].shape
    return np.empty(clips, np.int64), np.empty((clips, 4, joints)), np.empty((8, joints))


@kernel
def wrapped(rows: Any, position: float) -> float:
    """The position within the stored rows: cyclic clips go on at their beginning, others stay at their ends."""
    meta = rows[6]
    lead, count = meta[0], meta[1]
    if meta[2] == 1:
        return lead + (position - lead) % count
    return min(max(position, 1.0), float(len(rows[1]) - 2) - 1e-9)


@kernel
def pose(
    rows: Any, w: Any, position: float, track: Any, root: Any, rotations: Any, contacts: Any, scratch: Any
) -> None:
    """The blended pose at a position: root (3,), rotations (J, 4), contacts (P,); `scratch` is `workspace(rows)`.

    Rotations are averaged, height and tilt too; the heading and the place are those of the track, carried on to the
    position. Contacts are those of more than half of the weights.
    """
    turns, levels, steps, _, touches, axes, _ = rows
    used, each, sums = scratch
    count = active(w, used)
    row = int(position)
    share = position - row
    t = taps(share)
    average_turns(turns, row, t, used, count, w, (each, sums), rotations)
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
def face(q: Any, axes: Any, heading: float) -> None:
    """Turn the hips' rotation q (4,) about the vertical to a heading, in place; less while they are upside down."""
    w = q[0] * axes[0] - q[1] * axes[1] - q[2] * axes[2] - q[3] * axes[3]
    x = q[0] * axes[1] + q[1] * axes[0] + q[2] * axes[3] - q[3] * axes[2]
    y = q[0] * axes[2] - q[1] * axes[3] + q[2] * axes[0] + q[3] * axes[1]
    z = q[0] * axes[3] + q[1] * axes[2] - q[2] * axes[1] + q[3] * axes[0]
    own = 2.0 * math.atan2(-y if w < 0 else y, abs(w))
    up = min(max(0.5 + 1.0 - 2.0 * (x * x + z * z), 0.0), 1.0)
    angle = heading - up * up * (3 - 2 * up) * own
    c, s = math.cos(angle / 2), math.sin(angle / 2)
    a, b, d, e = q[0], q[1], q[2], q[3]
    q[0], q[1], q[2], q[3] = c * a - s * d, c * b + s * e, c * d + s * a, c * e - s * b


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
    space = workspace(rows)
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
    space = workspace(rows)
    place = places[0].copy()
    place[0] = begin
    for f in range(len(places)):
        w = weights[f if len(weights) > 1 else 0]
        if f > 0:
            advance(rows, weights[f - 1 if len(weights) > 1 else 0], place, tick * stretch, space[0])
        places[f] = place
        at = wrapped(rows, place[0])
        pose(rows, w, at, place[1:], root[f], rotations[f], contacts[f], space)
