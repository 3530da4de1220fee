"""Reference segments: observed segments at another length, as the input that drives a texton."""

from __future__ import annotations

from typing import NamedTuple

from motionloom.core import BoolArray, FloatArray
from motionloom.kinematics.feet.grounding import Footing, part_places
from motionloom.kinematics.local_frames import Frames
from motionloom.methods.textons.render.durations import at_length
from motionloom.methods.textons.render.texton_coordinates import TextonCharts
from motionloom.methods.textons.render.trajectory import push_of
from motionloom.methods.textons.segments import Segments


class ReferenceSegment(NamedTuple):
    """An observed segment at some length l, with the two frames after it."""

    push: FloatArray  # (l + 2, d) the noise that would produce it
    rest: FloatArray  # (l + 2, D) its residual outside the basis
    y: FloatArray  # (l + 2, D) its coordinates: they determine the side of the chart of joints that turn far
    contacts: BoolArray  # (l + 2, P)
    slip: FloatArray  # (l + 2, P, 2) m: displacement of each foot part over the ground to the next frame
    high: FloatArray  # (l + 2, P) m: height of each foot part above its usual height on the floor
    turn: FloatArray  # (l + 2,) rad/s: yaw rate
    labels: BoolArray  # (l + 2, L)

    def footing(self, frames: int) -> Footing:
        """Contacts, slip and heights of the feet in the first frames."""
        return Footing(self.contacts[:frames], self.slip[:frames], self.high[:frames])


def reference_segment(
    charts: TextonCharts, observed: int, span: tuple[int, int] | None, length: int, lengthening: str
) -> ReferenceSegment:
    """The frames `span` (default: all) of an observed segment at `length` frames; `lengthening` as in `at_length`."""
    segments, seen = charts.segments, charts.segments[observed]
    first, last = (0, seen.length) if span is None else span
    dynamics = charts.textons[seen.texton].dynamics
    y = charts.unbroken(seen.frames, seen.texton)[first : last + 2] - dynamics.mean
    timed = at_length(y, length + 2, segments.fps, lengthening=lengthening)
    x = timed.y @ dynamics.basis
    rest = timed.y - x @ dynamics.basis.T
    at = first + timed.frame
    played = charts.frames(timed.y + dynamics.mean, seen.texton)
    return ReferenceSegment(
        push_of(dynamics, x),
        rest,
        timed.y + dynamics.mean,
        seen.contacts[at],
        seen.slip[at] * timed.pace,
        _heights(played, segments) - _floor(segments, observed),
        played.root[:, 2],
        seen.labels[at],
    )


def _heights(frames: Frames, segments: Segments) -> FloatArray:
    """(F, P) m: height of each foot part above its usual height."""
    return part_places(frames, segments.skeleton)[..., 1] - segments.heights


def _floor(segments: Segments, observed: int) -> float:
    """Height (m) of the floor in the take of an observed segment."""
    seen = segments[observed]
    high = _heights(seen.frames[:1], segments)
    return float(high.min() - seen.low[0]) if high.size else 0.0
