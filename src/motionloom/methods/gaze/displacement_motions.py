"""Gaze displacement motions: five rotations and seven numbers for one gaze shift (HECK 5.1.2 and 5.2.2.2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray
from motionloom.core.numbers import smootherstep
from motionloom.rotation import from_axis_angle, inverse, multiply, yaw

JOINTS = ("pelvis", "lower_spine", "upper_spine", "neck", "eyes")


class GazeMotion(NamedTuple):
    """One gaze shift: how far each joint turns from its parent, and when (HECK eq. 5.1 and 5.2)."""

    yaw: float  # rad, to the left
    pitch: float  # rad, upwards
    turns: FloatArray  # (5, 3) rotation vectors of pelvis, lower spine, upper spine, neck and eyes
    seconds: float  # l
    starts: FloatArray  # (4,) 0..1, of all but the eyes, which start at 0
    peak: float  # t_beta, 0..1
    overshoot: float  # beta

    def row(self) -> FloatArray:
        """(24,) all numbers: yaw, pitch, rotation vectors, length, starts, peak, overshoot."""
        return np.array(
            [self.yaw, self.pitch, *self.turns.ravel(), self.seconds, *self.starts, self.peak, self.overshoot]
        )

    @staticmethod
    def of(row: FloatArray) -> GazeMotion:
        """The motion with these numbers (24,)."""
        turns = np.array(row[2:17]).reshape(5, 3)
        return GazeMotion(
            float(row[0]), float(row[1]), turns, float(row[17]), np.array(row[18:22]), *map(float, row[22:24])
        )


def progress_at(time: FloatArray, starts: FloatArray, peak: FloatArray, overshoot: FloatArray) -> FloatArray:
    """Share of the displacement reached at normalized times; arguments broadcast (HECK 5.2.3, eased).

    0 before the start, 1 + overshoot at the peak, 1 from time 1 on.
    """
    up = (1.0 + overshoot) * smootherstep((time - starts) / np.maximum(peak - starts, 1e-6))
    down = 1.0 + overshoot - overshoot * smootherstep((time - peak) / np.maximum(1.0 - peak, 1e-6))
    return np.where(time <= peak, up, down)


def direction_turn(yaw_angle: float, pitch: float) -> FloatArray:
    """The rotation (4,) that takes straight ahead to a direction: pitch up first, then yaw to the left."""
    return multiply(yaw(yaw_angle), from_axis_angle([1.0, 0.0, 0.0], -pitch))


def joint_displacements(before: FloatArray, after: FloatArray) -> FloatArray:
    """(..., 4, 4) displacements of the joints from their parents: D_j = R_j(end) R_j(start)^-1, d_j = D_p^-1 D_j."""
    whole = multiply(after, inverse(before))
    out = whole.copy()
    out[..., 1:, :] = multiply(inverse(whole[..., :-1, :]), whole[..., 1:, :])
    return out


def eyes_turn(joints: FloatArray, yaw_angle: float, pitch: float) -> FloatArray:
    """(4,) the eyes' displacement in the head that is needed to look at the known target."""
    head = joints[0]
    for turn in joints[1:]:
        head = multiply(head, turn)
    return multiply(inverse(head), direction_turn(yaw_angle, pitch))
