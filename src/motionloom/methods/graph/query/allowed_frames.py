"""Which frames a request allows when: labels over spans and poses at times, as far as there is a way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Constraint, PoseAt, RootAt, RootPath, Style, StyleAlong
from motionloom.core import BadRequest, BoolArray, Progress, silent
from motionloom.core.progress import parts
from motionloom.core.units import Moment, nearest, seconds_of
from motionloom.methods.graph.build.prune import component, usable
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.query.goal import Goal
from motionloom.methods.graph.search.moves import Steps
from motionloom.methods.schedule import Reachable, carries, not_kept, schedule

FINE = 0.25  # m^2: a frame without the label asked for along a path counts as one that is half a metre off
HARD = 1000.0  # the weight of a hard one: no path is worth missing it
ROOM, SWAY = 0.1, 0.03  # m, and metres a metre: how far before and after its stretch a label is kept


class Timing(NamedTuple):
    """What may be shown when; `missing` says which hard wish had to be given up."""

    steps: Steps  # the graph without what may never be shown
    alive: Reachable | None  # None: anything in `steps` at any time
    missing: str = ""
    allowed: BoolArray | None = None  # (N,) where the same labels are asked for all the time


def timing(
    graph: Graph,
    steps: Steps,
    wishes: Sequence[Constraint],
    frames: int,
    known: bool,
    progress: Progress | None = None,
) -> Timing:
    """The frames that can be shown at each time so that labels and poses are kept to the end.

    Hard labels come first, then soft ones by weight and importance, each as far as there is still a way, strictly or
    with the room that its tolerance leaves at its ends; then poses, by the nearest frames that lie on a way.
    `frames` is the length of the result, or the most it may be (not `known`).
    """
    styles = [c for c in wishes if isinstance(c, Style)]
    poses = [c for c in wishes if isinstance(c, PoseAt)]
    if not known:
        _need_no_length(styles, poses)
    if not styles and not poses:
        return Timing(steps, None)
    always = [s for s in styles if s.span is None and s.hard]
    if always and len(always) == len(styles) and not poses:  # the same labels all the time
        allowed = np.logical_and.reduce([carries(graph.clips, s.label) for s in always])
        part = component(graph, allowed)
        if part.any():
            return Timing(steps.within(part, usable(graph, allowed)[steps.number]), None, allowed=allowed)
    first, rest = parts(progress or silent(), [1, 4])
    free = Reachable(steps.net, frames, transitions=True, progress=first)
    found = schedule(steps.net, graph.clips, styles, poses, frames, free=free, progress=rest)
    return Timing(steps, found.reachable, "" if found.missing is None else why(graph, found.missing))


class Until(NamedTuple):
    """Frames that a result must have so that every time asked for lies in it, and the wish that asks for the last."""

    frames: int
    wish: Constraint | None


def asked_until(wishes: Sequence[Constraint], fps: float) -> Until:
    """The last time asked for; times that count from the end aside. `reach.by` is the latest: it need not come."""
    last = Until(1, None)
    for c in wishes:
        moments: Sequence[Moment] = ()
        if isinstance(c, Style):
            moments = c.span or ()
        elif isinstance(c, RootPath):
            moments = c.times or ()
        elif isinstance(c, (PoseAt, RootAt)):
            moments = (c.time,)
        for when in moments:
            if not str(when).startswith("end"):
                frames = nearest(seconds_of(when, 0, fps) * fps) + (0 if isinstance(c, Style) else 1)
                last = max(last, Until(frames, c), key=lambda until: until.frames)
    return last


def beyond_end(until: Until, lasts: float, fps: float, *, exactly: bool) -> BadRequest:
    """A time that lies behind the end of a path, which `lasts` so many seconds (`exactly`, or by a guess)."""
    assert until.wish is not None
    end = f"{lasts:.1f} s" if exactly else f"about {lasts:.1f} s"
    return until.wish.problem(
        f"asks for something until {until.frames / fps:.1f} s, but without seconds the motion "
        f"ends with the path, after {end} at the pace of these clips: give seconds, an earlier time, or a longer path"
    )


def check_until(until: Until, goal: Goal, pace: float, fps: float) -> None:
    """`BadRequest` before any search if a time lies far behind the end of a path that is followed at a usual pace, m/s.

    Half as long again and a second more are left to the search: it may find a slow way.
    """
    lasts = goal.line.length / pace
    if until.frames / fps > 1.5 * lasts + 1.0:
        raise beyond_end(until, lasts, fps, exactly=False)


def runs_by_time(wishes: Sequence[Constraint], fps: float) -> bool:
    """Are places asked for at times? Then the way goes by them, and lasts until the last."""
    places = [c for c in wishes if isinstance(c, RootAt) and (c.position is not None or c.heading is not None)]
    return asked_until(places, fps).frames > 1 or any(isinstance(c, RootPath) and c.times is not None for c in wishes)


def _need_no_length(styles: Sequence[Style], poses: Sequence[PoseAt]) -> None:
    moments = [(c, when) for c in styles for when in c.span or ()] + [(c, c.time) for c in poses]
    for c, when in moments:
        if isinstance(when, str) and when.startswith("end"):
            raise c.problem(f"{when!r} needs the length of the result: give seconds")


def with_labels_along(goal: Goal, graph: Graph, wishes: Sequence[Constraint]) -> Goal:
    """The goal with what `style_along` asks of each part of its line: a frame without the label costs there."""
    asked = [c for c in wishes if isinstance(c, StyleAlong)]
    if not asked:
        return goal
    metres = np.arange(len(goal.line.points)) * goal.line.spacing
    room = ROOM + SWAY * metres  # what is walked is not quite what has passed of the line
    there = np.stack([(metres + room >= c.stretch[0]) & (metres - room < c.stretch[1]) for c in asked], 1)
    sets, parts = np.unique(there, axis=0, return_inverse=True)
    cost = np.stack([(HARD if c.weight is None else c.weight) * ~carries(graph.clips, c.label) for c in asked])
    return replace(goal, parts=parts.ravel().astype(np.int64), fines=FINE * (sets.astype(float) @ cost))


def why(graph: Graph, style: Style | StyleAlong) -> str:
    """Why a label cannot be kept: it is nowhere, or no way leads through it."""
    return not_kept(graph.clips, style, "transitions", "learn with a larger limit, or ask soft")
