"""Feet whose legs are folded up, or that pass the line from hip to toe, as a dog's do."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, Skeleton
from motionloom.kinematics.body.roles import Foot, feet
from motionloom.kinematics.feet.leg_reach import follow_knee
from motionloom.kinematics.feet.plants import FootPlan
from motionloom.kinematics.feet.raise_foot import raise_foot
from motionloom.rotation import angle_between, from_axis_angle


def test_a_paw_that_passes_the_line_from_hip_to_toe_does_not_turn_over_in_one_frame() -> None:
    """The ankle goes from behind the toe to ahead of it, with hips 2 cm lower than they were."""
    foot, frames, never = Foot("left_front_foot", 0, 1, 2, None), 61, np.zeros(61, bool)
    tilt = np.radians(np.linspace(-60, 60, frames))
    bone = 0.1 * np.stack([0 * tilt, -np.cos(tilt), -np.sin(tilt)], 1)  # from the ankle to a toe at the origin
    places = np.zeros((frames, 3, 3))
    places[:, 0], places[:, 1], places[:, 2] = [0, 0.35, 0], [0, 0.2, 0.1], -bone
    plan = FootPlan(-bone, np.tile([1.0, 0, 0, 0], (frames, 1)), bone, never, ~never)
    turn = follow_knee(foot, plan, places, np.tile([0, -0.02, 0], (frames, 1)), ~never, never, width=7).turn
    assert angle_between(turn, [1.0, 0, 0, 0]).max() > np.radians(10)
    assert angle_between(turn[1:], turn[:-1]).max() < np.radians(10)  # it was 29 degrees


def test_a_leg_that_is_folded_up_does_not_swing_to_move_its_foot(body: Skeleton) -> None:
    """The knee is folded by 174 to 178 degrees: 3 cm of the foot were 41 to 125 degrees of the thigh."""
    foot = feet(body)[0]
    rotations = np.tile([1.0, 0, 0, 0], (41, len(body), 1))
    rotations[:, foot.shin] = from_axis_angle([1.0, 0, 0], np.radians(np.linspace(174, 178, 41)))
    clip = Clip(body, np.tile([0, 0.9, 0], (41, 1)), rotations, 30)
    raised = np.array(rotations)
    raise_foot(clip, raised, foot, np.full(41, 0.03))
    assert angle_between(raised[:, foot.thigh], rotations[:, foot.thigh]).max() < np.radians(10)
