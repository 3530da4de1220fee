"""One pass over one level of the texture: frame by frame, the root first, then joint by joint."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods.texture.faithful._kernels import (
    ROUNDING,
    add_direction,
    add_pairs,
    add_point,
    add_styles,
    add_window,
    admit,
    alignment,
    angle_row,
    choose,
    pull,
    root_gaps,
    root_range,
    tilt_gap,
    window_pull,
    wrapped,
)


@kernel
def root_sums(
    examples: Any, cells: Any, keys: Any, coarse: Any, coarse_cells: Any, weights: Any, i: Any, moves: Any, sums: Any
) -> Any:
    """Alignment (N, 3) and sums P, Q (N, 2) of every candidate with frame i; the number of root frames compared.

    The root frames next to i that are filled without a gap count, on this level and around i // 2 on the coarser one;
    i itself only with its keys (EDEN 3.3.3, 3.10).
    """
    half, w = len(weights.gauss) // 2, (weights.point, weights.orientation)
    first, last = root_range(cells, i, half)
    paired = weights.multi > 0.0
    up = i // 2
    low, high = root_range(coarse_cells, up, len(weights.coarse_gauss) // 2) if paired else (0, -1)
    wide = (weights.multi * weights.point, weights.multi * weights.orientation)
    near, pairs, both = np.zeros(4), np.empty(9), np.empty(2)
    for n in examples.candidates:
        nearest = i - 1 if first < i else i + 1
        if first < last and cells.root_filled[nearest, 0]:
            near[0], near[1] = cells.place[nearest, 0], cells.place[nearest, 1]
        near[2], near[3] = examples.root[n, 0], examples.root[n, 2]
        pairs[:] = 0.0
        add_pairs(examples, cells, i, n, first, last, i, weights.gauss, w, near, pairs)
        if paired:
            add_pairs(
                coarse, coarse_cells, up, examples.coarse[n], low, high, -1, weights.coarse_gauss, wide, near, pairs
            )
        add_key_pairs(examples, keys, weights, i, n, near, pairs)
        alignment(pairs, near, moves[n])
        both[:] = 0.0
        if paired:
            root_gaps(coarse, coarse_cells, up, examples.coarse[n], low, high, -1, weights.coarse_gauss, moves[n], both)
            both *= weights.multi
        root_gaps(examples, cells, i, n, first, last, i, weights.gauss, moves[n], both)
        for k in range(2):
            sums[n, k] = both[k] if both[k] > ROUNDING else 0.0
    return last - first + (high - low + 1 if paired else 0)


@kernel
def add_key_pairs(examples: Any, keys: Any, weights: Any, i: Any, n: Any, near: Any, pairs: Any) -> None:
    """Add the key of the root at frame i to the sums of the alignment; a hard one has the weight of a filled frame."""
    middle = weights.gauss[len(weights.gauss) // 2]
    place, turn = keys.root_weights[i, 0], keys.root_weights[i, 2]
    if place >= 0.0:
        w = middle * (weights.point if np.isinf(place) else place)
        ax, az = examples.root[n, 0] - near[2], examples.root[n, 2] - near[3]
        add_point(pairs, w, ax, az, keys.place[i, 0] - near[0], keys.place[i, 1] - near[1])
    if turn >= 0.0:
        w = middle * (weights.orientation if np.isinf(turn) else turn)
        angle = 2.0 * np.arctan2(keys.heading[i, 2], keys.heading[i, 0])
        add_direction(pairs, w, examples.forward[n], (np.sin(angle), np.cos(angle)))


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
    for n in examples.candidates:
        d = 0.0
        if place >= 0.0:
            cos, sin = np.cos(moves[n, 0]), np.sin(moves[n, 0])
            x, z = examples.root[n, 0], examples.root[n, 2]
            dx = cos * x + sin * z + moves[n, 1] - keys.place[i, 0]
            dz = cos * z - sin * x + moves[n, 2] - keys.place[i, 1]
            d += (point if np.isinf(place) else place) * (dx * dx + dz * dz)
        if height >= 0.0:
            d += (point if np.isinf(height) else height) * (examples.root[n, 1] - keys.height[i]) ** 2
        if turn >= 0.0:
            gap = wrapped(moves[n, 0] + examples.heading[n] - angle)
            d += (orientation if np.isinf(turn) else turn) * gap * gap
        if tilt >= 0.0:
            d += (orientation if np.isinf(tilt) else tilt) * tilt_gap(examples.tilt[n], keys.turns[i, 0])
        d *= middle
        out[n] += np.float32(d if d > ROUNDING else 0.0)
    return 1


@kernel
def set_root(examples: Any, cells: Any, keys: Any, axes: Any, i: Any, n: Any, move: Any) -> None:
    """Store the root of example frame n at frame i, turned and moved by `move`; hard keys replace parts of it."""
    hard = (np.isinf(keys.root_weights[i, 0]), np.isinf(keys.root_weights[i, 1]), np.isinf(keys.root_weights[i, 2]))
    cos, sin = np.cos(move[0]), np.sin(move[0])
    x, z = examples.root[n, 0], examples.root[n, 2]
    cells.place[i, 0] = keys.place[i, 0] if hard[0] else cos * x + sin * z + move[1]
    cells.place[i, 1] = keys.place[i, 1] if hard[0] else cos * z - sin * x + move[2]
    cells.height[i] = keys.height[i] if hard[1] else examples.root[n, 1]
    if hard[2]:
        cells.heading[i] = 2.0 * np.arctan2(keys.heading[i, 2], keys.heading[i, 0])
    else:
        cells.heading[i] = wrapped(move[0] + examples.heading[n])
    tilted = np.isinf(keys.turn_weights[i, 0])
    cells.turns[i, 0] = keys.turns[i, 0] if tilted else examples.tilt[n]
    if hard[2] or tilted:
        turned(cells.turns[i, 0], cells.heading[i], cells.world[i])
    else:
        turned(examples.turns[0, :, n], move[0], cells.world[i])
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
    w = q[0] * axes[0] - q[1] * axes[1] - q[2] * axes[2] - q[3] * axes[3]
    x = q[0] * axes[1] + q[1] * axes[0] + q[2] * axes[3] - q[3] * axes[2]
    y = q[0] * axes[2] - q[1] * axes[3] + q[2] * axes[0] + q[3] * axes[1]
    z = q[0] * axes[3] + q[1] * axes[2] - q[2] * axes[1] + q[3] * axes[0]
    out[0], out[1] = 2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y)


@kernel
def synthesize_pass(
    examples: Any,
    cells: Any,
    keys: Any,
    styles: Any,
    coarse: Any,
    coarse_cells: Any,
    coarse_styles: Any,
    weights: Any,
    axes: Any,
    frames: Any,
    order: Any,
    draws: Any,
    stop: Any,
    done: Any,
) -> Any:
    """Choose every cell of the `frames`, in this order, joint by joint in `order`; E, the sum of the least distances.

    Nothing is compared for a cell in an empty neighbourhood: its value is that of the frame chosen for the root, or of
    any frame for the root itself. `draws` (F, J) in 0..1 decide among the candidates. `done` counts frames.
    """
    joints, count = len(order), len(examples.root)
    half, up_half = len(weights.gauss) // 2, len(weights.coarse_gauss) // 2
    paired = weights.multi > 0.0
    slots = np.empty((2 * half + 1, joints, count), np.float32)
    held, some = np.full(2 * half + 1, -1), np.zeros(2 * half + 1, np.int64)
    up_count = len(coarse.root) if paired else 0
    up_slots = np.empty((2 * up_half + 1, joints, up_count), np.float32)
    up_held, up_some = np.full(2 * up_half + 1, -1), np.zeros(2 * up_half + 1, np.int64)
    up_row, up_rows = np.empty(up_count, np.float32), np.empty((joints, up_count), np.float32)
    rows, row = np.empty((joints, count), np.float32), np.empty(count, np.float32)
    key_row, spare = np.empty(count, np.float32), np.empty((joints, count), np.float32)
    moves, sums = np.zeros((count, 3)), np.zeros((count, 2))
    admitted, energy = np.empty(len(examples.candidates), np.int64), 0.0
    middle = weights.gauss[half]
    for i in frames:
        if stop[0]:
            break
        window_pull(examples, cells, weights.influence, i, half, i, slots, held, some, spare)
        if paired:
            window_pull(
                coarse, coarse_cells, weights.influence, i // 2, up_half, -1, up_slots, up_held, up_some, up_rows
            )
        for j in range(1, joints):
            if cells.filled[i, j]:
                angle_row(examples.turns[j], cells.turns[i, j], rows[j])
        allowed = admitted[: admit(examples, styles.required[i], admitted)]
        compared_roots = root_sums(examples, cells, keys, coarse, coarse_cells, weights, i, moves, sums)
        root_source = -1
        for joint in order:
            if joint and np.isinf(keys.turn_weights[i, joint]):
                continue
            row[:] = np.float32(0.0)
            found = add_window(slots, held, some, weights.gauss, i, i, joint, row)
            for other in range(1, joints):
                if other != joint and cells.filled[i, other]:
                    found, weight, source = 1, np.float32(middle * weights.influence[joint, other]), rows[other]
                    for n in range(count):
                        row[n] += weight * source[n]
            if compared_roots:
                found = 1
                a, b = weights.influence[joint, 0] * weights.point, weights.influence[joint, 0] * weights.orientation
                for n in allowed:
                    row[n] += np.float32(a * sums[n, 0] + b * sums[n, 1])
            found |= add_styles(examples, styles.targets[i], styles.weights[i], joint, row)
            if paired:
                up_row[:] = np.float32(0.0)
                up = add_window(up_slots, up_held, up_some, weights.coarse_gauss, i // 2, -1, joint, up_row)
                up |= add_styles(coarse, coarse_styles.targets[i // 2], coarse_styles.weights[i // 2], joint, up_row)
                if up:
                    found, weight = 1, np.float32(weights.multi)
                    for n in allowed:
                        row[n] += weight * up_row[examples.coarse[n]]
            if joint == 0:
                found |= add_root_key(examples, keys, weights, weights.influence[0, 0], i, moves, row)
                if not hard_root(keys, i):
                    n, least = choose(row, allowed, weights.tolerance, draws[i, 0])
                    set_root(examples, cells, keys, axes, i, n, moves[n])
                    cells.source[i, 0] = root_source = n
                    energy += least
                continue
            key = keys.turn_weights[i, joint]
            if key >= 0.0:
                found, weight = 1, np.float32(key * middle)
                angle_row(examples.turns[joint], keys.turns[i, joint], key_row)
                for n in range(count):
                    row[n] += weight * key_row[n]
            n, least = choose(row, allowed, weights.tolerance, draws[i, joint])
            if not found and root_source >= 0:
                n = root_source
            for k in range(4):
                cells.turns[i, joint, k] = examples.turns[joint, k, n]
            cells.filled[i, joint], cells.source[i, joint] = 1, n
            angle_row(examples.turns[joint], cells.turns[i, joint], rows[joint])
            energy += least
        slot = i % len(held)
        pull(weights.influence, rows, cells.filled[i], slots[slot])
        held[slot], some[slot] = i, joints > 1
        done[0] += 1
    return energy


@kernel
def hard_root(keys: Any, i: Any) -> Any:
    """Is all of the root fixed at frame i?"""
    return np.isinf(keys.turn_weights[i, 0]) and np.isinf(keys.root_weights[i]).all()
