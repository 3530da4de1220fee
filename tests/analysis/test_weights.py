"""Joint weights: the two published sets, by role, and one's own."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis.weights import SETS, by_role, joint_weights
from motionloom.core import BadRequest, Skeleton, UnknownJoint


def test_lees_set_is_one_for_the_joints_that_show_and_zero_elsewhere(body):
    w = joint_weights(body, "lee")
    assert dict(zip(body.roles, w, strict=True)) == {role: float(role != "head") for role in body.roles}


def test_wang_and_bodenheimers_set_has_the_numbers_of_table_2_1(body):
    w = dict(zip(body.roles, joint_weights(body, "wang-bodenheimer"), strict=True))
    for side in ("left", "right"):
        assert (w[f"{side}_thigh"], w[f"{side}_shin"]) == (1.0, 0.0901)
        assert (w[f"{side}_upper_arm"], w[f"{side}_forearm"]) == (0.7884, 0.0247)
    assert w["hips"] == w["spine"] == w["head"] == 0.0


def test_a_table_takes_roles_groups_and_names_and_later_lines_win(body):
    w = by_role(body, {"all": 0.1, "left_arm": 2.0, "LeftElbow": 3.0})
    assert (w[body.joint("left_upper_arm")], w[body.joint("left_forearm")], w[0]) == (2.0, 3.0, 0.1)


def test_ones_own_numbers_are_taken_as_they_are(body):
    np.testing.assert_array_equal(joint_weights(body, np.arange(11.0)), np.arange(11.0))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("li", "expected one of uniform, lee, wang-bodenheimer, found 'li'"),
        ([1.0, 2.0], "expected 11 numbers, one per joint"),
        ([-1.0] + [1.0] * 10, "found -1.0 at joint 0"),
        ([np.nan] + [1.0] * 10, "found nan at joint 0"),
        ([0.0] * 11, "all are zero"),
    ],
)
def test_weights_that_make_no_sense_are_refused(body, given, said):
    with pytest.raises(BadRequest, match=said):
        joint_weights(body, given)


def test_an_unknown_joint_is_named(body):
    with pytest.raises(UnknownJoint, match="left_tentacle"):
        joint_weights(body, {"left_tentacle": 1.0})


def test_published_sets_need_roles():
    bare = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)))
    for name in set(SETS) - {"uniform"}:
        with pytest.raises(BadRequest, match="need roles"):
            joint_weights(bare, name)
    assert joint_weights(bare, "uniform").tolist() == [1.0, 1.0]
