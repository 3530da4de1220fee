"""Derivatives of joint positions and rotations by exponential maps, for the chain solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.core import FloatArray, IntArray, Skeleton
from motionloom.kinematics.fk import world
from motionloom.rotation import exp, multiply, to_matrix


def skew(v: FloatArray) -> FloatArray:
    """The matrix (..., 3, 3) with skew(v) @ w = v x w."""
    out = np.zeros((*v.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return out


def right_jacobian(v: FloatArray) -> FloatArray:
    """J with exp(v + dv) = exp(v) exp(J dv), to first order: (..., 3) to (..., 3, 3).

    J = I - (1 - cos a)/a^2 [v] + (a - sin a)/a^3 [v]^2, a = |v| (Chirikjian 2012, section 10.8). At -v it is the
    left Jacobian: exp(v + dv) = exp(J dv) exp(v).
    """
    a = np.linalg.norm(v, axis=-1)[..., None, None]
    small = a < 1e-3
    safe = np.where(small, 1.0, a)
    first = np.where(small, 0.5 - a**2 / 24, (1 - np.cos(safe)) / safe**2)
    second = np.where(small, 1 / 6 - a**2 / 120, (safe - np.sin(safe)) / safe**3)
    s = skew(v)
    return np.eye(3) - first * s + second * (s @ s)


def inverse_right_jacobian(v: FloatArray) -> FloatArray:
    """The inverse of `right_jacobian`: I + [v]/2 + (1/a^2 - (1 + cos a)/(2 a sin a)) [v]^2; log(q exp(w)) for small w.

    Written with a cot(a/2), which has no trouble at a = pi.
    """
    a = np.linalg.norm(v, axis=-1)[..., None, None]
    small = a < 1e-3
    safe = np.where(small, 1.0, a)
    second = np.where(small, 1 / 12 + a**2 / 720, (1 - 0.5 * safe / np.tan(safe / 2)) / safe**2)
    s = skew(v)
    return np.eye(3) + 0.5 * s + second * (s @ s)


@dataclass(frozen=True, eq=False)
class Unknowns:
    """What a solver may change: displacements of some joints' rotations, and perhaps of the root.

    Columns are three per joint, in the order of `joints`, then three for the root position if `root`. The state is
    q_j = q0_j exp(d_j) and root = root0 + r: `values` (F, n) holds d (rad) and r (m), all zero in the given motion.
    """

    skeleton: Skeleton
    joints: IntArray  # (K,)
    root: bool

    @property
    def count(self) -> int:
        return 3 * len(self.joints) + 3 * self.root

    def apply(self, root: FloatArray, rotations: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Root positions and local rotations after the displacement."""
        turns = values[:, : 3 * len(self.joints)].reshape(len(values), -1, 3)
        out = np.array(rotations)
        out[:, self.joints] = multiply(rotations[:, self.joints], exp(turns))
        return (root + values[:, -3:] if self.root else root), out


class Posed:
    """One state of the body with what its derivatives need: world places, turns, and axes of each unknown."""

    def __init__(
        self,
        unknowns: Unknowns,
        root: FloatArray,
        rotations: FloatArray,
        values: FloatArray,
        slides: FloatArray | None = None,
    ) -> None:
        self.unknowns = unknowns
        self.values = values
        self.root, self.rotations = unknowns.apply(root, rotations, values)
        self.places, self.turns = world(unknowns.skeleton, self.root, self.rotations, slides)
        self._axes: FloatArray | None = None
        self._own: FloatArray | None = None

    @property
    def own(self) -> FloatArray:
        """(F, K, 3, 3): small change of joint k's displacement to a small turn in its own frame."""
        if self._own is None:
            count = len(self.unknowns.joints)
            self._own = right_jacobian(self.values[:, : 3 * count].reshape(len(self.values), count, 3))
        return self._own

    @property
    def axes(self) -> FloatArray:
        """(F, K, 3, 3): the same turn seen in the world."""
        if self._axes is None:
            self._axes = to_matrix(self.turns[:, self.unknowns.joints]) @ self.own
        return self._axes

    def above(self, joint: int, *, itself: bool = True) -> list[int]:
        """Which unknown joints (as column groups) carry this joint."""
        line = set(self.unknowns.skeleton.chain(joint))
        return [k for k, j in enumerate(self.unknowns.joints) if j in line and (itself or j != joint)]

    def turn_jacobian(self, joint: int, rows: IntArray) -> FloatArray:
        """(R, 3, n): how the joint's world rotation answers, as a turn vector on the left, rad."""
        out = np.zeros((len(rows), 3, self.unknowns.count))
        for k in self.above(joint):
            out[:, :, 3 * k : 3 * k + 3] = self.axes[rows, k]
        return out

    def point_jacobian(self, joint: int, point: FloatArray, rows: IntArray) -> FloatArray:
        """(R, 3, n): how a world point (R, 3) fixed to the joint answers: the turn's axis x the lever to the point."""
        out = np.zeros((len(rows), 3, self.unknowns.count))
        carriers = self.above(joint)
        if carriers:
            lever = point[:, None] - self.places[rows][:, self.unknowns.joints[carriers]]
            blocks = -skew(lever) @ self.axes[rows][:, carriers]
            for i, k in enumerate(carriers):
                out[:, :, 3 * k : 3 * k + 3] = blocks[:, i]
        if self.unknowns.root:
            out[:, :, -3:] = np.eye(3)
        return out
