"""Layouts: the meaning of each column of the channels of clips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.core import BadRequest, FloatArray, Skeleton
from motionloom.core.arrays import frozen, put

ROOT_COLUMNS = 7  # three of the path, height, and three of the tilt


@dataclass(frozen=True, eq=False)
class Layout:
    """The columns of the channels of clips.

    Columns, in this order:
    root "motion": left, forward (m) and turn (rad) from this frame to the next, in this frame's heading; the last row
    repeats the one before it, as nothing follows. Or root "place": x, z (m) and heading (rad) in the world, for pen
    strokes and motions on the spot.
    height (m) of the hips; tilt.x, tilt.y, tilt.z (rad): the exponential map of the hips' rotation without its heading,
    in body axes (leaning forward, twisting, leaning right); tilt.y is zero except while the body turns over.
    Then x, y, z (rad) of each joint in `joints`: the exponential map of its rotation relative to `centre`, continuous
    in time, so it may run past pi. Then x, y, z (m) of each joint in `sliding`.
    """

    skeleton: Skeleton
    fps: float
    root: str = "motion"
    joints: tuple[int, ...] | None = None  # all but the root
    centre: FloatArray | None = (
        None  # (J, 4) local rotations that the exponential maps start from; also of joints left out
    )
    sliding: tuple[int, ...] = ()
    slides: FloatArray | None = None  # (J, 3) constant slides of the others

    def __post_init__(self) -> None:
        count = len(self.skeleton)
        if self.root not in ("motion", "place"):
            raise BadRequest(f"root channels are 'motion' or 'place', not {self.root!r}")
        put(self, "joints", tuple(range(1, count)) if self.joints is None else tuple(int(j) for j in self.joints))
        centre = np.tile([1.0, 0, 0, 0], (count, 1)) if self.centre is None else self.centre
        put(self, "centre", frozen(centre, np.float64, (count, 4), "centre"))
        put(self, "sliding", tuple(int(j) for j in self.sliding))
        for name, first in (("joints", 1), ("sliding", 0)):
            given = getattr(self, name)
            if len(set(given)) != len(given) or not all(first <= j < count for j in given):
                raise BadRequest(f"{name}: expected different joints from {first} to {count - 1}, found {given[:40]}")
        if self.slides is not None:
            put(self, "slides", frozen(self.slides, np.float64, (count, 3), "slides"))

    @property
    def moving(self) -> tuple[int, ...]:
        assert self.joints is not None
        return self.joints

    @property
    def names(self) -> tuple[str, ...]:
        """One per column: "root.forward", "LeftLeg.x", "Hips.slide.y" ..."""
        first = ("left", "forward", "turn") if self.root == "motion" else ("x", "z", "heading")
        head = [f"root.{n}" for n in (*first, "height", "tilt.x", "tilt.y", "tilt.z")]
        turns = [f"{self.skeleton.names[j]}.{a}" for j in self.moving for a in "xyz"]
        return (*head, *turns, *(f"{self.skeleton.names[j]}.slide.{a}" for j in self.sliding for a in "xyz"))

    @property
    def units(self) -> tuple[str, ...]:
        """One per column: "m" or "rad" (displacements are per frame)."""
        head = ("m", "m", "rad", "m", "rad", "rad", "rad")
        return (*head, *("rad",) * (3 * len(self.moving)), *("m",) * (3 * len(self.sliding)))

    @property
    def count(self) -> int:
        return ROOT_COLUMNS + 3 * len(self.moving) + 3 * len(self.sliding)

    def columns(self, joint: int) -> slice:
        """The three columns of a joint's rotation; the root has the first `ROOT_COLUMNS`."""
        if joint == 0:
            return slice(0, ROOT_COLUMNS)
        at = ROOT_COLUMNS + 3 * self.moving.index(joint)
        return slice(at, at + 3)
