"""A path in more or less time than the clips take: the body walks forwards, and unnatural requests are reported."""

from __future__ import annotations

import math

import numpy as np
import pytest

from motionloom.constraints import Request, RootPath
from motionloom.kinematics.travel import steady_travel, travel
from motionloom.methods import attempt, learn
from motionloom.methods.graph import path_model
from motionloom.methods.graph.pace_change import PaceChange, nearest_requests
from motionloom.methods.graph.query.facing import clip_facing, facing_angles, walks_sideways
from motionloom.samples import make

AHEAD = RootPath(points=((0.0, 0.0), (0.0, 4.0)))


@pytest.fixture(scope="module")
def model():
    """A walk straight ahead at 1.2 m/s, and slow ones that turn: only turns are slow."""
    turns = [make("walk", seconds=5, speed=0.7, turn=turn, seed=2, fps=30) for turn in (math.radians(50), -0.87)]
    clips = [make("walk", seconds=5, speed=1.2, seed=1, fps=30), *turns]
    return learn("motion-graph", clips, {"limit": 0.15})


def in_seconds(model, seconds):
    return attempt(model, Request(seconds=seconds, constraints=(AHEAD,)))


@pytest.mark.parametrize("seconds", [2.6, 6.0])
def test_a_slow_or_fast_path_is_walked_forwards_with_scaled_strides(model, seconds, monkeypatch):
    found = in_seconds(model, seconds)
    assert found.met
    assert found.clip.seconds == pytest.approx(seconds, abs=0.04)
    assert not walks_sideways(travel(found.clip), model.graph.clips)
    assert found.plan.pace_change is not None
    shorter = "shorter" if seconds > 4 else "longer"
    assert any(f"times {shorter}" in note.text for note in found.clip.origin.notes)
    place, steady = travel(found.clip).place, steady_travel(found.clip).place
    assert np.abs(place - steady).max() > 0.005  # the hips sway
    monkeypatch.setattr(path_model, "PACE_FACTORS", ())
    without = in_seconds(model, seconds)
    assert not without.met or walks_sideways(travel(without.clip), model.graph.clips)


def test_a_pace_that_the_clips_show_is_not_scaled(model):
    found = in_seconds(model, 3.3)
    assert found.met
    assert found.plan.pace_change is None


def test_a_path_that_no_scaling_reaches_is_reported_with_the_nearest_request(model):
    found = in_seconds(model, 9.0)
    assert not found.met
    assert "the nearest requests" in found.reason


def test_other_constraints_keep_their_times(model):
    keyed = Request.from_yaml(
        "{seconds: 6, constraints: [{root_path: {points: [[0, 0], [0, 4]]}}, {root_at: {time: 3, position: [0, 2]}}]}"
    )
    assert attempt(model, keyed).plan.pace_change is None


def test_a_change_of_pace_scales_travel_and_time_about_the_start(model):
    walk = model.graph.clips[0][:61]
    slow = PaceChange(1.2, 73).apply(walk)
    assert len(slow) == 73
    np.testing.assert_allclose(slow.root[0], walk.root[0], atol=1e-12)
    np.testing.assert_allclose(
        slow.root[-1, [0, 2]] - slow.root[0, [0, 2]], (walk.root[-1] - walk.root[0])[[0, 2]] / 1.2
    )
    np.testing.assert_allclose(slow.rotations[-1], walk.rotations[-1], atol=1e-12)
    np.testing.assert_allclose(slow.root[-1, 1], walk.root[-1, 1])


def test_the_nearest_requests_are_within_the_factors():
    text = nearest_requests(4.0, 8.0, 1.0)
    assert "`seconds: 5.8`, or a path of 5.6 m" in text
    assert "`seconds: 2.8`, or a path of 2.9 m" in nearest_requests(4.0, 2.0, 1.0)


def test_a_body_that_backs_up_in_the_clips_may_do_so():
    back = make("walk", seconds=4, speed=1.0, fps=30)
    back = back[::-1]
    assert np.degrees(facing_angles(travel(back), 30).mean()) > 150
    assert not walks_sideways(travel(back), [back])
    assert np.degrees(clip_facing([back]).mean()) > 150


def test_a_soft_path_is_walked_nearer_to_its_pace(model, monkeypatch):
    soft = RootPath(points=AHEAD.points, weight=1.0)
    found = attempt(model, Request(seconds=6.0, constraints=(soft,)))
    assert found.met
    monkeypatch.setattr(path_model, "PACE_FACTORS", ())
    assert soft.worst(found.clip) < 0.6 * soft.worst(attempt(model, Request(seconds=6.0, constraints=(soft,))).clip)
