"""A clip's joints over a span: given legs for which arms are made, a clip that is continued, the ends of a gap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import NAMES, span_field, tolerance_field
from motionloom.constraints.pose import Load, tilt_between
from motionloom.core import BadRequest, Clip, FloatArray, Read, Skeleton, require_same_hierarchy
from motionloom.core.errors import Where
from motionloom.core.fields import REQUIRED, param
from motionloom.core.kinds import ValueSpec, same
from motionloom.core.units import Span, fail, frames_of
from motionloom.kinematics.body.proportions import in_joint_order, leg_length, on_skeleton
from motionloom.kinematics.body.roles import group
from motionloom.kinematics.capture.tpose import without_tpose
from motionloom.kinematics.resample import resample
from motionloom.rotation import angle_between


@dataclass(frozen=True, eq=False)
class GivenClip:
    """A clip that a request gives, and what the request calls it (`legs.bvh`)."""

    clip: Clip
    source: str = ""

    def reading(self) -> Read | None:
        """How the clip was read, under the name that a request gives it; None if it came from no file."""
        read = self.clip.origin.read
        return None if read is None else replace(read, name=self.source or read.name)


def _clip(value: Any, field: ValueSpec, where: Where) -> GivenClip | str:
    if isinstance(value, GivenClip):
        return value
    if isinstance(value, Clip):
        return GivenClip(value)
    if not isinstance(value, str) or not value.strip():
        raise fail(where, "a clip, as legs.bvh", value)
    return value.strip()


def _written(value: GivenClip | str, field: ValueSpec) -> str:
    if isinstance(value, str):
        return value
    if not value.source:
        raise BadRequest(
            "this clip comes from no file, so it cannot be written to a request", where=("pose_along", "clip")
        )
    return value.source


@dataclass(frozen=True)
class PoseAlong(Constraint):
    """Over a span, joints move as in a clip: its first frame is shown at the beginning of the span.

    It fixes what `pose_at` fixes: local rotations and, with the root, its tilt and height, but neither place nor
    heading; a method that follows it lets the body travel as the clip does. Residual: radians, one for each frame and
    joint, then with the root one height error for each frame, 1 m counting as 1 rad.
    """

    unit: ClassVar[str] = "rad"
    clip: GivenClip | str = param(REQUIRED, "the clip: legs.bvh", kind=same("clip", _clip, _written))
    span: Span = span_field("when")
    joints: tuple[str, ...] = param(("all",), "joints that move as in the clip", kind=NAMES)
    tolerance: float = tolerance_field(0.02, "largest error of a joint in radians; 1 m of height counts as 1 rad", "")

    def resolved(self, load: Load) -> PoseAlong:
        """The same constraint with its clip loaded, without a T-pose in frame 0."""
        if not isinstance(self.clip, str):
            return self
        return replace(self, clip=GivenClip(without_tpose(load(self.clip)), self.clip))

    def frames(self, frames: int, fps: float) -> range:
        """The frames of the span, in a result of this length."""
        return frames_of(self.span, frames, fps, ("pose_along", "span"))

    def chosen(self, skeleton: Skeleton) -> list[int]:
        """The joints that it fixes on this skeleton."""
        return sorted({j for name in self.joints for j in group(skeleton, name)})

    def given(self, skeleton: Skeleton, frames: int, fps: float) -> Clip:
        """The clip at this frame rate and on this skeleton, as long as the span in a result of this length."""
        if isinstance(self.clip, str):
            raise BadRequest(
                f"{self.clip} has not been loaded; give `load` when the request is read", where=("pose_along", "clip")
            )
        own = in_joint_order(self.clip.clip, skeleton)
        require_same_hierarchy(skeleton, own.skeleton, names=("the result", self.clip.source or "the clip"))
        if own.skeleton is not skeleton and leg_length(own.skeleton) != leg_length(skeleton):
            own = on_skeleton(own, skeleton)
        own, count = resample(own, fps), len(self.frames(frames, fps))
        if len(own) < count:
            raise self.problem(f"the span has {count} frames, and the clip {len(own)} at {fps:g} fps", "span")
        return own[:count]

    def check_times(self, frames: int, fps: float) -> None:
        super().check_times(frames, fps)
        if isinstance(self.clip, GivenClip):
            self.given(self.clip.clip.skeleton, frames, fps)

    def check_joints(self, skeleton: Skeleton) -> None:
        self.chosen(skeleton)
        if isinstance(self.clip, GivenClip):
            name = self.clip.source or "the clip"
            own = in_joint_order(self.clip.clip, skeleton)
            require_same_hierarchy(skeleton, own.skeleton, names=("the result", name))

    def residual(self, clip: Clip) -> FloatArray:
        joints, own = self.chosen(clip.skeleton), self.given(clip.skeleton, len(clip), clip.fps)
        span = self.frames(len(clip), clip.fps)
        shown = clip[span.start : span.stop]
        out = angle_between(shown.rotations[:, joints], own.rotations[:, joints])
        if 0 not in joints:
            return np.asarray(out.ravel())
        out[:, joints.index(0)] = tilt_between(shown.rotations[:, 0], own.rotations[:, 0])
        return np.concatenate([out.ravel(), shown.root[:, 1] - own.root[:, 1]])
