"""The constraint `pace`: speed over the ground, over a span of time or a part of the path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import MAX_COORDINATE, span_field, tolerance_field
from motionloom.constraints.style import walked_along
from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.core.errors import Where
from motionloom.core.fields import REQUIRED, param
from motionloom.core.kinds import Kind, Reader, ValueSpec, check_number, items_of, read_number
from motionloom.core.units import Span, fail, frames_of
from motionloom.kinematics.pace import pace_along
from motionloom.kinematics.travel import travel

MAX_SPEED = 15.0  # m/s: no runner is faster


def _range_of(read: Reader) -> Reader:
    """One number, or two of which the second is not smaller."""

    def numbers(value: Any, field: ValueSpec, where: Where) -> tuple[float, float]:
        if not isinstance(value, (list, tuple, np.ndarray)):
            one = read(value, field, where)
            return one, one
        low, high = (read(item, field, (*where, i)) for i, item in enumerate(items_of(value, where, "[from, to]", 2)))
        if high < low:
            raise fail(where, "two speeds, the second one not smaller", value)
        return low, high

    return numbers


RANGE = Kind(
    "range",
    _range_of(read_number),
    _range_of(check_number),
    lambda value, field: value[0] if value[0] == value[1] else list(value),
    limited=True,
    listed=True,
)


@dataclass(frozen=True)
class Pace(Constraint):
    """The body moves over the ground at a speed, or within a range of speeds.

    The speed is averaged over a second, within the span or stretch only. Residual: metres per second, one per frame:
    how far the speed is outside of the range; for a `stretch` that is never reached, the lower speed.
    """

    unit: ClassVar[str] = "m/s"
    speed: tuple[float, float] = param(
        REQUIRED, "speed over the ground, or [from, to]", "m/s", kind=RANGE, low=0, high=MAX_SPEED, slider=(0.0, 6.0)
    )
    span: Span = span_field("when")
    stretch: tuple[float, float] | None = param(
        None, "instead of a span: distances walked, [from, to)", "m", low=0, high=MAX_COORDINATE, slider=(0.0, 20.0)
    )
    tolerance: float = tolerance_field(0.1, "largest deviation of the speed", "m/s")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stretch is not None and self.span is not None:
            raise BadRequest("expected a span or a stretch, found both", where=(self.key(), "stretch"))
        if self.stretch is not None and self.stretch[1] <= self.stretch[0]:
            raise fail((self.key(), "stretch"), "two lengths, the second one larger", list(self.stretch))

    def frames(self, frames: int, fps: float) -> range:
        """The frames it applies to, in a result of this length; all of them for a stretch."""
        return frames_of(self.span, frames, fps, ("pace", "span"))

    def deviation(self, speed: FloatArray) -> FloatArray:
        """Metres per second by which speeds are outside of the range; 0 inside."""
        return np.asarray(np.maximum(self.speed[0] - speed, 0.0) + np.maximum(speed - self.speed[1], 0.0))

    def residual(self, clip: Clip) -> FloatArray:
        return self.residual_along(travel(clip).place, clip.fps, len(clip))

    def residual_along(self, place: FloatArray, fps: float, frames: int) -> FloatArray:
        """The residual of hips at `place` (F, 2): the beginning of a result of so many frames, or all of it."""
        part = self.frames(frames, fps)
        if self.stretch is not None:
            metres = walked_along(place, fps)
            there = np.flatnonzero((metres >= self.stretch[0]) & (metres < self.stretch[1]))
            if not len(there):
                return np.atleast_1d(self.speed[0] if len(place) >= frames else 0.0)
            part = range(int(there[0]), int(there[-1]) + 1)
        return self.deviation(pace_along(place[part.start : part.stop], fps))
