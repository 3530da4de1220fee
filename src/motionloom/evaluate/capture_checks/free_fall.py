"""The frame rate that gravity says: a body in free flight falls at 9.81 m/s^2, so a wrong rate shows in its jumps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip
from motionloom.evaluate.measures.physics import flights, in_the_air
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.fk import fk
from motionloom.kinematics.mass import GRAVITY, NEEDED, centre_of_mass

JUMP = 0.025  # metres that the centre of mass must rise or fall in the air to weigh anything
EXACT = 0.03  # misfit of the parabola as a share of that: more is no free flight
WRONG = 0.2  # a rate off by more than this share is contradicted; steps of a run scatter by 0.15


class FreeFall(NamedTuple):
    """One clean flight: frames [start, stop), and the frame rate at which it would fall at 9.81 m/s^2."""

    start: int
    stop: int
    rate: float
    rise: float  # metres between the highest and the lowest place of the centre of mass


def free_falls(clip: Clip) -> list[FreeFall]:
    """The flights of a clip that are clean enough to tell its frame rate; none for bodies without known masses.

    With the stated rate f a flight seems to fall at a, so its true rate is f sqrt(9.81 / a).
    """
    if any(clip.skeleton.find(role) is None for role in NEEDED):
        return []
    points = fk(clip)
    masses = centre_of_mass(clip.skeleton, points)
    joints = [j for foot in feet(clip.skeleton) for j in (foot.ankle, foot.toe) if j is not None]
    hands = [clip.skeleton.joint(f"{side}_hand") for side in ("left", "right")]
    air = in_the_air(points[:, joints], points[:, hands], masses, leg_length(clip.skeleton))
    centre = masses[:, 1]
    out = []
    for f in flights(centre, air, clip.fps, shortest=8):
        path = centre[f.start + 1 : f.stop - 1]
        rise = float(np.ptp(path))
        top = int(path.argmax())
        if f.fall > 0 and rise > JUMP and f.misfit < EXACT * rise and 0.1 < top / len(path) < 0.9:
            out.append(FreeFall(f.start, f.stop, clip.fps * float(np.sqrt(GRAVITY / f.fall)), rise))
    return out


def true_rate(falls: Sequence[FreeFall]) -> float | None:
    """The rate that most flights agree on: the median, each flight counted by how far it rises; None if there are none.

    One small hop tells nothing: together they must rise 6 cm.
    """
    if sum(f.rise for f in falls) < 0.06:
        return None
    rates = np.array([f.rate for f in falls])
    order = np.argsort(rates)
    weight = np.cumsum([falls[k].rise for k in order])
    return float(rates[order][np.searchsorted(weight, weight[-1] / 2)])
