"""Reaching a place by a deadline: a second, timed search where the first one arrives too late."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from motionloom.constraints import Constraint, Reach, Start
from motionloom.methods.graph.query.goal import GroundGoal, goal_with_deadline
from motionloom.methods.graph.search.result import SearchResult

MIN_BUDGET = 1000  # states that the second search may expand, whatever the first one used


def search_by_deadline(
    found: SearchResult,
    goal: GroundGoal,
    constraints: Sequence[Constraint],
    start: Start,
    fps: float,
    search: Callable[[GroundGoal, int], SearchResult],
    budget: int,
) -> SearchResult:
    """The first result, or that of a timed search if the first arrives too late at the only place to reach.

    The first search compares candidates at equal distance, whenever they get there, so slow ones may crowd out fast
    ones. The second (goal, budget) compares them at equal times, with the rest of the budget. The result that gets
    farther is returned.
    """
    even = None if found.arrived else goal_with_deadline(goal, constraints, start, fps)
    if even is None:
        return found
    again = search(even, max(MIN_BUDGET, budget - found.expanded))
    room = max(c.tolerance for c in constraints if isinstance(c, Reach))
    better = again if again.along > found.along else found
    return better._replace(
        arrived=better.along >= goal.line.length - room,
        expanded=found.expanded + again.expanded,
        spent=found.spent or again.spent,
    )
