"""Constraints on what a driven character does: `head_for` a direction, and `act` once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import NAME, Point3, angle_field, point_field, span_field, tolerance_field
from motionloom.constraints.root import turn_between
from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.core.fields import REQUIRED, param
from motionloom.core.units import Span, frames_of
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import travel

MISSED = 100.0  # m: distance from a target of an action that is not done within its span
MOVING = 0.1  # m over the last second: with less, the heading of the body counts


@dataclass(frozen=True)
class HeadFor(Constraint):
    """The body turns to a direction and travels in it at the end of a span.

    Residual: radians: direction of travel over the last second of the span (of all of it, if it is shorter) minus the
    heading. Of a body that stands, its own heading counts.
    """

    unit: ClassVar[str] = "rad"
    heading: float = angle_field(REQUIRED, "direction of travel, left positive")
    span: Span = span_field("when")
    tolerance: float = tolerance_field(math.radians(10.0), "largest error of the direction", "rad")

    def frames(self, frames: int, fps: float) -> range:
        """The frames to which it applies, in a result of this length."""
        return frames_of(self.span, frames, fps, ("head_for", "span"))

    def residual(self, clip: Clip) -> FloatArray:
        frames = self.frames(len(clip), clip.fps)
        last = frames.stop - 1
        first = max(frames.start, last - round(clip.fps))
        path = travel(clip[first : last + 1])
        moved = path.place[-1] - path.place[0]
        moving = float(np.linalg.norm(moved)) >= MOVING
        direction = math.atan2(moved[0], moved[1]) if moving else float(path.heading[-1])
        return np.atleast_1d(turn_between(direction, self.heading))


@dataclass(frozen=True)
class Act(Constraint):
    """An action is done within a span: frames in a row with the label of the action begin and end in it.

    Where they last longer than the span, they fill it. With a `target`, a hand or a foot is there at some time of the
    action within the span: a punch hits it. Residual: seconds of the action, as far as the span has room for it, that
    lie outside, and from there to the span; of a clip without the action, its length. With a target, that and the
    least distance of a hand or foot from it, as multiples of their tolerances.
    """

    action: str = param(REQUIRED, "action to do: a label, a node of a graph", kind=NAME)
    span: Span = span_field("when")
    target: Point3 | None = point_field(None, "point in the world that a hand or a foot meets")
    tolerance: float = tolerance_field(0.1, "how much of the action may lie outside the span", "s")
    target_tolerance: float = tolerance_field(0.1, "largest distance from the target")

    @property
    def unit(self) -> str:  # type: ignore[override]
        return "s" if self.target is None else "tolerances"

    @property
    def limit(self) -> float:
        return self.tolerance if self.target is None else 1.0

    def check_joints(self, skeleton: Skeleton) -> None:
        if self.target is not None and not limb_ends(skeleton):
            raise self.problem("the skeleton has neither hands nor feet", "target")

    def frames(self, frames: int, fps: float) -> range:
        """The frames to which it applies, in a result of this length."""
        return frames_of(self.span, frames, fps, ("act", "span"))

    def residual(self, clip: Clip) -> FloatArray:
        frames = self.frames(len(clip), clip.fps)
        shown = clip.label(self.action)
        outside = min((frames_outside(*run, frames) for run in runs(shown)), default=len(clip)) / clip.fps
        if self.target is None:
            return np.array([outside])
        points = fk(clip)[:, limb_ends(clip.skeleton)]
        apart = nearest(np.concatenate([points[:1], points[:-1]]), points, self.target)
        during = np.flatnonzero(shown[: frames.stop])
        during = during[during >= frames.start]
        limits = np.maximum([self.tolerance, self.target_tolerance], 1e-9)
        return np.array([outside, apart[during].min(initial=MISSED)]) / limits


def frames_outside(begin: int, end: int, span: range) -> int:
    """How many frames of an action from `begin` to `end`, as far as a span has room for them, lie outside it.

    Where none is inside, it is as many more as lie between them and the span.
    """
    return min(end - begin, len(span)) - min(end, span.stop) + max(begin, span.start)


def limb_ends(skeleton: Skeleton) -> list[int]:
    """The joints of hands and feet, as far as the skeleton has them."""
    roles = [f"{side}_{limb}" for side in ("left", "right") for limb in ("hand", "foot")]
    return [skeleton.roles.index(role) for role in roles if role in skeleton.roles]


def nearest(before: FloatArray, points: FloatArray, target: Sequence[float]) -> FloatArray:
    """(F,) m from a point to the nearest of P others (F, P, 3), each on a straight line from where it was before."""
    step, to = points - before, np.asarray(target, float) - before
    share = np.clip((to * step).sum(-1) / np.maximum((step**2).sum(-1), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(to - share[..., None] * step, axis=-1).min(1))
