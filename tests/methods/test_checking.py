"""Every problem of a request is found before any work, each with the path to what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Euler, Ground, LookAt, Plant, PoseAt, PositionAt, Request, RootAt, Style
from motionloom.core import BadRequest, UnsupportedConstraint, replace
from motionloom.methods import check_request, learn, problems
from motionloom.rotation import from_euler, multiply
from motionloom.samples import make


@pytest.fixture(scope="module")
def model():
    return learn("cuts", [make("walk", seconds=3)])


def test_a_request_without_problems_passes(model):
    request = Request(seconds=2, constraints=(Style(label="walk", joints=("upper",)),))
    assert problems(model, request) == ()
    check_request(model, request)


def test_all_problems_are_found_at_once_each_with_its_path(model):
    request = Request(
        options={"eagerness": 3, "shortest": "long", "speed": 1},
        ground=Ground(np.zeros((1, 3))),
        parameters={"speed": 1.4},
        constraints=(
            RootAt(time=1, position=(0, 0)),
            Plant(joint="left_foot"),
            Style(label="walk", joints=("uper",)),
            LookAt(yaw=0.1, weight=2),
        ),
    )
    found = {problem.where: problem for problem in problems(model, request)}
    assert list(found) == [
        (),
        ("options", "eagerness"),
        ("options", "shortest"),
        ("options",),
        ("ground",),
        ("parameters",),
        ("constraints", 1),
        ("constraints", 2, "joints"),
        ("constraints", 3),
    ]
    assert "cuts has no natural end" in str(found[()])
    assert str(found["constraints", 1]) == (
        "constraints[1]: plant: cuts cannot honour plant (hard); "
        "it honours root_at (hard), pose_at (hard), style (hard or soft), pace (hard or soft)"
    )
    assert str(found["constraints", 2, "joints"]).startswith("constraints[2]: style.joints: no joint 'uper'")
    with pytest.raises(BadRequest, match="9 problems:") as caught:
        check_request(model, request)
    assert [p.where for p in caught.value.problems] == list(found)


def test_a_length_above_the_limits_does_not_hide_other_problems(model):
    request = Request(
        seconds=1e9, options={"eagerness": 3}, constraints=(RootAt(time=5, heading=0.0), Plant(joint="x"))
    )
    assert [p.where for p in problems(model, request)] == [("seconds",), ("options", "eagerness"), ("constraints", 1)]


def test_times_outside_the_result_and_reasons_of_the_model_have_their_path(model):
    request = Request(
        seconds=2, constraints=(RootAt(time=1, heading=0.0), RootAt(time=3, heading=0.0), Style(label="walk"))
    )
    later, outside = problems(model, request)
    assert isinstance(later, UnsupportedConstraint)
    assert later.where == ("constraints", 0)
    assert outside.where == ("constraints", 1, "time")
    assert str(outside).startswith("constraints[1]: root_at.time: expected a time in the result, which lasts 2 s")


def test_joints_are_checked_even_where_the_length_is_not_known(model):
    request = Request(constraints=(PoseAt(time=0, rotations={"hed": Euler("xyz", (0, 0, 0))}),))
    assert [p.where for p in problems(model, request)] == [(), ("constraints", 0, "rotations")]


def test_a_pose_of_another_body_is_a_problem_of_the_pose(model):
    dog = make("dog_walk", seconds=1)
    request = Request(seconds=2, constraints=(PoseAt(time=0, pose=dog[3:4]),))
    (problem,) = problems(model, request)
    assert problem.where == ("constraints", 0, "pose")
    assert "differ in skeleton" in str(problem)


def test_a_read_request_shows_the_number_of_the_constraint(model):
    request = Request.from_yaml(
        "{seconds: 2, constraints: [style: {label: walk}, position_at: {joint: head, time: 9, target: [0, 0, 0]}]}"
    )
    assert isinstance(request.constraints[1], PositionAt)
    with pytest.raises(UnsupportedConstraint, match=r"^constraints\[1\]: position_at: cuts cannot honour position_at"):
        check_request(model, request)


def test_hard_poses_that_contradict_each_other_are_a_problem(model):
    low = make("walk", seconds=1)[:1]
    rotations = low.rotations.copy()
    arm = low.skeleton.joint("left_upper_arm")
    rotations[0, arm] = multiply(rotations[0, arm], from_euler((0.0, 0.0, np.radians(120)), "xyz"))
    near = (PoseAt(time=1.0, pose=replace(low, rotations=rotations)), PoseAt(time=1.0 + 1 / 30, pose=low))
    (found,) = problems(model, Request(seconds=2, constraints=near))
    assert found.where == ("constraints", 1)
    assert "contradicts pose_at" in str(found)
    assert "would turn by 120 degrees in 0.03 s" in str(found)
    later = (near[0], PoseAt(time=1.5, pose=low))
    softer = (near[0], PoseAt(time=1.0 + 1 / 30, pose=low, weight=1.0))
    assert not problems(model, Request(seconds=2, constraints=later))
    assert not any("contradicts" in str(p) for p in problems(model, Request(seconds=2, constraints=softer)))
