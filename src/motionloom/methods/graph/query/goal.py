"""What a request asks of the way over the ground, as the search reads it: a line, times, places, circles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from motionloom.constraints import Avoid, Constraint, Reach, RootAt, RootPath, Start
from motionloom.core import FloatArray, IntArray
from motionloom.core.units import nearest, seconds_of
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.query.polyline import Line, line_through

GUIDE = 0.02  # how much a line counts that only leads to a place, against one that was drawn
KEY = 20.0  # how much a place or heading at a time counts, m^2 or rad^2 against m^2 along a metre of path
UNIFORM = 0.02  # how much an even pace counts where only the length in time is asked for
ON_TIME = 1.0  # and where the points of a path have times
APART = 0.2  # m: a path that starts farther from the body is walked to first
LONG = 1_000_000_000  # frames: longer than any result
ROOM = 0.3  # m beside an obstacle for lines that lead around it


@dataclass(frozen=True, eq=False)
class Goal:
    """Where to go. Arrays have one row for each frame up to the last that is searched, or none."""

    line: Line
    weight: FloatArray  # (M,) how much being off the line counts along it
    frames: int  # to search: all of them if timed, else the most there may be
    timed: bool
    due: FloatArray = field(default_factory=lambda: np.zeros(0))  # (F,) m along the line
    hurry: float = 0.0
    keys: FloatArray = field(default_factory=lambda: np.zeros((0, 5)))  # (F, 5) x, z, heading and two weights
    circles: FloatArray = field(default_factory=lambda: np.zeros((0, 3)))
    last: tuple[float, float, float] = (0.0, 0.0, 1.0)  # final heading, its weight, the weight of the final place
    path: RootPath | None = None  # the drawn path, if there is one
    first: float = 0.0  # m along the line at which the drawn path begins
    parts: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))  # (M,) row of `fines` at each place, or -1
    fines: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))  # (P, N) for showing a graph frame, m^2 a frame

    @property
    def clock(self) -> FloatArray:
        """(F, 7) `keys`, metres due, and the next frame that has a key, or -1; no rows if nothing has a time."""
        if not len(self.due) and not len(self.keys):
            return np.zeros((0, 7))
        keys = self.keys if len(self.keys) else np.zeros((len(self.due), 5))
        due = self.due if len(self.due) else np.zeros(len(keys))
        at = np.flatnonzero((keys[:, 3:] > 0).any(1))
        following = np.append(at, -1)[np.searchsorted(at, np.arange(len(keys)), side="right")]
        return np.column_stack([keys, due, following])


def goal_of(wishes: Sequence[Constraint], begin: Start, frames: int | None, fps: float, pace: float) -> Goal | None:
    """The goal of a request, or None if it asks for nothing on the ground after its first frame.

    `frames` is the length of the result, None where its natural end is meant; `pace` is a usual speed, m/s.
    """
    paths = [c for c in wishes if isinstance(c, RootPath)]
    if len(paths) > 1:
        raise paths[1].problem(f"one root_path can be followed, found {len(paths)}; join their points to one")
    circles = np.array([[*c.center, c.radius] for c in wishes if isinstance(c, Avoid)]).reshape(-1, 3)
    places = [c for c in wishes if isinstance(c, RootAt) and _asks(c, frames, fps)]
    goals = [c for c in wishes if isinstance(c, Reach)]
    if paths:
        return _along(paths[0], places, goals, circles, begin, frames, fps, pace)
    if len(goals) == 1 and not places:
        return _to(goals[0], circles, begin, frames, fps, pace)
    if goals or places:
        return _through(places, goals, circles, begin, frames, fps)
    return None


def _asks(c: RootAt, frames: int | None, fps: float) -> bool:
    if (c.position is None and c.heading is None) or c.frame(frames or LONG, fps) == 0:
        return False  # the first frame is where one begins
    return _frame(c, frames, fps) > 0


def _frame(c: RootAt | Reach, frames: int | None, fps: float) -> int:
    if frames is None:
        raise c.problem("a time needs the length of the result: give seconds", "by" if isinstance(c, Reach) else "time")
    return c.frame(frames, fps)


def _along(
    path: RootPath,
    places: Sequence[RootAt],
    goals: Sequence[Reach],
    circles: FloatArray,
    begin: Start,
    frames: int | None,
    fps: float,
    pace: float,
) -> Goal:
    """Follow a drawn path; a way to its start is walked first."""
    corners = np.array(path.points, float)
    weight = 1.0 if path.weight is None else max(float(path.weight), 1e-6)
    start = np.array(begin.position)
    lead = np.zeros((0, 2))
    if np.linalg.norm(corners[0] - start) > APART:
        ahead = corners[1] - corners[0]
        lead = curve(start, begin.heading, corners[0], float(np.arctan2(ahead[0], ahead[1])))[:-1]
    line = line_through(np.concatenate([lead, corners]))
    first = line_through(np.concatenate([lead, corners[:1]])).length if len(lead) else 0.0
    along = np.arange(len(line.points)) * line.spacing
    weights = np.where(along < first - 1e-9, GUIDE, weight)
    last = (0.0, 0.0, 2.0 * weight)
    if frames is None:
        if places or path.times is not None:
            timed = places[0] if places else path
            raise timed.problem("times need the length of the result: give seconds")
        for c in goals:  # an end of the path
            last = (c.heading or 0.0, 0.0 if c.heading is None else KEY * _per_radian(c), KEY)
        most = min([_longest(line, pace, fps), *(_latest(c, fps) for c in goals if c.hard)])
        return Goal(line, weights, most, False, circles=circles, last=last, path=path, first=first)
    at = path.frames(frames, fps)
    stop = frames if at is None else at[-1] + 1
    asked: list[RootAt | Reach] = [*places, *goals]
    stop = max([stop, *(_frame(c, frames, fps) + 1 for c in asked)])
    if at is None:
        due, hurry = np.linspace(0.0, line.length, frames), UNIFORM
    else:
        legs = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))])
        due, hurry = (
            np.interp(np.arange(stop), [0, *at] if at[0] else at, [0, *(first + legs)] if at[0] else legs),
            ON_TIME,
        )
    keys = _keys(places, goals, stop, frames, fps)
    return Goal(line, weights, stop, True, due[:stop], hurry * weight, keys, circles, last, path, first)


def _to(goal: Reach, circles: FloatArray, begin: Start, frames: int | None, fps: float, pace: float) -> Goal | None:
    """Get to one place, at the pace that comes."""
    points = around(curve(np.array(begin.position), begin.heading, np.array(goal.position), goal.heading), circles)
    if _length(points) < 0.3:  # here already: only a heading to turn to, or nothing
        if goal.heading is None:
            return None
        points = np.concatenate([points[:1], points[:1] + ground_turn(begin.heading, [[0.0, 0.5]]), points[-1:]])
    line = line_through(points)
    rest = line.length - np.arange(len(line.points)) * line.spacing
    weights = GUIDE + (1.0 - GUIDE) * np.clip(1.0 - rest / 1.5, 0.0, 1.0)
    most = _frame(goal, frames, fps) + 1 if frames else min(_longest(line, pace, fps), _latest(goal, fps))
    turn = 0.0 if goal.heading is None else KEY * _per_radian(goal)
    return Goal(line, weights, most, False, circles=circles, last=(goal.heading or 0.0, turn, KEY))


def in_time(goal: Goal, wishes: Sequence[Constraint], begin: Start, fps: float) -> Goal | None:
    """For a single place that was not reached in time at the pace that comes: the same, due evenly until then.

    A search that only minds the way follows slow bodies and fast ones alike, and finds too late who comes too late.
    """
    places = [c for c in wishes if isinstance(c, Reach)]
    if goal.timed or goal.path is not None or len(places) != 1:
        return None
    return _through([], places, goal.circles, begin, goal.frames, fps)


def _longest(line: Line, pace: float, fps: float) -> int:
    """Frames that a way along a line may take where nobody says how long: four times as long as usual, and 4 s."""
    return int(np.ceil(line.length / (0.25 * pace) * fps)) + round(4 * fps)


def _latest(c: Reach, fps: float) -> int:
    """Frames until `by`, where the result's length is not known; times that count from its end are no limit."""
    return LONG if str(c.by).startswith("end") else nearest(seconds_of(c.by, LONG, fps) * fps) + 1


