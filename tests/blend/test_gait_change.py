"""Changes of gait: blends of a second in which both clips stay in step, and graphs that need them."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.blend.gait_change import gait_change, step_rate, window_frames
from motionloom.blend.transition_point import Point
from motionloom.constraints import Request
from motionloom.core import BadRequest, Clip
from motionloom.kinematics.pace import step_speed
from motionloom.methods.graph.build.bridges import _bridge, _Near, build_bridges
from motionloom.methods.learning import learn
from motionloom.methods.synthesis import attempt
from motionloom.rotation import angle_between
from motionloom.samples import make


@pytest.fixture(scope="module")
def walks() -> list[Clip]:
    return [make("walk", seed=k, speed=1.3, seconds=4.0, fps=30.0) for k in (1, 2)]


@pytest.fixture(scope="module")
def runs() -> list[Clip]:
    return [make("run", seed=k, speed=3.0, seconds=4.0, fps=30.0) for k in (3, 4)]


def test_the_step_rate_is_that_of_the_sample(walks, runs):
    assert 1.5 < step_rate(walks[0]) < 2.2
    assert 2.3 < step_rate(runs[0]) < 3.4
    assert np.isnan(step_rate(walks[0][:5]))


def test_both_clips_advance_through_the_same_part_of_a_stride(walks, runs):
    """The window plays the same number of steps of both clips, so feet that are in step at the point stay in step."""
    at_a, at_b = window_frames(walks[0], runs[0], Point(60, 60, 0.0), 1.0)
    steps_a = (at_a - at_a[0]) / 30 * step_rate(walks[0])
    steps_b = (at_b - at_b[0]) / 30 * step_rate(runs[0])
    assert np.abs(steps_a - steps_b).max() < 1e-9
    assert at_a[0] == round(at_a[0])
    assert at_b[-1] == round(at_b[-1])
    assert np.diff(at_a)[0] == pytest.approx(1.0, abs=0.02)  # at the clip's own rate where it is left,
    assert np.diff(at_b)[-1] == pytest.approx(1.0, abs=0.02)  # and where it is entered


def test_the_speed_changes_from_one_gait_to_the_other_without_a_stall(walks, runs):
    (bridge, *_), ((one, other), *_) = build_bridges([walks[0], runs[0]], 0.05)
    assert (one, other) == ("walk", "run")
    speed = step_speed(bridge)
    assert speed[0] == pytest.approx(1.3, abs=0.15)
    assert speed[-1] == pytest.approx(3.0, abs=0.3)
    assert np.diff(speed[::3]).min() > -0.12  # rises all the time, but for the sway of a stride
    steps = np.degrees(angle_between(bridge.rotations[1:], bridge.rotations[:-1]))
    own = max(np.degrees(angle_between(c.rotations[1:], c.rotations[:-1])).max() for c in (walks[0], runs[0]))
    assert steps.max() < 1.1 * own
    assert np.abs(bridge.origin.weights.sum(2) - 1).max() < 1e-9


def test_a_change_that_does_not_fit_is_refused(walks, runs):
    with pytest.raises(BadRequest, match="does not fit"):
        gait_change(walks[0], runs[0], Point(5, 60, 0.0))


def test_labels_within_the_limit_or_with_a_limit_of_their_own_get_no_bridge(walks, runs):
    assert build_bridges(walks, 0.08).clips == ()  # one label
    assert build_bridges([walks[0], runs[0]], 0.5).clips == ()
    assert build_bridges([walks[0], runs[0]], 0.05, given={("walk", "run"): 0.14}).clips == ()


def test_a_graph_joins_walks_and_runs_that_are_too_far_apart_for_its_transitions(walks, runs):
    request = Request.from_yaml(
        "{seconds: 6, constraints: [{style: {label: walk, span: [0, 2]}}, {style: {label: run, span: [4, 6]}}]}"
    )
    alone = attempt(learn("motion-graph", [*walks, *runs], {"bridges": False}), request)
    assert not alone.met
    joined = attempt(learn("motion-graph", [*walks, *runs]), request)
    assert joined.met
    assert joined.clip is not None
    assert np.diff(step_speed(joined.clip)[::6]).min() > -0.4


def test_a_bridge_has_the_step_rate_of_whole_clips():
    """The beginning of a clip that starts from standing has too few steps to have a rate."""
    run, start = make("run", seconds=4, fps=30), make("start", fps=30)
    bridge = _bridge(_Near(run, start, Point(14, 21, 0.1)))
    assert np.isnan(step_rate(start[:67]))
    assert bridge.seconds > 1.0


def test_a_change_of_gait_may_begin_in_the_first_frame():
    run, walk = make("run", seconds=4, fps=30), make("walk", seconds=4, fps=30)
    first = next(k for k in range(60) if window_frames(run, walk, Point(k, 60, 0.0), 1.0)[0][0] >= 0)
    assert int(window_frames(run, walk, Point(first, 60, 0.0), 1.0)[0][0]) == 0
    assert len(gait_change(run, walk, Point(first, 60, 0.0), 1.0)) > 30
