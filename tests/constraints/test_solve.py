"""Moving a clip so that hard constraints hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

from motionloom.constraints import (
    Avoid,
    LookAt,
    Plant,
    PoseAt,
    PositionAt,
    Reach,
    RootAt,
    RootPath,
    Style,
    solve,
)
from motionloom.constraints.bend_travel import Key, steer
from motionloom.constraints.displace import spread
from motionloom.core import Unmet, replace
from motionloom.core.testing import assert_same_motion
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import placed, travel, turned
from motionloom.rotation import angle_between
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk():
    """Four seconds of walking at 30 fps, from the origin, facing +z."""
    return placed(resample(make("walk", seconds=4, seed=2), 30))


@pytest.fixture(scope="module")
def other():
    """Another performer's poses."""
    return resample(make("run", seconds=2, seed=1), 30)


def hand(walk, frame):
    return fk(walk)[frame, walk.skeleton.joint("left_hand")]


CASES = {
    "a pose": lambda w, o: [PoseAt(time=2, pose=o[20:21])],
    "two poses close together": lambda w, o: [PoseAt(time=2, pose=o[20:21]), PoseAt(time=2.2, pose=w[5:6])],
    "a pose of the upper body": lambda w, o: [PoseAt(time="end", pose=o[3:4], joints=("upper",))],
    "rotations of one joint": lambda w, o: [
        PoseAt(time=1, rotations={"left_forearm": {"order": "zyx", "angles": (0.1, 0.2, 1.0)}})
    ],
    "a place and a heading": lambda w, o: [RootAt(time=3, position=(2, 2), heading=math.pi / 2)],
    "a place": lambda w, o: [RootAt(time=3, position=(2, 2))],
    "a height": lambda w, o: [RootAt(time=3, height=0.85)],
    "another beginning": lambda w, o: [RootAt(time=0, position=(5, -2), heading=-2.0)],
    "a hand at a point": lambda w, o: [PositionAt(joint="left_hand", time=2, target=hand(w, 60) + [0.1, 0.2, 0.1])],
    "a hand at a far point": lambda w, o: [PositionAt(joint="left_hand", time=2, target=(1.4, 1.2, 0.6))],
    "a foot that stays": lambda w, o: [Plant(joint="left_foot", span=(1.0, 1.3))],
    "a look": lambda w, o: [LookAt(target=(2, 1.6, 4), span=(1, 2.5))],
    "a look to the side": lambda w, o: [LookAt(yaw=0.8, pitch=0.2, span=(2, 3))],
    "a path": lambda w, o: [RootPath(points=((0, 0), (2, 2), (4, 0)))],
    "a path with times": lambda w, o: [RootPath(points=((0, 0), (0, 2), (2, 3)), times=(0, 2, 3.5))],
    "a goal": lambda w, o: [Reach(position=(2, 2), heading=math.pi, by=3)],
    "an obstacle": lambda w, o: [Avoid(center=(0.1, 2), radius=0.4)],
    "several at once": lambda w, o: [
        PoseAt(time=0, pose=o[20:21]),
        RootAt(time="end", position=(1, 5), heading=0.5),
        PositionAt(joint="left_hand", time=2, target=hand(w, 60) + [0.1, 0.2, 0.1]),
        LookAt(yaw=-0.5, span=(1, 1.5)),
    ],
}


@pytest.mark.parametrize("case", CASES)
def test_hard_constraints_hold_afterwards(case, walk, other):
    asked = CASES[case](walk, other)
    assert not all(c.met(walk) for c in asked)
    out = solve(walk, asked)
    assert all(c.met(out) for c in asked), [c.worst(out) for c in asked]
    # no jump: joints turn at most as fast as 40 rad/s, which is twice as fast as in a sprint
    assert angle_between(out.rotations[1:], out.rotations[:-1]).max() < 40 / 30


def test_what_is_met_stays_as_it_is(walk):
    assert solve(walk, [PoseAt(time=1, pose=walk[30:31]), Avoid(center=(9, 9), radius=1)]) is walk