def _through(
    places: Sequence[RootAt], goals: Sequence[Reach], circles: FloatArray, begin: Start, frames: int | None, fps: float
) -> Goal:
    """Come through places and headings at their times, along smooth curves between them."""
    asked: list[RootAt | Reach] = sorted([*places, *goals], key=lambda c: _frame(c, frames, fps))
    stop = _frame(asked[-1], frames, fps) + 1
    here, facing = np.array(begin.position), begin.heading
    points, at, passed = [here[None]], [0], [0.0]
    for c in asked:
        there = here if c.position is None else np.array(c.position)
        leg = around(curve(here, facing, there, c.heading), circles)
        points.append(leg[1:])
        at.append(_frame(c, frames, fps))
        passed.append(passed[-1] + _length(leg))
        here, facing = there, leg_end(leg, facing) if c.heading is None else c.heading
    corners = np.concatenate(points)
    if passed[-1] < 0.3:  # all on the spot: a short line ahead, so that there is a direction
        corners = np.stack([corners[0], corners[0] + ground_turn(facing, np.array([0.0, 0.3]))])
    line = line_through(corners)
    due = np.interp(np.arange(stop), at, np.minimum(passed, line.length))
    keys = _keys(places, goals, stop, frames, fps)
    weights = np.full(len(line.points), GUIDE)
    return Goal(line, weights, stop, True, due, 2 * GUIDE, keys, circles, (0.0, 0.0, 0.0))


