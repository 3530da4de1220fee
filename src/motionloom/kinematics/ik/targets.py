"""Targets of the chain solver: the place of a joint, its rotation in the world, a pose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from motionloom.core import FloatArray, IntArray, Skeleton
from motionloom.kinematics.ik.jacobians import Posed, inverse_right_jacobian
from motionloom.rotation import inverse, log, multiply, rotate

ORIGIN = (0.0, 0.0, 0.0)


class Target(Protocol):
    """Something wanted of one joint at some frames. `weight` None is hard; else cost weight * |residual|^2."""

    @property
    def joint(self) -> int | str: ...
    @property
    def frames(self) -> IntArray: ...
    @property
    def weight(self) -> float | None: ...

    def residual(self, posed: Posed, rows: IntArray) -> FloatArray:
        """(R, m), metres or radians, zero when met; `rows` are the posed frames that `frames` stand at."""
        ...

    def jacobian(self, posed: Posed, rows: IntArray) -> FloatArray:
        """(R, m, n): the residual's derivative by the unknowns."""
        ...

    def part(self, keep: IntArray) -> Target:
        """The same target at some of its frames: indices into `frames`."""
        ...


def _joint(posed: Posed, joint: int | str) -> int:
    skeleton: Skeleton = posed.unknowns.skeleton
    return skeleton.joint(joint) if isinstance(joint, str) else int(joint)


def _some(values: FloatArray, keep: IntArray) -> FloatArray:
    """One value for all frames stays; a value per frame is cut."""
    values = np.asarray(values, float)
    return values[keep] if values.ndim == 2 else values


@dataclass(frozen=True, eq=False)
class PositionTarget:
    """A point of a joint is at a place in the world. Residual: metres, one per axis requested."""

    joint: int | str
    frames: IntArray  # (R,)
    position: FloatArray  # (3,) or (R, 3), metres
    weight: float | None = None
    offset: tuple[float, float, float] = ORIGIN  # the point, in the joint's own frame: a toe's tip, a sole
    axes: str = "xyz"  # "y" asks for the height only, "xz" for the place on the ground

    def _point(self, posed: Posed, rows: IntArray) -> FloatArray:
        joint = _joint(posed, self.joint)
        return posed.places[rows, joint] + rotate(posed.turns[rows, joint], np.array(self.offset))

    def _kept(self) -> list[int]:
        return ["xyz".index(a) for a in self.axes]

    def residual(self, posed: Posed, rows: IntArray) -> FloatArray:
        out: FloatArray = (self._point(posed, rows) - self.position)[:, self._kept()]
        return out

    def jacobian(self, posed: Posed, rows: IntArray) -> FloatArray:
        point = self._point(posed, rows)
        return posed.point_jacobian(_joint(posed, self.joint), point, rows)[:, self._kept()]

    def part(self, keep: IntArray) -> PositionTarget:
        return replace(self, frames=np.asarray(self.frames)[keep], position=_some(self.position, keep))


@dataclass(frozen=True, eq=False)
class OrientationTarget:
    """A joint has a given orientation in the world. Residual: the turn vector from there, log(Q Q*^-1), radians."""

    joint: int | str
    frames: IntArray
    rotation: FloatArray  # (4,) or (R, 4), world
    weight: float | None = None

    def residual(self, posed: Posed, rows: IntArray) -> FloatArray:
        return log(multiply(posed.turns[rows, _joint(posed, self.joint)], inverse(self.rotation)))

    def jacobian(self, posed: Posed, rows: IntArray) -> FloatArray:
        left = inverse_right_jacobian(-self.residual(posed, rows))
        return left @ posed.turn_jacobian(_joint(posed, self.joint), rows)

    def part(self, keep: IntArray) -> OrientationTarget:
        return replace(self, frames=np.asarray(self.frames)[keep], rotation=_some(self.rotation, keep))


@dataclass(frozen=True, eq=False)
class PoseTarget:
    """A joint's local rotation is a given one: a pose, joint by joint. Residual: log(q*^-1 q), radians."""

    joint: int | str
    frames: IntArray
    rotation: FloatArray  # (4,) or (R, 4), local to the parent
    weight: float | None = None

    def residual(self, posed: Posed, rows: IntArray) -> FloatArray:
        return log(multiply(inverse(self.rotation), posed.rotations[rows, _joint(posed, self.joint)]))

    def jacobian(self, posed: Posed, rows: IntArray) -> FloatArray:
        out = np.zeros((len(rows), 3, posed.unknowns.count))
        found = np.flatnonzero(posed.unknowns.joints == _joint(posed, self.joint))
        for k in found:
            own = inverse_right_jacobian(self.residual(posed, rows)) @ posed.own[rows, k]
            out[:, :, 3 * k : 3 * k + 3] = own
        return out

    def part(self, keep: IntArray) -> PoseTarget:
        return replace(self, frames=np.asarray(self.frames)[keep], rotation=_some(self.rotation, keep))