def test_soft_constraints_and_styles_are_left_to_the_method(walk):
    assert solve(walk, [RootAt(time=1, position=(9, 9), weight=5), Style(label="sneak")]) is walk


def test_a_pose_is_met_to_the_bit_and_the_rest_of_the_clip_does_not_change(walk, other):
    out = solve(walk, [PoseAt(time=2, pose=other[20:21])], fade=0.4)
    assert np.array_equal(out.rotations[60, 1:], other.rotations[20, 1:])
    far = np.abs(np.arange(len(walk)) - 60) > 12
    assert_same_motion(out[far.nonzero()[0]], walk[far.nonzero()[0]])


def test_after_the_last_place_the_clip_goes_on_rigidly(walk):
    out = solve(walk, [RootAt(time=2, position=(1, 2), heading=0.7)])
    moved = turned(walk, float(travel(out).heading[60] - travel(walk).heading[60]))
    np.testing.assert_allclose(
        out.root[60:, [0, 2]] - out.root[60, [0, 2]], moved.root[60:, [0, 2]] - moved.root[60, [0, 2]], atol=1e-9
    )


def test_what_cannot_be_is_said_with_the_best_clip_and_all_residuals(walk):
    with pytest.raises(Unmet, match=r"a hard constraint is not met:\n  root_at: .*position: \[0.0, 0.0\]") as caught:
        solve(walk, [RootAt(time=1, position=(0, 0)), RootAt(time=1, position=(5, 5)), RootAt(time=2, heading=0.5)])
    assert len(caught.value.residuals) == 3
    assert len(caught.value.best) == len(walk)


def test_nobody_is_lifted_off_the_ground_to_reach_a_point(walk):
    with pytest.raises(Unmet, match="position_at"):
        solve(walk, [PositionAt(joint="left_hand", time=2, target=(0.2, 5.0, 3.0))])


@pytest.mark.parametrize(("joint", "turns"), [("left_shoulder", False), ("left_upper_arm", True)])
def test_a_collar_bone_that_never_turns_in_a_clip_does_not_turn_for_a_point(walk, joint, turns):
    still, rotations = walk.skeleton.joint(joint), walk.rotations.copy()
    rotations[:, still] = rotations[0, still]
    stiff = replace(walk, rotations=rotations)
    x, y, z = fk(stiff)[30, walk.skeleton.joint("left_hand")].tolist()
    hand = PositionAt(joint="left_hand", time="30f", target=(x, y + 0.3, z))
    out = solve(stiff, [hand])
    assert hand.met(out)
    assert (angle_between(out.rotations[:, still], rotations[:, still]).max() > 1e-3) == turns


def test_a_spread_is_exact_at_its_keys_and_zero_away_from_them():
    keys, values = np.array([10, 14, 40]), np.array([[1.0], [-2.0], [3.0]])
    out = spread(keys, values, 60, width=8)
    np.testing.assert_allclose(out[keys], values, atol=1e-12)
    assert np.abs(out[[0, 2, 22, 32, 48, 59]]).max() == 0
    np.testing.assert_allclose(out[12], [-0.5])  # half-way between two close keys: their mean


def test_steering_through_where_the_clip_is_changes_nothing(walk):
    path = travel(walk)
    keys = {f: Key(tuple(path.place[f]), float(path.heading[f])) for f in (0, 50, 100)}
    assert_same_motion(steer(walk, keys), walk, metres=1e-9)


def test_steering_keeps_every_step_as_long_as_it_was_when_only_headings_change(walk):
    out = steer(walk, {0: Key((0, 0), 0.0), 90: Key(None, 1.5)})
    steps = [np.linalg.norm(np.diff(travel(c).place, axis=0), axis=1) for c in (out, walk)]
    np.testing.assert_allclose(steps[0], steps[1], atol=1e-9)
    assert travel(out).heading[90] == pytest.approx(1.5)
