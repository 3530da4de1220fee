"""Bringing plants within reach: heels rise over their toes, then the hips go down, both smoothly in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.kinematics.body.roles import Foot
from motionloom.kinematics.feet.plants import FootPlan
from motionloom.kinematics.feet.smoothing import away_from, envelope
from motionloom.kinematics.ik.limb import easy_reach
from motionloom.rotation import from_axis_angle, multiply, rotate

SOFT_REACH = 0.004  # leg lengths: the soft limit on reach, narrow, as legs are nearly straight in any walk
MAX_HEEL_TURN = np.radians(30.0)  # a heel rises by at most this to keep its toe on its plant


def _lack(foot: Foot, plan: FootPlan, places: FloatArray) -> tuple[FloatArray, BoolArray]:
    """How far the leg reaches with ease (F,), metres, and where a planted ankle is farther than that (F,)."""
    hip, knee, ankle = (places[:, j] for j in (foot.thigh, foot.shin, foot.ankle))
    full = np.linalg.norm(knee - hip, axis=-1) + np.linalg.norm(ankle - knee, axis=-1)
    asked = np.linalg.norm(plan.ankle - ankle, axis=-1)
    reach = easy_reach(np.linalg.norm(ankle - hip, axis=-1), asked, full, SOFT_REACH)
    far = np.linalg.norm(plan.ankle - hip, axis=-1) > reach + 1e-9
    return (1 - SOFT_REACH) * full, far & (plan.heel_on | plan.toe_on)


def raise_heel(foot: Foot, plan: FootPlan, places: FloatArray, fixed: BoolArray, width: int) -> FootPlan:
    """Where only the toe is planted and the leg is too short, turn the foot about the toe to bring the ankle nearer.

    The angle at the toe between ankle (u) and hip (w) that puts the ankle within reach r of the hip:
    cos = (|w|^2 + |u|^2 - r^2) / (2 |w| |u|). Bodies do this too, before the hips go down. Nothing at `fixed` frames
    and while the heel is planted; the angle eases over `width` frames.
    """
    reach, far = _lack(foot, plan, places)
    far &= plan.toe_on & ~plan.heel_on
    if not far.any():
        return plan
    u = -plan.bone
    w = places[:, foot.thigh] - (plan.ankle + plan.bone)
    lengths = np.linalg.norm(u, axis=-1), np.linalg.norm(w, axis=-1)
    across = np.cross(u, w)
    sine = np.linalg.norm(across, axis=-1)
    now = np.arctan2(sine, np.einsum("fi,fi->f", u, w))
    cosine = (lengths[0] ** 2 + lengths[1] ** 2 - reach**2) / (2 * lengths[0] * lengths[1])
    need = np.where(far, np.clip(now - np.arccos(np.clip(cosine, -1, 1)), 0, MAX_HEEL_TURN), 0.0)
    angle = np.minimum(envelope(need, width) * away_from(np.flatnonzero(plan.heel_on | fixed), len(need), width), now)
    turn = from_axis_angle(np.where(sine[:, None] > 1e-9, across, [1.0, 0, 0]), angle)
    bone = rotate(turn, plan.bone)
    return replace(plan, ankle=plan.ankle + plan.bone - bone, bone=bone, turn=multiply(turn, plan.turn))


def lower_hips(
    legs: Sequence[Foot],
    plans: Sequence[FootPlan],
    places: FloatArray,
    fixed: BoolArray,
    width: int,
    lowest: float,
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
