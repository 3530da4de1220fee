"""A place that must be reached by a time is searched for by the clock where minding only the way is too late."""

from __future__ import annotations

import pytest

from motionloom.constraints import Reach, Start
from motionloom.methods.graph.graph import Route
from motionloom.methods.graph.query.goal import goal_of
from motionloom.methods.graph.search.deadline import LEAST, hurried
from motionloom.methods.graph.search.path_search import Found

WISH = Reach(position=(0, 6), by=4)
GOAL = goal_of([WISH], Start(), None, 30.0, 1.0)


def found(along: float, *, arrived: bool = False, looked: int = 700, spent: bool = False) -> Found:
    return Found(Route(0, (), 121), arrived, along, 1.0, looked, spent)


def asked(first: Found, second: Found, budget: int = 10_000) -> tuple[Found, list[tuple[bool, int]]]:
    calls = []

    def search(goal, allowed):
        calls.append((goal.timed, allowed))
        return second

    return hurried(first, GOAL, [WISH], Start(), 30.0, search, budget), calls


def test_a_place_that_is_reached_is_not_searched_for_again():
    out, calls = asked(found(6.0, arrived=True), found(5.0))
    assert out == found(6.0, arrived=True)
    assert calls == []


def test_a_second_search_by_the_clock_has_what_is_left_of_the_budget():
    out, calls = asked(found(3.0), found(5.9, arrived=True))
    assert calls == [(True, 9300)]
    assert out.along == pytest.approx(5.9)
    assert out.arrived
    assert out.looked == 1400
    assert asked(found(3.0, looked=9_999), found(5.9))[1] == [(True, LEAST)]


def test_one_that_gets_no_farther_does_not_count():
    out, _ = asked(found(3.0, spent=True), found(2.0, arrived=True))
    assert out.along == pytest.approx(3.0)
    assert not out.arrived
    assert out.spent


def test_one_that_gets_farther_but_not_there_has_not_arrived():
    assert not asked(found(3.0), found(5.0, arrived=True))[0].arrived
