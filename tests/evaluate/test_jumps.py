"""Jumps inside transitions: found where they are, and told as a share of what the source does."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, Origin, Source, replace
from motionloom.evaluate.measures.jumps import joint_steps, transition_jumps
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.rotation import from_axis_angle


def bending(arm, angles) -> Clip:
    """The middle joint bends to these angles, degrees; the others stay."""
    rotations = np.zeros((len(angles), 3, 4))
    rotations[..., 0] = 1
    rotations[:, 1] = from_axis_angle([1.0, 0, 0], np.radians(angles))
    return Clip(arm, np.zeros((len(angles), 3)), rotations, 30.0)


def blended(clip: Clip, first: int, stop: int) -> Clip:
    frames = np.arange(len(clip))
    frames[first:stop] = -1
    return replace(clip, origin=Origin(sources=(Source("a"),), which=np.zeros(len(clip), int), frames=frames))


def test_steps_are_angles_of_each_joint(arm):
    np.testing.assert_allclose(np.degrees(joint_steps(bending(arm, [0.0, 3, 10, 5])))[:, 1], [3, 7, 5])


def test_a_jump_is_a_share_of_the_largest_turn_in_the_source(arm):
    source = bending(arm, np.cumsum([0.0, 2, 8, 4, 2]))
    found = transition_jumps(blended(bending(arm, [0.0, 1, 2, 18, 19, 20]), 2, 4), [source])
    assert found.largest == found.own_largest == pytest.approx(16 / 8)
    assert (found.joint, found.frame) == ("Mid", 3)


def test_a_joint_is_also_held_against_its_own_largest_turn(arm):
    """The middle joint turns by 8 degrees at most, the top one by 40: one of 16 is much for the first only."""
    source = bending(arm, np.cumsum([0.0, 2, 8, 4, 2]))
    rotations = source.rotations.copy()
    rotations[:, 2] = from_axis_angle([1.0, 0, 0], np.radians([0.0, 40, 0, 0, 0]))
    found = transition_jumps(
        blended(bending(arm, [0.0, 1, 2, 18, 19, 20]), 2, 4), [replace(source, rotations=rotations)]
    )
    assert found.largest == pytest.approx(16 / 40)
    assert found.own_largest == pytest.approx(16 / 8)
    assert found.rare == 0
    assert found.own_rare == pytest.approx(1 / 9)  # one of three steps, one of three joints


def test_jumps_outside_transitions_do_not_count(arm):
    source = bending(arm, np.cumsum([0.0, 2, 8, 4, 2]))
    result = blended(bending(arm, [0.0, 40, 42, 43, 44, 44]), 3, 4)
    assert transition_jumps(result, [source]).largest == pytest.approx(1 / 8)


def test_steps_into_and_out_of_a_transition_count(arm):
    source = bending(arm, np.cumsum([0.0, 2, 8, 4, 2]))
    for angles in ([0.0, 8, 8, 8], [0.0, 0, 8, 8]):
        assert transition_jumps(blended(bending(arm, angles), 1, 2), [source]).largest == pytest.approx(1)


def test_a_clip_against_itself_is_rare_once_in_a_thousand(arm):
    rng = np.random.default_rng(0)
    clip = bending(arm, np.cumsum(rng.normal(size=6001)))
    found = transition_jumps(clip, [clip], np.ones(len(clip), bool))
    assert found.largest == pytest.approx(1)
    assert found.rare == pytest.approx(0.001, rel=0.2)
    assert found.own_rare == pytest.approx(0.001 / 3, rel=0.2)  # one of three joints moves


def test_without_transitions_there_is_no_answer(arm):
    clip = bending(arm, [0.0, 1, 2])
    with pytest.raises(NotApplicable, match="origin of the frames is unknown"):
        transition_jumps(clip, [clip])
    with pytest.raises(NotApplicable, match="no frame is inside a transition"):
        transition_jumps(blended(clip, 0, 0), [clip])
