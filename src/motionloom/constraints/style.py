"""How it is done: a style, or the values of a method's parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import NAME, NAMES, QUANTITIES, SHARE, SPAN, STRETCH, given, wanted
from motionloom.core import BadRequest, Clip, FloatArray, Skeleton
from motionloom.core.units import EXAMPLES, NEEDS_UNIT, Quantity, Span, frames_of
from motionloom.kinematics.roles import group
from motionloom.kinematics.travel import travel

Measure = Callable[[Clip], float]
"""A parameter's value, read off a clip (the span's frames), in SI units."""


@dataclass(frozen=True)
class Style(Constraint):
    """A stretch is done in a style: its frames carry a label.

    Residual: one value without unit: the share of the span's frames that do not carry the label. The tolerance leaves
    room for the change from one style to another. `importance` is how strongly a method should mind it against other
    styles; `joints` are the ones it matters for (a label is about the whole body, so the residual does not use them).
    """

    unit: ClassVar[str] = "share of frames"
    label: str = wanted(NAME)
    span: Span = given(None, SPAN)
    importance: float = given(1.0, SHARE)
    joints: tuple[str, ...] = given(("all",), NAMES)
    tolerance: float = given(0.1, SHARE)

    def frames(self, frames: int, fps: float) -> range:
        """The frames it speaks of, in a result of this length."""
        return frames_of(self.span, frames, fps, ("style", "span"))

    def check_joints(self, skeleton: Skeleton) -> None:
        for name in self.joints:
            group(skeleton, name)

    def residual(self, clip: Clip) -> FloatArray:
        frames = self.frames(len(clip), clip.fps)
        return np.atleast_1d(1.0 - clip.label(self.label)[frames.start : frames.stop].mean())


def walked(clip: Clip) -> FloatArray:
    """(F,) metres that the hips have gone over the ground since the first frame, without their sway.

    Places are averaged over a second (less at the ends), about a stride, before their distances are added up.
    """
    place, half = travel(clip).place, max(1, round(clip.fps / 2))
    total = np.concatenate([np.zeros((1, 2)), np.cumsum(place, axis=0)])
    reach = np.minimum(np.minimum(np.arange(len(place)), np.arange(len(place))[::-1]), half)
    first, last = np.arange(len(place)) - reach, np.arange(len(place)) + reach + 1
    smooth = (total[last] - total[first]) / (last - first)[:, None]
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(smooth, axis=0), axis=1))])


@dataclass(frozen=True)
class StyleAlong(Constraint):
    """A part of the way is done in a style: the frames between two distances walked carry a label.

    `stretch` is [from, to) in metres that the hips have gone since the start, see `walked`. Residual: one value without
    unit: the share of these frames that do not carry the label; 1 if the way does not come so far.
    """

    unit: ClassVar[str] = "share of frames"
    label: str = wanted(NAME)
    stretch: tuple[float, float] = wanted(STRETCH)
    tolerance: float = given(0.1, SHARE)

    def residual(self, clip: Clip) -> FloatArray:
        metres = walked(clip)
        there = (metres >= self.stretch[0]) & (metres < self.stretch[1])
        return np.atleast_1d(1.0 - clip.label(self.label)[there].mean() if there.any() else 1.0)


def speed(clip: Clip) -> float:
    """Mean speed of the hips over the ground, m/s."""
    steps = np.linalg.norm(np.diff(travel(clip).place, axis=0), axis=1)
    return float(steps.mean() * clip.fps) if len(steps) else 0.0


def turn(clip: Clip) -> float:
    """Change of heading from the first frame to the last, rad, left positive."""
    heading = travel(clip).heading
    return float(heading[-1] - heading[0])


def distance(clip: Clip) -> float:
    """Straight line on the ground from the first frame's hips to the last one's, m."""
    place = travel(clip).place
    return float(np.linalg.norm(place[-1] - place[0]))


def climb(clip: Clip) -> float:
    """Change of the hips' height from the first frame to the last, m."""
    return float(clip.root[-1, 1] - clip.root[0, 1])


MEASURES: Mapping[str, Measure] = {"speed": speed, "turn": turn, "distance": distance, "climb": climb}


@dataclass(frozen=True)
class Parameters(Constraint):
    """Values for a method's own parameters (`speed: 1.4`, `turn: 35deg`) over a stretch.

    Residual: without unit, one per value: measured minus asked, as a part of what was asked, or of one SI unit (1 m/s,
    1 rad, 1 m) where less than that was asked. `measures` says how each is read off a clip; a method whose parameters
    are its own brings its own.
    """

    unit: ClassVar[str] = "part"
    values: tuple[tuple[str, Quantity], ...] = wanted(QUANTITIES)
    span: Span = given(None, SPAN)
    tolerance: float = given(0.1, SHARE)

    def value(self, name: str, kind: str = "number") -> float | None:
        """The value of one parameter in SI units, or None; a bare number for an angle is an error."""
        found = dict(self.values).get(name)
        if found is None:
            return None
        if found.kind == kind or (found.kind == "number" and kind not in NEEDS_UNIT):
            return found.value
        raise BadRequest(
            f"expected {EXAMPLES[kind]}, found a {found.kind}: {found.value:g}", where=("parameters", "values", name)
        )

    def frames(self, frames: int, fps: float) -> range:
        """The frames it speaks of, in a result of this length."""
        return frames_of(self.span, frames, fps, ("parameters", "span"))

    def residual(self, clip: Clip, measures: Mapping[str, Measure] = MEASURES) -> FloatArray:
        frames = self.frames(len(clip), clip.fps)
        part = clip[frames.start : frames.stop]
        out = []
        for name, asked in self.values:
            if name not in measures:
                raise BadRequest(
                    f"cannot measure {name!r}; known are {', '.join(measures)}", where=("parameters", "values", name)
                )
            out.append((measures[name](part) - asked.value) / max(abs(asked.value), 1.0))
        return np.array(out)
