"""Constraints on labels: `style` over a span of time, `style_along` over a part of the path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.fields import INFLUENCES, MAX_COORDINATE, NAME, span_field, tolerance_field
from motionloom.core import BoolArray, Clip, FloatArray, Skeleton
from motionloom.core.fields import REQUIRED, param
from motionloom.core.units import Span, fail, frames_of
from motionloom.kinematics.body.roles import group
from motionloom.kinematics.gait_recognition import labelled
from motionloom.kinematics.travel import travel


@dataclass(frozen=True)
class Style(Constraint):
    """A stretch is done in a style: its frames carry a label.

    Graphs also find gaits in clips that carry no such label: stand, idle, start, stop, walk and run.

    Residual: one value without unit: the share of the span's frames that do not carry the label. The tolerance leaves
    room for the change from one style to another. `importance` is its weight against other styles; `joints` are the
    ones it matters for, or how much for each (`{upper: 1, head: 0.5}`). A label is about the whole body; methods
    that choose joints by themselves give frames in which only these joints carry it the label `joint_label`, such as
    `sneak@left_arm`, and these frames count too.
    """

    unit: ClassVar[str] = "share of frames"
    label: str = param(REQUIRED, "label that the frames carry", kind=NAME)
    span: Span = span_field("when")
    importance: float = param(
        1.0, "how much it counts against other styles", low=0, high=1000, slider=(0.0, 10.0), advanced=True
    )
    joints: tuple[str, ...] | tuple[tuple[str, float], ...] = param(
        ("all",), "joints that it matters for, or how much: {upper: 1, head: 0.5}", kind=INFLUENCES, advanced=True
    )
    tolerance: float = tolerance_field(0.1, "largest share of frames without the label", "", high=1.0)

    def frames(self, frames: int, fps: float) -> range:
        """The frames to which it applies, in a result of this length."""
        return frames_of(self.span, frames, fps, ("style", "span"))

    def check_joints(self, skeleton: Skeleton) -> None:
        self.influence(skeleton)

    def influence(self, skeleton: Skeleton) -> FloatArray:
        """(J,) how much it matters for each joint, 0 to 1 or more; where several names apply, the largest."""
        out = np.zeros(len(skeleton))
        for item in self.joints:
            name, value = (item, 1.0) if isinstance(item, str) else item
            joints = group(skeleton, name)
            out[joints] = np.maximum(out[joints], value)
        return out

    @property
    def joint_label(self) -> str:
        """The label of frames in which its joints carry the style, whatever others do.

        >>> Style("sneak").joint_label, Style("sneak", joints=("left_arm", "head")).joint_label
        ('sneak', 'sneak@left_arm+head')
        """
        names = [item if isinstance(item, str) else item[0] for item in self.joints if isinstance(item, str) or item[1]]
        return self.label if "all" in names else f"{self.label}@{'+'.join(names)}"

    def residual(self, clip: Clip) -> FloatArray:
        has = labelled(clip, self.label) | clip.label(self.joint_label)
        return np.atleast_1d(self.missing_share(has, clip.fps))

    def missing_share(self, has: BoolArray, fps: float) -> float:
        """The share of the span's frames without the label, where `has` (F,) are the frames of the result with it."""
        frames = self.frames(len(has), fps)
        return float(1.0 - has[frames.start : frames.stop].mean())


def walked(clip: Clip) -> FloatArray:
    """(F,) metres that the hips have travelled over the ground since the first frame, without their sway."""
    return walked_along(travel(clip).place, clip.fps)


def walked_along(place: FloatArray, fps: float) -> FloatArray:
    """(F,) metres: `walked` of a body whose hips are at `place` (F, 2) m.

    Places are averaged over a second (less at the ends), about a stride, before their distances are added up.
    """
    half = max(1, round(fps / 2))
    total = np.concatenate([np.zeros((1, 2)), np.cumsum(place, axis=0)])
    reach = np.minimum(np.minimum(np.arange(len(place)), np.arange(len(place))[::-1]), half)
    first, last = np.arange(len(place)) - reach, np.arange(len(place)) + reach + 1
    smooth = (total[last] - total[first]) / (last - first)[:, None]
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(smooth, axis=0), axis=1))])


@dataclass(frozen=True)
class StyleAlong(Constraint):
    """A part of the path is travelled in a style: the frames between two travelled distances carry a label.

    `stretch` is [from, to) in metres travelled by the hips since the start, see `walked`. Residual: one value without
    unit: the share of these frames that do not carry the label; 1 if the path ends before.
    """

    unit: ClassVar[str] = "share of frames"
    label: str = param(REQUIRED, "label that the frames carry", kind=NAME)
    stretch: tuple[float, float] = param(
        REQUIRED, "distances walked, [from, to)", "m", low=0, high=MAX_COORDINATE, slider=(0.0, 20.0)
    )
    tolerance: float = tolerance_field(0.1, "largest share of frames without the label", "", high=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stretch[1] <= self.stretch[0]:
            raise fail((self.key(), "stretch"), "two lengths, the second one larger", list(self.stretch))

    def residual(self, clip: Clip) -> FloatArray:
        metres = walked(clip)
        there = (metres >= self.stretch[0]) & (metres < self.stretch[1])
        return np.atleast_1d(1.0 - labelled(clip, self.label)[there].mean() if there.any() else 1.0)
