"""Constraints on what a driven character does: `head_for` a direction, and `act` once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import NAME, angle_field, span_field, tolerance_field
from motionloom.constraints.root import turn_between
from motionloom.core import Clip, FloatArray
from motionloom.core.fields import REQUIRED, param
from motionloom.core.units import Span, frames_of
from motionloom.kinematics.travel import travel

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
    """An action is done within a span: some of its frames carry the label of the action.

    Residual: seconds from the span to the nearest frame with the label; of a clip without any, its length.
    """

    unit: ClassVar[str] = "s"
    action: str = param(REQUIRED, "action to do: a label, a node of a graph", kind=NAME)
    span: Span = span_field("when")
    tolerance: float = tolerance_field(0.1, "how long before or after the span is near enough", "s")

    def frames(self, frames: int, fps: float) -> range:
        """The frames to which it applies, in a result of this length."""
        return frames_of(self.span, frames, fps, ("act", "span"))

    def residual(self, clip: Clip) -> FloatArray:
        frames = self.frames(len(clip), clip.fps)
        shown = np.flatnonzero(clip.label(self.action))
        if not len(shown):
            return np.array([clip.seconds])
        away = np.maximum(np.maximum(frames.start - shown, shown - (frames.stop - 1)), 0)
        return np.array([away.min() / clip.fps])
