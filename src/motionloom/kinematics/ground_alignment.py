"""Alignment of point clouds: the best turn and shift on the ground."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.travel import ground_turn, moved, turned


class Alignment(NamedTuple):
    """A turn to the left by `angle` radians about the origin, then a shift by (x, z) metres."""

    angle: float
    x: float
    z: float
    distance: float  # m^2: weighted mean squared distance of the points that is left

    def points(self, points: FloatArray) -> FloatArray:
        """World points (..., 3) carried along."""
        out = np.array(points, float)
        out[..., [0, 2]] = ground_turn(self.angle, out[..., [0, 2]]) + [self.x, self.z]
        return out

    def clip(self, clip: Clip) -> Clip:
        """A clip carried along."""
        return moved(turned(clip, self.angle), (self.x, self.z))


def ground_alignment(p: FloatArray, q: FloatArray, weights: ArrayLike) -> Alignment:
    """The turn about the vertical and the shift on the ground that carry points q (N, 3) onto points p (N, 3).

    HECK 3.2-3.4: theta = atan2(sum w (x z' - x' z), sum w (x x' + z z')) about the weighted means; then the shift of
    the means. Points that all lie on one vertical line have no best turn: then it is 0.
    """
    w = np.asarray(weights, float) / np.sum(weights)
    mean_p, mean_q = w @ p, w @ q
    dp, dq = p - mean_p, q - mean_q
    cross = w @ (dp[:, 0] * dq[:, 2] - dq[:, 0] * dp[:, 2])
    dot = w @ (dp[:, 0] * dq[:, 0] + dp[:, 2] * dq[:, 2])
    angle = float(np.arctan2(cross, dot))
    x, z = mean_p[[0, 2]] - ground_turn(angle, mean_q[[0, 2]])
    moved_q = Alignment(angle, float(x), float(z), 0.0).points(q)
    return Alignment(angle, float(x), float(z), float(w @ ((p - moved_q) ** 2).sum(-1)))
