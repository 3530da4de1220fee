"""Ranges of joints: how far each joint turns in the clips, and motion that is kept near to that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, IntArray
from motionloom.kinematics.channels.metric import MetricSpace, to_coordinates
from motionloom.kinematics.local_frames import Frames, joined

SOFTNESS = 0.15  # of a range: joints turn beyond it by less than this; a sharper limit would make accelerations jump


class JointRanges(NamedTuple):
    """Boxes around the observed rotations of each joint, along their principal axes, in the coordinates of a space."""

    columns: IntArray  # (K, 3) of each joint with the same chart in all textons; -1: a channel that does not vary
    axes: FloatArray  # (K, 3, 3)
    low: FloatArray  # (K, 3)
    high: FloatArray  # (K, 3)

    def within(self, y: FloatArray) -> FloatArray:
        """(F, D) coordinates whose joints turn hardly farther than in the clips; inside the ranges, as given."""
        v = _along(y, self.columns, self.axes)
        beyond = v - np.clip(v, self.low, self.high)
        if not beyond.any():
            return y
        soft = np.maximum(SOFTNESS * (self.high - self.low), 1e-6)
        out = np.concatenate([y, np.zeros((len(y), 1))], axis=1)
        out[:, self.columns] += _turned(soft * np.tanh(beyond / soft) - beyond, self.axes.swapaxes(1, 2))
        return out[:, :-1]


def joint_ranges(frames: Sequence[Frames], space: MetricSpace) -> JointRanges:
    """The ranges of the joints that all textons chart alike, over all observed frames."""
    y = to_coordinates(joined(frames), space)
    columns = space.columns[: 3 * len(space.base)].reshape(-1, 3)
    columns = columns[(columns >= 0).any(axis=1) & ~space.wild]
    off = _along(y - y.mean(axis=0), columns, np.broadcast_to(np.eye(3), (len(columns), 3, 3)))
    _, axes = np.linalg.eigh(np.einsum("fjc,fjd->jcd", off, off))
    v = _along(y, columns, axes)
    return JointRanges(columns, axes, v.min(axis=0), v.max(axis=0))


def _along(y: FloatArray, columns: IntArray, axes: FloatArray) -> FloatArray:
    """(F, K, 3) coordinates of joints along their axes; a channel that does not vary is 0."""
    return _turned(np.concatenate([y, np.zeros((len(y), 1))], axis=1)[:, columns], axes)


def _turned(v: FloatArray, axes: FloatArray) -> FloatArray:
    return np.asarray((v[:, :, None] @ axes)[:, :, 0])
