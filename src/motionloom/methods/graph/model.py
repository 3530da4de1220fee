"""Motion graphs as models: the parts that all graph methods share."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Avoid, Constraint, Reach, Request, RootPath, Start, StyleAlong
from motionloom.core import BoolArray, Clip, IntArray, Note, Progress, part, replace
from motionloom.methods.base import Band, Model, O, place
from motionloom.methods.bend import bent, bent_poses, far_pose
from motionloom.methods.graph.build.prune import alive
from motionloom.methods.graph.checks import check_graph
from motionloom.methods.graph.config import WayOptions
from motionloom.methods.graph.frame_names import frame_name
from motionloom.methods.graph.graph import Graph, Route
from motionloom.methods.graph.live import GraphLive, LiveOptions, graph_live
from motionloom.methods.graph.query.allowed_frames import Timing, beyond_end, why, with_labels_along
from motionloom.methods.graph.query.goal import Goal
from motionloom.methods.graph.query.messages import check_start, halted, out_of_reach, remarks, unreached
from motionloom.methods.graph.query.request import Wanted, wanted
from motionloom.methods.graph.render.render import render
from motionloom.methods.graph.render.root_tracks import stretches
from motionloom.methods.graph.search.deadline import hurried
from motionloom.methods.graph.search.moves import Steps, steps
from motionloom.methods.graph.search.path_search import Found
from motionloom.methods.graph.search.random_walk import random_route
from motionloom.methods.graph.search.scheduled_walk import Weights, gone_on, wander
from motionloom.methods.schedule import Reachable, carries
from motionloom.methods.settings import Settings

SCHEDULED = 0.1  # finding out what a request allows when, as a share of planning
TRIES = 200  # random walks that are made to find one that keeps what is asked of its path

P = TypeVar("P", bound=WayOptions)


class Plan(NamedTuple):
    """A route through the graph, the goal it was searched for, and notes about the search."""

    route: Route
    timeline: tuple[Band, ...] = ()
    goal: Goal | None = None
    notes: tuple[Note, ...] = ()
    reason: str = ""  # the hard constraint that it cannot keep

    @property
    def frames(self) -> int:
        return self.route.frames

    def bands(self) -> Sequence[Band]:
        return self.timeline


def timeline(graph: Graph, route: Route) -> tuple[Band, ...]:
    """The clips and transitions that a route shows, in order."""
    out, at = [], 0
    for s in stretches(graph, route):
        if s.transition < 0:
            out.append(Band(at, s.frames, frame_name(graph, s.frame), "clip"))
        else:
            ends = (int(frames[s.transition]) for frames in (graph.transitions.a, graph.transitions.b))
            out.append(Band(at, s.frames, " to ".join(frame_name(graph, frame) for frame in ends), "transition"))
        at += s.frames
    return tuple(out)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GraphModel(Model[O]):
    """Clips and the transitions between them, with what every graph method does with them."""

    keeps_notes: ClassVar[bool] = True
    live_options_type: ClassVar[type[Settings] | None] = LiveOptions

    graph: Graph

    def check(self) -> None:
        check_graph(self.graph, self.skeleton, self.fps)

    @cached_property
    def alive(self) -> BoolArray:
        """(N,) frames from which a motion can continue without end."""
        return alive(self.graph)

    @cached_property
    def steps(self) -> Steps:
        """The displacements over the ground of all frames and transitions that are not dead ends."""
        found = steps(self.graph)
        return found.within(self.alive, np.ones(len(found.enter), bool))

    @cached_property
    def pace(self) -> float:
        """m/s: the median speed of the clips."""
        return max(0.2, float(np.median(np.linalg.norm(self.steps.step[:, :2], axis=1))) * self.fps)

    @cached_property
    def live(self) -> GraphLive:
        """Characters that follow commands step by step."""
        return graph_live(self.graph)

    def render(self, plan: Any, request: Request, options: O, rng: Generator, progress: Progress) -> Clip:
        clip = place(render(self.graph, plan.route, lift=self.cleans_feet(request)), request, self)
        notes = (*plan.notes, *bent_poses(clip, request.constraints))
        clip = bent(clip, request.constraints, plan.reason or self.shortfall(clip, plan, request, options))
        return replace(clip, origin=dataclasses.replace(clip.origin, notes=notes))

    def remarks(self, clip: Clip, request: Request) -> tuple[Note, ...]:
        return remarks(clip, self.graph.clips, request.all_constraints, getattr(self.options(request), "arrival", None))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PathGraphModel(GraphModel[P]):
    """A graph whose routes are searched along paths over the ground, or drawn at random."""

    def ends(self, request: Request) -> bool:
        return any(isinstance(c, (RootPath, Reach)) for c in request.constraints)

    @abstractmethod
    def search(
        self, goal: Goal, begin: Start, when: Timing, frames: int | None, options: P, progress: Progress
    ) -> Found:
        """The best route for a goal; each method has its own search."""

    def start_frame(self, options: P) -> int | None:
        """The graph frame that the request starts with, or None: any."""
        return None

    def walk_weights(self, options: P) -> Weights | None:
        """How probable each step of a random walk is, or None: as the options `pick` and `fresh` have it."""
        return None

    def shortfall(self, clip: Clip, plan: Plan, request: Request, options: P) -> str:
        return out_of_reach(clip, plan.goal, request.constraints, options) or far_pose(
            clip, request.constraints, options.bend_pose
        )

    def _plan(self, request: Request, options: P, rng: Generator, progress: Progress) -> Plan:
        asked = wanted(self.graph, self.steps, request, self.fps, self.pace, part(progress, 0.0, SCHEDULED))
        progress = part(progress, SCHEDULED, 1.0)
        if asked.goal is None:
            assert asked.frames is not None  # checked before
            return self._drawn(request, options, asked.when, asked.frames, rng, progress)
        return self._searched(asked, asked.goal, options, rng, progress)

    def _searched(self, asked: Wanted, goal: Goal, options: P, rng: Generator, progress: Progress) -> Plan:
        """The route that the search finds, continued at random to the length of the request."""
        frames, wishes, until, begin, _, when = asked
        missing = when.missing or self._nowhere(wishes) or check_start(begin, wishes)
        goal = with_labels_along(goal, self.graph, wishes)
        found = self.search(goal, begin, when, frames, options, part(progress, 0.0, 0.6))
        rest = part(progress, 0.6, 1.0)
        again = partial(self._search_again, begin=begin, when=when, frames=frames, options=options, progress=rest)
        found = hurried(found, goal, wishes, begin, self.fps, again, options.budget)
        if not found.arrived:
            missing = missing or unreached(found, goal, wishes, self.fps)
        route = found.route
        if route.frames < (frames or until.frames):
            if frames is None and goal.path is not None and found.arrived:
                raise beyond_end(until, route.frames / self.fps, self.fps, exactly=True)
            route = self.continued(route, when, frames or until.frames, options, rng)
        return Plan(route, timeline(self.graph, route), goal, tuple(halted(found, options)), missing)

    def _search_again(
        self,
        goal: Goal,
        budget: int,
        *,
        begin: Start,
        when: Timing,
        frames: int | None,
        options: P,
        progress: Progress,
    ) -> Found:
        return self.search(goal, begin, when, frames, dataclasses.replace(options, budget=budget), progress)

    def continued(self, route: Route, when: Timing, frames: int, options: P, rng: Generator) -> Route:
        """The route made longer by a random walk, as far as the schedule of the request allows."""
        least = round(options.shortest * self.fps)
        weights = self.walk_weights(options)
        return gone_on(self.graph, when.steps, route, when.alive, frames, rng, shortest=least, weights=weights)

    def starts(self, when: Timing, options: P) -> IntArray:
        """Graph frames to start at: the one that the request names, or every second one that is not a dead end."""
        named = self.start_frame(options)
        if named is not None:
            return np.array([named])
        leads = when.steps.goes_on | (np.diff(when.steps.first_out) > 0)
        found = np.flatnonzero(leads if when.alive is None else leads & when.alive.at(0))
        return found if len(found) < 100 else found[::2]

    def _nowhere(self, wishes: Sequence[Constraint]) -> str:
        """Why a hard label along the path cannot be kept, or "": no frame carries it."""
        hard = [c for c in wishes if isinstance(c, StyleAlong) and c.hard]
        return next((why(self.graph, c) for c in hard if not carries(self.graph.clips, c.label).any()), "")

    def _drawn(
        self, request: Request, options: P, when: Timing, frames: int, rng: Generator, progress: Progress
    ) -> Plan:
        """A random walk; with obstacles or labels along the path, the best of up to `TRIES` of them."""
        asked = [c for c in request.constraints if isinstance(c, (Avoid, StyleAlong))]
        missing = when.missing or self._nowhere(asked)
        found: list[tuple[float, Route]] = []
        for k in range(TRIES if asked else 1):
            progress(k / TRIES, "drawing random walks")
            route = self._random(when, frames, options, rng)
            clip = place(render(self.graph, route, lift=options.clean_feet), request, self) if asked else None
            over = sum(max(0.0, c.worst(clip) - c.limit) for c in asked) if clip is not None else 0.0
            found.append((over, route))
            if over == 0.0:
                break
        best = min(found, key=lambda pair: pair[0])[1]
        return Plan(best, timeline(self.graph, best), reason=missing)

    def _random(self, when: Timing, frames: int, options: P, rng: Generator) -> Route:
        start, weights = self.start_frame(options), self.walk_weights(options)
        if when.alive is None and weights is None:
            own: dict[str, Any] = {"shortest": options.shortest, "pick": options.pick, "fresh": options.fresh}
            return random_route(self.graph, frames, rng, start=start, allowed=when.allowed, **own)
        alive = when.alive or Reachable(when.steps.net, frames, transitions=True)
        least = round(options.shortest * self.fps)
        begun, taken = wander(when.steps, alive, 0, start, rng, shortest=least, weights=weights)
        return Route(begun, taken, frames)
