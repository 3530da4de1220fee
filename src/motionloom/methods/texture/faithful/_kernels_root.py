"""The root: its alignment on the ground with every example frame, and how far it is from them (EDEN 3.3.3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.kinematics.feet._kernels_two_bone import multiply
from motionloom.methods.texture.faithful._kernels import ROUNDING, root_range, squared_angle, tilt_gap

TURNED, ACROSS, X, Z = 0, 1, 2, 3  # rows of the sums: over a.b and a x b of points and headings, and of example points
WEIGHT, PLACE_X, PLACE_Z = 0, 1, 2  # totals that are the same for all example frames


@kernel
def add_frames(
    examples: Any, rows: Any, finer: Any, cells: Any, i: Any, first: Any, last: Any, skip: Any, gauss: Any, w: Any,
    near: Any, sums: Any, totals: Any,
) -> None:  # fmt: skip
    """Add the root frames first..last to the sums of the alignment (4, N) and to the totals (3,).

    rows (N,) are the example frames beside frame i, of the level `examples`; points count from `near` (2,), and from
    the root of the level `finer` at each of its N frames.
    """
    half, count = len(gauss) // 2, len(rows)
    most = len(examples.heading)
    for other in range(first, last + 1):
        if other == skip:
            continue
        m, weight = other - i, gauss[other - i + half]
        if cells.root_filled[other, 0]:
            bx, bz = cells.place[other, 0] - near[0], cells.place[other, 1] - near[1]
            add_points(examples, rows, finer, m, weight * w[0], bx, bz, sums, totals)
        if cells.root_filled[other, 2]:
            hx, hz, turn = cells.forward[other, 0], cells.forward[other, 1], weight * w[1]
            for n in range(count):
                k = min(max(rows[n] + m, 0), most - 1)
                fx, fz = examples.forward[0, k], examples.forward[1, k]
                sums[TURNED, n] += turn * (fx * hx + fz * hz)
                sums[ACROSS, n] += turn * (fz * hx - fx * hz)


@kernel
def add_points(examples: Any, rows: Any, finer: Any, m: Any, w: Any, bx: Any, bz: Any, sums: Any, totals: Any) -> None:
    """Add one ground point of the result, beside the example frames rows + m."""
    most = len(examples.heading)
    totals[WEIGHT] += w
    totals[PLACE_X] += w * bx
    totals[PLACE_Z] += w * bz
    for n in range(len(rows)):
        k = min(max(rows[n] + m, 0), most - 1)
        ax, az = examples.root[0, k] - finer.root[0, n], examples.root[2, k] - finer.root[2, n]
        sums[TURNED, n] += w * (ax * bx + az * bz)
        sums[ACROSS, n] += w * (az * bx - ax * bz)
        sums[X, n] += w * ax
        sums[Z, n] += w * az


@kernel
def alignments(examples: Any, near: Any, sums: Any, totals: Any, moves: Any) -> None:
    """Turn (cosine, sine) and shift (x, z) of every example frame (4, N), from the sums: EDEN 3.6 solved."""
    total = totals[WEIGHT]
    inverse = 1.0 / total if total > 0.0 else 0.0
    bx, bz = totals[PLACE_X] * inverse, totals[PLACE_Z] * inverse
    for n in range(moves.shape[1]):
        ax, az = sums[X, n] * inverse, sums[Z, n] * inverse
        c = sums[TURNED, n] - total * (ax * bx + az * bz)
        s = sums[ACROSS, n] - total * (az * bx - ax * bz)
        size = np.sqrt(c * c + s * s)
        cos, sin = (c / size, s / size) if size > 0.0 else (1.0, 0.0)
        moves[0, n], moves[1, n], moves[2, n], moves[3, n] = cos, sin, 0.0, 0.0
        if total > 0.0:
            x, z = ax + examples.root[0, n], az + examples.root[2, n]
            moves[2, n] = bx + near[0] - (cos * x + sin * z)
            moves[3, n] = bz + near[1] - (cos * z - sin * x)


@kernel
def add_gaps(
    examples: Any, rows: Any, cells: Any, i: Any, first: Any, last: Any, skip: Any, gauss: Any, w: Any, moves: Any,
    halves: Any, out: Any,
) -> None:  # fmt: skip
    """Add the sums P and Q (2, N) of the root frames first..last, aligned by `moves`, times w.

    halves (2, N) are cosine and sine of half the turns.
    """
    middle, count = len(gauss) // 2, len(rows)
    most, t = len(examples.heading), examples.turns[0]
    for other in range(first, last + 1):
        if other == skip:
            continue
        m, weight = other - i, w * gauss[other - i + middle]
        if cells.root_filled[other, 0]:
            bx, bz = cells.place[other, 0], cells.place[other, 1]
            for n in range(count):
                k = min(max(rows[n] + m, 0), most - 1)
                x, z = examples.root[0, k], examples.root[2, k]
                dx = moves[0, n] * x + moves[1, n] * z + moves[2, n] - bx
                dz = moves[0, n] * z - moves[1, n] * x + moves[3, n] - bz
                out[0, n] += weight * (dx * dx + dz * dz)
        if cells.root_filled[other, 1]:
            height = cells.height[other]
            for n in range(count):
                k = min(max(rows[n] + m, 0), most - 1)
                out[0, n] += weight * (examples.root[1, k] - height) ** 2
        if cells.root_filled[other, 2] and cells.filled[other, 0]:
            a, b, c, d = cells.world[other, 0], cells.world[other, 1], cells.world[other, 2], cells.world[other, 3]
            for n in range(count):
                k = min(max(rows[n] + m, 0), most - 1)
                u, v = halves[0, n], halves[1, n]
                dot = u * (t[0, k] * a + t[1, k] * b + t[2, k] * c + t[3, k] * d)
                dot += v * (t[3, k] * b - t[2, k] * a + t[0, k] * c - t[1, k] * d)
                out[1, n] += weight * squared_angle(max(0.0, 0.5 * (1.0 - abs(dot))))
        elif cells.root_filled[other, 2]:
            for n in range(count):
                k = min(max(rows[n] + m, 0), most - 1)
                turn = np.arctan2(moves[1, n], moves[0, n])
                out[1, n] += weight * wrap_angle(turn + examples.heading[k] - cells.heading[other]) ** 2
        elif cells.filled[other, 0]:
            for n in range(count):
                k = min(max(rows[n] + m, 0), most - 1)
                out[1, n] += weight * tilt_gap(examples.tilt[k], cells.turns[other, 0])


@kernel
def root_sums(
    examples: Any, cells: Any, keys: Any, coarse: Any, coarse_cells: Any, weights: Any, i: Any, work: Any
) -> Any:
    """Alignment (4, N) and sums P, Q (2, N) of every example frame with frame i; the number of root frames compared.

    The root frames next to i that are filled without a gap count, on this level and around i // 2 on the coarser one;
    i itself only with its keys (EDEN 3.3.3, 3.10). `work` holds the rows (moves, sums, pairs, halves, own) that are
    written to.
    """
    moves, sums, pairs, halves, own = work
    half, w = len(weights.gauss) // 2, (weights.point, weights.orientation)
    first, last = root_range(cells, i, half)
    paired, up = weights.multi > 0.0, i // 2
    low, high = root_range(coarse_cells, up, len(weights.coarse_gauss) // 2) if paired else (0, -1)
    wide = (weights.multi * weights.point, weights.multi * weights.orientation)
    near, totals = np.zeros(2), np.zeros(3)
    nearest = i - 1 if first < i else i + 1
    if first < last and cells.root_filled[nearest, 0]:
        near[0], near[1] = cells.place[nearest, 0], cells.place[nearest, 1]
    elif keys.root_weights[i, 0] >= 0.0:
        near[0], near[1] = keys.place[i, 0], keys.place[i, 1]
    pairs[:] = 0.0
    add_frames(examples, own, examples, cells, i, first, last, i, weights.gauss, w, near, pairs, totals)
    if paired:
        add_frames(
            coarse, examples.coarse, examples, coarse_cells, up, low, high, -1, weights.coarse_gauss, wide, near, pairs,
            totals,
        )  # fmt: skip
    add_key(examples, own, keys, weights, i, near, pairs, totals)
    alignments(examples, near, pairs, totals, moves)
    for n in range(moves.shape[1]):
        cos, sin = moves[0, n], moves[1, n]
        c, s = np.sqrt(max(0.5 * (1.0 + cos), 0.0)), np.sqrt(max(0.5 * (1.0 - cos), 0.0))
        if cos >= 0.0:
            halves[0, n], halves[1, n] = c, 0.5 * sin / c
        else:
            halves[0, n], halves[1, n] = 0.5 * abs(sin) / s, s if sin >= 0.0 else -s
    sums[:] = 0.0
    add_gaps(examples, own, cells, i, first, last, i, weights.gauss, 1.0, moves, halves, sums)
    if paired:
        gauss = weights.coarse_gauss
        add_gaps(coarse, examples.coarse, coarse_cells, up, low, high, -1, gauss, weights.multi, moves, halves, sums)
    limit = ROUNDING * total_weight(weights.gauss, i, first, last, i)
    if paired:
        limit += ROUNDING * weights.multi * total_weight(weights.coarse_gauss, up, low, high, -1)
    for k in range(2):
        for n in range(sums.shape[1]):
            sums[k, n] = sums[k, n] if sums[k, n] > limit else 0.0
    return last - first + (high - low + 1 if paired else 0)


@kernel
def total_weight(gauss: Any, i: Any, first: Any, last: Any, skip: Any) -> Any:
    """The sum of w_G over the frames first..last around i."""
    total, half = 0.0, len(gauss) // 2
    for other in range(first, last + 1):
        if other != skip:
            total += gauss[other - i + half]
    return total


@kernel
def add_key(examples: Any, own: Any, keys: Any, weights: Any, i: Any, near: Any, pairs: Any, totals: Any) -> None:
    """Add the key of the root at frame i to the sums of the alignment; a hard one has the weight of a filled frame."""
    middle = weights.gauss[len(weights.gauss) // 2]
    place, turn = keys.root_weights[i, 0], keys.root_weights[i, 2]
    if place >= 0.0:
        w = middle * (weights.point if np.isinf(place) else place)
        add_points(examples, own, examples, 0, w, keys.place[i, 0] - near[0], keys.place[i, 1] - near[1], pairs, totals)
    if turn >= 0.0:
        w = middle * (weights.orientation if np.isinf(turn) else turn)
        angle = 2.0 * np.arctan2(keys.heading[i, 2], keys.heading[i, 0])
        hx, hz = np.sin(angle), np.cos(angle)
        for n in range(len(own)):
            fx, fz = examples.forward[0, n], examples.forward[1, n]
            pairs[TURNED, n] += w * (fx * hx + fz * hz)
            pairs[ACROSS, n] += w * (fz * hx - fx * hz)


@kernel
def add_root_key(examples: Any, keys: Any, weights: Any, own: Any, i: Any, moves: Any, out: Any) -> Any:
    """Add the distances of the root's own keys at frame i to out (N,); 1 if there are any.

    A hard part of a key counts like a filled value, with the influence `own` of the root on itself.
    """
    place, height, turn = keys.root_weights[i, 0], keys.root_weights[i, 1], keys.root_weights[i, 2]
    tilt = keys.turn_weights[i, 0]
    if place < 0.0 and height < 0.0 and turn < 0.0 and tilt < 0.0:
        return 0
    middle = weights.gauss[len(weights.gauss) // 2]
    point, orientation = own * weights.point, own * weights.orientation
    angle = 2.0 * np.arctan2(keys.heading[i, 2], keys.heading[i, 0])
    limit = 0.0
    for weight, usual in ((place, point), (height, point), (turn, orientation), (tilt, orientation)):
        if weight >= 0.0:
            limit += middle * ROUNDING * (usual if np.isinf(weight) else weight)
    for n in examples.candidates:
        d = 0.0
        if place >= 0.0:
            cos, sin = moves[0, n], moves[1, n]
            x, z = examples.root[0, n], examples.root[2, n]
            dx = cos * x + sin * z + moves[2, n] - keys.place[i, 0]
            dz = cos * z - sin * x + moves[3, n] - keys.place[i, 1]
            d += (point if np.isinf(place) else place) * (dx * dx + dz * dz)
        if height >= 0.0:
            d += (point if np.isinf(height) else height) * (examples.root[1, n] - keys.height[i]) ** 2
        if turn >= 0.0:
            gap = wrap_angle(np.arctan2(moves[1, n], moves[0, n]) + examples.heading[n] - angle)
            d += (orientation if np.isinf(turn) else turn) * gap * gap
        if tilt >= 0.0:
            d += (orientation if np.isinf(tilt) else tilt) * tilt_gap(examples.tilt[n], keys.turns[i, 0])
        d *= middle
        out[n] += np.float32(d if d > limit else 0.0)
    return 1


@kernel
def set_root(examples: Any, cells: Any, keys: Any, axes: Any, i: Any, n: Any, moves: Any) -> None:
    """Store the root of example frame n at frame i, turned and moved; hard keys replace parts of it."""
    hard = (np.isinf(keys.root_weights[i, 0]), np.isinf(keys.root_weights[i, 1]), np.isinf(keys.root_weights[i, 2]))
    cos, sin, turn = moves[0, n], moves[1, n], np.arctan2(moves[1, n], moves[0, n])
    x, z = examples.root[0, n], examples.root[2, n]
    cells.place[i, 0] = keys.place[i, 0] if hard[0] else cos * x + sin * z + moves[2, n]
    cells.place[i, 1] = keys.place[i, 1] if hard[0] else cos * z - sin * x + moves[3, n]
    cells.height[i] = keys.height[i] if hard[1] else examples.root[1, n]
    if hard[2]:
        cells.heading[i] = 2.0 * np.arctan2(keys.heading[i, 2], keys.heading[i, 0])
    else:
        cells.heading[i] = wrap_angle(turn + examples.heading[n])
    tilted = np.isinf(keys.turn_weights[i, 0])
    cells.turns[i, 0] = keys.turns[i, 0] if tilted else examples.tilt[n]
    if hard[2] or tilted:
        turned(cells.turns[i, 0], cells.heading[i], cells.world[i])
    else:
        turned(examples.turns[0, :, n], turn, cells.world[i])
    cells.filled[i, 0] = 1
    cells.root_filled[i] = 1
    forward(cells.world[i], axes, cells.forward[i])


@kernel
def turned(q: Any, angle: Any, out: Any) -> None:
    """out = yaw(angle) q."""
    c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
    out[0], out[1], out[2], out[3] = c * q[0] - s * q[2], c * q[1] + s * q[3], c * q[2] + s * q[0], c * q[3] - s * q[1]


@kernel
def forward(q: Any, axes: Any, out: Any) -> None:
    """The forward axis of the body on the ground: the z axis of q axes."""
    w, x, y, z = multiply(q, axes)
    out[0], out[1] = 2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y)


@kernel
def hard_root(keys: Any, i: Any) -> Any:
    """Is all of the root fixed at frame i?"""
    return np.isinf(keys.turn_weights[i, 0]) and np.isinf(keys.root_weights[i]).all()
