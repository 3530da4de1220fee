"""What a request asks of a graph, read once before the search; and the way that was found, as a clip."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from motionloom.constraints import Constraint, Request, Start
from motionloom.core import Clip, NoPath, Note, replace
from motionloom.kinematics.travel import placed
from motionloom.methods.graph.core import Graph, Route
from motionloom.methods.graph.goal import Goal, goal_of
from motionloom.methods.graph.render import render
from motionloom.methods.graph.report import bent_poses, out_of_reach
from motionloom.methods.graph.steps import Steps
from motionloom.methods.graph.times import Timing, Until, asked_until, check_until, runs_by_time, timing


class Wanted(NamedTuple):
    """A request as a search sees it."""

    frames: int | None  # None: as many as the way takes
    wishes: list[Constraint]
    until: Until
    begin: Start
    goal: Goal | None  # None: a walk at random
    when: Timing


class Plan(NamedTuple):
    """A way through the graph, where it was meant to go, and what is to be said about it."""

    route: Route
    goal: Goal | None
    notes: tuple[Note, ...] = ()
    missing: str = ""  # the hard wish that it cannot keep


def wanted(graph: Graph, steps: Steps, request: Request, fps: float, pace: float) -> Wanted:
    """What a request asks for; `BadRequest` for times far beyond the end of a path that has no `seconds`."""
    frames = request.length(fps)
    wishes = [c for c in request.wishes if c.hard or c.weight]
    until = asked_until(wishes, fps)
    if frames is None and runs_by_time(wishes, fps):
        frames = until.frames
    begin = request.beginning(frames or until.frames, fps)
    goal = goal_of(wishes, begin, frames, fps, pace)
    if frames is None and goal is not None and goal.path is not None:
        check_until(until, goal, pace, fps)
    most = frames or max(until.frames, goal.frames if goal else 1)
    return Wanted(frames, wishes, until, begin, goal, timing(graph, steps, wishes, most, frames is not None))


def as_clip(graph: Graph, plan: Plan, request: Request, options: Any, fps: float) -> Clip:
    """The plan rendered where the request begins; `NoPath` with it as the best if a hard wish is not kept."""
    clip = render(graph, plan.route)
    begin = request.beginning(len(clip), fps)
    clip = placed(clip, begin.position, begin.heading)
    notes = (*plan.notes, *bent_poses(clip, request.constraints))
    clip = replace(clip, origin=dataclasses.replace(clip.origin, notes=notes))
    if missing := plan.missing or out_of_reach(clip, plan.goal, request.constraints, options):
        raise NoPath(missing, best=clip)
    return clip
