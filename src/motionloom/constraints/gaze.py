"""Where the body looks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import ANGLE, ANGLE_TOLERANCE, POINT, SPAN, Kind, Point3, given, optional
from motionloom.core import BadRequest, Clip, FloatArray, Skeleton, UnknownJoint
from motionloom.core.units import Moment, Span, fail, frames_of, length, moment, seconds_of
from motionloom.kinematics.forward import fk_rotations
from motionloom.kinematics.travel import body_axes, travel
from motionloom.rotation import rotate

Waypoint = tuple[Moment, float, float, float]
"""Time, and the point (x, y, z) that is looked at then."""


def _path(value: Any, where: str) -> tuple[Waypoint, ...] | None:
    if value is None:
        return None
    expected = "at least two waypoints [[t, x, y, z], ...]"
    if not isinstance(value, (list, tuple)) or len(value) < 2:
        raise fail(where, expected, value)
    out = []
    for i, item in enumerate(value):
        if not isinstance(item, (list, tuple)) or len(item) != 4:
            raise fail(f"{where}[{i}]", "a waypoint [t, x, y, z]", item)
        x, y, z = (length(v, f"{where}[{i}]") for v in item[1:])
        out.append((moment(item[0], f"{where}[{i}]"), x, y, z))
    return tuple(out)


def _listed(value: tuple[Waypoint, ...] | None) -> list[list[Any]] | None:
    return None if value is None else [list(w) for w in value]


def eyes(skeleton: Skeleton) -> list[int]:
    """The joints that look: both eyes where the skeleton has them, else the head."""
    both = [skeleton.find("left_eye"), skeleton.find("right_eye")]
    found = [j for j in both if j is not None] or [j for j in [skeleton.find("head")] if j is not None]
    if not found:
        raise UnknownJoint("head", [r for r in skeleton.roles if r] + list(skeleton.names))
    return found


def gaze(clip: Clip) -> tuple[FloatArray, FloatArray]:
    """Where the body looks from, (F, 3) metres, and in which direction, (F, 3) unit vectors.

    The direction is the body's forward axis at rest (`body_axes`: forward in the hips' frame, which all joints share
    at rest), carried by the eyes, or by the head where there are none. Rest poses with every bone along one axis are
    no exception: with straight spine and neck the head faces where the hips face. Two eyes are averaged.
    """
    forward = rotate(body_axes(clip.skeleton), [0.0, 0.0, 1.0])
    joints = eyes(clip.skeleton)
    places, turns = fk_rotations(clip)
    direction = rotate(turns[:, joints], forward).sum(1)
    return places[:, joints].mean(1), direction / np.linalg.norm(direction, axis=1, keepdims=True)


@dataclass(frozen=True)
class LookAt(Constraint):
    """The body looks at a point, along a path of points, or in a direction, for a while.

    One of: `target`, a point in the world; `path`, points at times, with straight lines between; `yaw` and `pitch`,
    the direction seen from the body: from where the hips face, yaw to the left and pitch up.
    Residual: radians, one per frame of the span: the angle between gaze and wanted direction (see `gaze`).
    """

    unit: ClassVar[str] = "rad"
    target: Point3 | None = given(None, optional(POINT))
    yaw: float | None = given(None, optional(ANGLE))
    pitch: float | None = given(None, optional(ANGLE))
    path: tuple[Waypoint, ...] | None = given(None, Kind(_path, _path, _listed))
    span: Span = given(None, SPAN)
    tolerance: float = given(math.radians(3.0), ANGLE_TOLERANCE)

    def __post_init__(self) -> None:
        super().__post_init__()
        ways = [self.target is not None, self.path is not None, self.yaw is not None or self.pitch is not None]
        if sum(ways) != 1:
            raise BadRequest("look_at: expected exactly one of target, path, or yaw and pitch")

    def frames(self, frames: int, fps: float) -> range:
        """The frames that look there, in a result of this length."""
        return frames_of(self.span, frames, fps, "look_at.span")

    def fits(self, skeleton: Skeleton, frames: int, fps: float) -> None:
        super().fits(skeleton, frames, fps)
        eyes(skeleton)

    def directions(self, clip: Clip, start: FloatArray) -> FloatArray:
        """(F, 3) unit vectors that are asked for, for every frame of the clip, looking from `start` (F, 3)."""
        if self.yaw is not None or self.pitch is not None:
            heading, pitch = travel(clip).heading + (self.yaw or 0.0), self.pitch or 0.0
            level = np.cos(pitch)
            return np.stack([level * np.sin(heading), np.full(len(clip), np.sin(pitch)), level * np.cos(heading)], 1)
        line = self.points(len(clip), clip.fps) - start
        size = np.linalg.norm(line, axis=1, keepdims=True)
        return line / np.maximum(size, 1e-9)

    def points(self, frames: int, fps: float) -> FloatArray:
        """(F, 3) the point that is looked at in every frame; before and after its path, the first or last one."""
        if self.path is None:
            return np.tile(np.array(self.target, float), (frames, 1))
        times = np.array([seconds_of(w[0], frames, fps) for w in self.path])
        if (np.diff(times) <= 0).any():
            raise BadRequest(f"look_at.path: expected increasing times, found {[w[0] for w in self.path]}")
        places = np.array([w[1:] for w in self.path], float)
        return np.stack([np.interp(np.arange(frames) / fps, times, places[:, k]) for k in range(3)], 1)

    def residual(self, clip: Clip) -> FloatArray:
        frames = self.frames(len(clip), clip.fps)
        start, direction = gaze(clip)
        wanted = self.directions(clip, start)
        cross = np.linalg.norm(np.cross(direction, wanted), axis=1)
        angle = np.arctan2(cross, np.einsum("fk,fk->f", direction, wanted))
        return angle[frames.start : frames.stop]
