"""Feet that stay where they are while the hips are moved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, replace
from motionloom.kinematics.body.roles import Foot
from motionloom.kinematics.feet.contacts import contacts, foot_parts, points_of
from motionloom.kinematics.feet.leg_reach import SOFT_REACH, lower_hips, raise_heel
from motionloom.kinematics.feet.plants import FootPlan
from motionloom.kinematics.feet.smoothing import away_from
from motionloom.kinematics.fk import fk_rotations, world
from motionloom.kinematics.ik.limb import limb_rotations
from motionloom.rotation import multiply

SWING_TIME = 0.15  # s after a contact, and before the next, in which a foot begins to rise with the hips
HEEL_TIME = 0.15  # s over which a heel rises
MOVED = 1e-9  # m: hips that moved by less are where they were


def hold_feet(before: Clip, after: Clip, legs: Sequence[Foot], fixed: BoolArray | None = None) -> Clip:
    """`after`, a clip whose hips were moved, with these legs bent so that the feet stay where they are in `before`.

    A standing foot keeps its place and turn; where the leg is too short for that, its heel rises over the toe. A
    swinging foot rises with the hips, but does not sink with them. Legs stay as they are at `fixed` (F,) frames.
    """
    shift = after.root - before.root
    if not legs or np.abs(shift).max(initial=0.0) < MOVED:
        return after
    fixed = np.zeros(len(after), bool) if fixed is None else fixed
    moved = (np.abs(shift).max(1) >= MOVED) & ~fixed
    places, turns = fk_rotations(before)
    touching, rotations = contacts(before), after.rotations.copy()
    for foot in legs:
        plan = _foot_plan(before, foot, places, turns, touching, np.maximum(shift[:, 1], 0.0))
        over, _ = world(after.skeleton, after.root, rotations, after.slides)
        plan = raise_heel(foot, plan, over, fixed, max(1, round(HEEL_TIME * after.fps)))
        limb = (foot.thigh, foot.shin, foot.ankle)
        orientation = multiply(plan.turn, turns[:, foot.ankle])
        solved, _ = limb_rotations(
            after.skeleton, after.root, rotations, limb, plan.ankle, orientation=orientation, soft=SOFT_REACH,
            slides=after.slides,
        )  # fmt: skip
        rotations[np.ix_(moved, limb)] = solved[np.ix_(moved, limb)]
    return replace(after, rotations=rotations)


def raise_hips(clip: Clip, rise: float, legs: Sequence[Foot]) -> Clip:
    """The clip with its hips higher by at most `rise` metres: as far as the legs reach whose feet stand, and smoothly.

    In flight they are as much higher as before and after. Legs are left as they are; `hold_feet` bends them.
    """
    raised = replace(clip, root=clip.root + [0.0, rise, 0.0])
    places, turns = fk_rotations(clip)
    over, _ = world(raised.skeleton, raised.root, raised.rotations, raised.slides)
    none, touching = np.zeros(len(clip), bool), contacts(clip)
    plans = [_foot_plan(clip, foot, places, turns, touching, np.zeros(len(clip))) for foot in legs]
    lack = lower_hips(legs, plans, over, none, max(1, round(HEEL_TIME * clip.fps)), rise)
    standing = np.flatnonzero(np.any([plan.toe_on for plan in plans], axis=0))
    if len(standing):
        lack = np.interp(np.arange(len(clip)), standing, lack[standing])
    return replace(raised, root=raised.root - lack[:, None] * [0.0, 1.0, 0.0])


def _foot_plan(
    clip: Clip, foot: Foot, places: FloatArray, turns: FloatArray, touching: dict[str, BoolArray], rise: FloatArray
) -> FootPlan:
    """Where the ankle of a foot should be while the hips rise by `rise` (F,) m."""
    parts = [p for p in foot_parts(clip.skeleton) if p.foot.name == foot.name]
    standing = np.any([touching[p.label] for p in parts], axis=0) if parts else np.zeros(len(clip), bool)
    points = points_of(parts, places, turns)
    toe = next((points[:, i] for i, p in enumerate(parts) if p.name.endswith("toe")), None)
    ankle = places[:, foot.ankle].copy()
    bone = np.zeros_like(ankle) if toe is None else toe - ankle
    ankle[:, 1] += rise * away_from(np.flatnonzero(standing), len(clip), max(1, round(SWING_TIME * clip.fps)))
    none, still = np.zeros(len(clip), bool), np.tile([1.0, 0.0, 0.0, 0.0], (len(clip), 1))
    return FootPlan(ankle, still, bone, none, standing if toe is not None else none)
