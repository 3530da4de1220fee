"""The two-level motion graph as a model: choices, paths and random walks (GUAN 2.4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Pace, PoseAt, Reach, Request, RootAt, RootPath, Style
from motionloom.core import BadRequest, BoolArray, FloatArray, IntArray, NoPath, Progress
from motionloom.methods.array_checks import check_array, check_number
from motionloom.methods.base import Honours
from motionloom.methods.graph import Graph, Route
from motionloom.methods.graph.frame_names import frame_name, frame_named
from motionloom.methods.graph.model import GraphPlan, timeline
from motionloom.methods.graph.path_model import PathGraphModel
from motionloom.methods.graph.query.allowed_frames import FrameSchedule
from motionloom.methods.graph.query.goal import GroundGoal
from motionloom.methods.graph.query.request import GraphQuery
from motionloom.methods.graph.search.moves import ground_moves
from motionloom.methods.graph.search.result import SearchResult
from motionloom.methods.graph.search.scheduled_walk import EdgeWeights
from motionloom.methods.settings import Settings
from motionloom.methods.two_level_graph.cluster_trees import (
    Choice,
    ClusterWords,
    Tree,
    cluster_tree,
    distinct_choices,
    transition_words,
    tree_choices,
    tree_motions,
)
from motionloom.methods.two_level_graph.clusters import Clusters, cluster_features
from motionloom.methods.two_level_graph.config import Options
from motionloom.methods.two_level_graph.markov import Chain, chain, edge_weights, likeness
from motionloom.methods.two_level_graph.rules import Pruned
from motionloom.methods.two_level_graph.silhouettes import silhouette_views
from motionloom.methods.two_level_graph.sketch import SketchGoal, follow_clusters

MAX_TREES = 4096  # cluster trees that are kept in memory
BEAM_WIDTH, CLUSTER_BEAM_WIDTH = 500, 6  # defaults of `beam_width`: for frames, and for cluster paths


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TwoLevelGraphModel(PathGraphModel[Options]):
    """Clips, the transitions between them with their probabilities, and clusters of frames above."""

    method: ClassVar[str] = "two-level-graph"
    honours: ClassVar[Honours] = tuple(
        (kind, strength) for kind in (RootPath, Reach, RootAt, Style, Pace) for strength in ("hard", "soft")
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
        """The lower level: probabilities of all edges that do not lead into a dead end."""
        return chain(self.graph, self.delta, self.walkable)

    @cached_property
    def _words(self) -> ClusterWords:
        return transition_words(self.chain, self.clusters)

    @cached_property
    def _forest(self) -> dict[tuple[int, int], Tree]:
        return {}

    @cached_property
    def views(self) -> Any:
        """(N, V / 2, D) silhouettes of all frames; computed when first used."""
        return silhouette_views(self.graph)

    def tree(self, frame: int, *, reach: float = 1.5) -> Tree:
        """The cluster tree of a frame (counted through all clips), `reach` seconds ahead.

        All of them are the forest of the source; a tree is grown when it is first used, in milliseconds, and kept.
        """
        require_walkable(self.graph, frame, self.walkable)
        steps_ahead = max(1, round(reach * self.fps))
        key = (int(frame), steps_ahead)
        if key not in self._forest:
            if len(self._forest) >= MAX_TREES:
                self._forest.pop(next(iter(self._forest)))
            self._forest[key] = cluster_tree(self.chain, self.clusters, *key, passed=self._words)
        return self._forest[key]

    def cluster_paths(self, frame: int, *, reach: float = 1.5) -> list[Choice]:
        """Every cluster path from a frame with its most probable motion, the most probable first."""
        return tree_choices(self.tree(frame, reach=reach), self.chain, max(1, round(reach * self.fps)))

    def choices(self, frame: int, *, reach: float = 1.5, most: int = 12) -> list[Choice]:
        """At most `most` cluster paths that lead to different places, the most probable first."""
        return distinct_choices(self.graph, self.cluster_paths(frame, reach=reach), most)

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> GraphPlan:
        if options.choices:
            query = self.query(request, progress)
            return self._choices_plan(options, query.schedule, query.frames, rng)
        return super()._plan(request, options, rng, progress)

    def untimed_search(self, options: Options) -> str:
        return "search: clusters (GUAN 2.4.2; search: frames has no such limit)" if options.search == "clusters" else ""

    def search(self, query: GraphQuery, goal: GroundGoal, options: Options, progress: Progress) -> SearchResult:
        if options.search == "clusters":
            return self._cluster_search(query, goal, options, progress)
        return self._beam(query, goal, options, progress, width=options.beam_width or BEAM_WIDTH)

    def _cluster_search(
        self, query: GraphQuery, goal: GroundGoal, options: Options, progress: Progress
    ) -> SearchResult:
        starts = self.starts(query.schedule, options, query.variation)
        reach = max(1, round(options.reach * self.fps))
        return follow_clusters(
            self.graph,
            ground_moves(self.graph),
            lambda n: tree_motions(self.tree(n, reach=options.reach), self.chain, reach),
            SketchGoal(goal.line, self.least_progress(options), query.frames, query.schedule.reachable),
            query.start,
            starts if len(starts) <= 2 * self.clusters.count else self._examples(starts),
            keep=max(1, round(options.step * self.fps)),
            width=options.beam_width or CLUSTER_BEAM_WIDTH,
            outlook=options.outlook,
            budget=options.budget,
            progress=progress,
        )

    def start_frame(self, options: Options) -> int | None:
        if not options.start:
            return None
        try:
            frame = frame_named(self.graph, options.start)
        except BadRequest as error:
            raise error.at(("options", "start")) from None
        return require_walkable(self.graph, frame, self.walkable)

    def walk_weights(self, options: Options) -> EdgeWeights | None:
        if options.sampling != "markov":
            return None
        return edge_weights(
            self.chain if options.delta is None else chain(self.graph, self._delta(options), self.walkable)
        )

    def transition_weights(self, options: Options) -> FloatArray | None:
        """exp(-D/delta) of eq. 2.16, against 1 for the next frame."""
        if options.sampling != "markov":
            return None
        return likeness(self.graph.transitions.distance, self._delta(options))

    def _delta(self, options: Options) -> float:
        """delta of eq. 2.16 in the unit of the graph's distances: that of the options, or the model's."""
        return self.delta if options.delta is None else self.delta * options.delta / self.config.delta

    def _examples(self, starts: IntArray) -> IntArray:
        """Of many frames to start at, two for each cluster: at a third and two thirds of its frames among them."""
        of = self.clusters.of[starts]
        chosen = [starts[of == k][[(of == k).sum() // 3, 2 * (of == k).sum() // 3]] for k in np.unique(of)]
        return np.unique(np.concatenate(chosen))

    def _choices_plan(self, options: Options, schedule: FrameSchedule, frames: int | None, rng: Generator) -> GraphPlan:
        """The motion of the choices, one after the other; if the request is longer, a random walk continues it."""
        at = int(self.starts(schedule, options)[0])
        route = follow_choices(self, at, options.choices, reach=options.reach, most=options.max_choices)
        if frames is not None and route.frames < frames:
            route = self.extend(route, schedule, frames, options, rng)
        route = route._replace(frames=frames or route.frames)
        return GraphPlan(route, timeline(self.graph, route), reason=schedule.missing)


def require_walkable(graph: Graph, frame: int, walkable: BoolArray) -> int:
    """The frame, unless it is a dead end: then `NoPath`, with the most similar frame that is not."""
    if not 0 <= frame < graph.count:
        raise BadRequest(f"frame: expected 0 to {graph.count - 1}, counted through all clips, found {frame}")
    if walkable[frame]:
        return frame
    looks = cluster_features(graph.clips)
    good = np.flatnonzero(walkable)
    near = int(good[((looks[good] - looks[frame]) ** 2).sum(1).argmin()])
    raise NoPath(
        f"{frame_name(graph, frame)} is a dead end; the most similar frame that is not: {frame_name(graph, near)}"
    )


def follow_choices(
    model: TwoLevelGraphModel, start: int, numbers: Sequence[str], *, reach: float = 1.5, most: int = 12
) -> Route:
    """The route of choices taken one after the other, by their numbers in each list of choices."""
    at, frames = start, 1
    taken: tuple[int, ...] = ()
    for k, text in enumerate(numbers):
        offered = model.choices(at, reach=reach, most=most)
        if not text.isdigit() or int(text) >= len(offered):
            raise BadRequest(
                f"expected a choice from 0 to {len(offered) - 1}, found {text!r}", where=("options", "choices", k)
            )
        chosen = offered[int(text)]
        taken, frames, at = taken + chosen.route.taken, frames + chosen.route.frames - 1, chosen.end
    return Route(start, taken, frames)
