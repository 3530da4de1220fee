"""The two-level motion graph as a model: learning it, and the ways of asking that it answers (GUAN 2.4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import PoseAt, Reach, Request, RootAt, RootPath, Start, Style
from motionloom.core import BadRequest, BoolArray, IntArray, NoPath, Progress
from motionloom.methods.base import Honours
from motionloom.methods.graph import Graph, Route
from motionloom.methods.graph.frame_names import frame_name, frame_named
from motionloom.methods.graph.model import PathGraphModel, Plan, timeline
from motionloom.methods.graph.query.allowed_frames import Timing
from motionloom.methods.graph.query.goal import Goal
from motionloom.methods.graph.query.request import wanted
from motionloom.methods.graph.search.moves import steps
from motionloom.methods.graph.search.path_search import Found, search_beam, search_step_by_step
from motionloom.methods.graph.search.scheduled_walk import Weights
from motionloom.methods.settings import Settings
from motionloom.methods.two_level_graph.cluster_trees import (
    Choice,
    Tree,
    Words,
    cluster_tree,
    different,
    transition_words,
    tree_choices,
    tree_ways,
)
from motionloom.methods.two_level_graph.clusters import Clusters, cluster_features
from motionloom.methods.two_level_graph.config import Options
from motionloom.methods.two_level_graph.markov import Chain, chain, edge_weights
from motionloom.methods.two_level_graph.rules import Pruned
from motionloom.methods.two_level_graph.silhouettes import silhouette_views
from motionloom.methods.two_level_graph.sketch import Asked, follow_clusters
from motionloom.methods.validate import check_array, check_number

FOREST = 4096  # cluster trees that are remembered


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TwoLevelGraph(PathGraphModel[Options]):
    """Clips, the transitions between them with their probabilities, and clusters of frames above."""

    method: ClassVar[str] = "two-level-graph"
    honours: ClassVar[Honours] = tuple(
        (kind, strength) for kind in (RootPath, Reach, RootAt, Style) for strength in ("hard", "soft")
    ) + ((PoseAt, "hard"),)
    options_type: ClassVar[type[Settings]] = Options

    clusters: Clusters
    delta: float  # of eq. 2.16, in the unit of the graph's distances
    pruned: Pruned

    def check(self) -> None:
        super().check()
        frames, count = self.graph.count, self.clusters.count
        check_array(self.clusters.example, "clusters.example", "i", (None,), low=0, high=frames - 1)
        check_array(self.clusters.of, "clusters.of", "i", (frames,), low=0, high=count - 1)
        check_number(self.delta, "delta", low=0.0)

    def ends(self, request: Request) -> bool:
        return super().ends(request) or bool(request.options.get("choices"))

    @cached_property
    def chain(self) -> Chain:
        """The lower level: what is probable after each frame, never into a dead end."""
        return chain(self.graph, self.delta, self.alive)

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

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> Plan:
        if options.choices:
            asked = wanted(self.graph, self.steps, request, self.fps, self.pace, progress)
            return self._follow(options, asked.when, asked.frames, rng)
        return super()._plan(request, options, rng, progress)

    def search(
        self, goal: Goal, begin: Start, when: Timing, frames: int | None, options: Options, progress: Progress
    ) -> Found:
        least = options.progress / self.fps
        keep = max(1, round(options.keep * self.fps))
        starts = self.starts(when, options)
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
                outlook=options.outlook,
                budget=options.budget,
                progress=progress,
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
                progress=progress,
            )
        ahead = max(1, round(options.ahead * self.fps))
        return search_step_by_step(
            when.steps,
            goal,
            begin,
            starts,
            bits,
            ahead=ahead,
            keep=keep,
            least=least,
            budget=options.budget,
            progress=progress,
        )

    def start_frame(self, options: Options) -> int | None:
        if not options.start:
            return None
        return living_frame(self.graph, frame_named(self.graph, options.start), self.alive)

    def walk_weights(self, options: Options) -> Weights | None:
        return edge_weights(self.chain) if options.pick == "markov" else None

    def _examples(self, starts: IntArray) -> IntArray:
        """Of many frames to start at, two for each cluster: at a third and two thirds of its frames among them."""
        of = self.clusters.of[starts]
        chosen = [starts[of == k][[(of == k).sum() // 3, 2 * (of == k).sum() // 3]] for k in np.unique(of)]
        return np.unique(np.concatenate(chosen))

    def _follow(self, options: Options, when: Timing, frames: int | None, rng: Generator) -> Plan:
        """The motion of the choices, one after the other; if the request is longer, a random walk continues it."""
        at = int(self.starts(when, options)[0])
        route = follow_choices(self, at, options.choices, reach=options.reach, most=options.most)
        if frames is not None and route.frames < frames:
            route = self.continued(route, when, frames, options, rng)
        route = route._replace(frames=frames or route.frames)
        return Plan(route, timeline(self.graph, route), reason=when.missing)


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
            there = f"at step {k} there are choices 0 to {len(offered) - 1}, found {text!r}"
            raise BadRequest(there, where=("options", "choices", k))
        chosen = offered[int(text)]
        taken, frames, at = taken + chosen.route.taken, frames + chosen.route.frames - 1, chosen.end
    return Route(start, taken, frames)
