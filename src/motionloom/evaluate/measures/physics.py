"""Physical plausibility of a motion: balance while standing, free fall while in the air."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.evaluate.measures.prepared_clip import NotApplicable, heights
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.mass import GRAVITY

SLOW = 0.15  # m/s: a centre of mass slower than this stands still, and must be over its support
MIN_STANDING = 0.25  # seconds that it must be so slow
UPRIGHT = 0.8  # leg lengths from a foot joint to the centre of mass: 1.0 stands, 0.65 sits on a chair
BREADTH = 0.05  # metres: half a foot's width; joints lie in the foot's middle, so the support is that much wider
LIFTED = 0.04  # metres above their usual lowest height: all foot joints higher than this are off the floor
CLEAR = 0.3  # metres: a wrist nearer to the floor than this may hold the body up
STILL = 0.01  # metres: a foot joint that stays within this for half of a time in the air carries the body
MIN_STILL = 3  # frames of that half: in fewer, a joint is seldom seen to move
MIN_FLIGHT = 0.17  # seconds: shorter flights are steps of a run, and too short to fit
MIN_FRAMES = 5  # to which a parabola is fitted


class Flight(NamedTuple):
    """One time in the air: frames [start, stop), the fitted fall in m/s^2, and how far off the fit is in metres."""

    start: int
    stop: int
    fall: float
    misfit: float


def outside_support(
    centre: FloatArray, feet: FloatArray, touching: BoolArray, fps: float, *, leg: float = 0.0
) -> FloatArray:
    """Metres by which the centre of mass (F, 3) is outside its support, for every frame in which the body stands still.

    Standing still: some foot joint touches, the centre moves slower than 0.15 m/s along the ground for a quarter of a
    second (shorter, it only turns back: balance is in motion then), and it is 0.8 `leg` (metres) or more above the
    touching joints (lower, the body sits or kneels, and something else carries it).
    The support is the convex hull of the touching foot joints (F, n, 3) on the ground, grown by half a foot's width.
    """
    if not touching.any():
        raise NotApplicable("no foot ever touches the floor")
    if len(centre) < 2:
        raise NotApplicable("a single frame does not show whether the body stands still")
    speed = np.linalg.norm(np.gradient(centre[:, [0, 2]], 1 / fps, axis=0), axis=1)
    lowest = np.where(touching, feet[..., 1], np.inf).min(axis=1)
    slow = np.zeros(len(centre), bool)
    for start, stop in runs(speed < SLOW):
        slow[start:stop] = stop - start >= MIN_STANDING * fps
    still = np.flatnonzero(slow & (centre[:, 1] - lowest >= UPRIGHT * leg) & touching.any(axis=1))
    if not len(still):
        raise NotApplicable(f"the body never stands upright and still for {MIN_STANDING:g} s")
    away = [distance_to_hull(centre[f, [0, 2]], feet[f, touching[f]][:, [0, 2]]) for f in still]
    return np.maximum(np.array(away) - BREADTH, 0.0)


def distance_to_hull(point: FloatArray, corners: FloatArray) -> float:
    """Distance of a ground point (2,) from the convex hull of a few corners (n, 2); 0 inside."""
    if len(corners) > 2 and _inside(point, corners):
        return 0.0
    best = float(np.linalg.norm(corners - point, axis=1).min())
    for i in range(len(corners)):
        for j in range(i):
            a, ab = corners[j], corners[i] - corners[j]
            length = float(ab @ ab)
            if length > 0:
                share = float(np.clip((point - a) @ ab / length, 0, 1))
                best = min(best, float(np.linalg.norm(a + share * ab - point)))
    return best


def _inside(point: FloatArray, corners: FloatArray) -> bool:
    """Whether the directions to the corners leave no gap of half a turn."""
    away = corners - point
    angles = np.sort(np.arctan2(away[:, 1], away[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    return bool(gaps.max() < np.pi)


def in_the_air(
    feet: FloatArray, hands: FloatArray, centre: FloatArray, leg: float, ground: float | None = None
) -> BoolArray:
    """(F,) whether the body is in the air: all foot joints (F, n, 3) are lifted, and it is upright.

    Lifted: 4 cm above `ground` or each joint's own 1st percentile; a foot that slides along the floor is not in the
    air. Upright: both wrists (F, 2, 3) are 0.3 m above the floor (cartwheels), and the centre of mass
    (F, 3) is 0.8 `leg` above it (a body that sits or lies). Nor is it in the air while a foot joint that is higher
    up stays within 1 cm for the first or the last half of that time: on a ledge, or a toe that is held higher than
    the lowest.
    """
    above = heights(feet, ground)
    floor = ground if ground is not None else float(np.percentile(feet[..., 1], 1, axis=0).min())
    up = (hands[..., 1].min(axis=1) > floor + CLEAR) & (centre[:, 1] > floor + UPRIGHT * leg)
    air = np.asarray((above > LIFTED).all(axis=1) & up)
    for start, stop in runs(air):
        half = (stop - start + 1) // 2
        if (
            half >= MIN_STILL
            and min(_least_path(feet[start : start + half]), _least_path(feet[stop - half : stop])) < STILL
        ):
            air[start:stop] = False
    return air


def _least_path(points: FloatArray) -> float:
    """Metres: how far the joint of (F, n, 3) moves that moves least, along the axis on which it moves most."""
    return float(np.ptp(points, axis=0).max(axis=-1).min())


def flights(height: FloatArray, airborne: BoolArray, fps: float, *, shortest: int | None = None) -> list[Flight]:
    """Each time in the air, with the fall that its centre of mass shows: y = y0 + v t - fall t^2 / 2, least squares.

    `height` (F,) metres of the centre of mass, `airborne` (F,) bool. The first and last airborne frame are left out:
    the feet still push then. `shortest` is in frames; without it, 0.17 s.
    """
    least = max(MIN_FRAMES + 2, round(MIN_FLIGHT * fps) if shortest is None else shortest)
    out = []
    for start, stop in runs(airborne):
        if stop - start < least or start == 0 or stop == len(airborne):
            continue
        y = height[start + 1 : stop - 1]
        t = np.arange(len(y)) / fps
        curve = np.polynomial.Polynomial.fit(t, y, 2)
        misfit = float(np.sqrt(np.mean((curve(t) - y) ** 2)))
        out.append(Flight(start, stop, float(-curve.deriv(2)(0.0)), misfit))
    return out


def gravity_error(found: list[Flight]) -> float:
    """Mean over flights, weighted by their length, of |fall - 9.81|, m/s^2."""
    if not found:
        raise NotApplicable("the body is never in the air long enough")
    return float(np.average([abs(f.fall - GRAVITY) for f in found], weights=[f.stop - f.start for f in found]))
