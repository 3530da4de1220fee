"""Goals on the ground for the path search: polyline, times, places, obstacles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from motionloom.constraints import Avoid, Constraint, Reach, RootAt, RootPath, Start
from motionloom.core import BadRequest, FloatArray, IntArray
from motionloom.core.units import nearest, seconds_of
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.query.detours import around_circles, end_direction, line_length, smooth_curve
from motionloom.methods.graph.query.polyline import Line, line_through
from motionloom.methods.natural_length import max_frames

GUIDE_WEIGHT = 0.02  # of a line that only leads to a place, against 1 for a path that was given
KEY_WEIGHT = 20.0  # of a place or heading at a time: m^2 or rad^2 against m^2 along a metre of path
EVEN_PACE_WEIGHT = 0.02  # of an even pace, where a path has a duration but no times
TIMED_PATH_WEIGHT = 1.0  # of the times of a path
MAX_START_GAP = 0.2  # m: the body first walks to a path that starts farther away
MAX_FRAMES = 1_000_000_000  # longer than any result


@dataclass(frozen=True, eq=False)
class GroundGoal:
    """A line to follow, with times and places. Arrays have a row for each frame that is searched, or none."""

    line: Line
    weight: FloatArray  # (M,) of the deviation at each point of the line
    frames: int  # to search: exactly as many if timed, else at most
    timed: bool
    due: FloatArray = field(default_factory=lambda: np.zeros(0))  # (F,) m along the line
    pace_weight: float = 0.0  # of being ahead of `due` or behind it
    keys: FloatArray = field(default_factory=lambda: np.zeros((0, 5)))  # (F, 5) x, z, heading and two weights
    circles: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    last: tuple[float, float, float] = (0.0, 0.0, 1.0)  # final heading, its weight, the weight of the final place
    path: RootPath | None = None  # the constraint, if there is one
    first: float = 0.0  # m along the line at which the path begins
    parts: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))  # (M,) row of `frame_costs`, or -1
    frame_costs: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))  # (P, N) m^2, of each graph frame
    usual_step: float = 0.0  # m: a slower frame costs `frame_costs` as if it had moved by this

    @property
    def clock(self) -> FloatArray:
        """(F, 7) `keys`, metres due, and the next frame with a key, or -1; no rows if nothing has a time."""
        if not len(self.due) and not len(self.keys):
            return np.zeros((0, 7))
        keys = self.keys if len(self.keys) else np.zeros((len(self.due), 5))
        due = self.due if len(self.due) else np.zeros(len(keys))
        at = np.flatnonzero((keys[:, 3:] > 0).any(1))
        following = np.append(at, -1)[np.searchsorted(at, np.arange(len(keys)), side="right")]
        return np.column_stack([keys, due, following])


def ground_goal(
    constraints: Sequence[Constraint], begin: Start, frames: int | None, fps: float, pace: float, reach: float = 0.0
) -> GroundGoal | None:
    """The goal of a request, or None if it has no constraint on the ground after its first frame.

    `frames` is the length of the result, or None: until the end of the path. `pace` is a usual speed, m/s.
    `reach` is how far a body extends from its hips, m: the hips keep that distance from obstacles.
    """
    paths = [c for c in constraints if isinstance(c, RootPath)]
    if len(paths) > 1:
        raise paths[1].problem(f"expected one root_path, found {len(paths)}; join their points into one")
    circles = np.array([[*c.center, c.radius + reach] for c in constraints if isinstance(c, Avoid)]).reshape(-1, 3)
    places = [c for c in constraints if isinstance(c, RootAt) and is_later_place(c, frames, fps)]
    goals = [c for c in constraints if isinstance(c, Reach)]
    if paths:
        return _path_goal(paths[0], places, goals, circles, begin, frames, fps, pace)
    if len(goals) == 1 and not places:
        return _place_goal(goals[0], circles, begin, frames, fps, pace)
    if goals or places:
        return _timed_goal(places, goals, circles, begin, frames, fps)
    return None


def is_later_place(c: Constraint, frames: int | None, fps: float) -> bool:
    """Is it a place or heading at a time after the first frame?"""
    if not isinstance(c, RootAt) or (c.position is None and c.heading is None):
        return False
    return c.frame(frames or MAX_FRAMES, fps) > 0


def _frame(c: RootAt | Reach, frames: int | None, fps: float) -> int:
    if frames is None:
        raise c.problem("needs the length of the result: give seconds", "by" if isinstance(c, Reach) else "time")
    return c.frame(frames, fps)


def _path_goal(
    path: RootPath,
    places: Sequence[RootAt],
    goals: Sequence[Reach],
    circles: FloatArray,
    begin: Start,
    frames: int | None,
    fps: float,
    pace: float,
) -> GroundGoal:
    """The goal of following a path; a curve to its start comes first."""
    corners = np.array(path.points, float)
    weight = 1.0 if path.weight is None else max(float(path.weight), 1e-6)
    start = np.array(begin.position)
    lead = np.zeros((0, 2))
    if np.linalg.norm(corners[0] - start) > MAX_START_GAP:
        ahead = corners[1] - corners[0]
        lead = smooth_curve(start, begin.heading, corners[0], float(np.arctan2(ahead[0], ahead[1])))[:-1]
    try:
        line = line_through(np.concatenate([lead, corners]))
        if len(circles):  # the detour is planned
            line = line_through(around_circles(line.points, circles))
    except BadRequest as error:
        raise path.problem(error.message, "points") from None
    first = line_through(np.concatenate([lead, corners[:1]])).length if len(lead) else 0.0
    along = np.arange(len(line.points)) * line.spacing
    weights = np.where(along < first - 1e-9, GUIDE_WEIGHT, weight)
    last = (0.0, 0.0, 2.0 * weight)
    if frames is None:
        if places or path.times is not None:
            timed = places[0] if places else path
            raise timed.problem("needs the length of the result: give seconds")
        for c in goals:  # an end of the path
            last = (c.heading or 0.0, 0.0 if c.heading is None else KEY_WEIGHT * _per_radian(c), KEY_WEIGHT)
        most = min([_max_frames(path, line, pace, fps), *(_deadline_frames(c, fps) for c in goals if c.hard)])
        return GroundGoal(line, weights, most, False, circles=circles, last=last, path=path, first=first)
    at = path.frames(frames, fps)
    stop = frames if at is None else at[-1] + 1
    asked: list[RootAt | Reach] = [*places, *goals]
    stop = max([stop, *(_frame(c, frames, fps) + 1 for c in asked)])
    if at is None:
        due, pace_weight = np.linspace(0.0, line.length, frames), EVEN_PACE_WEIGHT
    else:
        legs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
        due, pace_weight = (
            np.interp(np.arange(stop), [0, *at] if at[0] else at, [0, *(first + legs)] if at[0] else legs),
            TIMED_PATH_WEIGHT,
        )
    keys = _key_rows(places, goals, stop, frames, fps)
    return GroundGoal(line, weights, stop, True, due[:stop], pace_weight * weight, keys, circles, last, path, first)


def _place_goal(
    goal: Reach, circles: FloatArray, begin: Start, frames: int | None, fps: float, pace: float
) -> GroundGoal | None:
    """The goal of reaching one place, at the pace of the clips."""
    points = around_circles(
        smooth_curve(np.array(begin.position), begin.heading, np.array(goal.position), goal.heading), circles
    )
    if line_length(points) < 0.3:  # already there: only a heading to turn to, or nothing
        if goal.heading is None:
            return None
        points = np.concatenate([points[:1], points[:1] + ground_turn(begin.heading, [[0.0, 0.5]]), points[-1:]])
    line = line_through(points)
    rest = line.length - np.arange(len(line.points)) * line.spacing
    weights = GUIDE_WEIGHT + (1.0 - GUIDE_WEIGHT) * np.clip(1.0 - rest / 1.5, 0.0, 1.0)
    most = _frame(goal, frames, fps) + 1 if frames else _max_frames_until(goal, line, pace, fps)
    turn = 0.0 if goal.heading is None else KEY_WEIGHT * _per_radian(goal)
    return GroundGoal(line, weights, most, False, circles=circles, last=(goal.heading or 0.0, turn, KEY_WEIGHT))


def goal_with_deadline(
    goal: GroundGoal, constraints: Sequence[Constraint], begin: Start, fps: float
) -> GroundGoal | None:
    """The goal of reaching a single place at an even pace until its deadline; None for other goals.

    For a place that an untimed search, which does not distinguish slow candidates from fast ones, reached too late.
    """
    places = [c for c in constraints if isinstance(c, Reach)]
    if goal.timed or goal.path is not None or len(places) != 1:
        return None
    return _timed_goal([], places, goal.circles, begin, goal.frames, fps)


def _max_frames(c: Constraint, line: Line, pace: float, fps: float) -> int:
    """Most frames of a route along a line without a given duration: four times the usual ones, and 4 s."""
    return max_frames(c, line.length, pace, fps, factor=4.0, extra=4.0)


def _max_frames_until(goal: Reach, line: Line, pace: float, fps: float) -> int:
    return min(_max_frames(goal, line, pace, fps), _deadline_frames(goal, fps))


def _deadline_frames(c: Reach, fps: float) -> int:
    """Frames until `by` where the length of the result is not known; times counted from the end are no limit."""
    return MAX_FRAMES if str(c.by).startswith("end") else nearest(seconds_of(c.by, MAX_FRAMES, fps) * fps) + 1


def _timed_goal(
    places: Sequence[RootAt], goals: Sequence[Reach], circles: FloatArray, begin: Start, frames: int | None, fps: float
) -> GroundGoal:
    """The goal of passing places and headings at their times, along smooth curves between them."""
    asked: list[RootAt | Reach] = sorted([*places, *goals], key=lambda c: _frame(c, frames, fps))
    stop = _frame(asked[-1], frames, fps) + 1
    here, facing = np.array(begin.position), begin.heading
    points, at, passed = [here[None]], [0], [0.0]
    for c in asked:
        there = here if c.position is None else np.array(c.position)
        leg = around_circles(smooth_curve(here, facing, there, c.heading), circles)
        points.append(leg[1:])
        at.append(_frame(c, frames, fps))
        passed.append(passed[-1] + line_length(leg))
        here, facing = there, end_direction(leg, facing) if c.heading is None else c.heading
    corners = np.concatenate(points)
    if passed[-1] < 0.3:  # all in one place: a short line ahead defines a direction
        corners = np.stack([corners[0], corners[0] + ground_turn(facing, np.array([0.0, 0.3]))])
    line = line_through(corners)
    due = np.interp(np.arange(stop), at, np.minimum(passed, line.length))
    keys = _key_rows(places, goals, stop, frames, fps)
    weights = np.full(len(line.points), GUIDE_WEIGHT)
    return GroundGoal(line, weights, stop, True, due, 2 * GUIDE_WEIGHT, keys, circles, (0.0, 0.0, 0.0))


def _key_rows(
    places: Sequence[RootAt], goals: Sequence[Reach], stop: int, frames: int | None, fps: float
) -> FloatArray:
    """(F, 5) x, z, heading, weight of the place, weight of the heading; weights are 0 where there is no key."""
    if not places and not goals:
        return np.zeros((0, 5))
    keys = np.zeros((stop, 5))
    every: list[RootAt | Reach] = [*places, *goals]
    for c in every:
        strength = KEY_WEIGHT if c.weight is None else KEY_WEIGHT * c.weight
        row = keys[_frame(c, frames, fps)]
        if c.position is not None:
            row[[0, 1, 3]] = (*c.position, strength)
        if c.heading is not None:
            row[[2, 4]] = c.heading, strength * (_per_radian(c) if isinstance(c, Reach) else 1.0)
    return keys


def _per_radian(c: Reach) -> float:
    """Square metres that equal a square radian."""
    return (c.tolerance / c.heading_tolerance) ** 2
