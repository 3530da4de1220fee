"""Limbs at their targets (eq 7), and feet that stand where the takes have them standing."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.optimize import minimize
from variation_helpers import raw

from motionloom.constraints import Plant, PositionAt, Request
from motionloom.kinematics.feet.contacts import part_positions
from motionloom.kinematics.feet.standing import stepping
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import travel
from motionloom.methods.synthesis import attempt
from motionloom.methods.variation._kernels_limb_targets import (
    _slowed,
    constrain,
    forward,
    place_root,
    room_for,
    within_reach,
)
from motionloom.methods.variation.body import body_tables, foot_limbs
from motionloom.methods.variation.synthesis import requested_tasks, with_standing_feet


def test_a_limb_meets_its_target_to_a_micrometre_and_frames_before_stay_as_they_are(walker):
    free = raw(walker, Request(seconds=1.2), seed=5, hold_feet=False)
    hand, frame = walker.skeleton.joint("left_hand"), 24
    target = fk(free)[frame, hand] + [0.03, 0.05, -0.04]
    asked = Request(seconds=1.2, constraints=(PositionAt(joint="left_hand", time=f"{frame}f", target=target),))
    made = raw(walker, asked, seed=5, hold_feet=False)
    np.testing.assert_allclose(fk(made)[frame, hand], target, atol=1e-6)
    eased = round(0.15 * walker.fps)
    assert np.array_equal(made.rotations[: frame - eased], free.rotations[: frame - eased])
    assert not np.array_equal(made.rotations[frame - 2], free.rotations[frame - 2])
    step = np.linalg.norm(np.diff(fk(made)[:, hand], axis=0), axis=1).max()
    assert step < 2.5 * np.linalg.norm(np.diff(fk(free)[:, hand], axis=0), axis=1).max()  # it does not jump there


@pytest.mark.parametrize("away", [[0.15, 0.2, 0.1], [0.1, 0.4, 0.1]])
def test_a_limb_leaves_a_far_target_as_slowly_as_it_came_there(walker, away):
    """These targets are out of the range of the takes: the limits of the body must not end the correction at once."""
    free = raw(walker, Request(seconds=1.2), seed=5, hold_feet=False)
    hand, frame = walker.skeleton.joint("left_hand"), 15
    target = fk(free)[frame, hand] + away
    asked = Request(seconds=1.2, constraints=(PositionAt(joint="left_hand", time=f"{frame}f", target=target),))
    made = raw(walker, asked, seed=5, hold_feet=False)
    np.testing.assert_allclose(fk(made)[frame, hand], target, atol=1e-6)
    steps, usual = (np.linalg.norm(np.diff(fk(clip)[:, hand], axis=0), axis=1) for clip in (made, free))
    spread = 1.5 * np.linalg.norm(away) / frame
    assert steps.max() < max(1.5 * usual.max(), usual.max() + spread)
    assert np.linalg.norm(fk(made)[frame + 1, hand] - fk(free)[frame + 1, hand]) > 0.8 * np.linalg.norm(away)
    assert np.linalg.norm(fk(made)[-1, hand] - fk(free)[-1, hand]) < 0.25 * np.linalg.norm(away)


def test_two_targets_in_short_order_give_a_warning_about_speed(walker):
    targets = [(0.5, [0.35, 1.2, 0.7]), (0.6, [0.35, 1.2, 1.2])]
    asked = tuple(PositionAt(joint="left_hand", time=time, target=target, tolerance=2.0) for time, target in targets)
    made = attempt(walker, Request(seconds=1.2, constraints=asked)).clip
    [note] = [note.text for note in made.origin.notes if "m/s for its targets" in note.text]
    assert note.startswith("LeftHand moves at up to")
    assert not walker.remarks(made, Request(seconds=1.2))


def test_a_missed_target_states_what_turns_and_when_the_foot_stands(walker):
    head = PositionAt(joint="head", time=0.5, target=[0.0, 1.0, 3.0])
    found = attempt(walker, Request(seconds=1.2, constraints=(head,)))
    assert "the joints from spine to head turn" in found.reason.lower()
    plant = Plant(joint="left_foot", span=(0.3, 0.9), target=[0.0, 0.1, 5.0])
    found = attempt(walker, Request(seconds=1.2, constraints=(plant,)))
    assert re.search(r"in most of which it stands from \d\.\d\d to \d\.\d\d s", found.reason)


def test_a_limb_leaves_one_target_before_it_comes_to_the_next(walker):
    free = raw(walker, Request(seconds=1.2), seed=5, hold_feet=False)
    hand = walker.skeleton.joint("left_hand")
    targets = {f: fk(free)[f, hand] + [0.1, 0.2, 0.1] for f in (18, 22)}
    asked = tuple(PositionAt(joint="left_hand", time=f"{f}f", target=target) for f, target in targets.items())
    made = raw(walker, Request(seconds=1.2, constraints=asked), seed=5, hold_feet=False)
    for f, target in targets.items():
        np.testing.assert_allclose(fk(made)[f, hand], target, atol=1e-6)


@pytest.mark.parametrize("joint", ["left_hand", "right_foot"])
def test_a_corrected_limb_is_the_minimum_of_equation_7(walker, rng, joint):
    """SciPy minimises eq 7 as it is printed: w1 |q - mean|^2 + w2 |q - 2 q1 + q2|^2, w1 = 1, w2 = 5."""
    wide = np.full(walker.dofs.count, np.inf)
    asked = PositionAt(joint=joint, time="2f", target=(0.0, 0.0, 0.0))
    body, tasks, _ = requested_tasks((asked,), walker.dofs, (-wide, wide), 3, walker.fps, 0.0)
    limb, room, track = tasks.limb[0], room_for(body), np.zeros(3)
    free = body.free[limb][body.free[limb] >= 0]
    frames = walker.sequences[0][20:23]
    mean, sample = (frames[2] + 0.05 * rng.normal(size=walker.dofs.count) for _ in range(2))
    root = place_root(body, sample, track)

    def end(q):
        values = sample.copy()
        values[free] = q
        return np.array(forward(body, limb, values, *root, room[0], room[1]))

    tasks.target[0] = end(sample[free] + 0.1 * rng.normal(size=len(free)))

    def cost(q):
        ahead = 2 * frames[1, free] - frames[0, free]
        return ((q - mean[free]) ** 2).sum() + 5 * ((q - ahead) ** 2).sum()

    expected = minimize(
        cost, sample[free], method="SLSQP", constraints={"type": "eq", "fun": lambda q: end(q) - tasks.target[0]},
        options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    made = sample.copy()
    constrain(body, 2, track, made, mean, frames[1::-1], tasks, room, mean, np.inf, False)
    np.testing.assert_allclose(end(made[free]), tasks.target[0], atol=1e-6)
    np.testing.assert_allclose(made[free], expected.x, atol=1e-5)
    assert np.array_equal(np.delete(made, free), np.delete(sample, free))


def test_a_plant_holds_a_foot_still_within_a_micrometre(walker):
    asked = Request(seconds=1.2, constraints=(Plant(joint="left_foot", span=(0.1, 0.3)),))
    made = raw(walker, asked, seed=1)
    places = fk(made)[3:9, walker.skeleton.joint("left_foot")]
    assert np.ptp(places, axis=0).max() < 1e-6


def test_a_heel_that_comes_down_after_its_toe_stays_where_it_is_then(walker):
    """The foot that lands on its toe is not moved to another place when its heel touches: the knee would jump."""
    body = body_tables(walker.dofs, foot_limbs(walker.skeleton), walker.limits)
    _, none, _ = requested_tasks((), walker.dofs, walker.limits, 20, walker.fps, 0.15)
    contacts = np.zeros((20, 4), bool)
    contacts[5:20, 1] = contacts[10:20, 0] = True  # a toe, then its heel
    places = np.zeros((20, 4, 3))
    tasks = with_standing_feet(none, body, contacts, places, np.ones(4), 4, ahead=False)
    assert tasks.limb.tolist() == [0, 1]
    assert list(zip(tasks.first, tasks.last, tasks.ease, strict=True)) == [(10, 20, 0), (5, 10, 4)]
    assert np.isnan(tasks.target[0]).all()
    assert not np.isnan(tasks.target[1]).any()


def test_the_kernels_place_feet_where_forward_kinematics_does(walker):
    clip, limbs = walker.clips[0], foot_limbs(walker.skeleton)
    body, path = body_tables(walker.dofs, limbs, walker.limits), travel(clip)
    room, values = room_for(body), walker.dofs.values(clip)
    whole = part_positions(walker.dofs.clip(values, (*path.place[0], path.heading[0])))
    for frame in (0, 20, 40):
        root, turn = place_root(body, values[frame], np.array([*path.place[frame], path.heading[frame]]))
        for limb in range(len(limbs)):
            end = forward(body, limb, values[frame], root, turn, room[0], room[1])
            np.testing.assert_allclose(end, whole[frame, limb], atol=1e-9)


def test_a_target_out_of_reach_is_brought_to_the_leg_and_a_straight_leg_stays_straight():
    hip, near = np.array([0.0, 0.9, 0.0]), np.array([0.1, 0.1, 0.0])
    lengths = []
    for aside in (0.2, 0.3, 0.4, 0.6, 2.0):
        target = np.array([aside, 0.1, 0.0])
        within_reach(hip, 0.9, near, target)
        assert target[1] == 0.1
        lengths.append(np.linalg.norm(target - hip))
    assert lengths[0] == pytest.approx(np.hypot(0.2, 0.8))  # within reach: as it was
    assert (np.diff(lengths) > 0).all()  # no two targets meet
    assert lengths[-1] <= 0.9
    straight = np.array([0.41, 0.1, 0.0])
    target = straight.copy()
    within_reach(hip, 0.9, straight, target)
    np.testing.assert_allclose(target, straight, atol=1e-9)


def test_a_foot_that_is_elsewhere_later_takes_a_step():
    """Two takes stand, a third one steps by 30 cm: their mixture is held before and after the step, not in between."""
    t = np.clip((np.arange(60) - 25) / 12, 0, 1)
    places = np.zeros((60, 4, 3))
    places[:, :2, 2] = 0.3 * (3 * t**2 - 2 * t**3)[:, None]  # heel and toe of one leg
    contacts = np.ones((60, 4), bool)
    found = stepping(contacts, places, np.array([1, 1, 2, 2]), 60.0)
    assert found[:20].all()
    assert found[40:].all()
    assert not found[27:35, :2].any()
    assert found[:, 2:].all()  # the other leg stands
    places[:, :2, 2] = 0.05 * t[:, None]  # a foot that slides a little is held
    assert stepping(contacts, places, np.array([1, 1, 2, 2]), 60.0).all()


def test_a_foot_stands_from_where_it_is_slow():
    places, contacts = np.zeros((40, 1, 3)), np.zeros((40, 1), bool)
    places[:12, 0, 2] = 0.02 * (np.arange(12) - 11)  # at 1.2 m/s until frame 11
    contacts[5:] = True
    found = stepping(contacts, places, np.array([1]), 60.0)
    assert 10 <= np.flatnonzero(found[:, 0])[0] <= 12
    assert found[12:].all()


def test_the_correction_of_a_leg_changes_little_in_a_frame(walker):
    """Where a target straightens a leg, its knee would turn ever faster: the foot slips before that."""
    body = body_tables(walker.dofs, foot_limbs(walker.skeleton), walker.limits)
    leg = body.free[0][body.free[0] >= 0]
    mean, shown = np.mean(walker.limits, axis=0), np.full(walker.dofs.count, 0.005)
    values = mean + shown + 0.2
    assert _slowed(body, 0, values, mean, shown, 0.01)
    np.testing.assert_allclose((values - mean)[leg], np.minimum(0.015, (walker.limits[1] - mean)[leg]))
    others = np.setdiff1d(np.arange(walker.dofs.count), leg)
    np.testing.assert_allclose((values - mean)[others], 0.205)
    assert not _slowed(body, 0, values, mean, shown, 0.011)
