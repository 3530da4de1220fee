"""Legs: hips that ride on the standing legs, and knees that bend as published gait curves say."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray
from motionloom.kinematics.limb import two_bone
from motionloom.rotation import multiply, rotate, yaw
from motionloom.samples.curves import smooth_fit
from motionloom.samples.person import LEFT, SHIN, SIDE, THIGH, Limb, Trunk, offset
from motionloom.samples.plants import FootMotion

FULL = THIGH + SHIN


def leg_length(knee: FloatArray | float) -> FloatArray:
    """Distance from hip to ankle (m) when the knee is bent by `knee` rad: the law of cosines."""
    return np.sqrt(THIGH**2 + SHIN**2 + 2 * THIGH * SHIN * np.cos(knee))


def hips_height(
    place: FloatArray,
    pelvis: FloatArray,
    feet: tuple[FootMotion, FootMotion],
    knees: tuple[FloatArray, FloatArray],
    fps: float,
    *,
    cutoff: float = 6.0,
    straightest: float = 0.13,
) -> FloatArray:
    """(F,) height of the root such that each standing knee bends by `knees` rad where its leg carries the weight.

    `place` (F, 2) is the hips on the ground (x, z). Each stance leg asks for the height
    ankle + sqrt(L(knee)^2 - d^2) of its hip joint, d the ground distance from ankle to hip: an inverted pendulum with a
    knee. The result follows the legs by their share of the weight and bridges the rest with least jerk; then it is
    lowered where a leg would have to be straighter than `straightest` rad.
    """
    want = [_asked(place, pelvis, foot, side, leg_length(knees[side])) for side, foot in enumerate(feet)]
    ceiling = hips_ceiling(place, pelvis, feet, straightest)
    weight = np.stack([feet[0].support ** 2, feet[1].support ** 2])
    total = weight.sum(0)
    target = (weight * np.stack(want)).sum(0) / np.maximum(total, 1e-9)
    y = smooth_fit(target, np.minimum(total, 1.0), fps, cutoff)
    share, extra = np.minimum(total, 1.0), np.zeros_like(y)
    for _ in range(30):  # pull down, smoothly, what would stretch a leg
        over = y - ceiling
        if over.max() < 2e-4:
            break
        extra = extra + np.maximum(over, 0.0) * 2000.0
        weighted = share * target + extra * (ceiling - 5e-4)
        y = smooth_fit(weighted / np.maximum(share + extra, 1e-9), share + extra, fps, cutoff)
    return np.minimum(y, ceiling + 8e-4)


def hips_ceiling(
    place: FloatArray, pelvis: FloatArray, feet: tuple[FootMotion, FootMotion], straightest: float
) -> FloatArray:
    """(F,) the height of the root at which the more stretched knee is bent by just `straightest` rad."""
    length = leg_length(np.full(len(place), straightest))
    return np.minimum(*(_asked(place, pelvis, foot, side, length) for side, foot in enumerate(feet)))


def _asked(place: FloatArray, pelvis: FloatArray, foot: FootMotion, side: int, length: FloatArray) -> FloatArray:
    """(F,) height of the root at which this leg has this length."""
    hip = rotate(pelvis, offset(f"{SIDE[side]}_thigh"))
    flat = np.hypot(place[:, 0] + hip[:, 0] - foot.ankle[:, 0], place[:, 1] + hip[:, 2] - foot.ankle[:, 2])
    return foot.ankle[:, 1] + np.sqrt(np.maximum(length**2 - flat**2, 0.01)) - hip[:, 1]


def leg(trunk: Trunk, foot: FootMotion, side: int, facing: FloatArray, *, splay: float = 0.06) -> Limb:
    """A leg that reaches its foot exactly, the knee pointing along `facing` (F,) rad, turned out a little (splay)."""
    outward = facing + (splay if side == LEFT else -splay)
    turn = yaw(outward)
    hip = trunk.hip(side)
    knee = hip + [0.0, -THIGH, 0.0]
    ahead = rotate(turn, [0.0, 0.0, 1.0])
    solved = two_bone(hip, knee, knee + [0.0, -SHIN, 0.0], foot.ankle, bend=-ahead, pole=hip + ahead * 2.0, soft=0.0)
    upper, lower = multiply(solved.upper, turn), multiply(solved.lower, turn)
    return Limb(upper, lower, foot.foot_turn(), foot.toe_turn())


def knee_facing(pelvis_heading: FloatArray, foot: FootMotion) -> FloatArray:
    """(F,) where a knee points: between the pelvis and the foot, nearer the foot."""
    apart = (foot.heading - pelvis_heading + np.pi) % (2 * np.pi) - np.pi
    return pelvis_heading + 0.6 * apart
