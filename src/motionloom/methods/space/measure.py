"""Parameters of blends, measured on the motion that would be played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionloom.blend.registered_clips import Registered, duration, play
from motionloom.constraints import MotionParameter
from motionloom.core import Clip, FloatArray, Skeleton, with_labels
from motionloom.kinematics.feet.contacts import foot_parts


def blend_once(rows: Registered, skeleton: Skeleton, weights: FloatArray, fps: float, tables: tuple[Any, ...]) -> Clip:
    """The blend from u = 0 to u = 1, its last frame exactly there.

    All blends have the same number of frames, so that measures do not jump with it; the frame rate, at least `fps`,
    depends on the duration.
    """
    seconds = duration(rows, weights)
    frames = max(2, int(np.ceil(float(rows.durations.max()) * fps)) + 1)
    made = play(rows, skeleton, weights, frames, (frames - 1) / seconds, tables=tables)
    clip = Clip(skeleton, made.root, made.rotations, (frames - 1) / seconds)
    return with_labels(clip, {p.label: made.contacts[:, i] for i, p in enumerate(foot_parts(skeleton))})


def measure_clip(clip: Clip, parameters: Sequence[MotionParameter]) -> FloatArray:
    """(D,) the parameters of a clip, in their units."""
    return np.concatenate([p.measured(clip) for p in parameters])


def measure_blend(
    rows: Registered, skeleton: Skeleton, weights: FloatArray, fps: float, parameters: Sequence[MotionParameter],
    tables: tuple[Any, ...],
) -> FloatArray:  # fmt: skip
    """(D,) the parameters of a blend."""
    return measure_clip(blend_once(rows, skeleton, weights, fps, tables), parameters)


def supplied(names: Sequence[str], table: Mapping[str, MotionParameter]) -> tuple[MotionParameter, ...]:
    """Those of the parameters that can be measured: the functions of a user's own may not have been supplied again."""
    found = (table.get(name) for name in names)
    return tuple(p for p in found if p is not None and p.measure is not None)
