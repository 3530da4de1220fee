"""The constraint `pose_at`: local rotations, root tilt and height at a time, without position and heading."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import MAX_ANGLE, NAMES, ROTATIONS, TIME, Euler, tolerance_field
from motionloom.core import BadRequest, Clip, FloatArray, Read, Skeleton, require_same_hierarchy
from motionloom.core.errors import Where
from motionloom.core.fields import REQUIRED, param
from motionloom.core.kinds import ValueSpec, same
from motionloom.core.units import Moment, fail, frame_of
from motionloom.kinematics.body.proportions import in_joint_order, leg_length
from motionloom.kinematics.body.roles import group
from motionloom.rotation import angle_between, from_euler, inverse, multiply

Load = Callable[[str], Clip]
"""How a request gets at the clips it names: a path to a clip, with all frames of the file."""


@dataclass(frozen=True, eq=False)
class Pose:
    """One frame of a clip, and what the request calls it (`walk.bvh#120`)."""

    clip: Clip  # one frame
    source: str = ""
    read: Read | None = None  # how the clip that it names was read

    def __post_init__(self) -> None:
        if len(self.clip) != 1:
            raise BadRequest(f"a pose is one frame, found a clip of {len(self.clip)}; take one: walk[12:13]")

    def reading(self) -> Read | None:
        """How the clip of this pose was read, under the name that a request gives it; None if it came from no file."""
        if self.read is not None:
            return replace(self.read, name=self.source.rpartition("#")[0] or self.read.name)
        which, _ = self.clip.origin.main()
        source = self.clip.origin.sources[which[0]] if which[0] >= 0 else None
        return None if source is None or not source.sha256 else Read(source.name, source.sha256)


class FixedPose(NamedTuple):
    """What a pose fixes on a given skeleton."""

    joints: list[int]
    rotations: FloatArray  # (n, 4) local; of joint 0 only the tilt counts, not the heading
    height: float | None  # of the hips, metres; None where the root is left alone


def _pose(value: Any, field: ValueSpec, where: Where) -> Pose | str:
    if isinstance(value, Pose):
        return value
    if isinstance(value, Clip):
        return Pose(value)
    if not isinstance(value, str) or not re.fullmatch(r".+#\d+", value.strip()):
        raise fail(where, "a frame of a clip, as walk.bvh#120", value)
    return value.strip()


def _written(value: Pose | str, field: ValueSpec) -> str:
    if not isinstance(value, Pose):
        return value
    if value.source:
        return value.source
    which, frames = value.clip.origin.main()
    if which[0] < 0 or frames[0] < 0 or frames[0] % 1:
        raise BadRequest(
            "this pose comes from no file, so it cannot be written to a request", where=("pose_at", "pose")
        )
    return f"{value.clip.origin.sources[which[0]].name}#{int(frames[0])}"


@dataclass(frozen=True)
class PoseAt(Constraint):
    """The body takes a pose at a time: the frame of a clip, or given local rotations of some joints.

    Residual: radians, one per joint (the angle to the wanted local rotation; for the root, to the nearest rotation that
    differs from the wanted one by heading only), and with the root also its height error, 1 m counting as 1 rad.
    """

    unit: ClassVar[str] = "rad"
    time: Moment = param(REQUIRED, "when", kind=TIME)
    pose: Pose | str | None = param(None, "a frame of a clip: walk.bvh#120", kind=same("pose", _pose, _written))
    rotations: tuple[tuple[str, Euler], ...] | None = param(
        None, "local rotations of joints, instead of a pose", "rad", kind=ROTATIONS, low=-MAX_ANGLE, high=MAX_ANGLE
    )
    joints: tuple[str, ...] = param(("all",), "joints that take the pose", kind=NAMES, only_with=("pose",))
    tolerance: float = tolerance_field(0.02, "largest error of a joint in radians; 1 m of height counts as 1 rad", "")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.pose is None) == (self.rotations is None):
            raise BadRequest(
                "expected either a pose (walk.bvh#120) or rotations, not both and not neither", where=("pose_at",)
            )
        if self.rotations is not None and self.joints != ("all",):
            raise BadRequest("only with a pose; rotations name their own joints", where=("pose_at", "joints"))

    def resolved(self, load: Load) -> PoseAt:
        """The same constraint with the frame that it names loaded."""
        if not isinstance(self.pose, str):
            return self
        path, _, frame = self.pose.rpartition("#")
        clip = load(path)
        pose = Pose(frame_in_file(clip, int(frame), self.pose), self.pose, clip.origin.read)
        return replace(self, pose=pose)

    def target(self, skeleton: Skeleton) -> FixedPose:
        """What it fixes on this skeleton, which must have the pose's hierarchy; height scales with leg length."""
        if isinstance(self.pose, str):
            raise BadRequest(
                f"{self.pose} has not been loaded; give `load` when the request is read", where=("pose_at", "pose")
            )
        if self.pose is None:
            named = {skeleton.joint(n): from_euler(e.angles, e.order) for n, e in self.rotations or ()}
            joints = sorted(named)
            return FixedPose(joints, np.stack([named[j] for j in joints]), None)
        clip = in_joint_order(self.pose.clip, skeleton)
        require_same_hierarchy(skeleton, clip.skeleton, names=("the result", self.pose.source or "the pose"))
        joints = sorted({j for name in self.joints for j in group(skeleton, name)})
        scale = leg_length(skeleton) / leg_length(clip.skeleton)
        return FixedPose(joints, clip.rotations[0, joints], float(clip.root[0, 1]) * scale if 0 in joints else None)

    def frame(self, frames: int, fps: float) -> int:
        """The frame that must take the pose, in a result of this length."""
        return frame_of(self.time, frames, fps, ("pose_at", "time"))

    @property
    def joint_field(self) -> str:
        return "joints" if self.rotations is None else "rotations"

    def check_joints(self, skeleton: Skeleton) -> None:
        self.target(skeleton)

    def residual(self, clip: Clip) -> FloatArray:
        joints, rotations, height = self.target(clip.skeleton)
        frame = self.frame(len(clip), clip.fps)
        out = angle_between(clip.rotations[frame, joints], rotations)
        if 0 in joints:
            out[joints.index(0)] = tilt_between(clip.rotations[frame, 0], rotations[joints.index(0)])
        return out if height is None else np.append(out, clip.root[frame, 1] - height)


def tilt_between(a: FloatArray, b: FloatArray) -> FloatArray:
    """The angle between two world rotations (..., 4) apart from heading: the least over all turns about y of one.

    With d = a b^-1 the least angle of yaw(s) d over s is 2 atan2(|(x, z)|, |(w, y)|).
    """
    d = multiply(a, inverse(b))
    return 2.0 * np.arctan2(np.hypot(d[..., 1], d[..., 3]), np.hypot(d[..., 0], d[..., 2]))


def frame_in_file(clip: Clip, frame: int, name: str) -> Clip:
    """One frame of a clip, counted as in its file, even where the reader left frames (a T-pose) out.

    The frame numbers of a synthesized clip refer to other files and are not used here.
    """
    origin, numbers = clip.origin, np.arange(len(clip))
    if [source.name for source in origin.sources] == [origin.name]:
        numbers = origin.main()[1].astype(np.int64)
    at = np.flatnonzero(numbers == frame)
    if not len(at):
        expected = f"a frame from {numbers.min()} to {numbers.max()}"
        raise BadRequest(f"{name}: expected {expected}, found {frame}", where=("pose_at", "pose"))
    return clip[int(at[0]) : int(at[0]) + 1]
