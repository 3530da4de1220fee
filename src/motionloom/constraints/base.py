"""Base class of all constraints: name in a request, hard or soft, residual, tolerance."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from motionloom.core import BadRequest, Clip, FloatArray, Skeleton, SkeletonMismatch, UnknownJoint
from motionloom.core.errors import Problems
from motionloom.core.fields import Described, param


def text_with_unit(value: float, unit: str) -> str:
    """A residual or tolerance for people: three digits, angles in degrees, rounding errors of zero as 0.

    >>> text_with_unit(0.0349066, "rad"), text_with_unit(1e-12, "m")
    ('2 deg', '0 m')
    """
    value, unit = (float(np.degrees(value)), "deg") if unit == "rad" else (value, unit)
    return f"{0.0 if abs(value) < 1e-9 else value:.3g} {unit}".rstrip()


@dataclass(frozen=True, kw_only=True)
class Constraint(Described):
    """One constraint of a request, complete when built.

    `residual(clip)` is an array in the class's `unit`; the constraint is met when its largest absolute value is at
    most `tolerance`. Without a `weight` it is hard; a weight (0 or more) makes it soft.
    """

    unit: ClassVar[str] = ""  # what the residual is measured in
    weight: float | None = param(
        None,
        "makes it soft: how much it counts; without a weight it is hard",
        low=0,
        high=1e6,
        slider=(0.01, 100.0),
        scale="log",
    )

    def problem(self, message: str, *path: str | int) -> BadRequest:
        """The error for a value at `path` in this constraint; `Request.located` adds its number in the request."""
        return BadRequest(message, where=(self.key(), *path), about=self)

    @property
    def joint_field(self) -> str:
        """The field that names joints, if one does."""
        return next((f.name for f in fields(self) if f.name in ("joint", "joints")), "")

    @property
    def clip_field(self) -> str:
        """The field that gives a clip or one of its frames, if one does."""
        return next((f.name for f in fields(self) if f.name in ("pose", "clip")), "")

    @property
    def hard(self) -> bool:
        """Must it be met? A weight makes it soft."""
        return self.weight is None

    @property
    def limit(self) -> float:
        """The largest residual that still counts as met, in `unit`."""
        return float(getattr(self, "tolerance", 0.0))

    @property
    def unchecked(self) -> str:
        """Why no clip can be checked against it, or ""."""
        return ""

    def parts(self, table: Any = None) -> tuple[Constraint, ...]:
        """Itself, or the constraints that it is short for; `table` defines how motion parameters are measured."""
        return (self,)

    def residual(self, clip: Clip) -> FloatArray:
        """The deviation of the clip from the constraint, in `unit`; zero where met."""
        raise NotImplementedError

    def worst(self, clip: Clip) -> float:
        """The largest absolute residual."""
        return float(np.abs(self.residual(clip)).max(initial=0.0))

    def worst_text(self, clip: Clip) -> tuple[str, str]:
        """The largest absolute residual and its tolerance with their unit, for people: angles in degrees."""
        return text_with_unit(self.worst(clip), self.unit), text_with_unit(self.limit, self.unit)

    def met(self, clip: Clip) -> bool:
        """Is the largest absolute residual within the tolerance?"""
        return self.worst(clip) <= self.limit

    def fits(self, skeleton: Skeleton, frames: int | None, fps: float) -> None:
        """Raise unless its joints are in this skeleton and its times lie in a result of this length, if it is known."""
        problems = Problems()
        if frames is not None:
            with problems.collect():
                self.check_times(frames, fps)
        with problems.collect():
            try:
                self.check_joints(skeleton)
            except (UnknownJoint, SkeletonMismatch) as error:
                field = self.joint_field if isinstance(error, UnknownJoint) else self.clip_field
                raise BadRequest(str(error), where=(self.key(), field) if field else (self.key(),)) from None
            self.check_values()
        problems.raise_found()

    def check_times(self, frames: int, fps: float) -> None:
        """Raise unless its times lie in a result of this length."""
        for name in ("frame", "frames"):
            if hasattr(self, name):
                getattr(self, name)(frames, fps)

    def check_joints(self, skeleton: Skeleton) -> None:
        """Raise `UnknownJoint` unless the joints that it names are in this skeleton."""

    def check_values(self) -> None:
        """Raise unless its values are ones that can be measured."""

    def describe(self) -> str:
        """The constraint in one line, in the notation of requests."""
        import yaml

        try:
            plain = self.to_plain()
        except BadRequest:  # a pose that comes from no file cannot be written
            plain = {k: v for k, v in vars(self).items() if isinstance(v, (str, int, float))}
        text = yaml.safe_dump(plain, default_flow_style=True, sort_keys=False, width=10_000, allow_unicode=True)
        return f"{self.key()}: {text.strip()}"

    def to_plain(self) -> dict[str, Any]:
        out = super().to_plain()
        if "weight" in out:  # kept last, as people write it
            out["weight"] = out.pop("weight")
        return out
