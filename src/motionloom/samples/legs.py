"""Legs: hip height from the stance legs, and knee angles from published gait curves."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.kinematics.ik.limb import two_bone
from motionloom.rotation import about, multiply, rotate, wrap_angle, yaw
from motionloom.samples.curves import ease, smooth_fit
from motionloom.samples.person import LEFT, SHIN, SIDE, THIGH, LimbRotations, Trunk, offset
from motionloom.samples.plants import FootMotion

FULL = THIGH + SHIN
SPLAY = 0.06  # rad
SOFT = 0.0012  # of the leg's length: exact up to a knee bent by 5.6 degrees


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
    cutoff: float = 9.0,
    straightest: float = 0.13,
) -> FloatArray:
    """(F,) height of the root such that each standing knee bends by `knees` rad where its leg carries the weight.

    `place` (F, 2) is the hips on the ground (x, z). Each stance leg requires the height
    ankle + sqrt(L(knee)^2 - d^2) of its hip joint, d the ground distance from ankle to hip: an inverted pendulum with a
    knee. The result follows the legs by their share of the weight and bridges the rest with least jerk; then it is
    lowered where a leg would have to be straighter than `straightest` rad.
    """
    want = [_asked(place, pelvis, foot, side, leg_length(knees[side])) for side, foot in enumerate(feet)]
    ceiling = hips_ceiling(place, pelvis, feet, straightest)
    weight = np.stack([feet[0].support ** 2, feet[1].support ** 2])
    total = weight.sum(0)
    target = (weight * np.stack(want)).sum(0) / np.maximum(total, 1e-9)
    return kept_below(target, np.minimum(total, 1.0), ceiling, fps, cutoff)


def kept_below(target: FloatArray, share: FloatArray, ceiling: FloatArray, fps: float, cutoff: float) -> FloatArray:
    """(F,) a smooth curve that follows `target` by its weight `share` and stays below `ceiling` (may be infinite)."""
    y = smooth_fit(target, share, fps, cutoff)
    extra = np.zeros_like(y)
    for _ in range(30):  # pull down, smoothly, what would stretch a leg
        over = y - ceiling
        if over.max() < 2e-4:
            break
        extra = extra + np.maximum(over, 0.0) * 2000.0
        weighted = share * target + extra * np.where(extra > 0, ceiling - 5e-4, 0.0)
        y = smooth_fit(weighted / np.maximum(share + extra, 1e-9), share + extra, fps, cutoff)
    return np.minimum(y, ceiling + 8e-4)


def hips_ceiling(
    place: FloatArray,
    pelvis: FloatArray,
    feet: tuple[FootMotion, FootMotion],
    straightest: float,
    *,
    in_air: bool = True,
) -> FloatArray:
    """(F,) the height of the root at which the more stretched knee is bent by just `straightest` rad.

    Without `in_air` only feet on the ground count (infinite if there is none): one in the air follows its leg.
    """
    length = leg_length(np.full(len(place), straightest))
    most = [np.where(f.touches | in_air, _asked(place, pelvis, f, side, length), np.inf) for side, f in enumerate(feet)]
    return np.minimum(most[0], most[1])


def _asked(place: FloatArray, pelvis: FloatArray, foot: FootMotion, side: int, length: FloatArray) -> FloatArray:
    """(F,) height of the root at which this leg has this length."""
    hip = rotate(pelvis, offset(f"{SIDE[side]}_thigh"))
    flat = np.hypot(place[:, 0] + hip[:, 0] - foot.ankle[:, 0], place[:, 1] + hip[:, 2] - foot.ankle[:, 2])
    return foot.ankle[:, 1] + np.sqrt(np.maximum(length**2 - flat**2, 0.01)) - hip[:, 1]


def leg(
    trunk: Trunk, foot: FootMotion, side: int, facing: FloatArray, fps: float, *, free: float = 0.985
) -> LimbRotations:
    """A leg that reaches its foot, the knee pointing along `facing` (F,) rad, turned out a little.

    A standing foot is reached exactly; one in the air is moved where the leg would be longer than `free` of its full
    length.
    """
    hip = trunk.hip(side)
    turn = yaw(facing + (SPLAY if side == LEFT else -SPLAY))
    target = hip + held_back(foot.ankle - hip, foot.touches, fps, free)[:, None] * (foot.ankle - hip)
    upper, lower = leg_bones(hip, target, turn)
    return LimbRotations(upper, lower, foot.foot_turn(), foot.toe_turn())


def leg_bones(hip: FloatArray, ankle: FloatArray, frame: FloatArray) -> tuple[FloatArray, FloatArray]:
    """World rotations of thigh and shin that bring the ankle to its place; knees point along the frame's z."""
    bent = multiply(frame, about(0, -0.3)), multiply(frame, about(0, 0.3))  # any bent leg, for the solver to start from
    knee = hip + rotate(bent[0], [0.0, -THIGH, 0.0])
    below = knee + rotate(bent[1], [0.0, -SHIN, 0.0])
    solved = two_bone(hip, knee, below, ankle, pole=hip + rotate(frame, [0.0, 0.0, 2.0]), soft=SOFT)
    return multiply(solved.upper, bent[0]), multiply(solved.lower, bent[1])


def held_back(reach: FloatArray, touches: BoolArray, fps: float, most: float) -> FloatArray:
    """(F,) by how much to shorten hip-to-ankle vectors (F, 3) in the air so that the knee never locks.

    Up to `free` legs of length nothing changes; past it the length tends to 0.995 legs. `free` is `most` in mid-air and
    rises to the length of the standing leg within 60 ms of leaving or striking, so that nothing jumps there.
    """
    length = np.linalg.norm(reach, axis=-1) / FULL
    fade = np.zeros(len(length))
    for step in (1, -1):  # the last standing length, carried on into the air from both sides
        held, age = 0.0, np.inf
        for f in range(len(length))[::step]:
            held, age = (length[f], 0.0) if touches[f] else (held, age + 1 / fps)
            fade[f] = max(fade[f], max(held - most, 0.0) * float(1 - ease(age, 0.0, 0.06)))
    free = most + fade
    room = np.maximum(0.995 - free, 1e-6)
    past = np.maximum(length - free, 0.0)
    eased = free - room * np.expm1(-past / room)
    return np.where(touches | (past == 0), 1.0, eased / length)


def knee_facing(pelvis_heading: FloatArray, foot: FootMotion) -> FloatArray:
    """(F,) where a knee points: between the pelvis and the foot, nearer the foot."""
    apart = wrap_angle(foot.heading - pelvis_heading)
    return pelvis_heading + 0.6 * apart
