"""Closed cycles: they repeat exactly, and feet that stand do not move."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core.progress import silent
from motionloom.kinematics.feet.contacts import contact_array, foot_parts, part_positions
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.kinematics.fk import fk
from motionloom.kinematics.loop import Loop, close_loop, repeat
from motionloom.kinematics.travel import placed, travel
from motionloom.methods.space.close_cycles import closed
from motionloom.methods.space.cutting import cut_cycles, steady
from motionloom.rotation import exp, multiply
from motionloom.samples import make


@pytest.fixture(scope="module")
def cycle():
    """A cycle of a walk that slows down and bends its legs, so that its ends differ in place and pose."""
    walk = steady(make("walk", seed=2, turn=0.3, seconds=4, fps=30))
    first = cut_cycles([walk], mirror="none", margin=0.1, progress=silent())[1]
    clip = first.played
    bent = np.array(clip.rotations)
    at = np.linspace(0, 0.15, len(clip))
    for joint in (clip.skeleton.find("left_thigh"), clip.skeleton.find("spine")):
        bent[:, joint] = multiply(bent[:, joint], exp(at[:, None] * [1.0, 0.3, 0.0]))
    return type(clip)(
        clip.skeleton, clip.root, bent, clip.fps, label_names=clip.label_names, labels=clip.labels, origin=clip.origin
    )


def test_the_last_pose_is_the_first_again(cycle):
    clip = closed(cycle)
    path = travel(clip)
    again = placed(clip, path.place[-1], float(path.heading[-1]))
    np.testing.assert_allclose(fk(again)[0], fk(clip)[-1], atol=1e-3)


def slides(clip):
    """Metres that heels and toes move on the ground from frame to frame while they touch, at most."""
    points, on = part_positions(clip)[..., [0, 2]], contact_array(clip)
    both = on[1:] & on[:-1]
    return np.linalg.norm(np.diff(points, axis=0), axis=-1)[both]


def test_feet_stand_as_still_as_in_the_clip_across_the_seam_too(cycle):
    own = slides(repeat(closed(cycle), 2)).mean()
    plain = close_loop(cycle, Loop(0, len(cycle) - 1, 0.0, 1.0, 0.0), seconds=0.3)
    assert len(foot_parts(cycle.skeleton)) == 4
    assert own < 0.6 * slides(repeat(plain, 2)).mean()
    assert own < slides(cycle).mean() + 0.002


@pytest.mark.parametrize("turn", [-1.5, 0.0, 0.4])
def test_toes_that_have_just_left_the_ground_do_not_slide(turn):
    """The end of a cycle lies where one foot lands and the other has just left the ground."""
    walk = make("walk", seed=1, turn=turn, seconds=5, fps=30)
    first = cut_cycles([walk], mirror="none", progress=silent())[0]
    assert skate_b(repeat(first.clip, 3)) < skate_b(walk) + 1.0  # cm/s; by 4 to 6 if the swing began with the contact


def test_a_closed_cycle_stays_as_it_is(cycle):
    once = closed(cycle)
    apart = np.linalg.norm(fk(closed(once)) - fk(once), axis=-1)
    assert apart.mean() < 2e-3  # speeds at both ends are differences to one side, so a little is left to match
