"""Live graph characters: the values by which they choose, and what they do with them."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
import pytest

from motionloom.control import run
from motionloom.core import NoPath, with_labels
from motionloom.core.poses import commands
from motionloom.methods import learn
from motionloom.methods.graph._kernels_live import improve
from motionloom.methods.graph.graph import Graph, Transitions
from motionloom.methods.graph.live import graph_live
from motionloom.samples import make


def values_slow(cost, goes_on, leave, enter, penalty, blend, discount):
    """V(n) = min over the next frame and over transitions, repeated until nothing changes."""
    value = np.zeros_like(cost)
    weight = 0.5 * (1 - discount**blend) / (1 - discount)
    for _ in range(3000):
        best = np.full_like(cost, np.inf)
        on = np.flatnonzero(goes_on)
        best[on] = cost[on] + discount * value[on + 1]
        for a, b, p in zip(leave, enter, penalty, strict=True):
            over = p + weight * (cost[a] + cost[b]) + discount**blend * value[b]
            best[a] = np.minimum(best[a], over)
        value = np.where(np.isfinite(best), best, 0.0)
    return value


def test_value_iteration_finds_the_values_of_the_slow_one(rng):
    goes_on = np.ones(12, bool)
    goes_on[[5, 11]] = False
    leave, enter = np.array([3, 5, 8, 11]), np.array([7, 0, 1, 6])
    cost, penalty = rng.random((12, 4)), rng.random(4)
    first_out = np.searchsorted(leave, np.arange(13))
    value, none = np.zeros_like(cost), np.zeros(0)
    for _ in range(500):
        improve(value, cost, none, none, goes_on, first_out, enter, penalty, 3, 0.9)
    np.testing.assert_allclose(value, values_slow(cost, goes_on, leave, enter, penalty, 3, 0.9), atol=1e-9)


def test_bins_of_an_angle_go_round():
    """Two frames in a loop that turns by one bin of four from each to the other."""
    cost, discount = np.array([[0.0, 1.0, 2.0, 1.0]] * 2), 0.5
    value, goes_on = np.zeros((2, 4)), np.array([True, False])
    for _ in range(200):
        improve(value, cost, np.array([1.0, 0.0]), np.array([1.0]), goes_on, np.array([0, 0, 1]), np.array([0]),
                np.array([0.0]), 1, discount)  # fmt: skip
    first, second = np.zeros(4), np.zeros(4)
    for _ in range(200):
        first = cost[0] + discount * np.roll(second, 1)
        second = 0.5 * (cost[0] + np.roll(cost[0], 1)) + discount * np.roll(first, 1)
    np.testing.assert_allclose(value, [first, second], atol=1e-9)


@pytest.fixture(scope="module")
def styles():
    """Walks and jogs, labelled, with ways from one to the other."""
    clips = [make("walk", seed=i, turn=t, seconds=6) for i, t in enumerate((0.0, 0.5, -0.5))]
    other = [with_labels(c, {"march": np.ones(len(c), bool), "walk": np.zeros(len(c), bool)}) for c in clips]
    return learn("motion-graph", [*clips, *other]).live


def test_a_style_is_gone_to_and_kept(styles):
    assert styles.actions == ("march", "walk")
    for action in (0, 1):
        shown = [
            int(styles.status(state).action[0])
            for state, _ in run(styles, styles.begin([4]), commands(action=action), [1 / 30] * 300)
        ]
        assert np.mean(np.array(shown[100:]) == action) > 0.9


def test_a_change_of_heading_shows_within_one_transition(styles):
    """Two seconds after the next transition the body has turned to the commanded side."""
    for turn in (1.5, -1.5):
        state = last(styles, styles.begin([2]), commands(heading=0.0), 240)
        before, over = course(styles, state), False
        given = commands(heading=before + turn)
        while not over or state.over[0] >= 0:  # until a transition has been made
            over |= bool(state.over[0] >= 0)
            state, _ = styles.step(state, given, 1 / 30)
        state = last(styles, state, given, 60)
        turned = (course(styles, state) - before + np.pi) % (2 * np.pi) - np.pi
        assert turned * np.sign(turn) > 0.4


def last(live, state, given, ticks):
    return deque(run(live, state, given, [1 / 30] * ticks), maxlen=1)[0][0]


def course(live, state):
    return float(live.tables.course[state.frame[0]] + state.lay[0, 0])


def test_random_walks_of_different_seeds_part(styles):
    ends = {last(styles, styles.begin([seed]), commands(), 300).lay.tobytes() for seed in range(4)}
    assert len(ends) == 4


def test_a_blend_has_two_sources_and_a_frame_one(styles):
    both = 0
    for state, _ in run(styles, styles.begin([1]), commands(heading=1.0), [1 / 30] * 200):
        found = styles.sources(state)
        both += int((found.which[0, 0] >= 0).all())
        assert math.isclose(found.weights[0, 0].sum(), 1.0)
        assert (found.which[0, 0, 1] >= 0) == (state.shown[0, 0, 1] >= 0)  # the pose shown is that of the tick before
    assert both > 10


def test_between_transitions_the_frames_of_the_clips_are_shown(styles):
    shown = 0
    for state, poses in run(styles, styles.begin([3]), commands(heading=0.5), [1 / 30] * 200):
        if state.over[0] < 0 and state.since[0] > 1:
            here = styles.tables.rotations[state.frame[0] - 1]  # a pose is one tick old
            assert (1 - np.abs((poses.rotations[0, 1:] * here[1:]).sum(-1))).max() < 1e-9
            shown += 1
    assert shown > 50


def test_clips_without_a_loop_are_an_error():
    walk = make("walk", seconds=2)
    none = Transitions(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros((0, 2)))
    with pytest.raises(NoPath, match="do not form a loop"):
        graph_live(Graph((walk,), none, 5))
