"""All levels and passes: from keys and styles to a texture of joints and frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray, IntArray, Progress, Skeleton
from motionloom.core.progress import parts, watch
from motionloom.kinematics.travel import body_axes
from motionloom.methods.texture.config import Options
from motionloom.methods.texture.faithful.examples import Examples, coarse_window, forward_axis, half_window
from motionloom.methods.texture.faithful.joint_order import joint_order
from motionloom.methods.texture.faithful.keys import (
    HEADING,
    Keys,
    Styles,
    filled_cells,
    interpolated,
    key_levels,
    style_levels,
)
from motionloom.rotation import multiply


class Energy(NamedTuple):
    """E (EDEN 3.4) of one pass: the sum over its cells of the least distance to the examples."""

    level: int  # 0 is the finest
    number: int  # of the pass, from 0
    value: float


class Texture(NamedTuple):
    """A synthesized motion, and the example frame of every cell."""

    root: FloatArray  # (F, 3) m
    rotations: FloatArray  # (F, J, 4)
    source: IntArray  # (F, J) frame of all clips one after the other, -1 for a hard key
    energy: tuple[Energy, ...]


def gauss(window: int, deviation: float) -> FloatArray:
    """w_G at the frames of a window."""
    half = half_window(window)
    return np.exp(-0.5 * (np.arange(-half, half + 1) / deviation) ** 2)


def frame_order(keys: Keys) -> IntArray:
    """Forwards from the first frame that has a key, then backwards from there; from frame 0 if there is none."""
    given = np.asarray((keys.turn_weights >= 0).any(1) | (keys.root_weights >= 0).any(1))
    first = int(given.argmax()) if given.any() else 0
    return np.concatenate([np.arange(first, len(given)), np.arange(first)[::-1]])


def synthesize_texture(
    levels: Sequence[Examples],
    keys: Keys,
    styles: Styles,
    influence: FloatArray,
    skeleton: Skeleton,
    options: Options,
    rng: Generator,
    progress: Progress,
) -> Texture:
    """The texture for keys and styles (EDEN 3.6): from the coarsest level to the finest."""
    from motionloom.methods.texture.faithful._kernels import Cells, DistanceWeights
    from motionloom.methods.texture.faithful._kernels_level import synthesize_pass

    key_pyramid, style_pyramid = key_levels(keys, options), style_levels(styles, len(levels))
    joints, order = len(skeleton), joint_order(skeleton, options.joint_order)
    draws = [[rng.random((len(k.height), joints)) for _ in range(options.passes)] for k in key_pyramid]
    steps = iter(parts(progress, [len(k.height) * len(e.heading) for k, e in _coarsest_first(key_pyramid, levels)]))
    axes, energy = body_axes(skeleton).copy(), []
    coarse: Cells | None = None
    for level in reversed(range(len(levels))):
        own = key_pyramid[level]
        cells = first_cells(own, skeleton, between=level == len(levels) - 1)
        frames, step = frame_order(own), next(steps)
        done, above = np.zeros(1, np.int64), min(level + 1, len(levels) - 1)
        for number in range(options.passes):
            point, orientation = options.root_weights_at(number)
            window, deviation = options.window_at(level), options.falloff_at(level)
            weights = DistanceWeights(
                influence,
                gauss(window, deviation),
                gauss(coarse_window(window), deviation / 2),
                point,
                orientation,
                0.0 if coarse is None else options.coarse_weight,
                options.tolerance,
            )
            given = (levels[level], cells, own, style_pyramid[level])
            wider = (levels[above], cells if coarse is None else coarse, style_pyramid[above])
            rest = (weights, axes, frames, order, draws[level][number], step.stop, done)
            units = options.passes * len(frames)
            value = watch(step, "synthesizing", synthesize_pass, *given, *wider, *rest, units=units, done=done)
            energy.append(Energy(level, number, float(value)))
            step((number + 1) / options.passes, "synthesizing")
        coarse = cells
    assert coarse is not None
    root = np.stack([coarse.place[:, 0], coarse.height, coarse.place[:, 1]], 1)
    rotations = coarse.turns.copy()
    rotations[:, 0] = coarse.world
    source = np.where(coarse.source >= 0, levels[0].frames[coarse.source], -1)
    return Texture(root, rotations, source, tuple(energy))


def _coarsest_first(keys: Sequence[Keys], levels: Sequence[Examples]) -> list[tuple[Keys, Examples]]:
    return list(zip(keys, levels, strict=True))[::-1]


def first_cells(keys: Keys, skeleton: Skeleton, *, between: bool) -> Any:
    """The cells of a level before its first pass: its keys and, with `between`, what lies between them."""
    from motionloom.methods.texture.faithful._kernels import Cells

    given = interpolated(keys) if between else keys
    filled = filled_cells(keys.turn_weights, between).astype(np.uint8)
    root_filled = filled_cells(keys.root_weights, between).astype(np.uint8)
    world = multiply(given.heading, given.turns[:, 0])
    heading = 2 * np.arctan2(given.heading[:, 2], given.heading[:, 0])
    forward = np.stack([np.sin(heading), np.cos(heading)], 1)
    both = (filled[:, 0] & root_filled[:, HEADING]).astype(bool)
    forward[both] = forward_axis(world[both], body_axes(skeleton))
    source = np.full(filled.shape, -1)
    return Cells(
        given.turns.copy(),
        world,
        forward,
        given.place.copy(),
        given.height.copy(),
        heading,
        filled,
        root_filled,
        source,
    )
