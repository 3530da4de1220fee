"""A place that must be reached by a time is searched for by the clock where minding only the way is too late."""

from __future__ import annotations

import pytest

from motionloom.constraints import Reach, Start
from motionloom.methods.graph.graph import Route
from motionloom.methods.graph.query.goal import ground_goal
from motionloom.methods.graph.search.deadline import MIN_BUDGET, search_by_deadline
from motionloom.methods.graph.search.result import SearchResult

WISH = Reach(position=(0, 6), by=4)
GOAL = ground_goal([WISH], Start(), None, 30.0, 1.0)


def found(along: float, *, arrived: bool = False, expanded: int = 700, spent: bool = False) -> SearchResult:
    return SearchResult(Route(0, (), 121), arrived, along, 1.0, expanded, spent)


def asked(
    first: SearchResult, second: SearchResult, budget: int = 10_000
) -> tuple[SearchResult, list[tuple[bool, int]]]:
    calls = []

    def search(goal, allowed):
        calls.append((goal.timed, allowed))
        return second

    return search_by_deadline(first, GOAL, [WISH], Start(), 30.0, search, budget), calls


def test_a_place_that_is_reached_is_not_searched_for_again():
    out, calls = asked(found(6.0, arrived=True), found(5.0))
    assert out == found(6.0, arrived=True)
    assert calls == []


def test_a_second_search_by_the_clock_has_what_is_left_of_the_budget():
    out, calls = asked(found(3.0), found(5.9, arrived=True))
    assert calls == [(True, 9300)]
    assert out.along == pytest.approx(5.9)
    assert out.arrived
    assert out.expanded == 1400
    assert asked(found(3.0, expanded=9_999), found(5.9))[1] == [(True, MIN_BUDGET)]


def test_one_that_gets_no_farther_does_not_count():
    out, _ = asked(found(3.0, spent=True), found(2.0, arrived=True))
    assert out.along == pytest.approx(3.0)
    assert not out.arrived
    assert out.spent


def test_one_that_gets_farther_but_not_there_has_not_arrived():
    assert not asked(found(3.0), found(5.0, arrived=True))[0].arrived
