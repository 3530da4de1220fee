"""Two-bone limb solver."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, Skeleton
from motionloom.kinematics.fk import fk, fk_rotations
from motionloom.kinematics.ik.limb import place_limb, two_bone
from motionloom.rotation import angle_between

LEG = ("left_thigh", "left_shin", "left_foot")


def test_two_bone_limb_solver_worked_example() -> None:
    """Bones 3 and 4, target at distance 5: the knee makes a right angle (the 3-4-5 triangle)."""
    got = two_bone([0, 7, 0], [0, 4, 0], [0, 0, 0], [0, 2.0, 0], bend=[0, 0, -1.0], soft=0)
    assert got.ankle == pytest.approx([0, 2, 0], abs=1e-12)
    # by hand: the knee lies 9/5 along the line down and 12/5 in front of it
    assert got.knee == pytest.approx([0, 7 - 9 / 5, 12 / 5], abs=1e-12)
    assert got.missed == pytest.approx(0, abs=1e-12)


def test_two_bone_limb_reaches_random_targets_without_stretching(rng: np.random.Generator) -> None:
    hip, knee, ankle = rng.normal(size=(3, 500, 3))
    a, b = np.linalg.norm(knee - hip, axis=1), np.linalg.norm(ankle - knee, axis=1)
    d = np.abs(a - b) + rng.uniform(0.001, 0.98, 500) * (a + b - np.abs(a - b))
    way = rng.normal(size=(500, 3))
    target = hip + d[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)
    got = two_bone(hip, knee, ankle, target, bend=[0, 0, 1.0])
    assert got.missed[d < 0.99 * (a + b)].max() < 1e-9
    assert np.linalg.norm(got.knee - hip, axis=1) == pytest.approx(a)
    assert np.linalg.norm(got.ankle - got.knee, axis=1) == pytest.approx(b)


def test_two_bone_limb_left_where_it_is_does_not_turn_at_all(walker: Clip) -> None:
    foot = walker.skeleton.joint("left_foot")
    same, missed = place_limb(walker, LEG, fk(walker)[:, foot])
    assert angle_between(same.rotations, walker.rotations).max() < 1e-9
    assert missed.max() < 1e-12


def test_two_bone_limb_keeps_the_bending_plane() -> None:
    """All of a target in the plane x = 0.3 y of the leg: the knee stays in that plane."""
    plane = np.array([1.0, -0.3, 0.0])
    points = np.array([[0.3, 1.0, 0], [0.15, 0.5, 0.2], [0, 0, 0]])
    targets = np.array([[0.06, 0.2, 0.1 * k] for k in range(6)])
    got = two_bone(*points[:, None], targets, bend=[1.0, 0, 0])
    assert got.knee @ plane == pytest.approx(np.zeros(6), abs=1e-12)


def test_two_bone_limb_slows_down_near_full_reach_and_never_pops() -> None:
    """Pulled away at constant speed through full reach, the knee angle has no jump; past it the bones stay whole."""
    d = np.linspace(0.7, 1.2, 501)  # 1 mm a step; full reach is 1
    target = np.stack([0 * d, -d, 0 * d], 1)
    got = two_bone([0, 0, 0], [0, -0.35, 0.35], [0, -0.7, 0], target)
    a = b = 0.35 * 2**0.5
    reach = np.linalg.norm(got.ankle, axis=1)
    angle = np.arccos(np.clip((reach**2 - a * a - b * b) / (2 * a * b), -1, 1))
    hard = two_bone([0, 0, 0], [0, -0.35, 0.35], [0, -0.7, 0], target, soft=0)
    hard_reach = np.minimum(np.linalg.norm(hard.ankle, axis=1), a + b)
    hard_angle = np.arccos(np.clip((hard_reach**2 - a * a - b * b) / (2 * a * b), -1, 1))
    assert np.abs(np.diff(angle)).max() < 0.02 < 0.08 < np.abs(np.diff(hard_angle)).max()
    assert reach.max() <= a + b + 1e-12
    assert got.missed[d < 0.99 * (a + b)].max() < 1e-12
    assert got.missed[-1] == pytest.approx(d[-1] - (a + b), abs=1e-3)


def test_two_bone_limb_bends_a_straight_leg_the_way_it_is_told() -> None:
    for wobble in (0.0, 1e-9, -1e-9, 1e-4):  # a hair of bend to the side must not send the knee sideways
        got = two_bone([0, 1.0, 0], [wobble, 0.5, 0], [0, 0, 0], [0, 0.2, 0], bend=[0, 0, -1.0])
        assert got.knee[2] > 0.29
        assert abs(got.knee[0]) < 0.001


def test_two_bone_limb_spins_the_knee_to_a_pole() -> None:
    got = two_bone([0, 1.0, 0], [0, 0.5, 0.1], [0, 0, 0], [0, 0.2, 0], pole=[5.0, 0.4, 0])
    assert got.knee == pytest.approx([np.sqrt(0.25 + 0.01 - 0.16), 0.6, 0])
    assert got.missed < 1e-12


def test_a_leg_that_never_bends_folds_its_shin_backward(body: Skeleton) -> None:
    rotations = np.zeros((2, len(body), 4))
    rotations[..., 0] = 1
    stand = Clip(body, np.array([[0, 0.93, 0], [0, 0.93, 0]]), rotations, 30)
    target = fk(stand)[:, body.joint("left_foot")] + [0, 0.2, 0]
    raised, missed = place_limb(stand, LEG, target)
    assert missed.max() < 1e-9
    assert (fk(raised)[:, body.joint("left_shin"), 2] > 0.25).all()


def test_a_placed_foot_keeps_its_world_rotation_or_takes_the_given_one(walker: Clip) -> None:
    foot = walker.skeleton.joint("left_foot")
    places, turns = fk_rotations(walker)
    lifted, _ = place_limb(walker, LEG, places[:, foot] + [0, 0.05, 0])
    assert angle_between(fk_rotations(lifted)[1][:, foot], turns[:, foot]).max() < 1e-9
    pointed, _ = place_limb(walker, LEG, places[:, foot], orientation=np.array([0.6, 0.8, 0, 0]))
    assert angle_between(fk_rotations(pointed)[1][:, foot], [0.6, 0.8, 0, 0]).max() < 1e-9
    others = [j for j in range(len(walker.skeleton)) if j not in walker.skeleton.below(walker.skeleton.joint(LEG[0]))]
    assert np.array_equal(lifted.rotations[:, others], walker.rotations[:, others])


def test_a_limb_must_hang_together(walker: Clip) -> None:
    with pytest.raises(BadRequest, match="each above the next"):
        place_limb(walker, ("left_thigh", "right_shin", "right_foot"), np.zeros(3))


def angle_at_knee(got: object, hip: np.ndarray) -> np.ndarray:
    """Signed: positive where the knee is in front (+z) of the line from hip to ankle."""
    upper, lower = got.knee - hip, got.ankle - got.knee  # type: ignore[attr-defined]
    sine = np.cross(upper, lower)[..., 0]
    return np.arctan2(-sine, np.einsum("...i,...i->...", upper, lower))


def test_two_bone_limb_leaves_full_extension_without_a_pop() -> None:
    """A leg locked straight in the source is asked for a little less, a little more each frame."""
    hip, knee, ankle = np.array([0, 1.0, 0]), np.array([0, 0.5, 0]), np.zeros(3)
    lift = np.linspace(0, 0.03, 61)[:, None] ** 2 / 0.03  # eases in: 0.008 mm, then 0.03 mm ...
    got = two_bone(hip, knee, ankle, lift * [0, 1.0, 0], bend=[0, 0, -1.0])
    bend = np.abs(angle_at_knee(got, hip))
    assert bend[0] == 0
    assert np.abs(np.diff(bend)).max() < 0.02
    assert got.missed.max() < 1e-9


def test_two_bone_limb_does_not_flip_a_knee_past_straight() -> None:
    """From 4 degrees backward to 4 forward and moved by 1 cm: the knee passes over, it does not jump."""
    angle = np.radians(np.linspace(-4, 4, 161))
    hip = np.array([0, 1.0, 0])
    knee = np.stack([0 * angle, 1 - 0.5 * np.cos(angle / 2), 0.5 * np.sin(angle / 2)], 1)
    ankle = np.stack([0 * angle, 1 - np.cos(angle / 2), 0 * angle], 1)
    for lift in (0.002, 0.01, 0.05):
        got = two_bone(hip, knee, ankle, ankle + [0, lift, 0], bend=[0, 0, -1.0])
        assert np.abs(np.diff(angle_at_knee(got, hip))).max() < 0.06
        assert got.missed.max() < 0.013
    same = two_bone(hip, knee, ankle, ankle, bend=[0, 0, -1.0])
    assert angle_between(same.lower, [1.0, 0, 0, 0]).max() < 1e-9


def test_a_straight_knee_bends_to_its_side_though_noise_bends_it_a_little_backward() -> None:
    angle = np.radians(np.tile([-1.0, 0.0, 1.0, -0.5], 5))
    hip = np.array([0, 1.0, 0])
    knee = np.stack([0 * angle, 1 - 0.5 * np.cos(angle / 2), 0.5 * np.sin(angle / 2)], 1)
    ankle = np.stack([0 * angle, 1 - np.cos(angle / 2), 0 * angle], 1)
    got = two_bone(hip, knee, ankle, np.tile([0, 0.003, 0], (20, 1)), bend=[0, 0, -1.0], soft=0.0003)
    assert got.missed.max() < 1e-4  # it was missed by 2 mm where the knee was bent backward
    assert np.ptp(angle_at_knee(got, hip)) < 1e-3
