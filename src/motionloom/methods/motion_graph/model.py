"""The one-level motion graph as a model: learning it, and ways through it that keep a request."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Avoid, Constraint, PoseAt, Reach, Request, RootAt, RootPath, Start, Style, StyleAlong
from motionloom.core import Clip, IntArray, Note
from motionloom.kinematics.travel import placed
from motionloom.methods.base import Honours, Model, check_request
from motionloom.methods.graph.asking import Plan, as_clip, wanted
from motionloom.methods.graph.build import build_told, find_transitions
from motionloom.methods.graph.core import Graph, Route, Transitions
from motionloom.methods.graph.goal import Goal
from motionloom.methods.graph.hurrying import hurried
from motionloom.methods.graph.labels import Limits
from motionloom.methods.graph.limits import limit_used
from motionloom.methods.graph.missing import Look, connection
from motionloom.methods.graph.naming import with_mirrored
from motionloom.methods.graph.prune import alive, facts, prune
from motionloom.methods.graph.render import render
from motionloom.methods.graph.report import check_start, halted, remarks, unreached
from motionloom.methods.graph.search import Found, search_beam, search_step_by_step
from motionloom.methods.graph.settings import GraphConfig, WayOptions
from motionloom.methods.graph.steps import Steps, steps
from motionloom.methods.graph.times import (
    Timing,
    beyond_end,
    carries,
    why,
    with_labels_along,
)
from motionloom.methods.graph.walk import random_route
from motionloom.methods.graph.ways import gone_on, wander
from motionloom.methods.settings import Settings, param

TRIES = 200  # random walks that are made to find one that keeps what is asked of its way
LOOK = 0.5  # s that the beam looks ahead along a clip


@dataclass(frozen=True)
class Config(GraphConfig):
    """What learning needs."""

    apart: float = param(0.1, "transitions nearer than this to a better one are left out", unit="s", low=0)
    contacts: bool = param(False, "join only frames in which the same heels and toes stand")


@dataclass(frozen=True)
class Options(WayOptions):
    """What synthesis needs."""

    search: str = param(
        "beam", "how a path is searched: all of it, or step by step (GUAN 2.4.1)", choices=("beam", "branch-and-bound")
    )
    width: int = param(500, "bodies that the beam follows side by side", low=1, high=100_000)
    calm: float = param(1.0, "how much the beam avoids transitions; 0: not at all", low=0)
    keep: float = param(1.0, "how much of that it keeps", unit="s", symbol="m", low=0.03, high=20)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MotionGraphModel(Model):
    """Clips and the transitions between them."""

    method: ClassVar[str] = "motion-graph"
    honours: ClassVar[Honours] = tuple(
        (kind, strength)
        for kind in (RootPath, Reach, RootAt, Avoid, Style, StyleAlong)
        for strength in ("hard", "soft")
    ) + ((PoseAt, "hard"),)
    Options: ClassVar[type[Settings]] = Options
    speaks: ClassVar[bool] = True

    graph: Graph

    @cached_property
    def steps(self) -> Steps:
        """The graph seen from above, without frames from which one cannot go on."""
        found = steps(self.graph)
        return found.within(alive(self.graph), np.ones(len(found.enter), bool))

    @cached_property
    def pace(self) -> float:
        """m/s: the usual speed of these clips."""
        return max(0.2, float(np.median(np.linalg.norm(self.steps.step[:, :2], axis=1))) * self.fps)

    def ends(self, request: Request) -> bool:
        return any(isinstance(c, (RootPath, Reach)) for c in request.constraints)

    def plan(self, request: Request, rng: Generator) -> Plan:
        """The way through the graph: where it starts and which transitions it takes."""
        check_request(self, request)
        return self._plan(request.at_fps(self.fps), self.options(request), rng)

    def make(self, request: Request, options: Any, rng: Generator) -> Clip:
        return as_clip(self.graph, self._plan(request, options, rng), request, options, self.fps)

    def remarks(self, clip: Clip, request: Request) -> tuple[Note, ...]:
        return remarks(clip, self.graph.clips, request.wishes, self.options(request).arrival)

    def _plan(self, request: Request, options: Any, rng: Generator) -> Plan:
        frames, wishes, until, begin, goal, when = wanted(self.graph, self.steps, request, self.fps, self.pace)
        if goal is None:
            assert frames is not None  # checked before
            return self._wander(request, options, when, frames, rng)
        missing = when.missing or self._nowhere(wishes) or check_start(begin, wishes)
        goal = with_labels_along(goal, self.graph, wishes)
        found = self._search(goal, begin, when, options)
        by_the_clock = partial(self._again, begin=begin, when=when, options=options)
        found = hurried(found, goal, wishes, begin, self.fps, by_the_clock, options.budget)
        notes = halted(found, options)
        if not found.arrived:
            missing = missing or unreached(found, goal, wishes, self.fps)
        route = found.route
        if route.frames < (frames or until.frames):
            if frames is None and goal.path is not None and found.arrived:
                raise beyond_end(until, route.frames / self.fps, self.fps, exactly=True)
            least = round(options.shortest * self.fps)
            route = gone_on(self.graph, when.steps, route, when.alive, frames or until.frames, rng, shortest=least)
        return Plan(route, goal, tuple(notes), missing)

    def _again(self, goal: Goal, budget: int, *, begin: Start, when: Timing, options: Any) -> Found:
        return self._search(goal, begin, when, dataclasses.replace(options, budget=budget))

    def _search(self, goal: Goal, begin: Any, when: Timing, options: Any) -> Found:
        bits = np.zeros((0, 0), np.uint8) if when.alive is None else when.alive.bits
        starts = self._starts(when)
        least = options.progress / self.fps
        # branch and bound knows a path and labels along it, but neither times nor obstacles
        if options.search == "beam" or goal.timed or goal.path is None or len(goal.circles):
            own = {"width": options.width, "calm": options.calm, "budget": options.budget}
            return search_beam(when.steps, goal, begin, starts, bits, least=least, look=round(LOOK * self.fps), **own)
        ahead, keep = (max(1, round(seconds * self.fps)) for seconds in (options.ahead, options.keep))
        return search_step_by_step(
            when.steps, goal, begin, starts, bits, ahead=ahead, keep=keep, least=least, budget=options.budget
        )

    def _starts(self, when: Timing) -> IntArray:
        """Frames to start at: every second that leads on, or all if there are few."""
        leads = when.steps.goes_on | (np.diff(when.steps.first_out) > 0)
        starts = np.flatnonzero(leads if when.alive is None else leads & when.alive.at(0))
        return starts if len(starts) < 100 else starts[::2]

    def _nowhere(self, wishes: Sequence[Constraint]) -> str:
        """Why a hard label along the way cannot be kept, or "": no frame carries it."""
        hard = [c for c in wishes if isinstance(c, StyleAlong) and c.hard]
        return next((why(self.graph, c) for c in hard if not carries(self.graph, c.label).any()), "")

    def _wander(self, request: Request, options: Any, when: Timing, frames: int, rng: Generator) -> Plan:
        """A random walk; where circles or labels along the way are asked for, the best of up to `TRIES` of them."""
        asked = [c for c in request.constraints if isinstance(c, (Avoid, StyleAlong))]
        missing = when.missing or self._nowhere(asked)
        begin = request.beginning(frames, self.fps)
        found: list[tuple[float, Route]] = []
        for _ in range(TRIES if asked else 1):
            route = self._random(when, frames, options, rng)
            clip = placed(render(self.graph, route), begin.position, begin.heading) if asked else None
            over = sum(max(0.0, c.worst(clip) - c.limit) for c in asked) if clip is not None else 0.0
            found.append((over, route))
            if over == 0.0:
                break
        return Plan(min(found, key=lambda pair: pair[0])[1], None, (), missing)

    def _random(self, when: Timing, frames: int, options: Any, rng: Generator) -> Route:
        if when.alive is None:
            own = {"shortest": options.shortest, "pick": options.pick, "fresh": options.fresh}
            return random_route(self.graph, frames, rng, allowed=when.allowed, **own)
        least = round(options.shortest * self.fps)
        start, taken = wander(when.steps, when.alive, 0, None, rng, shortest=least)
        return Route(start, taken, frames)


DEFAULT = Config()


def fit(clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None) -> MotionGraphModel:
    """Learn from clips of one skeleton at `config.fps` (see `methods.prepare`). No chance is involved."""
    if config.mirror:
        clips = with_mirrored(clips)
    settings = _settings(config)
    graph, rough = build_told(clips, **settings)
    pruned, report = prune(graph)
    limit = limit_used(config.measure, config.limit, graph.transitions.distance)
    look = Look(partial(_found, settings), limit, config.measure, config.blend, rough)
    notes = [*report.notes(), *connection(graph, pruned, look), *facts(pruned).notes()]
    return MotionGraphModel(skeleton=clips[0].skeleton, config=config, fps=config.fps, notes=tuple(notes), graph=pruned)


def _settings(config: Config) -> dict[str, Any]:
    names = ("measure", "window", "blend", "limit", "limits", "apart", "shortest", "contacts")
    return {name: getattr(config, name) for name in names}


def _found(settings: dict[str, Any], clips: Sequence[Clip], limit: float, limits: Limits) -> Transitions:
    """All transitions with another limit."""
    return find_transitions(clips, **(settings | {"limit": limit, "limits": limits}))
