"""The one-level motion graph as a model: routes through it that meet a request (GUAN 2.4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from motionloom.constraints import Avoid, Pace, PoseAt, Reach, RootAt, RootPath, Style, StyleAlong
from motionloom.core import Progress
from motionloom.methods.base import Honours
from motionloom.methods.graph.path_model import PathGraphModel
from motionloom.methods.graph.query.goal import GroundGoal
from motionloom.methods.graph.query.request import GraphQuery
from motionloom.methods.graph.search.branch_and_bound import search_branch_and_bound
from motionloom.methods.graph.search.result import SearchResult
from motionloom.methods.motion_graph.config import Options
from motionloom.methods.settings import FAITHFUL, Settings


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MotionGraphModel(PathGraphModel[Options]):
    """Clips and the transitions between them."""

    method: ClassVar[str] = "motion-graph"
    honours: ClassVar[Honours] = tuple(
        (kind, strength)
        for kind in (RootPath, Reach, RootAt, Avoid, Style, StyleAlong, Pace)
        for strength in ("hard", "soft")
    ) + ((PoseAt, "hard"),)
    options_type: ClassVar[type[Settings]] = Options

    def untimed_search(self, options: Options) -> str:
        return (
            "search: branch-and-bound (GUAN 2.4.1; search: beam has no such limit)"
            if (options.search == "branch-and-bound")
            else ""
        )

    def search(self, query: GraphQuery, goal: GroundGoal, options: Options, progress: Progress) -> SearchResult:
        if options.search == "branch-and-bound":
            return self._branch_and_bound(query, goal, options, progress)
        width, cost = options.beam_width, options.transition_cost
        return self._beam(query, goal, options, progress, width=width, transition_cost=cost)

    def _branch_and_bound(
        self, query: GraphQuery, goal: GroundGoal, options: Options, progress: Progress
    ) -> SearchResult:
        """The result of incremental branch and bound, of which `step` seconds are kept each time."""
        lookahead, kept = (max(1, round(seconds * self.fps)) for seconds in (options.lookahead, options.step))
        return search_branch_and_bound(
            query.schedule.moves,
            goal,
            query.start,
            self.starts(query.schedule, options, query.variation),
            query.schedule.bits,
            lookahead=lookahead,
            step=kept,
            least=self.least_progress(options),
            frames=query.frames,
            nearest=options.variant != FAITHFUL,
            budget=options.budget,
            progress=progress,
        )
