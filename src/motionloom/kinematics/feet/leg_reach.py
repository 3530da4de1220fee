"""Feet that turn about their toes so that legs reach and knees bend as given, and hips that go down for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.body.roles import Foot
from motionloom.kinematics.feet.plants import FootPlan
from motionloom.kinematics.feet.smoothing import away_from, envelope
from motionloom.kinematics.ik.limb import easy_reach
from motionloom.rotation import from_axis_angle, multiply, rotate

SOFT_REACH = 0.004  # leg lengths: the soft limit on reach, narrow, as legs are nearly straight in any walk
STRAIGHTEST = 0.0003  # leg lengths: the limit of a leg that is straight as given; its knee is then bent by 3 degrees
MAX_HEEL_TURN = np.radians(30.0)  # a foot turns about its toe by at most this
MIN_TOE_ANGLE = np.radians(10.0)  # between ankle and hip, at the toe: straightened further, a foot would gain nothing
ON_A_LINE = 1e-6  # sine of the angle at the toe below which its turn would not change the length of the leg
NEAR_A_LINE = np.radians(10.0)  # angle at the toe below which a foot is about to pass to the other side of its leg
FOLDED = (np.radians(4.0), np.radians(14.0))  # between thigh and shin: of a leg folded up, and of one that is not


def mobility(foot: Foot, places: FloatArray) -> FloatArray:
    """(F,) 1 for legs that can move their feet, falling to 0 for those folded up, as a dog's that sits.

    There 3 cm of the foot may be 60 degrees of the thigh.
    """
    thigh, shin = (places[:, j] - places[:, foot.shin] for j in (foot.thigh, foot.ankle))
    length = np.linalg.norm(thigh, axis=1) * np.linalg.norm(shin, axis=1)
    between = np.arccos(np.clip(np.einsum("fi,fi->f", thigh, shin) / np.maximum(length, 1e-9), -1.0, 1.0))
    return smoothstep((between - FOLDED[0]) / (FOLDED[1] - FOLDED[0]))


def soft_reach(foot: Foot, places: FloatArray) -> FloatArray:
    """(F,) leg lengths: by how much less than its length a leg reaches at most, which is as straight as in `places`."""
    hip, knee, ankle = (places[:, j] for j in (foot.thigh, foot.shin, foot.ankle))
    full = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1)
    return np.clip(1.0 - np.linalg.norm(ankle - hip, axis=-1) / full, STRAIGHTEST, SOFT_REACH)


def _lack(foot: Foot, plan: FootPlan, places: FloatArray) -> tuple[FloatArray, BoolArray]:
    """How far the leg reaches with ease (F,), metres, and where a planted ankle is farther than that (F,)."""
    hip, knee, ankle = (places[:, j] for j in (foot.thigh, foot.shin, foot.ankle))
    full = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1)
    asked = np.linalg.norm(plan.ankle - ankle, axis=-1)
    reach = easy_reach(np.linalg.norm(ankle - hip, axis=-1), asked, full, soft_reach(foot, places))
    far = np.linalg.norm(plan.ankle - hip, axis=-1) > reach + 1e-9
    return reach, far & (plan.heel_on | plan.toe_on)


def raise_heel(foot: Foot, plan: FootPlan, places: FloatArray, fixed: BoolArray, width: int) -> FootPlan:
    """Where only the toe is planted and the leg is too short, turn the foot about the toe to bring the ankle nearer.

    Bodies do this too. Nothing at `fixed` frames and while the heel is planted; the angle eases over `width` frames.
    """
    reach, far = _lack(foot, plan, places)
    far &= plan.toe_on & ~plan.heel_on
    if not far.any():
        return plan
    axis, angle, now = _roll(plan, places[:, foot.thigh], reach)
    need = np.where(far, np.clip(angle, 0, MAX_HEEL_TURN), 0.0)
    eased = envelope(need, width) * away_from(np.flatnonzero(plan.heel_on | fixed), len(need), width)
    return _rolled(plan, axis, np.minimum(eased, now))


def follow_knee(
    foot: Foot, plan: FootPlan, places: FloatArray, hips: FloatArray, touching: BoolArray, fixed: BoolArray, width: int
) -> FootPlan:
    """Turn a foot about its toe so that its leg, with hips moved by `hips` (F, 3), is as long as in `places`.

    Then the knee bends as given. This holds as soon as the heel is not planted, while the toe is `touching` (F,), and
    eases in and out over `width` frames; nothing at `fixed` frames, and where the ankle passes the line from hip to toe
    (a dog's paw does): the turn would change its direction there. The ankle goes no lower than it ever was.
    """
    near = 1.0 - away_from(np.flatnonzero(touching), len(hips), width)
    weight = near * away_from(np.flatnonzero(plan.heel_on | fixed), len(hips), width)
    if not weight.any():
        return plan
    ankle = places[:, foot.ankle]
    given = np.linalg.norm(ankle - places[:, foot.thigh], axis=-1)
    axis, angle, now = _roll(plan, places[:, foot.thigh] + hips, given)
    weight = weight * away_from(_passes(axis, now), len(hips), width)
    angle = weight * np.clip(angle, -MAX_HEEL_TURN, MAX_HEEL_TURN)
    drop = plan.ankle[:, 1] - _rolled(plan, axis, angle).ankle[:, 1]
    room = np.maximum(plan.ankle[:, 1] - ankle[:, 1].min(), 0.0)
    return _rolled(plan, axis, angle * np.where(drop > room, room / np.maximum(drop, 1e-9), 1.0))


def _roll(plan: FootPlan, hip: FloatArray, reach: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Axis (F, 3) and angle (F,) of a turn about the toe that puts the ankle within `reach` of the hip.

    The angle at the toe between ankle (u) and hip (w) is then acos((|w|^2 + |u|^2 - reach^2) / (2 |w| |u|)); the third
    result is what it is `now`. No turn where the three are on a line, and none to less than `MIN_TOE_ANGLE`: there the
    reach hardly depends on the angle, so that a millimetre would turn a paw by 20 degrees in one frame.
    """
    u, w = -plan.bone, hip - (plan.ankle + plan.bone)
    lengths = np.linalg.norm(u, axis=-1), np.linalg.norm(w, axis=-1)
    across = np.cross(u, w)
    sine = np.linalg.norm(across, axis=-1)
    now = np.arctan2(sine, np.einsum("fi,fi->f", u, w))
    product = lengths[0] * lengths[1]
    cosine = (lengths[0] ** 2 + lengths[1] ** 2 - reach**2) / np.maximum(2 * product, 1e-9)
    apart = sine > ON_A_LINE * product
    wanted = np.maximum(np.arccos(np.clip(cosine, -1, 1)), np.minimum(now, MIN_TOE_ANGLE))
    angle = np.where(apart, now - wanted, 0.0)
    return np.where(apart[:, None], across, [1.0, 0, 0]), angle, now


def _passes(axis: FloatArray, now: FloatArray) -> IntArray:
    """Frames at which an ankle is near the line from hip to toe, or about to cross it; arguments as from `_roll`."""
    near = now < NEAR_A_LINE
    turned = np.einsum("fi,fi->f", axis[1:], axis[:-1]) < 0
    near[1:] |= turned
    near[:-1] |= turned
    return np.flatnonzero(near)


def _rolled(plan: FootPlan, axis: FloatArray, angle: FloatArray) -> FootPlan:
    """The plan with its foot turned about the toe."""
    turn = from_axis_angle(axis, angle)
    bone = rotate(turn, plan.bone)
    return replace(plan, ankle=plan.ankle + plan.bone - bone, bone=bone, turn=multiply(turn, plan.turn))


def lower_hips(
    legs: Sequence[Foot], plans: Sequence[FootPlan], places: FloatArray, fixed: BoolArray, width: int, lowest: float
) -> FloatArray:
    """(F,) metres, at most `lowest`, that the hips go down so that planted ankles come within reach.

    What each frame needs, widened to the largest within `width` frames and averaged over the same time: smooth, and
    nowhere less than needed. Nothing at `fixed` frames, easing in around them.
    """
    need = np.zeros(len(places))
    for foot, plan in zip(legs, plans, strict=True):
        reach, far = _lack(foot, plan, places)
        hip = places[:, foot.thigh]
        across = np.linalg.norm((plan.ankle - hip)[:, [0, 2]], axis=-1)
        lack = hip[:, 1] - plan.ankle[:, 1] - np.sqrt(np.maximum(reach**2 - across**2, 0))
        need = np.maximum(need, np.where(far, np.clip(lack, 0, lowest), 0))
    return envelope(need, width) * away_from(np.flatnonzero(fixed), len(need), width)
