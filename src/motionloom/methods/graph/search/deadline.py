"""A place that must be reached by a time: where a search that only minds the way is too late, one by the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from motionloom.constraints import Constraint, Reach, Start
from motionloom.methods.graph.query.goal import Goal, in_time
from motionloom.methods.graph.search.path_search import Found

LEAST = 1000  # frames that the second search may look at, however much the first one spent


def hurried(
    found: Found,
    goal: Goal,
    wishes: Sequence[Constraint],
    begin: Start,
    fps: float,
    search: Callable[[Goal, int], Found],
    budget: int,
) -> Found:
    """What was found, or where it came too late to the only place to reach, what a search by the clock finds.

    Bodies that have come equally far are compared whenever they got there, so slow ones may crowd out the fast. The
    second search (goal, budget) compares them at equal times, with what the first left of the budget. The one that gets
    farther counts.
    """
    even = None if found.arrived else in_time(goal, wishes, begin, fps)
    if even is None:
        return found
    again = search(even, max(LEAST, budget - found.looked))
    room = max(c.tolerance for c in wishes if isinstance(c, Reach))
    better = again if again.along > found.along else found
    return better._replace(
        arrived=better.along >= goal.line.length - room,
        looked=found.looked + again.looked,
        spent=found.spent or again.spent,
    )
