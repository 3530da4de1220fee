"""Frame rates from free fall: a body in flight falls at 9.81 m/s^2, so that jumps reveal a wrong rate."""

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

MIN_RISE = 0.025  # metres that the centre of mass must rise or fall in the air
MAX_MISFIT = 0.03  # of the parabola, as a share of the rise: a larger one is no free flight
MAX_RATE_ERROR = 0.2  # a rate that differs by a larger share is wrong; steps of a run scatter by 0.15


class FreeFall(NamedTuple):
    """One flight: frames [start, stop), and the frame rate at which it would fall at 9.81 m/s^2."""

    start: int
    stop: int
    rate: float
    rise: float  # metres between the highest and the lowest position of the centre of mass


def free_falls(clip: Clip) -> list[FreeFall]:
    """The flights of a clip that determine its frame rate; none for bodies without known masses.

    If a flight falls at a with the stated rate f, its true rate is f sqrt(9.81 / a).
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
        if f.fall > 0 and rise > MIN_RISE and f.misfit < MAX_MISFIT * rise and 0.1 < top / len(path) < 0.9:
            out.append(FreeFall(f.start, f.stop, clip.fps * float(np.sqrt(GRAVITY / f.fall)), rise))
    return out


def true_rate(falls: Sequence[FreeFall]) -> float | None:
    """The median rate of flights, weighted by their rise; None if there are none or they rise less than 6 cm in all."""
    if sum(f.rise for f in falls) < 0.06:
        return None
    rates = np.array([f.rate for f in falls])
    order = np.argsort(rates)
    weight = np.cumsum([falls[k].rise for k in order])
    return float(rates[order][np.searchsorted(weight, weight[-1] / 2)])
