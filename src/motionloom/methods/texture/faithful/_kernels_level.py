"""One pass over one level of the texture: frame by frame, the root first, then joint by joint."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods.texture.faithful._kernels import (
    add_styles,
    add_window,
    admit,
    angle_row,
    choose,
    pull,
    window_pull,
)
from motionloom.methods.texture.faithful._kernels_root import add_root_key, hard_root, root_sums, set_root


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

    Only styles are compared for a cell in an empty neighbourhood: its value is that of the frame chosen for the root,
    if it is admitted, and for the root itself that of any frame near enough in style. `draws` (F, J) in 0..1 decide
    among the candidates. `done` counts frames.
    """
    joints, count = len(order), len(examples.heading)
    half, up_half = len(weights.gauss) // 2, len(weights.coarse_gauss) // 2
    paired = weights.multi > 0.0
    slots = np.empty((2 * half + 1, joints, count), np.float32)
    held, some = np.full(2 * half + 1, -1), np.zeros(2 * half + 1, np.int64)
    up_count = len(coarse.heading) if paired else 0
    up_slots = np.empty((2 * up_half + 1, joints, up_count), np.float32)
    up_held, up_some = np.full(2 * up_half + 1, -1), np.zeros(2 * up_half + 1, np.int64)
    up_row, up_rows = np.empty(up_count, np.float32), np.empty((joints, up_count), np.float32)
    rows, row = np.empty((joints, count), np.float32), np.empty(count, np.float32)
    key_row, spare = np.empty(count, np.float32), np.empty((joints, count), np.float32)
    moves, sums = np.zeros((4, count)), np.zeros((2, count))
    work = (moves, sums, np.empty((4, count)), np.empty((2, count)), np.arange(count))
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
        allowed: Any = admitted
        before = -1
        compared_roots = root_sums(examples, cells, keys, coarse, coarse_cells, weights, i, work)
        root_source = -1
        for joint in order:
            if joint and np.isinf(keys.turn_weights[i, joint]):
                continue
            if before < 0 or (styles.required[i, :, joint] != styles.required[i, :, before]).any():
                allowed = admitted[: admit(examples, styles.required[i, :, joint], admitted)]
            before = joint
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
                    row[n] += np.float32(a * sums[0, n] + b * sums[1, n])
            add_styles(examples, styles.targets[i], styles.weights[i], joint, row)
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
                    set_root(examples, cells, keys, axes, i, n, moves)
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
            if not found and root_source >= 0 and (allowed == root_source).any():
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
