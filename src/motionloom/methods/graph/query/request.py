"""A request as the search of a motion graph takes it: length, goal on the ground, and allowed frames."""

from __future__ import annotations

from typing import NamedTuple

from motionloom.constraints import Avoid, Constraint, Request, Start
from motionloom.core import Progress
from motionloom.kinematics.body_reach import body_reach
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.query.allowed_frames import (
    FrameSchedule,
    LatestTime,
    check_latest_time,
    frame_schedule,
    has_timed_places,
    latest_time,
)
from motionloom.methods.graph.query.goal import GroundGoal, ground_goal
from motionloom.methods.graph.search.moves import GroundMoves
from motionloom.methods.graph.search.variation import Variation


class GraphQuery(NamedTuple):
    """A request as a search takes it."""

    frames: int | None  # length of the result; None: as long as the route
    constraints: list[Constraint]
    latest: LatestTime
    start: Start
    goal: GroundGoal | None  # None: a random walk
    schedule: FrameSchedule
    variation: Variation | None = None  # what chance changes in the search


def read_request(
    graph: Graph,
    moves: GroundMoves,
    request: Request,
    fps: float,
    pace: float,
    progress: Progress | None = None,
    *,
    timed: bool = True,
) -> GraphQuery:
    """The query of a request; `BadRequest` for times far beyond the end of a path that has no `seconds`.

    If not `timed`, a path is followed at the pace of the clips even where the request has a length.
    """
    frames = request.length(fps)
    constraints = [c for c in request.all_constraints if c.hard or c.weight]
    latest = latest_time(constraints, fps)
    if frames is None and has_timed_places(constraints, fps):
        frames = latest.frames
    start = request.beginning(frames or latest.frames, fps)
    has_obstacles = any(isinstance(c, Avoid) for c in constraints)
    reach = body_reach(graph.clips) if has_obstacles else 0.0
    goal = ground_goal(constraints, start, frames if timed else None, fps, pace, reach)
    if frames is None and goal is not None and goal.path is not None:
        check_latest_time(latest, goal, pace, fps)
    most = frames or max(latest.frames, goal.frames if goal else 1)
    schedule = frame_schedule(graph, moves, constraints, most, frames is not None, progress)
    return GraphQuery(frames, constraints, latest, start, goal, schedule)
