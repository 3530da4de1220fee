"""Similarity by joint angles and velocities (GUAN 2.6.1 eq. 2.26, after Lee et al. 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from motionloom.analysis.comparison import ClipComparison, Precision, require_comparable, squared_differences
from motionloom.analysis.root_frame import angular_velocities, root_velocity
from motionloom.analysis.weights import Weights, joint_weights
from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, IntArray, Progress

# acos(1 - u)^2 on [0, 1], constant first: Chebyshev interpolation of acos(1 - u)^2 / u, relative error 2.4e-6.
HALF_ANGLE = np.array(
    [
        0.0,
        1.9999966131927096,
        0.33357574807601065,
        0.08614669929231128,
        0.03954832147589857,
        -0.008607054627380728,
        0.01673484357790282,
    ]
)


@dataclass(frozen=True)
class JointAngles:
    """How unlike two frames are in the angles of their joints, how fast those turn, and how the root travels.

    GUAN eq. 2.26: D = w_p |p_i - p_j|^2 + w_a sum_k w_k |log(q_jk^-1 q_ik)|^2 + w_v sum_k w_k |v_ik - v_jk|^2, where
    p is the root's velocity in the root's own frame (the source's displacement per frame, here per second: m/s),
    q_k the local rotation of joint k (the root is not among them), |log q| half the angle between, and v_k the joint's
    angular velocity in its own frame (rad/s). `attributes` is (w_p, w_a, w_v); the default is the set that GUAN found
    for walking and running. Nothing here changes when a clip is moved or turned in space.

    Half angles come from a polynomial in 1 - |q.q'| (relative error 2.4e-6), in a compiled loop; the other two are
    a matrix product.
    """

    attributes: tuple[float, float, float] = (0.05, 1.0, 0.02)
    weights: Weights = "lee"
    precision: Precision = "single"
    name: ClassVar[str] = "joint-angles"
    unit: ClassVar[str] = "weighted rad^2"
    radius: ClassVar[int] = 0
    terms_of: ClassVar[tuple[str, ...]] = ("root velocity", "joint angles", "joint velocities")

    def prepare(self, a: Clip, b: Clip) -> ClipComparison:
        """Both clips ready to be compared, whole or by tiles."""
        require_comparable(a, b, shortest=2, why="a velocity")
        return self._compared([a], [b])

    def prepare_clips(self, clips: Sequence[Clip], counts: BoolArray) -> ClipComparison:
        """All frames of several clips, counted through them, ready to be compared with each other."""
        return self._compared(clips, clips)

    def _compared(self, a: Sequence[Clip], b: Sequence[Clip]) -> ClipComparison:
        w_p, w_a, w_v = checked_attributes(self.attributes, self.terms_of)
        w = joint_weights(a[0].skeleton, self.weights)[1:]
        used = np.flatnonzero(w) + 1
        if not used.size:
            raise BadRequest("joint angles: only the root has a weight, and its angle is not compared")
        w = w[used - 1]
        one, other = (np.concatenate([_moving(clip, used, w_p, w_v * w) for clip in clips]) for clips in (a, b))
        moving = squared_differences(one, other, self.precision)
        dtype = np.float32 if self.precision == "single" else np.float64
        left = np.concatenate([clip.rotations[:, used] for clip in a]).astype(dtype)
        turned = np.concatenate([clip.rotations[:, used] for clip in b])
        right = np.ascontiguousarray(turned.transpose(1, 2, 0), dtype)
        scaled, poly = (w_a * w).astype(dtype), HALF_ANGLE.astype(dtype)

        def block(rows: slice, columns: slice) -> FloatArray:
            from motionloom.analysis._kernels import add_half_angles

            out = moving(rows, columns)
            add_half_angles(left[rows], np.ascontiguousarray(right[:, :, columns]), scaled, poly, out)
            return np.maximum(out, 0, out=out)

        return ClipComparison((len(one), len(other)), (0, 0), block)

    def matrix(self, a: Clip, b: Clip, progress: Progress | None = None) -> FloatArray:
        """(F_a, F_b): every frame has its row and column (velocities at the ends are one-sided)."""
        return self.prepare(a, b).matrix(progress)

    def terms(self, a: Clip, b: Clip) -> FloatArray:
        """(3, F_a, F_b): the three sums of eq. 2.26 apart, before w_p, w_a and w_v (for `optimal_attributes`)."""
        single: list[tuple[float, float, float]] = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
        return np.stack([replace(self, attributes=one).matrix(a, b) for one in single])


def checked_attributes(attributes: tuple[float, ...], names: tuple[str, ...]) -> tuple[float, ...]:
    """Attribute weights, one for each name: finite, not negative, not all zero."""
    given = np.asarray(attributes, float)
    if given.shape != (len(names),) or not np.isfinite(given).all() or (given < 0).any() or not given.any():
        raise BadRequest(
            f"attribute weights: expected {len(names)} numbers from 0 up, not all 0 ({', '.join(names)}), "
            f"found {tuple(attributes)}"
        )
    return tuple(float(x) for x in given)


def _moving(clip: Clip, joints: IntArray, w_p: float, w_v: FloatArray) -> FloatArray:
    """Root and joint velocities side by side (F, D), times the roots of their weights."""
    if len(clip) < 2:
        return np.zeros((len(clip), 3 + 3 * len(joints)))
    turning = angular_velocities(clip.rotations[:, joints], clip.fps) * np.sqrt(w_v)[:, None]
    return np.concatenate([np.sqrt(w_p) * root_velocity(clip), turning.reshape(len(clip), -1)], 1)
