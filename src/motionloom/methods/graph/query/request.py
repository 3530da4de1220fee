"""What a request asks of a graph, read once before the search."""

from __future__ import annotations

from typing import NamedTuple

from motionloom.constraints import Constraint, Request, Start
from motionloom.core import Progress
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.query.allowed_frames import Timing, Until, asked_until, check_until, runs_by_time, timing
from motionloom.methods.graph.query.goal import Goal, goal_of
from motionloom.methods.graph.search.moves import Steps


class Wanted(NamedTuple):
    """A request as a search sees it."""

    frames: int | None  # None: as many as the way takes
    wishes: list[Constraint]
    until: Until
    begin: Start
    goal: Goal | None  # None: a walk at random
    when: Timing


def wanted(
    graph: Graph, steps: Steps, request: Request, fps: float, pace: float, progress: Progress | None = None
) -> Wanted:
    """What a request asks for; `BadRequest` for times far beyond the end of a path that has no `seconds`."""
    frames = request.length(fps)
    wishes = [c for c in request.all_constraints if c.hard or c.weight]
    until = asked_until(wishes, fps)
    if frames is None and runs_by_time(wishes, fps):
        frames = until.frames
    begin = request.beginning(frames or until.frames, fps)
    goal = goal_of(wishes, begin, frames, fps, pace)
    if frames is None and goal is not None and goal.path is not None:
        check_until(until, goal, pace, fps)
    most = frames or max(until.frames, goal.frames if goal else 1)
    when = timing(graph, steps, wishes, most, frames is not None, progress)
    return Wanted(frames, wishes, until, begin, goal, when)
