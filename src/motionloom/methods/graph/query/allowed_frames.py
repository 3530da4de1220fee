"""Frames that a request allows at each time: labels over spans and poses at times, as far as routes exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Constraint, Pace, PoseAt, RootAt, RootPath, Style, StyleAlong
from motionloom.core import BadRequest, BoolArray, Progress, UInt8Array, silent
from motionloom.core.progress import parts
from motionloom.core.units import Moment, nearest, seconds_of
from motionloom.kinematics.pace import STANDING_SPEED
from motionloom.methods.graph.build.prune import largest_component, usable_transitions
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.query.goal import GroundGoal
from motionloom.methods.graph.search.moves import GroundMoves
from motionloom.methods.schedule import Reachable, frame_paces, nodes_of, schedule, style_problem

MISSING_LABEL_COST = 0.25  # m^2: cost of a frame without the label along a path, as if it were half a metre off
HARD_WEIGHT = 1000.0  # of a hard label: it outweighs any path
STANDING_SHARE = 0.35  # of the usual pace: slower frames count as standing, the slower the more
STANDING_WEIGHT = (
    8.0  # of a standing frame on the way, against a label of weight 1: it may cost half a metre beside the path
)
STAND_MARGIN = 0.5  # m from the ends of a path where standing is natural
LABEL_MARGIN = 0.1  # m before and after its stretch in which a label is kept too,
LABEL_MARGIN_GROWTH = 0.03  # and metres more for each metre of the path


class FrameSchedule(NamedTuple):
    """Frames and transitions that may be used at each time."""

    moves: GroundMoves  # the graph without frames that are never allowed
    reachable: Reachable | None  # None: all of `moves` at any time
    missing: str = ""  # the hard label that cannot be kept, and why
    allowed: BoolArray | None = None  # (N,) where the same labels hold all the time

    @property
    def bits(self) -> UInt8Array:
        """Bits of `reachable` for the compiled searches; no rows where everything is allowed."""
        return np.zeros((0, 0), np.uint8) if self.reachable is None else self.reachable.bits


def frame_schedule(
    graph: Graph,
    moves: GroundMoves,
    constraints: Sequence[Constraint],
    frames: int,
    known: bool,
    progress: Progress | None = None,
) -> FrameSchedule:
    """The frames that can be shown at each time so that labels, paces and poses are kept to the end.

    Hard labels come first, then soft ones by weight and importance, each as far as a route remains, strictly or with
    the margin that its tolerance leaves at its ends; then poses, by the nearest frames that lie on a route.
    `frames` is the length of the result, or its upper limit (not `known`).
    """
    styles = [c for c in constraints if isinstance(c, Style) or (isinstance(c, Pace) and c.stretch is None)]
    poses = [c for c in constraints if isinstance(c, PoseAt)]
    if not known:
        _check_without_length(styles, poses)
    if not styles and not poses:
        return FrameSchedule(moves, None)
    always = [s for s in styles if s.span is None and s.hard]
    if always and len(always) == len(styles) and not poses:  # the same labels at all times
        allowed = np.logical_and.reduce([nodes_of(graph.clips, s) for s in always])
        part = largest_component(graph, allowed)
        if part.any():
            usable = usable_transitions(graph, allowed)[moves.number]
            return FrameSchedule(moves.within(part, usable), None, allowed=allowed)
    first, rest = parts(progress or silent(), [1, 4])
    free = Reachable(moves.net, frames, transitions=True, progress=first)
    found = schedule(moves.net, graph.clips, styles, poses, frames, free=free, progress=rest)
    return FrameSchedule(moves, found.reachable, "" if found.missing is None else label_problem(graph, found.missing))


class LatestTime(NamedTuple):
    """The latest time of a request: the frames that a result needs to contain it, and the constraint with it."""

    frames: int
    constraint: Constraint | None


def latest_time(constraints: Sequence[Constraint], fps: float) -> LatestTime:
    """The latest time of any constraint, without times counted from the end and without `reach.by` (a deadline)."""
    last = LatestTime(1, None)
    for c in constraints:
        moments: Sequence[Moment] = ()
        if isinstance(c, (Style, Pace)):
            moments = c.span or ()
        elif isinstance(c, RootPath):
            moments = c.times or ()
        elif isinstance(c, (PoseAt, RootAt)):
            moments = (c.time,)
        for when in moments:
            if not str(when).startswith("end"):
                frames = nearest(seconds_of(when, 0, fps) * fps) + (0 if isinstance(c, (Style, Pace)) else 1)
                last = max(last, LatestTime(frames, c), key=lambda latest: latest.frames)
    return last


def time_beyond_end(latest: LatestTime, lasts: float, fps: float, *, exactly: bool) -> BadRequest:
    """The error for a time after the end of a path that `lasts` so many seconds (`exactly`, or estimated)."""
    assert latest.constraint is not None
    end = f"{lasts:.1f} s" if exactly else f"about {lasts:.1f} s"
    return latest.constraint.problem(
        f"has a time of {latest.frames / fps:.1f} s, but without seconds the motion ends with the path, after {end} at "
        "the pace of these clips: give seconds, an earlier time, or a longer path"
    )


def check_latest_time(latest: LatestTime, goal: GroundGoal, pace: float, fps: float) -> None:
    """`BadRequest` before any search if a time is far beyond the end of a path walked at the usual `pace`, m/s.

    Up to 1.5 times that duration and a second more are left to the search, which may find a slow route.
    """
    lasts = goal.line.length / pace
    if latest.frames / fps > 1.5 * lasts + 1.0:
        raise time_beyond_end(latest, lasts, fps, exactly=False)


def has_timed_places(constraints: Sequence[Constraint], fps: float) -> bool:
    """Does the request have places at given times? Then the result lasts until the last of them."""
    places = [c for c in constraints if isinstance(c, RootAt) and (c.position is not None or c.heading is not None)]
    return latest_time(places, fps).frames > 1 or any(
        isinstance(c, RootPath) and c.times is not None for c in constraints
    )


def _check_without_length(styles: Sequence[Style | Pace], poses: Sequence[PoseAt]) -> None:
    moments = [(c, when) for c in styles for when in c.span or ()] + [(c, c.time) for c in poses]
    for c, when in moments:
        if isinstance(when, str) and when.startswith("end"):
            raise c.problem(f"{when!r} needs the length of the result: give seconds")


def with_frame_costs(goal: GroundGoal, graph: Graph, constraints: Sequence[Constraint]) -> GroundGoal:
    """The goal with costs of graph frames on each part of its line: without the label, outside of the pace, standing.

    `style_along` and `pace` with a stretch set the first two. On a path without times, standing frames cost too, except
    within `STAND_MARGIN` of its ends: the clips may start and stop, the path does not.
    """
    labels = [(c, c.stretch) for c in constraints if isinstance(c, (StyleAlong, Pace)) and c.stretch is not None]
    slow = STANDING_SHARE * _usual_pace(graph)
    still = np.maximum(0.0, 1.0 - frame_paces(graph.clips) / slow)
    if not labels and (goal.timed or not still.any()):
        return goal
    metres = np.arange(len(goal.line.points)) * goal.line.spacing
    room = LABEL_MARGIN + LABEL_MARGIN_GROWTH * metres  # the distance walked differs from the position on the line
    rows = [(metres + room >= first) & (metres - room < last) for _, (first, last) in labels]
    inner = (metres >= STAND_MARGIN) & (metres < metres[-1] - STAND_MARGIN)
    rows.append(inner & (not goal.timed))
    cost = [(HARD_WEIGHT if c.weight is None else c.weight) * ~nodes_of(graph.clips, c) for c, _ in labels]
    cost.append(STANDING_WEIGHT * still)
    sets, parts = np.unique(np.stack(rows, 1), axis=0, return_inverse=True)
    return replace(
        goal,
        parts=parts.ravel().astype(np.int64),
        frame_costs=MISSING_LABEL_COST * (sets.astype(float) @ np.stack(cost)),
        usual_step=0.5 * _usual_pace(graph) / graph.clips[0].fps,
    )


def _usual_pace(graph: Graph) -> float:
    """m/s: the median pace of the clips while they move."""
    paces = frame_paces(graph.clips)
    moving = paces[paces > STANDING_SPEED]
    return float(np.median(moving)) if len(moving) else STANDING_SPEED


def label_problem(graph: Graph, style: Style | StyleAlong | Pace) -> str:
    """Why a label cannot be kept: no frame carries it, or no route leads through its frames."""
    return style_problem(graph.clips, style, "transitions", "learn with a larger limit, or give it a weight")
