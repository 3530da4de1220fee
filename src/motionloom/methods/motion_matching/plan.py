"""Plan a request: a character that is guided along paths and to places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint, Pace, Reach, Request, RootPath, Style
from motionloom.core import Clip, FloatArray, IntArray, Note, Progress
from motionloom.core.note import warning
from motionloom.kinematics.travel import Travel, ground_turn, steady_travel
from motionloom.methods.base import Band
from motionloom.methods.motion_matching.config import Options
from motionloom.methods.motion_matching.database import Database
from motionloom.methods.motion_matching.live import MatchingLive
from motionloom.methods.natural_length import max_frames
from motionloom.methods.nearest_request import nearest_path

SEARCH_WINDOW = 1.0  # m along a path in which the nearest point to the body is searched
RETURN_HALF_LIFE = 0.4  # s in which a deviation from the path should halve
FRAMES_PER_REPORT = 100  # between reports of progress
ARRIVAL_RADIUS = 0.2  # m: a path or place is complete within this distance of its end
MAX_TIME_FACTOR = 3.0  # times the usual time, plus EXTRA_TIME: the longest result without a given length
EXTRA_TIME = 5.0  # s
MAX_PACE_RATIO = 1.1  # of the speed of a path to the nearest one that the clips keep


class MatchingPlan(NamedTuple):
    """The database frame of each frame of the result, and its track."""

    shown: IntArray  # (F,)
    track: FloatArray  # (F, 3) x, z and heading
    timeline: tuple[Band, ...] = ()
    reason: str = ""  # empty: only soft constraints are honoured
    notes: tuple[Note, ...] = ()

    @property
    def frames(self) -> int:
        """Length of the result."""
        return len(self.shown)

    def bands(self) -> Sequence[Band]:
        return self.timeline


@dataclass(frozen=True)
class Leg:
    """A line to follow from one time to another."""

    points: FloatArray  # (P, 2) m
    first: int  # frame of the result
    stop: int | None  # frame by which its end should be reached; None: at any time
    heading: float | None = None  # rad, at its end

    @property
    def ends(self) -> FloatArray:
        """(P,) m along the line to each of its points."""
        return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(self.points, axis=0), axis=1))])

    def at(self, along: float) -> tuple[FloatArray, float]:
        """The point and direction (rad) at a distance along the line; extrapolated past its end."""
        ends = self.ends
        i = min(max(int(np.searchsorted(ends, along, side="right")) - 1, 0), len(ends) - 2)
        line = self.points[i + 1] - self.points[i]
        length = max(float(np.linalg.norm(line)), 1e-9)
        return self.points[i] + (along - ends[i]) / length * line, float(np.arctan2(line[0], line[1]))

    def nearest(self, place: FloatArray, after: float) -> float:
        """The distance along the line of the point nearest to a place, from `after` to `SEARCH_WINDOW` beyond it."""
        tries = np.linspace(after, min(after + SEARCH_WINDOW, self.ends[-1]), 41)
        points = np.array([self.at(a)[0] for a in tries])
        return float(tries[np.linalg.norm(points - place, axis=1).argmin()])


def plan_request(
    live: MatchingLive, request: Request, options: Options, rng: Generator, progress: Progress
) -> MatchingPlan:
    """The frames of a request with soft constraints: its paths, places and styles are followed as well as possible."""
    database, fps = live.database, live.fps
    frames = request.length(fps)
    constraints = [c for c in request.constraints if c.weight]
    start = request.beginning(frames or 1, fps)
    at = Travel(np.array([start.position], float), np.array([start.heading], float))
    state = live.begin([int(rng.integers(2**62))], at, options)
    legs = request_legs(constraints, np.array(start.position, float), frames, fps)
    most = frames if frames is not None else _max_frames(request.constraints, legs, float(database.speeds[-1, 1]), fps)
    styles = _styles(constraints, live.actions, most, fps)
    paces = [c for c in constraints if isinstance(c, Pace)]
    shown, track = np.empty(most, np.int64), np.empty((most, 3))
    shown[0], track[0] = state.frame[0], state.track[0]
    guide = _Guide(database, legs, fps, [(c, c.frames(most, fps)) for c in paces])
    one = (state.frame, state.wait, state.track[0], state.tuning[0])
    for f in range(1, most):
        if f % FRAMES_PER_REPORT == 0:
            progress(f / most, "choosing frames")
        if frames is None and guide.done:
            return MatchingPlan(shown[:f], track[:f])
        guide.tick(one, f, int(styles[f]), changed=bool(styles[f] != styles[f - 1]))
        shown[f], track[f] = state.frame[0], state.track[0]
    return MatchingPlan(shown, track)


def pace_notes(clips: Sequence[Clip], request: Request, fps: float) -> tuple[Note, ...]:
    """A warning about the first path that needs another speed in its time than any clip has for as long.

    A character that needs one takes fragments of starts, stops and turns: its strides stumble, and its feet slide.
    """
    paths = [c for c in request.constraints if isinstance(c, RootPath)]
    for leg in request_legs(paths, np.zeros(2), request.length(fps), fps):
        if leg.stop is None:
            continue
        length, frames = float(leg.ends[-1]), max(1, leg.stop - leg.first)
        slowest, fastest = speeds_kept(clips, frames)
        speed, seconds = length * fps / frames, frames / fps
        if slowest / MAX_PACE_RATIO <= speed <= fastest * MAX_PACE_RATIO:
            continue
        nearest = nearest_path(length, seconds, min(max(speed, slowest), fastest))
        text = (
            f"{length:.1f} m in {seconds:.1f} s is {speed:.2f} m/s; for so long the clips keep {slowest:.2f} to "
            f"{fastest:.2f} m/s, so strides do not fit and feet are moved to stay in place (the nearest requests: "
            f"{nearest})"
        )
        return (warning(text),)
    return ()


def speeds_kept(clips: Sequence[Clip], frames: int) -> tuple[float, float]:
    """m/s: the lowest and highest mean speed of the clips over `frames` frames, or over the whole of shorter ones."""
    found = []
    for clip in (clip for clip in clips if len(clip) > 1):
        walked = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(steady_travel(clip).place, axis=0), axis=1))])
        span = min(frames, len(clip) - 1)
        found.append((walked[span:] - walked[:-span]) * clip.fps / span)
    speeds = np.concatenate(found)
    return float(speeds.min()), float(speeds.max())


def request_legs(constraints: Sequence[Constraint], begin: FloatArray, frames: int | None, fps: float) -> list[Leg]:
    """The lines of paths, and then straight ones to places, in the order of their times."""
    legs: list[Leg] = []
    for path in (c for c in constraints if isinstance(c, RootPath)):
        points = np.array(path.points, float)
        at = None if frames is None else path.frames(frames, fps)
        if at is None:
            legs.append(Leg(points, 0, frames))
        else:
            legs += [Leg(points[i : i + 2], a, b) for i, (a, b) in enumerate(pairwise(at))]
    here = legs[-1].points[-1] if legs else begin
    arrivals = [(c.frame(frames or 10**6, fps), c) for c in constraints if isinstance(c, Reach)]
    first = 0
    for by, place in sorted(arrivals, key=lambda pair: pair[0]):
        goal = np.array(place.position, float)
        legs.append(Leg(np.stack([here, goal]), first, None if frames is None else by, place.heading))
        here, first = goal, by if frames is not None else first
    return [leg for leg in legs if leg.ends[-1] > 1e-6]


def _max_frames(constraints: Sequence[Constraint], legs: Sequence[Leg], pace: float, fps: float) -> int:
    last = next(c for c in reversed(constraints) if isinstance(c, (RootPath, Reach)))
    metres = sum(float(leg.ends[-1]) for leg in legs)
    return max_frames(last, metres, max(pace, 0.2), fps, factor=MAX_TIME_FACTOR, extra=EXTRA_TIME)


def _styles(constraints: Sequence[Constraint], actions: Sequence[str], frames: int, fps: float) -> IntArray:
    """(F,) the action of each frame, -1 for any; of several styles, the one with the largest weight."""
    out, weight = np.full(frames, -1), np.zeros(frames)
    for style in (c for c in constraints if isinstance(c, Style) and c.label in actions):
        span = style.frames(frames, fps)
        counts = (style.weight or 0.0) * style.importance
        mine = np.zeros(frames, bool)
        mine[span.start : span.stop] = True
        mine &= counts > weight
        out[mine], weight[mine] = actions.index(style.label), counts
    return out


class _Guide:
    """Guides one character along legs, one after the other."""

    def __init__(
        self, database: Database, legs: Sequence[Leg], fps: float, paces: Sequence[tuple[Pace, range]] = ()
    ) -> None:
        self.database, self.legs, self.fps, self.paces = database, list(legs), fps, paces
        self.along = 0.0
        self.walked = 0.0  # m since the start
        self.before: FloatArray | None = None  # (2,) the place a tick ago
        self.goals = np.zeros((len(database.times), 4))
        self.query = np.empty(database.features.shape[1], np.float32)

    @property
    def done(self) -> bool:
        return not self.legs

    def tick(
        self, one: tuple[IntArray, IntArray, FloatArray, FloatArray], f: int, action: int, *, changed: bool
    ) -> None:
        """Advance the character by a tick to frame f of the result."""
        from motionloom.methods.motion_matching._kernels_step import choose_frame

        track = one[2]
        self.walked += 0.0 if self.before is None else float(np.linalg.norm(track[:2] - self.before))
        self.before = track[:2].copy()
        while self.legs and self._passed(self.legs[0], track, f):
            self.legs.pop(0)
            self.along = 0.0
        guided = bool(self.legs) and f >= self.legs[0].first
        if guided:
            self._lead(self.legs[0], track, f, action)
        elif (speeds := self._requested(f)) is not None:
            guided = True
            self._ahead(float(np.clip(self.database.speeds[action, 1], *speeds)))
        choose_frame(self.database, one, self.goals, guided, action, changed, 1.0 / self.fps, self.query)

    def _passed(self, leg: Leg, track: FloatArray, f: int) -> bool:
        if leg.stop is not None and len(self.legs) > 1:
            return f > leg.stop
        return leg.stop is None and self.along >= leg.ends[-1] - ARRIVAL_RADIUS

    def _lead(self, leg: Leg, track: FloatArray, f: int, action: int) -> None:
        """Set the goals: points of the leg ahead, relative to the track, at the pace that reaches its end in time.

        A deviation from the leg decays with a half-life of `RETURN_HALF_LIFE`.
        """
        self.along = leg.nearest(track[:2], self.along)
        _, usual, high = self.database.speeds[action]
        left = leg.ends[-1] - self.along
        pace = usual if leg.stop is None else min(left / max((leg.stop - f) / self.fps, 0.1), high)
        if (speeds := self._requested(f)) is not None:
            pace = float(np.clip(pace, *speeds))
        off = track[:2] - leg.at(self.along)[0]

        def ahead(t: float) -> FloatArray:
            there = self.along + pace * t
            if leg.stop is not None:
                there = min(there, leg.ends[-1])
            return leg.at(there)[0] + off * 0.5 ** (t / RETURN_HALF_LIFE)

        for i, t in enumerate(self.database.times):
            line = ahead(t) - ahead(t - 1.0 / self.fps)
            direction = float(np.arctan2(line[0], line[1])) if np.linalg.norm(line) > 1e-3 else track[2]
            if leg.heading is not None and self.along + pace * t >= leg.ends[-1] - ARRIVAL_RADIUS:
                direction = leg.heading
            self.goals[i, :2] = ground_turn(-track[2], ahead(t) - track[:2])
            self.goals[i, 2:] = np.sin(direction - track[2]), np.cos(direction - track[2])

    def _requested(self, f: int) -> tuple[float, float] | None:
        """The range of speeds that applies to frame f, or None; of several, the one with the largest weight."""
        now = [
            c
            for c, span in self.paces
            if (f in span if c.stretch is None else c.stretch[0] <= self.walked < c.stretch[1])
        ]
        return max(now, key=lambda c: c.weight or 0.0).speed if now else None

    def _ahead(self, speed: float) -> None:
        """Set the goals straight ahead at a speed, where there is no leg to follow."""
        for i, t in enumerate(self.database.times):
            self.goals[i] = 0.0, speed * t, 0.0, 1.0