def _keys(places: Sequence[RootAt], goals: Sequence[Reach], stop: int, frames: int | None, fps: float) -> FloatArray:
    """(F, 5) x, z, heading, weight of the place, weight of the heading, for frames that ask for them."""
    if not places and not goals:
        return np.zeros((0, 5))
    keys = np.zeros((stop, 5))
    every: list[RootAt | Reach] = [*places, *goals]
    for c in every:
        strength = KEY if c.weight is None else KEY * c.weight
        row = keys[_frame(c, frames, fps)]
        if c.position is not None:
            row[[0, 1, 3]] = (*c.position, strength)
        if c.heading is not None:
            row[[2, 4]] = c.heading, strength * (_per_radian(c) if isinstance(c, Reach) else 1.0)
    return keys


def _per_radian(c: Reach) -> float:
    """Square metres that a square radian counts for."""
    return (c.tolerance / c.heading_tolerance) ** 2


def curve(here: FloatArray, facing: float, there: FloatArray, heading: float | None) -> FloatArray:
    """(K, 2) a smooth line from a place and heading to another: a cubic whose ends are as steep as they are apart.

    Without a final heading it ends as it comes. A heading asked for at the same place makes a small loop.
    """
    apart = float(np.linalg.norm(there - here))
    size = max(apart, 0.5 if heading is not None else 0.0)
    first = size * np.array([np.sin(facing), np.cos(facing)])
    if heading is None:
        last = 1.5 * (there - here) - 0.5 * first  # no bend at its end
    else:
        last = size * np.array([np.sin(heading), np.cos(heading)])
    u = np.linspace(0.0, 1.0, max(2, int(np.ceil(size / 0.1)) + 1))[:, None]
    a, b = 2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u
    c, d = -2 * u**3 + 3 * u**2, u**3 - u**2
    return a * here + b * first + c * there + d * last


def around(points: FloatArray, circles: FloatArray) -> FloatArray:
    """A line pushed out of circles, with a little room, its ends kept."""
    out = points.copy()
    for _ in range(4):
        for x, z, radius in circles:
            away = out - [x, z]
            apart = np.linalg.norm(away, axis=1)
            inside = (apart < radius + ROOM) & (np.arange(len(out)) > 0) & (np.arange(len(out)) < len(out) - 1)
            side = np.where(apart[:, None] > 1e-6, away / np.maximum(apart, 1e-6)[:, None], [1.0, 0.0])
            out[inside] = (np.array([x, z]) + (radius + ROOM) * side)[inside]
    return out


def leg_end(points: FloatArray, facing: float) -> float:
    """The direction in which a line ends."""
    for a, b in pairwise(points[::-1]):
        if np.linalg.norm(a - b) > 1e-6:
            return float(np.arctan2(*(a - b)))
    return facing


def _length(points: FloatArray) -> float:
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
