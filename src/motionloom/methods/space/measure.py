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


def supplied(names: Sequence[str], table: Mapping[str, MotionParameter]) -> tuple[MotionParameter, ...] | None:
    """The parameters by name; None if the function of one was not supplied."""
    found = tuple(table[name] for name in names if name in table and table[name].measure is not None)
    return found if len(found) == len(names) else None
