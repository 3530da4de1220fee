"""Similarity by joint positions and velocities, normalised by a data set (GUAN 2.6.1 eq. 2.27, Arikan and Forsyth)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from typing import ClassVar

import numpy as np

from motionloom.analysis.comparison import ClipComparison, Precision, require_comparable, squared_differences
from motionloom.analysis.joint_angles import checked_attributes
from motionloom.analysis.root_frame import angular_velocities, in_root_frame
from motionloom.analysis.weights import Weights, joint_weights
from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, Progress, require_same_hierarchy
from motionloom.kinematics.fk import accelerations, fk, velocities


@dataclass(frozen=True)
class Scales:
    """The largest difference between one frame and the next in a data set, for each part of eq. 2.27 (squared units).

    A part that never changes in the data set has the scale 1 (its SI unit), so that nothing is divided by zero.
    """

    position: float  # m^2
    velocity: float  # (m/s)^2
    root_velocity: float  # (m/s)^2
    root_turning: float  # (rad/s)^2
    root_acceleration: float  # (m/s^2)^2
    root_turning_acceleration: float  # (rad/s^2)^2


def scales(clips: Sequence[Clip], weights: Weights = "lee") -> Scales:
    """Normalisation from any number of clips: per part, the largest squared difference between sequential frames.

    GUAN 2.6.1: this balances the parts, and it depends on the data set: one clip with a jerk changes all weights.
    """
    if not clips:
        raise BadRequest("normalisation: expected at least one clip, found none")
    for clip in clips:
        require_same_hierarchy(clips[0].skeleton, clip.skeleton, names=(clips[0].name, clip.name))
    return _largest_steps(_parts(clip, joint_weights(clip.skeleton, weights)) for clip in clips)


def _largest_steps(clips: Iterable[list[FloatArray]]) -> Scales:
    most = np.zeros(6)
    for parts in clips:
        for n, part in enumerate(parts):
            steps = np.diff(part, axis=0)
            most[n] = max(most[n], float(np.einsum("fd,fd->f", steps, steps).max(initial=0.0)))
    return Scales(*(float(m) if m > 1e-18 else 1.0 for m in most))


@dataclass(frozen=True)
class JointPositions:
    """How unlike two frames are in where the joints are and how they move, seen from the hips.

    GUAN eq. 2.27: D = w_p sum_k w_k dp_k + w_v sum_k w_k dv_k + w_v0 dv_0 + w_a0 da_0: squared differences of joint
    positions and velocities in the hips' frame, and of the hips' own velocity and acceleration, each of these two with
    its translation and its turning. Every part is divided by the largest difference between sequential frames of a
    data set (`scales`; by default the two clips themselves), so D has no unit. `attributes` is (w_p, w_v, w_v0, w_a0).
    One matrix product over all parts side by side.
    """

    attributes: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    weights: Weights = "lee"
    scales: Scales | None = None
    precision: Precision = "single"
    name: ClassVar[str] = "joint-positions"
    unit: ClassVar[str] = "largest frame-to-frame changes, squared"
    radius: ClassVar[int] = 0
    terms_of: ClassVar[tuple[str, ...]] = ("joint positions", "joint velocities", "root velocity", "root acceleration")

    def prepare(self, a: Clip, b: Clip) -> ClipComparison:
        """Both clips ready to be compared, whole or by tiles."""
        require_comparable(a, b, shortest=3, why="an acceleration")
        one, other = self._features((a, b))
        return ClipComparison((len(a), len(b)), (0, 0), squared_differences(one, other, self.precision))

    def prepare_clips(self, clips: Sequence[Clip], counts: BoolArray) -> ClipComparison:
        """All frames of several clips, counted through them, ready to be compared with each other."""
        rows = np.concatenate(self._features(clips))
        return ClipComparison((len(rows), len(rows)), (0, 0), squared_differences(rows, rows, self.precision))

    def _features(self, clips: Sequence[Clip]) -> list[FloatArray]:
        """(F, D) of each clip: all parts side by side, scaled."""
        w_p, w_v, w_v0, w_a0 = checked_attributes(self.attributes, self.terms_of)
        w = joint_weights(clips[0].skeleton, self.weights)
        all_parts = [_parts(clip, w) for clip in clips]
        by = self.scales if self.scales is not None else _largest_steps(all_parts)
        factors = np.sqrt(np.array([w_p, w_v, w_v0, w_v0, w_a0, w_a0]) / astuple(by))
        return [
            np.concatenate([f * part for f, part in zip(factors, parts, strict=True) if f > 0], 1)
            for parts in all_parts
        ]

    def matrix(self, a: Clip, b: Clip, progress: Progress | None = None) -> FloatArray:
        """(F_a, F_b): every frame has its row and column (velocities at the ends are one-sided)."""
        return self.prepare(a, b).matrix(progress)

    def terms(self, a: Clip, b: Clip) -> FloatArray:
        """(4, F_a, F_b): the four sums of eq. 2.27 apart, normalised, before w_p, w_v, w_v0 and w_a0."""
        by = self.scales if self.scales is not None else scales([a, b], self.weights)
        single: list[tuple[float, float, float, float]] = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)]
        return np.stack([replace(self, attributes=one, scales=by).matrix(a, b) for one in single])


def _parts(clip: Clip, w: FloatArray) -> list[FloatArray]:
    """The six parts of eq. 2.27, (F, D) each, joints multiplied by the root of their weight."""
    used = np.flatnonzero(w)
    frames = len(clip)
    if frames < 3:
        return [np.zeros((frames, n)) for n in (3 * len(used), 3 * len(used), 3, 3, 3, 3)]
    root = np.stack([velocities(clip.root, clip.fps), accelerations(clip.root, clip.fps)], 1)
    seen = in_root_frame(clip, np.concatenate([root, fk(clip)[:, used] - clip.root[:, None]], 1))
    local = (seen[:, 2:] * np.sqrt(w[used])[:, None]).reshape(frames, -1)
    turning = angular_velocities(clip.rotations[:, 0], clip.fps)
    return [local, velocities(local, clip.fps), seen[:, 0], turning, seen[:, 1], velocities(turning, clip.fps)]
