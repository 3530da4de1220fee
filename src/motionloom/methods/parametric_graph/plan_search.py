"""The search for a plan: commands by which a live character keeps a request, found by trying many characters at once.

A state is a value, so characters can be copied: in each block of half a second, every character that is kept is tried
with several commands, and those that keep the request best continue.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Act, Avoid, HeadFor, Pace, Parameters, Reach, Request, RootPath, Style
from motionloom.constraints.acting import MISSED, limb_ends, nearest
from motionloom.constraints.style import walked_along
from motionloom.core import BoolArray, FloatArray, IntArray, Progress
from motionloom.kinematics.fk import world
from motionloom.kinematics.pace import UNEVEN_RATE, change_rate
from motionloom.kinematics.travel import Travel
from motionloom.methods.live import select
from motionloom.methods.parametric_graph.config import Options
from motionloom.methods.parametric_graph.live import ParametricGraphLive
from motionloom.methods.parametric_graph.nodes import walking_speeds
from motionloom.methods.parametric_graph.path_progress import PathProgress
from motionloom.methods.parametric_graph.plan import ParametricGraphPlan, TimedCommands, joined_orders
from motionloom.methods.parametric_graph.plan_costs import (
    NEARLY,
    Paths,
    act_cost,
    act_frames,
    ahead_of,
    aim_cost,
    around_spans,
    errors_at,
    heading_cost,
    reach_costs,
    shown_frames,
)
from motionloom.methods.parametric_graph.plan_values import RequestedValues
from motionloom.methods.redraw_uneven_pace import STEADY_TRIES

BLOCK = 0.5  # s
TURNS = (0.0, 0.25, -0.25, 0.8, -0.8)  # rad from the best direction, which are tried
NODE_LEAD_TIME = 1.5  # s: how long before its span a node is commanded
NEAR = 1.0  # m: how much earlier than they begin to stop, characters are tried that stop
BODY = 0.45  # m from the hips: what must stay outside a region, hands included
STRAYED = 10.0  # tolerances: an action that was not requested
SUPPORTED = (Reach, RootPath, Avoid, Style, HeadFor, Act, Pace)


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


class PlanSearch:
    """The search for one request."""

    def __init__(self, live: ParametricGraphLive, request: Request, frames: int, options: Options) -> None:
        self.live, self.frames, self.options = live, frames, options
        self.goals = [c for c in request.all_constraints if isinstance(c, SUPPORTED)]
        reaches = [c for c in self.goals if isinstance(c, Reach)]
        self.reaches = sorted(reaches, key=lambda c: c.frame(frames, live.fps))
        self.start = start_of(request, frames, live.fps)
        self.labels = labels_of(live)
        slow = walking_speeds(live.nodes)[0]
        self.paths = {id(c): PathProgress(c, frames, live.fps, slow) for c in self.goals if isinstance(c, RootPath)}
        given = [c for c in request.all_constraints if isinstance(c, Parameters)]
        asked = [c for c in self.goals if isinstance(c, (Act, Style))]
        self.values = RequestedValues(given, live, self.labels, frames, asked)
        self.aimed = [c for c in self.goals if isinstance(c, Act) and c.target is not None]
        self.once = np.array([not node.space.rows.cyclic and node.turn_column[0] < 0 for node in live.nodes])
        self.spans = {id(c): c.frames(frames, live.fps) for c in self.goals if isinstance(c, (Style, HeadFor, Act))}

        for c in self.goals:
            if isinstance(c, Act):
                node, least = self._node_of(c.action), max(self._lasts(c.action), 1)
                self.spans[id(c)] = self.values.measured_within(self.spans[id(c)], node, least)
        self.around: dict[int, range] = {}  # of the acts: an act may be asked for several times
        for name in {c.action for c in self.goals if isinstance(c, Act)}:
            same = [c for c in self.goals if isinstance(c, Act) and c.action == name]
            found = around_spans([self.spans[id(c)] for c in same])
            self.around.update(zip(map(id, same), found, strict=True))

    def plan(self, rng: Generator, progress: Progress) -> ParametricGraphPlan:
        """The best plan that was found."""
        live = self.live
        guided = [c for c in self.goals if not isinstance(c, (Style, Act)) or c in self.aimed] or (
            len(live.nodes) > 1 and self.goals
        )
        seeds = rng.integers(0, 2**31, size=self.options.width if guided else STEADY_TRIES)
        at = Travel(np.repeat(self.start.place, len(seeds), 0), np.repeat(self.start.heading, len(seeds)))
        state = live.begin(seeds, at, self.options)
        done = Paths(
            state.root[:, 1:, [0, 2]].copy(), _headings(live, state.rotations[:, 1])[:, None], state.node[:, :1].copy(),
            self._ends(state.root[:, 1], state.rotations[:, 1]), np.full((len(seeds), len(self.aimed)), MISSED),
            (self.once & ~self._asked_soon())[state.node[:, 0]].astype(np.int64),
        )  # fmt: skip
        orders: list[tuple[TimedCommands, ...]] = [()] * len(seeds)
        ticks = max(1, round(BLOCK * live.fps))
        for first in range(0, self.frames - 1, ticks):
            progress(first / self.frames, "searching")
            count = min(ticks, self.frames - 1 - first)
            proposed = [self._proposals(done, i, first) for i in range(len(orders))]
            parents = np.repeat(np.arange(len(orders)), [len(p) for p in proposed])
            flat = [order for some in proposed for order in some]
            given = joined_orders(flat)
            many = select(state, parents)
            places, headings, nodes = [], [], []
            ends, missed = done.ends[parents], done.missed[parents]
            free = ~np.array([order.steered for order in flat])
            strayed, begun = done.strayed[parents], many.draws
            for n in range(count):
                many, poses = live.step(many, given, 1.0 / live.fps)
                places.append(poses.root[:, [0, 2]])
                headings.append(_headings(live, poses.rotations))
                nodes.append(many.node[:, 0])
                strayed = strayed + (free & self.once[nodes[-1]] & (many.draws != begun))
                begun = many.draws
                if self.aimed:
                    before, ends = ends, self._ends(poses.root, poses.rotations)
                    missed = self._missed(missed, before, ends, first + 1 + n, nodes[-1])
            tried = Paths(
                np.concatenate([done.place[parents], np.stack(places, 1)], 1),
                np.concatenate([done.heading[parents], np.stack(headings, 1)], 1),
                np.concatenate([done.node[parents], np.stack(nodes, 1)], 1),
                ends,
                missed,
                strayed,
            )
            score = self._scores(tried)
            kept = _best_few(score, tried, self.options.width) if guided else np.arange(len(seeds))
            state, done = select(many, kept), tried.only(kept)
            orders = [(*orders[parents[i]], flat[i]) for i in kept]
            seeds = seeds[parents[kept]]
        best = self._final(done) if guided else _first_steady(done.place, live.fps)
        shown = tuple(live.actions[n] for n in done.node[best])
        return ParametricGraphPlan(self.frames, int(seeds[best]), orders[best], shown)

    def _proposals(self, done: Paths, i: int, frame: int) -> list[TimedCommands]:
        """The orders that character i is tried with from a frame on."""
        return [order for act in self._acts(done, i, frame) for order in self._moves(done, i, frame, act)]

    def _moves(self, done: Paths, i: int, frame: int, act: TimedCommands) -> list[TimedCommands]:
        """The orders of one action with the headings, places and speeds that are tried."""
        place = done.place[i, -1]
        speeds = self._speeds(frame, place_so_far=done.place[i])
        empty = act._replace(speed=speeds[0])
        guides = [empty._replace(speed=speed) for speed in speeds[1:]]
        direction = math.nan
        for c in self.goals:
            if isinstance(c, RootPath):
                direction = self.paths[id(c)].direction(done.place[i], frame)
                if (waits := self.paths[id(c)].waiting_place(frame, self.live.tables.stopping + NEAR)) is not None:
                    guides.append(self._waiting(empty, waits))
            elif isinstance(c, HeadFor) and frame in self.spans[id(c)]:
                direction = c.heading
        if (goal := self._next_place(done, i, frame)) is not None:
            off = np.asarray(goal.position) - place
            if math.isnan(direction):
                direction = math.atan2(off[0], off[1])
            if goal.heading is not None:
                to = (float(goal.position[0]), float(goal.position[1]))
                guides.append(empty._replace(place=to, facing=goal.heading))
        for c in self.aimed:
            if math.isnan(direction) and frame < self.spans[id(c)].stop and c.target is not None:
                direction = math.atan2(c.target[0] - place[0], c.target[2] - place[1])
        if math.isnan(direction) and any(isinstance(c, Avoid) for c in self.goals):
            direction = float(done.heading[i, -1])
        if math.isnan(direction):
            if not guides and not empty.steered and self.once.any():
                return [empty, empty._replace(heading=float(done.heading[i, -1]))]
            return [*guides, empty] if len(speeds) > 1 else guides or [empty]
        return [*guides, *(empty._replace(heading=direction + turn) for turn in TURNS)]

    def _waiting(self, order: TimedCommands, place: FloatArray) -> TimedCommands:
        """The order to stand, or to come back to a place where the graph has no node that stands."""
        if self.live.tables.stay < 0 or order.action >= 0:
            return order._replace(place=(float(place[0]), float(place[1])))
        return order._replace(action=int(self.live.tables.stay))

    def _next_place(self, done: Paths, i: int, frame: int) -> Reach | None:
        """The first place, in time, that character i has not reached and for which there is time; or the last one."""
        due = [c for c in self.reaches if frame <= c.frame(self.frames, self.live.fps)]
        path, fps = (done.place[i : i + 1], done.heading[i : i + 1]), self.live.fps
        return next((c for c in due if errors_at(c, *path, self.frames, fps)[0] > NEARLY), due[-1] if due else None)

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

    def _acts(self, done: Paths, i: int, frame: int) -> list[TimedCommands]:
        """Orders with the node that a style or an action asks for soon after a frame, if any, and its parameters.

        An action is also tried later, so that it is not over before its span.
        """
        node = done.node[i]
        soon = frame + round(NODE_LEAD_TIME * self.live.fps)
        for c in self.goals:
            if not isinstance(c, (Style, Act)):
                continue
            span, label = self.spans[id(c)], c.label if isinstance(c, Style) else c.action
            if not (span.start <= soon and frame < span.stop) or self._is_done(c, done, i):
                continue
            found = self._order(frame, soon, self._node_of(label), isinstance(c, Act))
            if isinstance(c, Style):
                return [found]
            later = self._order(frame, soon, -1, False)
            return [found if c.target is None else found._replace(target=c.target), later]
        action = self.values.node(frame, soon, int(node[-1]))
        acts = any(isinstance(c, Act) and self.labels[c.action][action] for c in self.goals)
        return [self._order(frame, soon, -1 if acts and self.once[action] else action, False)]

    def _asked_soon(self) -> BoolArray:
        """(N,) whether a style or an action asks for a node within the first moments."""
        soon = round(NODE_LEAD_TIME * self.live.fps)
        names = [c.action if isinstance(c, Act) else c.label for c in self.goals
                 if isinstance(c, (Act, Style)) and self.spans[id(c)].start <= soon]  # fmt: skip
        return np.any([self.labels[name] for name in names], axis=0) if names else np.zeros(len(self.once), bool)

    def _node_of(self, label: str) -> int:
        """The node that a label asks for."""
        return int(np.flatnonzero(self.labels[label])[0])

    def _lasts(self, label: str) -> int:
        """How many frames an action is shown from one transition to the next, on average; 0 of one that repeats."""
        n = self._node_of(label)
        return shown_frames(self.live, n) if self.once[n] else 0

    def _order(self, frame: int, soon: int, action: int, named: bool) -> TimedCommands:
        """An order of an action alone, with its parameters."""
        values = tuple(self.values.values(frame, soon, action, named=named).tolist())
        return TimedCommands(
            frame, math.nan, math.nan, (math.nan, math.nan), math.nan, action, values, (math.nan, math.nan, math.nan)
        )

    def _is_done(self, c: Style | Act, done: Paths, i: int) -> bool:
        """Whether an action has been done; a style holds through its whole span."""
        if isinstance(c, Style):
            return False
        if c in self.aimed:
            return bool(done.missed[i, self.aimed.index(c)] <= c.target_tolerance)
        outside = act_frames(
            self.labels[c.action][done.node[i]], self.spans[id(c)], self.around[id(c)], self._lasts(c.action)
        )
        return 0 <= outside <= c.tolerance * self.live.fps

    def _ends(self, root: FloatArray, rotations: FloatArray) -> FloatArray:
        """(N, P, 3) m: hands and feet of poses; none where no action has a target."""
        if not self.aimed:
            return np.zeros((len(root), 0, 3))
        skeleton = self.live.skeleton
        return np.asarray(world(skeleton, root, rotations)[0][:, limb_ends(skeleton)])

    def _missed(
        self, missed: FloatArray, before: FloatArray, ends: FloatArray, frame: int, node: IntArray
    ) -> FloatArray:
        """(N, A) m: the least distances from targets, with another frame; node (N,) is the one shown in it."""
        out = missed.copy()
        for a, c in enumerate(self.aimed):
            if frame in self.spans[id(c)] and c.target is not None:
                far = np.where(self.labels[c.action][node], nearest(before, ends, c.target), MISSED)
                out[:, a] = np.minimum(out[:, a], far)
        return out

    def _scores(self, tried: Paths) -> FloatArray:
        """(N,) how badly each character keeps the request so far, in tolerances."""
        out: FloatArray = STRAYED * tried.strayed.astype(float)
        frame = tried.place.shape[1] - 1
        for goal, cost in zip(self.reaches, reach_costs(self.reaches, tried, self.frames, self.live), strict=True):
            out += (1.0 if goal.weight is None else float(goal.weight)) * cost
        for c in self.goals:
            weight = 1.0 if c.weight is None else float(c.weight)
            if isinstance(c, RootPath):
                path, tables = self.paths[id(c)], self.live.tables
                out += weight * path.cost(tried.place) / c.tolerance
                if tables.stay >= 0:
                    walks = tables.steer[tried.node[:, -1], 0] >= 0
                    out += weight * walks * path.overshot(tried.place, tables.stopping) / c.tolerance
            elif isinstance(c, Avoid):
                near = np.linalg.norm(tried.place - np.asarray(c.center), axis=2).min(1)
                out += weight * np.maximum(c.radius + BODY - near, 0.0) / 0.02
                out += weight * 0.2 * np.maximum(c.radius + BODY - ahead_of(c, tried), 0.0) / 0.02
            elif isinstance(c, Pace):
                off = [c.residual_along(place, self.live.fps, self.frames) for place in tried.place]
                worst, mean = ([float(f(o)) if len(o) else 0.0 for o in off] for f in (np.max, np.mean))
                out += weight * (np.array(worst) + np.array(mean)) / c.tolerance
            elif isinstance(c, Style):
                span = self.spans[id(c)]
                wrong = ~self.labels[c.label][tried.node[:, span.start : min(span.stop, frame + 1)]]
                out += weight * wrong.sum(1)
            elif isinstance(c, HeadFor):
                out += weight * heading_cost(c, tried, self.spans[id(c)], self.live.fps)
            elif isinstance(c, Act):
                span = self.spans[id(c)]
                shown = self.labels[c.action][tried.node]
                out += weight * act_cost(c, shown, span, self.around[id(c)], self._lasts(c.action), self.live.fps)
                if c in self.aimed:
                    out += weight * aim_cost(c, tried, tried.missed[:, self.aimed.index(c)], frame >= span.stop - 1)
        return out

    def _final(self, done: Paths) -> int:
        """The character that keeps the request best."""
        return int(self._scores(done).argmin())


def _first_steady(places: FloatArray, fps: float) -> int:
    """The first of these paths (N, F, 2) whose pace is not uneven, or the least uneven one."""
    return int(np.argmin([max(change_rate([place], fps, moving=True) - UNEVEN_RATE, 0.0) for place in places]))


def _headings(live: ParametricGraphLive, rotations: FloatArray) -> FloatArray:
    from motionloom.kinematics.travel import root_headings

    return np.asarray(root_headings(rotations[:, 0], live.skeleton))


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
