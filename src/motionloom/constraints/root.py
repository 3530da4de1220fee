"""Constraints on the root: `root_at`, `root_path`, `reach`, `avoid`; and the start of a request."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from motionloom.constraints.base import Constraint, text_with_unit
from motionloom.constraints.fields import (
    MAX_COORDINATE,
    PLACES,
    TIME,
    TIMES,
    Point2,
    angle_field,
    place_field,
    tolerance_field,
)
from motionloom.constraints.path_error import leg_deviations, nearest_distances
from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.core.fields import REQUIRED, Described, param
from motionloom.core.units import Moment, fail, frame_of, nearest, seconds_of
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import travel
from motionloom.rotation import wrap_angle


def turn_between(a: FloatArray | float, b: FloatArray | float) -> FloatArray:
    """a - b for headings, in [-pi, pi)."""
    return wrap_angle(np.asarray(a) - b)


@dataclass(frozen=True)
class Start(Described):
    """Position and heading (radians) of the hips at frame 0."""

    position: Point2 = place_field((0.0, 0.0), "position of the hips at frame 0")
    heading: float = angle_field(0.0, "heading at frame 0, left positive")


@dataclass(frozen=True)
class RootAt(Constraint):
    """At a time the hips are over a place, at a height, facing a heading: any subset of the three.

    Residual: metres: distance on the ground, height error, heading error (1 rad counts as 1 m), as far as given.
    """

    unit: ClassVar[str] = "m"
    time: Moment = param(REQUIRED, "when", kind=TIME)
    position: Point2 | None = place_field(None, "where the hips are on the ground")
    height: float | None = param(
        None, "height of the hips", "m", low=-MAX_COORDINATE, high=MAX_COORDINATE, slider=(0.0, 2.0)
    )
    heading: float | None = angle_field(None, "direction that the hips face, left positive")
    tolerance: float = tolerance_field(0.02, "largest error; 1 rad of heading counts as 1 m")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.position is None and self.height is None and self.heading is None:
            raise BadRequest("expected at least one of position, height, heading", where=("root_at",))

    def frame(self, frames: int, fps: float) -> int:
        """The frame of the constraint in a result of this length."""
        return frame_of(self.time, frames, fps, ("root_at", "time"))

    def residual(self, clip: Clip) -> FloatArray:
        frame = self.frame(len(clip), clip.fps)
        here = travel(clip[frame : frame + 1])
        out: list[float] = []
        if self.position is not None:
            out.append(float(np.linalg.norm(here.place[0] - self.position)))
        if self.height is not None:
            out.append(float(clip.root[frame, 1] - self.height))
        if self.heading is not None:
            out.append(float(turn_between(here.heading[0], self.heading)))
        return np.array(out)

    def worst_text(self, clip: Clip) -> tuple[str, str]:
        """The largest error and its tolerance; one of the heading is in degrees."""
        errors = np.abs(self.residual(clip))
        if self.heading is not None and errors.argmax() == len(errors) - 1:
            return f"{text_with_unit(errors[-1], 'rad')} of heading", text_with_unit(self.limit, "rad")
        return super().worst_text(clip)


@dataclass(frozen=True)
class RootPath(Constraint):
    """The hips follow a path on the ground, all of it, from its first point to its last.

    Without `times` the path is followed over the whole result at any speed; with them, the body is at each point at
    its time, and follows the leg between. Residual: metres, one per frame (of the legs): how far the body is from the
    part of the path that it is paired with, under the pairing whose largest distance is least (discrete Fréchet
    distance). So a path that crosses itself is followed in its order, and a clip that stops early is far from the
    end.
    """

    unit: ClassVar[str] = "m"
    points: tuple[Point2, ...] = param(
        REQUIRED, "corners of the path", "m", kind=PLACES, low=-MAX_COORDINATE, high=MAX_COORDINATE, slider=(-5.0, 5.0)
    )
    times: tuple[Moment, ...] | None = param(None, "when the hips are at each of the points", kind=TIMES)
    tolerance: float = tolerance_field(0.2, "largest distance from the path")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.times is not None and len(self.times) != len(self.points):
            expected = f"one per point ({len(self.points)})"
            raise fail(("root_path", "times"), expected, self.times)

    def frames(self, frames: int, fps: float) -> list[int] | None:
        """The frames of the points, in a result of this length; None if they have no times."""
        if self.times is None:
            return None
        at = [frame_of(t, frames, fps, ("root_path", "times", i)) for i, t in enumerate(self.times)]
        if any(b <= a for a, b in pairwise(at)):
            raise fail(("root_path", "times"), "increasing times", list(self.times))
        return at

    def residual(self, clip: Clip) -> FloatArray:
        place, points = travel(clip).place, np.array(self.points)
        at = self.frames(len(clip), clip.fps)
        if at is None:
            return leg_deviations(place, points)
        legs = [leg_deviations(place[a : b + 1], points[i : i + 2]) for i, (a, b) in enumerate(pairwise(at))]
        return np.concatenate(legs)

    def mean_distance(self, clip: Clip) -> float:
        """Metres: how far the hips are from the nearest point of the path, the mean over all frames."""
        return float(nearest_distances(travel(clip).place, np.array(self.points)).mean())


@dataclass(frozen=True)
class Reach(Constraint):
    """Some time until `by`, the hips stand at a place (and, if given, face a heading).

    Residual: metres, at the best frame until then: the distance on the ground and, with a heading, its error scaled so
    that `heading_tolerance` counts as `tolerance`.
    """

    unit: ClassVar[str] = "m"
    position: Point2 = place_field(REQUIRED, "where the hips arrive")
    heading: float | None = angle_field(None, "direction that they face then")
    by: Moment = param("end", "latest time of arrival", kind=TIME)
    tolerance: float = tolerance_field(0.25, "largest distance to the place", low=1e-6)
    heading_tolerance: float = tolerance_field(
        math.radians(15.0), "largest error of the heading", "rad", low=1e-6, only_with=("heading",)
    )

    def frame(self, frames: int, fps: float) -> int:
        """The last frame that may be the arrival, in a result of this length; its last one, if that is before `by`."""
        last = nearest(seconds_of(self.by, frames, fps) * fps)
        return frames - 1 if last >= frames else frame_of(self.by, frames, fps, ("reach", "by"))

    def check_times(self, frames: int, fps: float) -> None:
        frame_of(self.by, frames, fps, ("reach", "by"))  # a time after the end of a result of known length is an error

    def errors(self, clip: Clip) -> FloatArray:
        """(n, 1 or 2) metres, for each frame until `by`: distance, and scaled heading error."""
        path = travel(clip[: self.frame(len(clip), clip.fps) + 1])
        distance = np.linalg.norm(path.place - self.position, axis=1)
        if self.heading is None:
            return distance[:, None]
        turn = np.abs(turn_between(path.heading, self.heading)) * (self.tolerance / self.heading_tolerance)
        return np.stack([distance, turn], 1)

    def arrival(self, clip: Clip) -> int:
        """The frame at which the clip comes nearest: the worse of both errors counts first, then their sum."""
        errors = self.errors(clip)
        return int(np.lexsort((errors.sum(1), errors.max(1)))[0])

    def residual(self, clip: Clip) -> FloatArray:
        return self.errors(clip)[self.arrival(clip)]

    def worst_text(self, clip: Clip) -> tuple[str, str]:
        """The largest error and its tolerance; one of the heading is in degrees."""
        errors = self.residual(clip)
        if len(errors) > 1 and errors[1] > errors[0]:
            turn = errors[1] * self.heading_tolerance / self.tolerance
            return f"{text_with_unit(turn, 'rad')} of heading", text_with_unit(self.heading_tolerance, "rad")
        return super().worst_text(clip)


@dataclass(frozen=True)
class Avoid(Constraint):
    """The whole body stays out of an upright cylinder.

    Residual: metres, one per frame: depth of the deepest joint inside the cylinder, 0 outside.
    """

    unit: ClassVar[str] = "m"
    center: Point2 = place_field(REQUIRED, "centre of the circle")
    radius: float = param(REQUIRED, "radius of the circle", "m", low=0, high=1000, slider=(0.05, 5.0))
    tolerance: float = tolerance_field(0.01, "largest depth inside")

    def residual(self, clip: Clip) -> FloatArray:
        distance = np.linalg.norm(fk(clip)[..., [0, 2]] - self.center, axis=2).min(1)
        return np.maximum(self.radius - distance, 0.0)
