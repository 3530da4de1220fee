"""A clip's joints over a span: what is fixed, what is checked, and how the solver keeps it."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import GivenClip, PoseAlong, Request, Style, solve
from motionloom.core import BadRequest, Clip
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import placed
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk():
    return resample(make("walk", seconds=3, seed=1), 30.0)


@pytest.fixture(scope="module")
def other():
    return resample(make("walk", seconds=3, seed=2, speed=1.0), 30.0)


def test_a_clip_meets_its_own_joints_wherever_it_stands_and_faces(walk):
    asked = PoseAlong(clip=walk[20:50], span=("20f", "50f"))
    assert asked.worst(placed(walk, (3, 4), 1.0)) < 1e-9
    shifted = PoseAlong(clip=walk[25:55], span=("20f", "50f"))
    assert shifted.worst(walk) > 0.05


def test_a_clip_of_another_rate_is_resampled_and_a_short_one_refused(walk):
    fast = resample(walk, 60.0)
    assert PoseAlong(clip=fast, span=(0, 1), joints=("lower",)).worst(walk) < 0.05
    with pytest.raises(BadRequest, match="the span has 60 frames, and the clip 30 at 30 fps"):
        PoseAlong(clip=walk[:30], span=(0, 2)).fits(walk.skeleton, 90, 30.0)


def test_a_t_pose_in_frame_0_of_a_file_is_left_out(walk):
    still = walk.rotations[:1].copy()
    still[...] = (1.0, 0.0, 0.0, 0.0)
    turns = np.concatenate([still, walk.rotations])
    capture = Clip(walk.skeleton, np.concatenate([walk.root[:1], walk.root]), turns, walk.fps)
    asked = PoseAlong(clip="capture.bvh", span=(0, 2)).resolved(lambda name: capture)
    assert asked.worst(walk) < 1e-9


def test_the_solver_sets_joints_over_the_span_and_fades_around_it(walk, other):
    asked = PoseAlong(clip=other[:30], span=("30f", "60f"), joints=("left_arm",), tolerance=1e-9)
    bent = solve(walk, [asked])
    arm = asked.chosen(walk.skeleton)
    assert np.array_equal(bent.rotations[30:60, arm], other.rotations[:30, arm])
    assert np.array_equal(bent.rotations[:15], walk.rotations[:15])
    legs = [walk.skeleton.joint("left_foot"), 0]
    np.testing.assert_allclose(bent.rotations[:, legs], walk.rotations[:, legs], atol=1e-12)


def test_it_is_read_from_a_request_and_written_back(walk):
    text = "seconds: 3\nconstraints:\n- pose_along: {clip: legs.bvh, span: [0, 2], joints: [lower], weight: 2}\n"
    asked = Request.from_yaml(text)
    assert asked.constraints[0] == PoseAlong(clip="legs.bvh", span=(0, 2), joints=("lower",), weight=2.0)
    assert Request.from_yaml(asked.to_yaml()) == asked
    loaded = asked.resolved(lambda path: walk)
    assert isinstance(loaded.constraints[0].clip, GivenClip)
    assert "clip: legs.bvh" in loaded.to_yaml()


def test_a_style_may_matter_more_for_some_joints_than_for_others(walk):
    text = "seconds: 3\nconstraints:\n- style: {label: walk, joints: {upper: 0.5, head: 2}}\n"
    asked = Request.from_yaml(text)
    style = asked.constraints[0]
    assert style == Style(label="walk", joints={"upper": 0.5, "head": 2})
    assert Request.from_yaml(asked.to_yaml()) == asked
    own = style.influence(walk.skeleton)
    at = walk.skeleton.joint
    assert [own[at(n)] for n in ("head", "left_hand", "left_foot")] == [2.0, 0.5, 0.0]
    assert Style(label="walk").influence(walk.skeleton).tolist() == [1.0] * len(walk.skeleton)
    with pytest.raises(BadRequest, match="expected a number of 0 or more, found -1"):
        Style(label="walk", joints={"head": -1})
