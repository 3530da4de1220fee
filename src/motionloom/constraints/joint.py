"""Constraints on one joint: at a point at a time (`position_at`), or held in place (`plant`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import TIME, Point3, joint_field, point_field, span_field, tolerance_field
from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.core.fields import REQUIRED, param
from motionloom.core.units import Moment, Span, frame_of, frames_of
from motionloom.kinematics.fk import fk


@dataclass(frozen=True)
class PositionAt(Constraint):
    """A joint passes through a point at a time. Residual: metres, one value, the distance to the point."""

    unit: ClassVar[str] = "m"
    joint: str = joint_field("which joint")
    time: Moment = param(REQUIRED, "when it is there", kind=TIME)
    target: Point3 = point_field(REQUIRED, "where it is")
    tolerance: float = tolerance_field(0.02, "largest distance to the point")

    def frame(self, frames: int, fps: float) -> int:
        """The frame at which the joint must be there, in a result of this length."""
        return frame_of(self.time, frames, fps, ("position_at", "time"))

    def check_joints(self, skeleton: Skeleton) -> None:
        skeleton.joint(self.joint)

    def residual(self, clip: Clip) -> FloatArray:
        joint, frame = clip.skeleton.joint(self.joint), self.frame(len(clip), clip.fps)
        return np.atleast_1d(np.linalg.norm(fk(clip[frame : frame + 1])[0, joint] - self.target))


@dataclass(frozen=True)
class Plant(Constraint):
    """A joint does not move for a while; with a target, it stays at that point.

    Residual: metres, one per frame of the span, the distance to the target or else to the joint's mean place there.
    """

    unit: ClassVar[str] = "m"
    joint: str = joint_field("which joint")
    span: Span = span_field("when it stays")
    target: Point3 | None = point_field(None, "where it stays; by default where it is")
    tolerance: float = tolerance_field(0.01, "largest distance from its place")

    def frames(self, frames: int, fps: float) -> range:
        """The frames during which the joint stays, in a result of this length."""
        return frames_of(self.span, frames, fps, ("plant", "span"))

    def check_joints(self, skeleton: Skeleton) -> None:
        skeleton.joint(self.joint)

    def residual(self, clip: Clip) -> FloatArray:
        joint, frames = clip.skeleton.joint(self.joint), self.frames(len(clip), clip.fps)
        places = fk(clip[frames.start : frames.stop])[:, joint]
        anchor = places.mean(0) if self.target is None else np.array(self.target)
        return np.linalg.norm(places - anchor, axis=1)
