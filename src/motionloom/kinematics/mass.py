"""The centre of mass of a person, from segment masses by role."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, MotionloomError, Skeleton

GRAVITY = 9.81  # m/s^2


class BodySegment(NamedTuple):
    """Mass in percent of the body and place of the centre in percent of the length from the first end: female, male."""

    mass: tuple[float, float]
    centre: tuple[float, float]


DE_LEVA: dict[str, BodySegment] = {
    "head": BodySegment((6.68, 6.94), (48.41, 50.02)),  # vertex to the seventh neck vertebra
    "trunk": BodySegment((42.57, 43.46), (37.82, 43.10)),  # middle of the shoulders to middle of the hips
    "upper_arm": BodySegment((2.55, 2.71), (57.54, 57.72)),
    "forearm": BodySegment((1.38, 1.62), (45.59, 45.74)),
    "hand": BodySegment((0.56, 0.61), (74.74, 79.00)),
    "thigh": BodySegment((14.78, 14.16), (36.12, 40.95)),
    "shin": BodySegment((4.81, 4.33), (43.52, 43.95)),  # knee to ankle joint centre
    "foot": BodySegment((1.29, 1.37), (40.14, 44.15)),
}
"""De Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, J. Biomechanics 29 (1996), table 4."""

LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
NEXT = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shin", "shin": "foot", "foot": "toe"}
NEEDED = ("head", *(f"{side}_{part}" for side in ("left", "right") for part in LIMBS))


class NoMass(MotionloomError):
    """A body whose segments cannot be identified, so that its centre of mass is unknown."""


def centre_of_mass(skeleton: Skeleton, points: FloatArray) -> FloatArray:
    """(F, 3) metres: the mean of segment centres, weighted by de Leva's masses (female and male averaged).

    `points` (F, J, 3) are world joint places. Segments run from joint to joint by role. What we changed, as a skeleton
    has no skin: the hand's centre is the wrist, the foot's is half way from ankle to toe (the ankle, if there is no
    toe), the head's is the head joint.
    """
    missing = [role for role in NEEDED if skeleton.find(role) is None]
    if missing:
        raise NoMass(f"no joint has the role {missing[0]!r}, so segment masses cannot be given")

    def at(role: str) -> FloatArray:
        return points[:, skeleton.joint(role)]

    def middle(part: str) -> FloatArray:
        return (at(f"left_{part}") + at(f"right_{part}")) / 2

    total, mass = np.zeros((len(points), 3)), 0.0
    share = np.mean(DE_LEVA["trunk"].centre) / 100
    parts = [("head", at("head")), ("trunk", (1 - share) * middle("upper_arm") + share * middle("thigh"))]
    for side in ("left", "right"):
        for part in LIMBS:
            start, end = at(f"{side}_{part}"), NEXT.get(part, "")
            along = 0.5 if part == "foot" else float(np.mean(DE_LEVA[part].centre)) / 100
            other = skeleton.find(f"{side}_{end}") if end else None
            parts.append((part, start if other is None else (1 - along) * start + along * points[:, other]))
    for part, centre in parts:
        weight = float(np.mean(DE_LEVA[part].mass))
        total += weight * centre
        mass += weight
    return total / mass
