"""Plans: the commands by which a live character keeps a request, found by trying many characters at once.

A state is a value, so characters can be copied: in each block of half a second, every character that is kept is tried
with several commands, and those that keep the request best continue.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Act, Avoid, HeadFor, Pace, Parameters, Reach, Request, RootPath, Style
from motionloom.constraints.style import walked_along
from motionloom.core import BoolArray, FloatArray, IntArray, Progress
from motionloom.core.poses import Commands, commands
from motionloom.kinematics.travel import Travel
from motionloom.methods.base import Band
from motionloom.methods.live import Live, State, select
from motionloom.methods.parametric_graph.config import Options
from motionloom.methods.parametric_graph.live import ParametricGraphLive
from motionloom.rotation import wrap_angle

BLOCK = 0.5  # s
TURNS = (0.0, 0.25, -0.25, 0.8, -0.8)  # rad from the best direction, which are tried
PATH_LOOKAHEAD = 0.8  # m: where on a path a character aims at
NODE_LEAD_TIME = 1.5  # s: how long before its span a node is asked for
AVOID_LOOKAHEAD = 3.0  # m: how far ahead regions that are to be avoided are seen
BODY = 0.45  # m from the hips: what must stay outside a region, hands included
SUPPORTED = (Reach, RootPath, Avoid, Style, HeadFor, Act, Pace)


class TimedCommands(NamedTuple):
    """Commands from a frame on; NaN or -1 for none."""

    frame: int
    heading: float
    speed: float
    place: tuple[float, float]
    facing: float
    action: int
    values: tuple[float, ...]

    @property
    def commands(self) -> Commands:
        """As a step takes them."""
        return _joined([self])


class ParametricGraphPlan(NamedTuple):
    """The beginning of a character, and its orders."""

    length: int
    seed: int
    orders: tuple[TimedCommands, ...]
    shown: tuple[str, ...]  # the node of each frame
    reason: str = ""

    @property
    def frames(self) -> int:
        return self.length

    def bands(self) -> list[Band]:
        out, at = [], 0
        for name, run in groupby(self.shown):
            count = len(list(run))
            out.append(Band(at, count, name, "clip"))
            at += count
        return out


class Paths(NamedTuple):
    """What characters have done so far: F frames."""

    place: FloatArray  # (N, F, 2)
    heading: FloatArray  # (N, F)
    node: IntArray  # (N, F)


def labels_of(live: ParametricGraphLive) -> dict[str, BoolArray]:
    """The nodes (N,) whose motions have a label: their names, and labels that all of their examples have throughout."""
    out: dict[str, BoolArray] = {}
    for i, node in enumerate(live.nodes):
        for name in sorted({node.name, *node.labels}):
            out.setdefault(name, np.zeros(len(live.nodes), bool))[i] = True
    return out


def start_of(request: Request, frames: int, fps: float) -> Travel:
    """Where the first frame is."""
    begin = request.beginning(frames, fps)
    return Travel(np.array([begin.position], float), np.array([begin.heading], float))


def run_orders(
    live: Live, state: State, orders: Sequence[TimedCommands], frames: int, progress: Progress | None = None,
    looks: FloatArray | None = None,
) -> Any:  # fmt: skip
    """The states and poses of a recording: the first pose, then a step for each frame, by its order and look (1, 3)."""
    at, now = 0, commands()
    state, poses = live.step(state, now, 0.0)
    yield state, poses
    for f in range(1, frames):
        while at < len(orders) and orders[at].frame <= f - 1:
            now, at = orders[at].commands, at + 1
        if progress is not None:
            progress(f / frames, "stepping")
        given = now if looks is None else now._replace(look=looks[f])
        state, poses = live.step(state, given, 1.0 / live.fps)
        yield state, poses


class PlanSearch:
    """The search for one request."""

    def __init__(self, live: ParametricGraphLive, request: Request, frames: int, options: Options) -> None:
        self.live, self.frames, self.options = live, frames, options
        self.goals = [c for c in request.all_constraints if isinstance(c, SUPPORTED)]
        self.values = _values([c for c in request.all_constraints if isinstance(c, Parameters)], live)
        self.start = start_of(request, frames, live.fps)
        self.labels = labels_of(live)
        self.paths = {id(c): _Path(c, frames, live.fps) for c in self.goals if isinstance(c, RootPath)}
        self.spans = {id(c): c.frames(frames, live.fps) for c in self.goals if isinstance(c, (Style, HeadFor, Act))}

    def plan(self, rng: Generator, progress: Progress) -> ParametricGraphPlan:
        """The best plan that was found."""
        live = self.live
        guided = [c for c in self.goals if not isinstance(c, (Style, Act))] or (len(live.nodes) > 1 and self.goals)
        seeds = rng.integers(0, 2**31, size=self.options.width if guided else 1)
        at = Travel(np.repeat(self.start.place, len(seeds), 0), np.repeat(self.start.heading, len(seeds)))
        state = live.begin(seeds, at, self.options)
        done = Paths(
            state.root[:, 1:, [0, 2]].copy(), _headings(live, state.rotations[:, 1])[:, None], state.node[:, :1].copy()
        )
        orders: list[tuple[TimedCommands, ...]] = [()] * len(seeds)
        ticks = max(1, round(BLOCK * live.fps))
        for first in range(0, self.frames - 1, ticks):
            progress(first / self.frames, "searching")
            count = min(ticks, self.frames - 1 - first)
            proposed = [self._proposals(done, i, first) for i in range(len(orders))]
            parents = np.repeat(np.arange(len(orders)), [len(p) for p in proposed])
            flat = [order for some in proposed for order in some]
            given = _joined(flat)
            many = select(state, parents)
            places, headings, nodes = [], [], []
            for _ in range(count):
                many, poses = live.step(many, given, 1.0 / live.fps)
                places.append(poses.root[:, [0, 2]])
                headings.append(_headings(live, poses.rotations))
                nodes.append(many.node[:, 0])
            tried = Paths(
                np.concatenate([done.place[parents], np.stack(places, 1)], 1),
                np.concatenate([done.heading[parents], np.stack(headings, 1)], 1),
                np.concatenate([done.node[parents], np.stack(nodes, 1)], 1),
            )
            score = self._scores(tried)
            kept = _best_few(score, tried, self.options.width if guided else 1)
            state, done = select(many, kept), Paths(tried.place[kept], tried.heading[kept], tried.node[kept])
            orders = [(*orders[parents[i]], flat[i]) for i in kept]
            seeds = seeds[parents[kept]]
        best = self._final(done)
        shown = tuple(live.actions[n] for n in done.node[best])
        return ParametricGraphPlan(self.frames, int(seeds[best]), orders[best], shown)

    def _proposals(self, done: Paths, i: int, frame: int) -> list[TimedCommands]:
        """The orders that character i is tried with from a frame on."""
        place, action = done.place[i, -1], self._action(frame, done.node[i])
        speeds = self._speeds(frame, place_so_far=done.place[i])
        empty = TimedCommands(frame, math.nan, speeds[0], (math.nan, math.nan), math.nan, action, self.values)
        guides = [empty._replace(speed=speed) for speed in speeds[1:]]
        direction = math.nan
        for c in self.goals:
            if isinstance(c, RootPath):
                direction = self.paths[id(c)].direction(done.place[i], frame)
            elif isinstance(c, Reach) and frame <= c.frame(self.frames, self.live.fps):
                off = np.asarray(c.position) - place
                if math.isnan(direction):
                    direction = math.atan2(off[0], off[1])
                if c.heading is not None:
                    guides.append(empty._replace(place=(float(c.position[0]), float(c.position[1])), facing=c.heading))
            elif isinstance(c, HeadFor) and frame in self.spans[id(c)]:
                direction = c.heading
        if math.isnan(direction) and any(isinstance(c, Avoid) for c in self.goals):
            direction = float(done.heading[i, -1])
        if math.isnan(direction):
            return [*guides, empty] if len(speeds) > 1 else guides or [empty]
        return [*guides, *(empty._replace(heading=direction + turn) for turn in TURNS)]

    def _speeds(self, frame: int, place_so_far: FloatArray) -> list[float]:
        """The speeds that are tried from a frame on: those of a pace that holds soon after it, and none."""
        soon = frame + round(BLOCK * self.live.fps)
        for c in self.goals:
            if not isinstance(c, Pace):
                continue
            if c.stretch is None:
                span = c.frames(self.frames, self.live.fps)
                holds = span.start <= soon and frame < span.stop
            else:
                metres = float(walked_along(place_so_far, self.live.fps)[-1])
                holds = c.stretch[0] <= metres + BLOCK * c.speed[1] and metres < c.stretch[1]
            if holds:
                low, high = c.speed
                return [(low + high) / 2, *([low, high] if high > low else []), math.nan]
        return [math.nan]

    def _action(self, frame: int, node: IntArray) -> int:
        """The node that a style or an action asks for soon after a frame, -1 for any; node (F,) so far."""
        soon = frame + round(NODE_LEAD_TIME * self.live.fps)
        for c in self.goals:
            if isinstance(c, (Style, Act)):
                span, label = self.spans[id(c)], c.label if isinstance(c, Style) else c.action
                done = isinstance(c, Act) and self.labels[label][node[span.start :]].any()
                if span.start <= soon and frame < span.stop and not done:
                    return int(np.flatnonzero(self.labels[label])[0])
        return -1

    def _scores(self, tried: Paths) -> FloatArray:
        """(N,) how badly each character keeps the request so far, in tolerances."""
        out = np.zeros(len(tried.place))
        frame = tried.place.shape[1] - 1
        left = (self.frames - 1 - frame) / self.live.fps
        for c in self.goals:
            weight = 1.0 if c.weight is None else float(c.weight)
            if isinstance(c, RootPath):
                out += weight * self.paths[id(c)].cost(tried.place) / c.tolerance
            elif isinstance(c, Reach):
                out += weight * _reach_cost(c, tried, left, self.frames, self.live)
            elif isinstance(c, Avoid):
                near = np.linalg.norm(tried.place - np.asarray(c.center), axis=2).min(1)
                out += weight * np.maximum(c.radius + BODY - near, 0.0) / 0.02
                out += weight * 0.2 * np.maximum(c.radius + BODY - _ahead_of(c, tried), 0.0) / 0.02
            elif isinstance(c, Pace):
                off = [c.residual_along(place, self.live.fps, self.frames) for place in tried.place]
                worst, mean = ([float(f(o)) if len(o) else 0.0 for o in off] for f in (np.max, np.mean))
                out += weight * (np.array(worst) + np.array(mean)) / c.tolerance
            elif isinstance(c, Style):
                span = self.spans[id(c)]
                wrong = ~self.labels[c.label][tried.node[:, span.start : min(span.stop, frame + 1)]]
                out += weight * wrong.sum(1)
            elif isinstance(c, HeadFor):
                out += weight * _heading_cost(c, tried, self.spans[id(c)], self.live.fps)
            elif isinstance(c, Act):
                span = self.spans[id(c)]
                shown = self.labels[c.action][tried.node[:, span.start : min(span.stop, frame + 1)]]
                out += weight * 10.0 * ~shown.any(1)
        return out

    def _final(self, done: Paths) -> int:
        """The character that keeps the request best."""
        return int(self._scores(done).argmin())


def _headings(live: ParametricGraphLive, rotations: FloatArray) -> FloatArray:
    from motionloom.kinematics.travel import root_headings

    return np.asarray(root_headings(rotations[:, 0], live.skeleton))


def _joined(orders: Sequence[TimedCommands]) -> Commands:
    return commands(
        heading=[o.heading for o in orders],
        speed=[o.speed for o in orders],
        place=[o.place for o in orders],
        facing=[o.facing for o in orders],
        action=[o.action for o in orders],
        values=[o.values for o in orders],
    )


def _best_few(score: FloatArray, tried: Paths, count: int) -> IntArray:
    """The characters with the least scores; of several at one place with one heading, the first."""
    kept: list[int] = []
    seen: set[tuple[int, int, int]] = set()
    for i in np.argsort(score, kind="stable"):
        x, z = np.round(tried.place[i, -1] / 0.03)
        key = (int(x), int(z), round(float(tried.heading[i, -1]) / 0.05))
        if key not in seen:
            seen.add(key)
            kept.append(int(i))
        if len(kept) == count:
            break
    return np.array(kept)


def _reach_cost(c: Reach, tried: Paths, left: float, frames: int, live: ParametricGraphLive) -> FloatArray:
    """In tolerances: the least error so far, or what the rest of the path will leave."""
    last = c.frame(frames, live.fps)
    upto = tried.place[:, : last + 1]
    far = np.linalg.norm(upto - np.asarray(c.position), axis=2) / c.tolerance
    if c.heading is not None:
        off = wrap_angle(tried.heading[:, : last + 1] - c.heading)
        far = np.maximum(far, np.abs(off) / c.heading_tolerance)
    best = far.min(1)
    now = tried.place.shape[1] - 1
    if now >= last:
        return best + 10 * np.maximum(best - 0.9, 0)
    rest = np.linalg.norm(tried.place[:, -1] - np.asarray(c.position), axis=1)
    speed = max(float(n.speeds.max()) for n in live.nodes)
    short = np.maximum(rest - (last - now) / live.fps * speed, 0.0) / c.tolerance
    to = np.asarray(c.position) - tried.place[:, -1]
    aim = np.abs(wrap_angle(np.arctan2(to[:, 0], to[:, 1]) - tried.heading[:, -1]))
    ahead = short + 0.3 * rest / c.tolerance + 0.5 * aim
    if c.heading is not None:
        ahead = ahead + 0.5 * _bend(to, tried.heading[:, -1], c.heading)
    return np.where(best <= 0.9, best - 1.0, ahead)


def _ahead_of(c: Avoid, tried: Paths) -> FloatArray:
    """(N,) m from the centre of a region to the next metres straight ahead."""
    facing = np.stack([np.sin(tried.heading[:, -1]), np.cos(tried.heading[:, -1])], 1)
    to = np.asarray(c.center) - tried.place[:, -1]
    along = np.clip((to * facing).sum(1), 0.0, AVOID_LOOKAHEAD)
    return np.asarray(np.linalg.norm(to - along[:, None] * facing, axis=1))


def _heading_cost(c: HeadFor, tried: Paths, span: range, fps: float) -> FloatArray:
    """In tolerances: how far the direction of travel over the last second is from the heading."""
    last = min(span.stop, tried.place.shape[1]) - 1
    first = max(span.start, last - round(fps), 0)
    if last <= first:
        return np.zeros(len(tried.place))
    moved = tried.place[:, last] - tried.place[:, first]
    moving = np.linalg.norm(moved, axis=1) >= 0.1
    direction = np.where(moving, np.arctan2(moved[:, 0], moved[:, 1]), tried.heading[:, last])
    return np.asarray(np.abs(wrap_angle(direction - c.heading)) / c.tolerance)


def _bend(to: FloatArray, heading: FloatArray, facing: float) -> FloatArray:
    """How much an approach has to bend to arrive with a heading."""
    along = np.arctan2(to[:, 0], to[:, 1])
    return np.abs(wrap_angle(2 * along - heading - facing))


def _values(given: Sequence[Parameters], live: ParametricGraphLive) -> tuple[float, ...]:
    """The values that soft parameters ask for, by column."""
    out = np.full(len(live.names), np.nan)
    for c in given:
        for one in c.parts():
            name = one.values[0][0]
            for node in live.nodes:
                if any(p.name == name for p in node.space.parameters):
                    out[node.space.column(name)] = one.requested(name)
    return tuple(out.tolist())


class _Path:
    """A path, and how far along it characters have come."""

    def __init__(self, c: RootPath, frames: int, fps: float) -> None:
        points = np.array(c.points, float)
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        count = np.maximum(1, np.ceil(lengths / 0.05)).astype(int)
        parts = [
            points[i] + (points[i + 1] - points[i]) * (np.arange(n) / n)[:, None] for i, n in enumerate(count)
        ]  # fmt: skip
        self.dense = np.concatenate([*parts, points[-1:]])
        self.length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(self.dense, axis=0), axis=1))])
        ends = np.concatenate([[0], np.cumsum(lengths)])
        at = c.frames(frames, fps)
        knots = np.linspace(0, frames - 1, 2) if at is None else np.array(at, float)
        goals = np.array([0.0, ends[-1]]) if at is None else ends
        self.due = np.interp(np.arange(frames), knots, goals)
        self.timed = at is not None

    def at(self, distance: FloatArray) -> FloatArray:
        """Points of the path by their distance from its beginning."""
        return np.stack([np.interp(distance, self.length, self.dense[:, i]) for i in (0, 1)], -1)

    def along(self, place: FloatArray) -> FloatArray:
        """(N, F) how far along each character is: the nearest point, within half a metre of where it should be."""
        count = place.shape[1]
        room = 0.15 if self.timed else 0.6
        options = self.due[:count, None] + np.linspace(-room, room, 13)
        options = np.clip(options, 0.0, self.length[-1])
        far = np.linalg.norm(place[:, :, None] - self.at(options)[None], axis=3)
        return np.take_along_axis(np.broadcast_to(options, far.shape), far.argmin(2)[..., None], 2)[..., 0]

    def cost(self, place: FloatArray) -> FloatArray:
        """(N,) m: the largest distance from the path so far, and a part of the mean one."""
        off = np.linalg.norm(place - self.at(self.along(place)), axis=2)
        late = np.abs(self.along(place[:, -1:])[:, 0] - self.due[place.shape[1] - 1]) if place.shape[1] else 0.0
        return np.asarray(off.max(1) + off.mean(1) + 2 * off[:, -1] + 0.2 * late)

    def direction(self, place: FloatArray, frame: int) -> float:
        """The direction from the last place to the point of the path a little ahead."""
        distance = min(self.due[min(frame, len(self.due) - 1)] + PATH_LOOKAHEAD, self.length[-1] + PATH_LOOKAHEAD)
        goal = self.at(np.array(min(distance, self.length[-1])))
        if distance > self.length[-1]:
            end = self.dense[-1] - self.dense[max(len(self.dense) - 3, 0)]
            goal = goal + end / max(np.linalg.norm(end), 1e-9) * (distance - self.length[-1])
        off = goal - place[-1]
        return float(math.atan2(off[0], off[1]))
