"""The search for every cell of one level of the texture (EDEN 3.3 to 3.6). `tests/methods/texture/oracle.py` is slow.

For a cell <l, i> and an example frame j the distance is

    d = sum_m w_G(m) sum_l' M(l, l') |A_l'(j + m) - B_l'(i + m)|^2 + M(l, 0) (w_q Q(j) + w_p P(j)) + styles + own key

over filled cells, on this level and, times w_Multi, on the next coarser one; P and Q are the sums of the root. The
squared angles of one frame of the result to all example frames are computed once; weighted with M they are kept for
the frames of the window ("pull" of a frame), so a cell costs O(N (K + J)). Angles and sums are single precision: the
angle is that of the difference of two quaternions, so that of equal ones is exactly 0, and 0 below the rounding errors
of double precision (a key that equals an example may differ in its last bit); sums of the root are computed in double
precision and are 0 below its rounding errors, which grow with their weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core._jit import kernel

ROUNDING = 64 * 2.220446049250313e-16  # times its weight, a squared angle or distance below this is a rounding error
BLOCK = 512  # example frames whose angles to all joints fit in the cache


class Cells(NamedTuple):
    """The result on one level; what is not filled has no meaning."""

    turns: Any  # (F, J, 4) local rotations; of joint 0 the tilt
    world: Any  # (F, 4) the root's rotation, where heading and tilt are filled
    forward: Any  # (F, 2) the forward axis on the ground, where the heading is filled
    place: Any  # (F, 2)
    height: Any  # (F,)
    heading: Any  # (F,)
    filled: Any  # (F, J) 1 or 0
    root_filled: Any  # (F, 3) place, height, heading
    source: Any  # (F, J) example frame, -1 where none


class DistanceWeights(NamedTuple):
    """What the distance is weighted with."""

    influence: Any  # (J, J) M
    gauss: Any  # (2 h + 1,) w_G of this level
    coarse_gauss: Any  # (2 h_sub + 1,) of the next coarser one
    point: float
    orientation: float
    multi: float  # w_Multi; 0 on the coarsest level
    tolerance: float  # c


@kernel(inline=True)
def squared_angle(h: Any) -> Any:
    """(4 asin sqrt h)^2 for h = |q - q'|^2 / 4 of quaternions on one hemisphere, to 3e-12: a polynomial on 0..0.5."""
    g = 0.7462593078613284
    g = g * h - 1.6233760833740245
    g = g * h + 1.7592018604278574
    g = g * h - 1.0550571931991728
    g = g * h + 0.4704870308400133
    g = g * h - 0.07820079773664489
    g = g * h + 0.07013391751897878
    g = g * h + 0.05899304438630674
    g = g * h + 0.08146681133463293
    g = g * h + 0.11427680614916934
    g = g * h + 0.1777779860448167
    g = g * h + 0.3333333314278155
    g = g * h + 1.0000000000028795
    return 16.0 * h * g


