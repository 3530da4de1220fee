"""A drawn body as data: solid parts on the points of a skeleton, and points added to its joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from motionloom.core import FloatArray


@dataclass(frozen=True)
class SolidPart:
    """A solid piece of a body: the hull of balls around some of its points."""

    points: tuple[int, ...]  # indices into `body_points`
    radii: tuple[float, ...]  # m
    tone: str  # "left", "right", "middle", "eye" or "prop"
    nearer: float = 0.0  # m, taken off its distance when parts are sorted from back to front


@dataclass(frozen=True)
class DrawnFoot:
    """A foot that walks: its name ("left_foot", "right_front_foot") and its points, heel (or ankle) first."""

    name: str
    points: tuple[int, ...]

    @property
    def side(self) -> str:
        return self.name.partition("_")[0]


@dataclass(frozen=True)
class DrawnBody:
    """The drawn parts of a skeleton. Points are its joints, then `extras`, each fixed to a joint."""

    joints: int
    parts: tuple[SolidPart, ...]
    extras: tuple[tuple[int, tuple[float, float, float]], ...]  # (joint, offset in that joint's frame, m)
    size: float  # 1 for a person 1.75 m tall
    feet: tuple[DrawnFoot, ...]


def attach(shape: DrawnBody, joint: int, offsets: Iterable[FloatArray]) -> tuple[DrawnBody, tuple[int, ...]]:
    """The body with more points, fixed to a joint at `offsets` (m) in its frame; and the indices of these points."""
    added = tuple((joint, (float(x), float(y), float(z))) for x, y, z in offsets)
    first = shape.joints + len(shape.extras)
    return replace(shape, extras=(*shape.extras, *added)), tuple(range(first, first + len(added)))
