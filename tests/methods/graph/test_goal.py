"""From a request to a line, times, places and circles."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Avoid, Reach, RootAt, RootPath, Start, Style
from motionloom.core import BadRequest
from motionloom.methods.graph.query.detours import around_circles, smooth_curve
from motionloom.methods.graph.query.goal import GUIDE_WEIGHT, goal_with_deadline, ground_goal
from motionloom.methods.graph.query.polyline import line_through

BEGIN = Start()


def test_points_of_a_line_are_evenly_spaced_along_it():
    line = line_through([[0, 0], [0, 1], [1, 1], [1, 3]])
    assert line.length == pytest.approx(4.0)
    np.testing.assert_allclose(line.at(1.5), [0.5, 1.0], atol=1e-9)
    np.testing.assert_allclose(line.at(9.0), [1, 3])
    np.testing.assert_allclose(line.heading[[10, 75, 150]], [0, np.pi / 2, 0], atol=1e-9)


def test_a_path_without_length_is_refused():
    with pytest.raises(BadRequest, match=r"longer than 0\.02 m"):
        line_through([[1, 1], [1, 1]])


def test_a_curve_leaves_and_arrives_as_it_should():
    points = smooth_curve(np.zeros(2), 0.0, np.array([2.0, 2.0]), np.pi / 2)
    first, last = points[1] - points[0], points[-1] - points[-2]
    assert abs(np.arctan2(*first)) < 0.1
    assert abs(np.arctan2(*last) - np.pi / 2) < 0.1
    np.testing.assert_allclose(points[-1], [2, 2])


def test_a_line_is_led_around_a_circle():
    straight = np.stack([np.zeros(41), np.linspace(0, 4, 41)], 1)
    bent = around_circles(straight, np.array([[0.1, 2.0, 0.5]]))
    assert np.linalg.norm(bent - [0.1, 2.0], axis=1).min() >= 0.5
    np.testing.assert_allclose(bent[[0, -1]], straight[[0, -1]])


def test_what_asks_for_no_way_has_no_goal():
    assert ground_goal([Style(label="walk"), RootAt(time=0, heading=1.0)], BEGIN, 60, 30.0, 1.0) is None
    assert ground_goal([RootAt(time=1, height=0.9)], BEGIN, 60, 30.0, 1.0) is None
    assert ground_goal([Avoid(center=(1, 1), radius=0.3)], BEGIN, 60, 30.0, 1.0) is None


def test_a_path_has_no_times_unless_a_length_is_asked_for():
    path = RootPath(points=((0, 0), (0, 4)), weight=0.5)
    free = ground_goal([path], BEGIN, None, 30.0, 1.0)
    assert not free.timed
    assert not len(free.due)
    assert set(free.weight) == {0.5}
    paced = ground_goal([path], BEGIN, 121, 30.0, 1.0)
    assert paced.timed
    assert paced.due[60] == pytest.approx(2.0)
    exact = ground_goal([RootPath(points=((0, 0), (0, 1), (0, 4)), times=(0, 1, 2))], BEGIN, 121, 30.0, 1.0)
    assert exact.frames == 61
    assert exact.due[45] == pytest.approx(2.5)
    assert exact.pace_weight > paced.pace_weight


def test_a_path_that_begins_elsewhere_is_walked_to():
    goal = ground_goal([RootPath(points=((2, 2), (2, 5)), weight=1.0)], BEGIN, None, 30.0, 1.0)
    assert goal.first > np.hypot(2, 2)
    assert goal.line.length == pytest.approx(goal.first + 3)
    assert goal.weight[5] == GUIDE_WEIGHT
    assert goal.weight[-5] == 1.0


def test_places_at_times_become_keys_in_their_order():
    wishes = [RootAt(time=2, heading=1.0), RootAt(time=1, position=(1, 1), weight=0.5)]
    goal = ground_goal(wishes, BEGIN, 90, 30.0, 1.0)
    assert goal.timed
    assert goal.frames == 61
    assert set(np.flatnonzero(goal.keys.any(1))) == {30, 60}
    assert goal.keys[30, 3] == pytest.approx(0.5 * goal.keys[60, 4])
    assert goal.keys[60, 3] == 0


def test_one_place_to_reach_is_gone_to_at_any_pace():
    goal = ground_goal([Reach(position=(0, 3), by=2)], BEGIN, 90, 30.0, 1.0)
    assert not goal.timed
    assert goal.frames == 61
    assert goal.weight[-1] == pytest.approx(1.0)
    assert goal.weight[0] == pytest.approx(GUIDE_WEIGHT)


def test_the_time_to_reach_a_place_by_counts_without_a_length_too():
    natural = ground_goal([Reach(position=(0, 3))], BEGIN, None, 30.0, 1.0).frames
    assert natural == 12 * 30 + 4 * 30  # 3 m at a quarter of 1 m/s, and 4 s
    assert ground_goal([Reach(position=(0, 3), by=2)], BEGIN, None, 30.0, 1.0).frames == 61
    assert ground_goal([Reach(position=(0, 3), by="60f")], BEGIN, None, 30.0, 1.0).frames == 61
    assert ground_goal([Reach(position=(0, 3), by="end-1")], BEGIN, None, 30.0, 1.0).frames == natural
    assert ground_goal([Reach(position=(0, 3), by=600)], BEGIN, None, 30.0, 1.0).frames == natural
    path = RootPath(points=((0, 0), (0, 3)), weight=1.0)
    assert ground_goal([path, Reach(position=(0, 3), by=2)], BEGIN, None, 30.0, 1.0).frames == 61
    assert ground_goal([path, Reach(position=(0, 3), by=2, weight=1.0)], BEGIN, None, 30.0, 1.0).frames == natural


def test_a_place_that_is_late_becomes_one_that_is_due_evenly():
    wish = Reach(position=(0, 6), by=4)
    goal = ground_goal([wish], BEGIN, None, 30.0, 1.0)
    even = goal_with_deadline(goal, [wish], BEGIN, 30.0)
    assert even.timed
    assert even.frames == goal.frames == 121
    np.testing.assert_allclose(even.due[[0, 60, 120]], [0, 3, 6], atol=1e-9)
    assert set(np.flatnonzero(even.keys.any(1))) == {120}
    assert goal_with_deadline(even, [wish], BEGIN, 30.0) is None


def test_wishes_that_cannot_be_understood_are_refused():
    path = RootPath(points=((0, 0), (0, 4)))
    with pytest.raises(BadRequest, match="expected one root_path, found 2"):
        ground_goal([path, path], BEGIN, None, 30.0, 1.0)
    with pytest.raises(BadRequest, match="give seconds"):
        ground_goal([RootPath(points=((0, 0), (0, 4)), times=(0, 3))], BEGIN, None, 30.0, 1.0)
    with pytest.raises(BadRequest, match="give seconds"):
        ground_goal([path, RootAt(time=1, position=(0, 1))], BEGIN, None, 30.0, 1.0)
