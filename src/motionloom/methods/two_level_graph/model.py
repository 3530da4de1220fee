"""The two-level motion graph as a model: learning it, and the ways of asking that it answers (GUAN 2.4.2)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import PoseAt, Reach, Request, RootAt, RootPath, Start, Style
from motionloom.core import BadRequest, BoolArray, Clip, IntArray, NoPath, Note
from motionloom.methods.base import Honours, Model, check_request
from motionloom.methods.graph import Graph, Route
from motionloom.methods.graph.asking import Plan, as_clip, wanted
from motionloom.methods.graph.goal import Goal
from motionloom.methods.graph.hurrying import hurried
from motionloom.methods.graph.naming import frame_name, frame_named
from motionloom.methods.graph.prune import alive
from motionloom.methods.graph.report import check_start, halted, remarks, unreached
from motionloom.methods.graph.search import Found, search_beam, search_step_by_step
from motionloom.methods.graph.steps import Steps, steps
from motionloom.methods.graph.times import Timing, beyond_end
from motionloom.methods.graph.walk import random_route
from motionloom.methods.graph.ways import gone_on, wander
from motionloom.methods.settings import Settings
from motionloom.methods.two_level_graph.clusters import Clusters, cluster_features
from motionloom.methods.two_level_graph.config import Options
from motionloom.methods.two_level_graph.markov import Chain, chain
from motionloom.methods.two_level_graph.rules import Pruned
from motionloom.methods.two_level_graph.silhouettes import silhouette_views
from motionloom.methods.two_level_graph.sketch import Asked, follow_clusters
from motionloom.methods.two_level_graph.trees import (
    Choice,
    Tree,
    Words,
    cluster_tree,
    different,
    transition_words,
    tree_choices,
    tree_ways,
)

FOREST = 4096  # cluster trees that are remembered


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TwoLevelGraph(Model):
    """Clips, the transitions between them with their probabilities, and clusters of frames above."""

    method: ClassVar[str] = "two-level-graph"
    honours: ClassVar[Honours] = tuple(
        (kind, strength) for kind in (RootPath, Reach, RootAt, Style) for strength in ("hard", "soft")
    ) + ((PoseAt, "hard"),)
    Options: ClassVar[type[Settings]] = Options
    speaks: ClassVar[bool] = True

    graph: Graph
    clusters: Clusters
    delta: float  # of eq. 2.16, in the unit of the graph's distances
    pruned: Pruned

    def ends(self, request: Request) -> bool:
        return any(isinstance(c, (RootPath, Reach)) for c in request.constraints) or bool(
            request.options.get("choices")
        )

    @cached_property
    def alive(self) -> BoolArray:
        """(N,) frames from which one can go on for ever."""
        return alive(self.graph)

    @cached_property
    def chain(self) -> Chain:
        """The lower level: what is probable after each frame, never into a dead end."""
        return chain(self.graph, self.delta, self.alive)

    @cached_property
    def steps(self) -> Steps:
        """The graph seen from above, without frames from which one cannot go on."""
        found = steps(self.graph)
        return found.within(self.alive, np.ones(len(found.enter), bool))

    @cached_property
    def pace(self) -> float:
        """m/s: the usual speed of these clips."""
        return max(0.2, float(np.median(np.linalg.norm(self.steps.step[:, :2], axis=1))) * self.fps)

    @cached_property
    def _words(self) -> Words:
        return transition_words(self.chain, self.clusters)

    @cached_property
    def _forest(self) -> dict[tuple[int, int], Tree]:
        return {}

    @cached_property
    def views(self) -> Any:
        """(N, V / 2, D) silhouettes of all frames; worked out when first asked for."""
        return silhouette_views(self.graph)

    def tree(self, frame: int, *, reach: float = 1.5) -> Tree:
        """The cluster tree of a frame (counted through all clips), `reach` seconds ahead. All of them are the forest;
        a tree is grown when it is first asked for, in milliseconds, and remembered.
        """
        living_frame(self.graph, frame, self.alive)
        steps_ahead = max(1, round(reach * self.fps))
        key = (int(frame), steps_ahead)
        if key not in self._forest:
            if len(self._forest) >= FOREST:
                self._forest.pop(next(iter(self._forest)))
            self._forest[key] = cluster_tree(self.chain, self.clusters, *key, passed=self._words)
        return self._forest[key]

    def cluster_paths(self, frame: int, *, reach: float = 1.5) -> list[Choice]:
        """Every cluster path from a frame with its most probable motion, the most probable first."""
        return tree_choices(self.tree(frame, reach=reach), self.chain, max(1, round(reach * self.fps)))

    def choices(self, frame: int, *, reach: float = 1.5, most: int = 12) -> list[Choice]:
        """What can be done now: at most `most` cluster paths that lead to different places, the most probable first."""
        return different(self.graph, self.cluster_paths(frame, reach=reach), most)

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
        if options.choices:
            return self._follow(options, when, frames, rng)
        if goal is None:
            assert frames is not None  # checked before
            return Plan(self._random(when, frames, options, rng), None, (), when.missing)
        missing = when.missing or check_start(begin, wishes)
        found = self._search(goal, begin, when, frames, options)
        by_the_clock = partial(self._again, begin=begin, when=when, frames=frames, options=options)
        found = hurried(found, goal, wishes, begin, self.fps, by_the_clock, options.budget)
        if not found.arrived:
            missing = missing or unreached(found, goal, wishes, self.fps)
        route = found.route
        if route.frames < (frames or until.frames):
            if frames is None and goal.path is not None and found.arrived:
                raise beyond_end(until, route.frames / self.fps, self.fps, exactly=True)
            route = self._go_on(route, when, frames or until.frames, options, rng)
        return Plan(route, goal, tuple(halted(found, options)), missing)

    def _again(self, goal: Goal, budget: int, *, begin: Start, when: Timing, frames: int | None, options: Any) -> Found:
        return self._search(goal, begin, when, frames, dataclasses.replace(options, budget=budget))

    def _search(self, goal: Goal, begin: Any, when: Timing, frames: int | None, options: Any) -> Found:
        least = options.progress / self.fps
        keep = max(1, round(options.keep * self.fps))
        starts = self._starts(when, options)
        at_any_time = goal.path is not None and goal.path.times is None and not len(goal.keys)
        if options.search == "clusters" and at_any_time:
            few = starts if len(starts) <= 2 * self.clusters.count else self._examples(starts)
            asked = Asked(goal.line, least, frames, when.alive)
            reach = max(1, round(options.reach * self.fps))
            return follow_clusters(
                self.graph,
                steps(self.graph),
                lambda n: tree_ways(self.tree(n, reach=options.reach), self.chain, reach),
                asked,
                begin,
                few,
                keep=keep,
                width=options.few,
                budget=options.budget,
            )
        bits: Any = np.zeros((0, 0), np.uint8) if when.alive is None else when.alive.bits
        if goal.timed or goal.path is None:
            return search_beam(
                when.steps,
                goal,
                begin,
                starts,
                bits,
                width=options.width,
                least=least,
                look=round(0.5 * self.fps),
                budget=options.budget,
            )
        ahead = max(1, round(options.ahead * self.fps))
        return search_step_by_step(
            when.steps, goal, begin, starts, bits, ahead=ahead, keep=keep, least=least, budget=options.budget
        )

    def _starts(self, when: Timing, options: Any) -> IntArray:
        """Frames to start at: the one that is named, or every second that leads on."""
        if options.start:
            return np.array([living_frame(self.graph, frame_named(self.graph, options.start), self.alive)])
        leads = when.steps.goes_on | (np.diff(when.steps.first_out) > 0)
        starts = np.flatnonzero(leads if when.alive is None else leads & when.alive.at(0))
        return starts if len(starts) < 100 else starts[::2]

    def _examples(self, starts: IntArray) -> IntArray:
        """Of many frames to start at, two for each cluster: at a third and two thirds of its frames among them."""
        of = self.clusters.of[starts]
        chosen = [starts[of == k][[(of == k).sum() // 3, 2 * (of == k).sum() // 3]] for k in np.unique(of)]
        return np.unique(np.concatenate(chosen))

    def _follow(self, options: Any, when: Timing, frames: int | None, rng: Generator) -> Plan:
        """The motion of the choices, one after the other; if more is asked for, a random walk goes on from there."""
        at = int(self._starts(when, options)[0])
        route = follow_choices(self, at, options.choices, reach=options.reach, most=options.most)
        if frames is not None and route.frames < frames:
            route = self._go_on(route, when, frames, options, rng)
        return Plan(route._replace(frames=frames or route.frames), None, (), when.missing)

    def _go_on(self, route: Route, when: Timing, frames: int, options: Any, rng: Generator) -> Route:
        """The route made longer by a random walk, as far as what is asked at times allows."""
        least = round(options.shortest * self.fps)
        return gone_on(self.graph, when.steps, route, when.alive, frames, rng, shortest=least)

    def _random(self, when: Timing, frames: int, options: Any, rng: Generator) -> Route:
        if when.alive is None:
            own = {"shortest": options.shortest, "pick": options.pick, "fresh": options.fresh}
            start = int(self._starts(when, options)[0]) if options.start else None
            return random_route(self.graph, frames, rng, start=start, allowed=when.allowed, **own)
        start = int(self._starts(when, options)[0]) if options.start else None
        begun, taken = wander(when.steps, when.alive, 0, start, rng, shortest=round(options.shortest * self.fps))
        return Route(begun, taken, frames)


def living_frame(graph: Graph, frame: int, alive: BoolArray) -> int:
    """The frame, if one can go on from it for ever; `NoPath` with the most similar such frame if not."""
    if not 0 <= frame < graph.count:
        raise BadRequest(f"frames count from 0 to {graph.count - 1} through all clips, found {frame}")
    if alive[frame]:
        return frame
    looks = cluster_features(graph.clips)
    good = np.flatnonzero(alive)
    near = int(good[((looks[good] - looks[frame]) ** 2).sum(1).argmin()])
    raise NoPath(
        f"from {frame_name(graph, frame)} no way goes on for ever; the most similar frame that leads on is "
        f"{frame_name(graph, near)}"
    )


def follow_choices(
    model: TwoLevelGraph, start: int, numbers: Sequence[str], *, reach: float = 1.5, most: int = 12
) -> Route:
    """The route of choices taken one after the other, by their numbers in what is offered each time."""
    at, frames = start, 1
    taken: tuple[int, ...] = ()
    for k, text in enumerate(numbers):
        offered = model.choices(at, reach=reach, most=most)
        if not text.isdigit() or int(text) >= len(offered):
            raise BadRequest(f"choices: at step {k} there are choices 0 to {len(offered) - 1}, found {text!r}")
        chosen = offered[int(text)]
        taken, frames, at = taken + chosen.route.taken, frames + chosen.route.frames - 1, chosen.end
    return Route(start, taken, frames)
