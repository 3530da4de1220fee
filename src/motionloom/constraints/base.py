"""What all constraints share: a key in the request, hard or soft, a residual, and whether it is met."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, ClassVar, Self

import numpy as np

from motionloom.constraints.fields import WEIGHT, Kind, given, required
from motionloom.core import BadRequest, Clip, FloatArray, Skeleton, SkeletonMismatch, UnknownJoint
from motionloom.core.arrays import put
from motionloom.core.errors import Problems


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """One wish of a request, complete when built.

    `residual(clip)` is an array in the class's `unit`; the constraint is met when its largest absolute value is at
    most `tolerance`. Without a `weight` it is hard; a weight (0 or more) makes it soft.
    """

    unit: ClassVar[str] = ""  # what the residual is measured in
    weight: float | None = given(None, WEIGHT)

    def __post_init__(self) -> None:
        for f in fields(self):
            kind: Kind = f.metadata["kind"]
            put(self, f.name, kind.check(getattr(self, f.name), (self.key(), f.name)))

    @classmethod
    def key(cls) -> str:
        """The key in a request: the class name in snake_case."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    @property
    def joint_field(self) -> str:
        """The field that names joints, if one does."""
        return next((f.name for f in fields(self) if f.name in ("joint", "joints")), "")

    @property
    def hard(self) -> bool:
        """Must it be met? A weight makes it a wish."""
        return self.weight is None

    @property
    def limit(self) -> float:
        """The largest residual that still counts as met, in `unit`."""
        return float(getattr(self, "tolerance", 0.0))

    def residual(self, clip: Clip) -> FloatArray:
        """How far the clip is from what was asked, in `unit`; zero where met."""
        raise NotImplementedError

    def worst(self, clip: Clip) -> float:
        """The largest absolute residual."""
        return float(np.abs(self.residual(clip)).max(initial=0.0))

    def met(self, clip: Clip) -> bool:
        """Is the largest absolute residual within the tolerance?"""
        return self.worst(clip) <= self.limit

    def fits(self, skeleton: Skeleton, frames: int | None, fps: float) -> None:
        """Raise unless its joints are in this skeleton and its times lie in a result of this length, if it is known."""
        problems = Problems()
        if frames is not None:
            with problems.collect():
                self.check_times(frames, fps)
        try:
            self.check_joints(skeleton)
        except (UnknownJoint, SkeletonMismatch) as error:
            field = self.joint_field if isinstance(error, UnknownJoint) else "pose"
            problems.found.append(BadRequest(str(error), where=(self.key(), field) if field else (self.key(),)))
        problems.raise_found()

    def check_times(self, frames: int, fps: float) -> None:
        """Raise unless its times lie in a result of this length."""
        for name in ("frame", "frames"):
            if hasattr(self, name):
                getattr(self, name)(frames, fps)

    def check_joints(self, skeleton: Skeleton) -> None:
        """Raise `UnknownJoint` unless the joints that it names are in this skeleton."""

    def describe(self) -> str:
        """The constraint in one line, as a request would say it."""
        import yaml

        try:
            plain = self.to_plain()
        except BadRequest:  # a pose from no file: all but the pose can be said
            plain = {k: v for k, v in vars(self).items() if isinstance(v, (str, int, float))}
        text = yaml.safe_dump(plain, default_flow_style=True, sort_keys=False, width=10_000, allow_unicode=True)
        return f"{self.key()}: {text.strip()}"

    def to_plain(self) -> dict[str, Any]:
        """The fields that differ from their defaults, as plain YAML values."""
        out = {}
        for f in fields(self):
            value = getattr(self, f.name)
            if required(f) or value != f.default:
                out[f.name] = f.metadata["kind"].write(value)
        if "weight" in out:  # kept last, as people write it
            out["weight"] = out.pop("weight")
        return out

    @classmethod
    def from_plain(cls, values: object, places: Mapping[str, str] | None = None) -> Self:
        """A constraint from the plain values of a request; all unknown, missing and wrong fields are reported.

        `places` may give the file and line of each field.
        """
        key, known = cls.key(), {f.name: f for f in fields(cls)}
        if not isinstance(values, Mapping):
            raise BadRequest(f"expected fields {{{', '.join(known)}}}, found {values!r}", where=(key,))
        problems, read, spots = Problems(), {}, places or {}
        for name, value in values.items():
            with problems.collect(key, place=spots.get(name, "")):
                check_key(name, known)
                read[name] = known[name].metadata["kind"].read(value, (name,))
        missing = [n for n, f in known.items() if required(f) and n not in values]
        if missing:
            needed = f"{missing[0]!r} is missing; it needs {', '.join(missing)}"
            problems.found.append(BadRequest(needed, where=(key,)))
        problems.raise_found()
        return cls(**read)


def check_key(name: Any, known: Mapping[str, Any]) -> None:
    """Raise `BadRequest`, with the nearest known name, for a key that does not belong here."""
    if name not in known:
        near = get_close_matches(str(name), list(known), n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}"
        raise BadRequest(f"there is no {str(name)!r} here; {hint}")