@kernel
def angle_row(turns: Any, q: Any, out: Any) -> None:
    """out[n] = squared angle between q (4,) and turns (4, N)[:, n]; 0 below rounding errors."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    a, b, c, d = turns[0], turns[1], turns[2], turns[3]
    for n in range(len(a)):
        side = 1.0 if w * a[n] + x * b[n] + y * c[n] + z * d[n] >= 0.0 else -1.0
        e, f, g, h = a[n] - side * w, b[n] - side * x, c[n] - side * y, d[n] - side * z
        gap = squared_angle(0.25 * (e * e + f * f + g * g + h * h))
        out[n] = gap if gap > ROUNDING else 0.0


@kernel
def pull(influence: Any, rows: Any, filled: Any, out: Any) -> None:
    """out[l, n] = sum over filled l' >= 1 of M(l, l') rows[l', n]."""
    joints, count = rows.shape
    for first in range(0, count, BLOCK):
        last = min(first + BLOCK, count)
        for k in range(joints):
            to = out[k, first:last]
            to[:] = np.float32(0.0)
            for other in range(1, joints):
                if filled[other]:
                    weight, source = np.float32(influence[k, other]), rows[other, first:last]
                    for n in range(len(to)):
                        to[n] += weight * source[n]


@kernel
def frame_pull(examples: Any, influence: Any, turns: Any, filled: Any, rows: Any, out: Any) -> Any:
    """The pull of one frame (J, 4), `filled` (J,), on all example frames; 1 if any joint but the root is filled."""
    some = 0
    for j in range(1, len(turns)):
        if filled[j]:
            angle_row(examples.turns[j], turns[j], rows[j])
            some = 1
    if some:
        pull(influence, rows, filled, out)
    return some


@kernel
def window_pull(
    examples: Any, cells: Any, influence: Any, i: Any, half: Any, skip: Any, slots: Any, held: Any, some: Any, rows: Any
) -> None:
    """Bring the pulls of the frames i - half .. i + half of `cells` into their slots; the frame `skip` is left out."""
    size = len(held)
    for other in range(max(0, i - half), min(len(cells.turns), i + half + 1)):
        slot = other % size
        if other != skip and held[slot] != other:
            some[slot] = frame_pull(examples, influence, cells.turns[other], cells.filled[other], rows, slots[slot])
            held[slot] = other


@kernel
def add_window(slots: Any, held: Any, some: Any, gauss: Any, i: Any, skip: Any, joint: Any, out: Any) -> Any:
    """out[j] += sum_m w_G(m) pull(i + m)[joint, j + m], for the frames held; 1 if there are any."""
    size, half, count, found = len(held), len(gauss) // 2, len(out), 0
    for m in range(-half, half + 1):
        other = i + m
        slot = other % size
        if other < 0 or other == skip or held[slot] != other or not some[slot]:
            continue
        found = 1
        weight, row = np.float32(gauss[m + half]), slots[slot, joint]
        first, last = max(0, -m), min(count, count - m)
        to, source = out[first:last], row[first + m : last + m]
        for n in range(len(to)):
            to[n] += weight * source[n]
    return found


@kernel
def root_range(cells: Any, i: Any, half: Any) -> Any:
    """The frames first..last around i whose root is filled without a gap, i itself among them."""
    first = last = i
    while first - 1 >= max(0, i - half) and (cells.root_filled[first - 1].any() or cells.filled[first - 1, 0]):
        first -= 1
    while last + 1 <= min(len(cells.place) - 1, i + half) and (
        cells.root_filled[last + 1].any() or cells.filled[last + 1, 0]
    ):
        last += 1
    return first, last


@kernel
def tilt_gap(a: Any, b: Any) -> Any:
    """The squared angle between two rotations apart from heading: 2 atan2(|(x, z)|, |(w, y)|) of a b^-1."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = -a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = -a[0] * b[2] + a[1] * b[3] + a[2] * b[0] - a[3] * b[1]
    z = -a[0] * b[3] - a[1] * b[2] + a[2] * b[1] + a[3] * b[0]
    return (2.0 * np.arctan2(np.sqrt(x * x + z * z), np.sqrt(w * w + y * y))) ** 2


@kernel
def choose(distances: Any, admitted: Any, tolerance: Any, draw: Any) -> Any:
    """A frame of `admitted` (M,) whose distance is within the tolerance, and the least distance (EDEN 3.3.2).

    At most c d_min, or, if that is 0, c / 2 times the least distance that is not; if all are 0, any. `draw` in 0..1
    decides among them.
    """
    least, positive = np.inf, np.inf
    for n in admitted:
        d = np.float64(distances[n])
        if d < least:
            least = d
        if 0.0 < d < positive:
            positive = d
    limit = tolerance * least if least > 0.0 else 0.5 * tolerance * positive
    count = 0
    for n in admitted:
        count += np.float64(distances[n]) <= limit
    left = int(draw * count)
    for n in admitted:
        if np.float64(distances[n]) <= limit:
            if left == 0:
                return n, least
            left -= 1
    return admitted[0], least


@kernel
def add_styles(examples: Any, targets: Any, weights: Any, joint: Any, out: Any) -> Any:
    """out[n] += sum over channels of weights[g, joint] (S_A(n) - S_B)^2; 1 if any channel counts."""
    found = 0
    for g in range(len(targets)):
        weight = weights[g, joint]
        if weight > 0.0:
            found = 1
            for n in range(len(out)):
                out[n] += np.float32(weight * (examples.styles[n, g] - targets[g]) ** 2)
    return found


@kernel
def admit(examples: Any, required: Any, out: Any) -> Any:
    """The candidates that have the required styles, into out.

    On coarser levels, where none has as much of one, those with the most; on the finest level see `check_styles`.
    """
    count = 0
    for n in examples.candidates:
        out[count] = n
        count += 1
    for g in range(len(required)):
        if required[g] > 0.0:
            most = 0.0
            for k in range(count):
                most = max(most, examples.styles[out[k], g])
            need, kept = min(required[g], most), 0
            for k in range(count):
                if examples.styles[out[k], g] >= need:
                    out[kept] = out[k]
                    kept += 1
            count = kept
    return count
