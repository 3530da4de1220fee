"""The gaze direction of a body, and the constraint `look_at`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import MAX_COORDINATE, Point3, angle_field, point_field, span_field, tolerance_field
from motionloom.core import BadRequest, Clip, FloatArray, Skeleton, UnknownJoint
from motionloom.core.errors import Where
from motionloom.core.fields import param
from motionloom.core.kinds import ValueSpec, items_of, read_number, same
from motionloom.core.units import Moment, Span, fail, frames_of, moment, seconds_of
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.travel import body_axes, headings, travel
from motionloom.rotation import inverse, rotate

Waypoint = tuple[Moment, float, float, float]
"""Time, and the point (x, y, z) that is looked at then."""


def _path(value: Any, field: ValueSpec, where: Where) -> tuple[Waypoint, ...]:
    expected = "at least two waypoints [[t, x, y, z], ...]"
    if len(items_of(value, where, expected)) < 2:
        raise fail(where, expected, value)
    out = []
    for i, item in enumerate(value):
        when, *target = items_of(item, (*where, i), "a waypoint [t, x, y, z]", 4)
        x, y, z = (read_number(v, field, (*where, i, k)) for k, v in enumerate(target, start=1))
        out.append((moment(when, (*where, i, 0)), x, y, z))
    return tuple(out)


NEAR_AXIS = math.cos(math.radians(45.0))  # a head faces along an axis of its own that is nearer to ahead than this,
SOMETIMES = 0.05  # in this share of the frames at least
WAYPOINTS = same("waypoints", _path, limited=True)


def eyes(skeleton: Skeleton) -> list[int]:
    """The joints that look: both eyes where the skeleton has them, else the head."""
    both = [skeleton.find("left_eye"), skeleton.find("right_eye")]
    found = [j for j in both if j is not None] or [j for j in [skeleton.find("head")] if j is not None]
    if not found:
        hint = 'assign the role in a file with a section [roles], as head = "Head" (--roles FILE)'
        raise UnknownJoint("head", [r for r in skeleton.roles if r] + list(skeleton.names), hint)
    return found


def rests_standing(skeleton: Skeleton) -> bool:
    """Is the rest pose one that a body can stand in: every foot below the hips, by the body's own up?

    It is not in files whose bones all lie along one axis at rest; there the joints' axes carry no information about the
    body.
    """
    up = rotate(body_axes(skeleton), [0.0, 1.0, 0.0])
    places = [skeleton.offsets[skeleton.chain(foot.ankle)[1:]].sum(0) for foot in feet(skeleton)]
    return all(float(place @ up) < 0 for place in places)


def facing(clip: Clip, turns: FloatArray | None = None) -> FloatArray:
    """(n, 3) unit vectors: the direction in which each joint of `eyes` looks, in its own frame.

    Where the rest pose stands, this is the body's forward axis at rest (`body_axes`), in which all joints agree. Where
    it does not, it is an axis of the joint (x, y or z, or one of their opposites): such files align joints with their
    bones. It is the axis of the first spine joint that is nearest to where the body faces, on average over the clip,
    if the head faces that way in some of the frames; otherwise the head's own nearest one. (Its own alone would be
    that of a look to the side that lasts.) `turns` are the world rotations (F, J, 4), if they are known already.
    """
    joints = eyes(clip.skeleton)
    if rests_standing(clip.skeleton):
        return np.tile(rotate(body_axes(clip.skeleton), [0.0, 0.0, 1.0]), (len(joints), 1))
    turns = fk_rotations(clip)[1] if turns is None else turns
    heading = headings(clip)
    forward = np.stack([np.sin(heading), np.zeros(len(clip)), np.cos(heading)], 1)
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    trunk = clip.skeleton.find("spine") or 0
    near = rotate(inverse(turns[:, [trunk, *joints]]), forward[:, None]) @ axes.T
    spine, *own = near.mean(0).argmax(1)
    ahead = (near[:, 1:, spine] > NEAR_AXIS).mean(0) >= SOMETIMES
    return np.asarray(axes[np.where(ahead, spine, own)])


def gaze(clip: Clip) -> tuple[FloatArray, FloatArray]:
    """Where the body looks from, (F, 3) metres, and in which direction, (F, 3) unit vectors.

    From the middle of both eyes along the mean of their directions, or from the head where there are none (see
    `facing`).
    """
    joints = eyes(clip.skeleton)
    places, turns = fk_rotations(clip)
    direction = rotate(turns[:, joints], facing(clip, turns)).sum(1)
    return places[:, joints].mean(1), direction / np.linalg.norm(direction, axis=1, keepdims=True)


@dataclass(frozen=True)
class LookAt(Constraint):
    """The body looks at a point, along a path of points, or in a direction, for a while.

    One of: `target`, a point in the world; `path`, points `[t, x, y, z]` at times, with straight lines between;
    `yaw` and `pitch`, the direction seen from the body: from where the hips face, yaw to the left and pitch up.
    Residual: radians, one per frame of the span: the angle between gaze and wanted direction (see `gaze`).
    """

    unit: ClassVar[str] = "rad"
    target: Point3 | None = point_field(None, "point that is looked at")
    yaw: float | None = angle_field(None, "direction seen from the hips, to the left")
    pitch: float | None = angle_field(None, "direction seen from the hips, upwards", slider=(-1.5, 1.5))
    path: tuple[Waypoint, ...] | None = param(
        None,
        "points that are looked at, with times",
        "m",
        kind=WAYPOINTS,
        low=-MAX_COORDINATE,
        high=MAX_COORDINATE,
        slider=(-5.0, 5.0),
    )
    span: Span = span_field("when the body looks there")
    tolerance: float = tolerance_field(math.radians(3.0), "largest angle between gaze and direction", "rad")

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self.target is not None, self.path is not None, self.yaw is not None or self.pitch is not None]
        if sum(given) != 1:
            raise BadRequest("expected exactly one of target, path, or yaw and pitch", where=("look_at",))

    def frames(self, frames: int, fps: float) -> range:
        """The frames that look there, in a result of this length."""
        return frames_of(self.span, frames, fps, ("look_at", "span"))

    def check_joints(self, skeleton: Skeleton) -> None:
        eyes(skeleton)

    def directions(self, clip: Clip, start: FloatArray) -> FloatArray:
        """(F, 3) the target directions as unit vectors, for every frame of the clip, looking from `start` (F, 3)."""
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
            raise fail(("look_at", "path"), "increasing times", [w[0] for w in self.path])
        places = np.array([w[1:] for w in self.path], float)
        return np.stack([np.interp(np.arange(frames) / fps, times, places[:, k]) for k in range(3)], 1)

    def residual(self, clip: Clip) -> FloatArray:
        frames = self.frames(len(clip), clip.fps)
        start, direction = gaze(clip)
        wanted = self.directions(clip, start)
        cross = np.linalg.norm(np.cross(direction, wanted), axis=1)
        angle = np.arctan2(cross, np.einsum("fk,fk->f", direction, wanted))
        return angle[frames.start : frames.stop]
