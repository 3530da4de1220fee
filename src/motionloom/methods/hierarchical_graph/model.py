"""The hierarchical motion graph as a model: a randomised search for the route that meets a request best."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Avoid, Constraint, Pace, PoseAt, PositionAt, Reach, Request, RootAt, RootPath, Style
from motionloom.core import Clip, NoPath, Note, Progress, part
from motionloom.methods.base import Band, Honours
from motionloom.methods.graph import Route
from motionloom.methods.graph.model import GraphModel, timeline
from motionloom.methods.graph.query.messages import start_problem
from motionloom.methods.graph.render.render import join_route
from motionloom.methods.graph.render.root_tracks import track
from motionloom.methods.hierarchical_graph.config import Options
from motionloom.methods.hierarchical_graph.edge_trees import EdgeTrees, check_trees
from motionloom.methods.hierarchical_graph.guided_seeds import guide
from motionloom.methods.hierarchical_graph.hard_constraints import hard_requirements, place_problem
from motionloom.methods.hierarchical_graph.objective import at_steady_pace, material, score_terms
from motionloom.methods.hierarchical_graph.search import RandomSearch, RoundResult
from motionloom.methods.hierarchical_graph.search_arrays import TERMS, ScoreTerms, SearchMaterial
from motionloom.methods.lead_into_constraints import pose_problem
from motionloom.methods.redraw_uneven_pace import STEADY_TRIES, steadiest, usual_changes
from motionloom.methods.settings import Settings

SCHEDULE_SHARE = 0.1  # of planning, for the schedule of allowed frames
BUDGET_SPENT = "the budget was spent"
SEEDS_DRAWN = 64  # for a walk without a place to go; the one with the smoothest and steadiest transitions is taken


class HierarchicalPlan(NamedTuple):
    """The route that was found, and how the search went."""

    route: Route
    score: float
    parts: Mapping[str, float]  # the score by its terms, weights included
    evaluations: int
    rounds: int
    history: tuple[tuple[int, float], ...]  # evaluations and best score after each round; the score never rises
    ended: str  # why: "no improvement", "the budget was spent", "nothing to optimise"
    timeline: tuple[Band, ...] = ()
    reason: str = ""  # why a hard constraint is not met

    @property
    def frames(self) -> int:
        return self.route.frames

    @property
    def notes(self) -> tuple[Note, ...]:
        return (self.note(),)

    def bands(self) -> Sequence[Band]:
        return self.timeline

    def note(self) -> Note:
        """A note about the search; a warning if its budget was spent."""
        first = f", from {self.history[0][1]:.3f}" if len(self.history) > 1 else ""
        parts = ", ".join(f"{name} {value:.3f}" for name, value in self.parts.items() if value > 0)
        rounds = "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
        return Note(
            f"best score {self.score:.3f}{first} ({parts or 'no costs'}) after {self.evaluations} routes in "
            f"{rounds}: {self.ended}",
            "warning" if self.ended == BUDGET_SPENT else "info",
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HierarchicalGraphModel(GraphModel[Options]):
    """A motion graph with all its transitions, and the trees over them (GUAN 2.4.3)."""

    method: ClassVar[str] = "hierarchical-graph"
    honours: ClassVar[Honours] = tuple(
        (kind, strength)
        for kind in (PoseAt, RootAt, PositionAt, RootPath, Reach, Style, Pace, Avoid)
        for strength in ("hard", "soft")
    )
    options_type: ClassVar[type[Settings]] = Options

    levels: EdgeTrees

    def check(self) -> None:
        super().check()
        check_trees(self.levels, self.graph)

    @cached_property
    def material(self) -> SearchMaterial:
        """Graph and trees as arrays for the search."""
        return material(self.graph, self.levels, steady=self.config.variant != "faithful")

    @cached_property
    def steady_material(self) -> SearchMaterial:
        """The same for random routes at a steady pace."""
        return at_steady_pace(self.material, self.graph)

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> HierarchicalPlan:
        """The best route found; where no route keeps hard labels, the best one with these as soft constraints."""
        try:
            return self._searched(request, options, rng, progress)
        except NoPath as problem:
            kept = [
                dataclasses.replace(c, weight=1.0) if isinstance(c, (Style, Pace)) else c for c in request.constraints
            ]
            softer = dataclasses.replace(request, constraints=tuple(kept))
            try:
                return self._searched(softer, options, rng, progress)._replace(reason=str(problem))
            except NoPath:
                raise problem from None

    def refuses(self, constraint: Constraint, frames: int | None, options: Options | None = None) -> str:
        if isinstance(constraint, Pace) and constraint.stretch is not None:
            return "it searches by time: give pace a span instead of a stretch"
        return ""

    def shortfall(self, clip: Clip, plan: HierarchicalPlan, request: Request, options: Options) -> str:
        if not (why := place_problem(clip, request, options.bend)):
            return pose_problem(clip, request.constraints, options.bend_pose)
        outside = start_problem(request.beginning(plan.route.frames, self.fps), request.constraints)
        return outside or f"{why} ({plan.evaluations} routes scored, {plan.ended})"

    def _searched(self, request: Request, options: Options, rng: Generator, progress: Progress) -> HierarchicalPlan:
        hard, alive = hard_requirements(self.graph, self.material, request, part(progress, 0.0, SCHEDULE_SHARE))
        terms = score_terms(self.graph, request, options)
        search = RandomSearch(
            self.material,
            terms,
            hard,
            alive,
            rng,
            gap=round(options.shortest * self.fps),
            population=options.population,
            restarts=options.restarts,
            shortcuts=options.shortcuts,
            guide=guide(self.graph, self.moves, request, self.pace) if options.guided_seeds else None,
        )
        if all(c.hard and isinstance(c, (PoseAt, Style, Pace)) for c in request.constraints):
            steady = self.config.variant != "faithful"
            usual = usual_changes(self.graph.clips) if steady else None
            steadiness = iter(np.linspace(0.0, 1.0, STEADY_TRIES))
            paces = [c for c in request.constraints if isinstance(c, Pace)]
            drawing = part(progress, SCHEDULE_SHARE, 1.0)

            def draw() -> RoundResult:
                if (strength := next(steadiness)) > 0:
                    search.m = self.steady_material._replace(steadiness=strength)
                return search.unguided(SEEDS_DRAWN if steady else 1, drawing)

            def excess(found: RoundResult) -> float:
                clip = join_route(self.graph, self._route(terms.frames, found))
                return sum(max(0.0, c.worst(clip) - c.limit) for c in paces)

            place = lambda found: track(self.graph, self._route(terms.frames, found)).place
            found = steadiest(draw, place, usual, self.fps, excess if paces else None, drawing)
            return self._planned(terms, [found], "nothing to optimise")
        seen: list[RoundResult] = []
        seen.extend(search.rounds(options.budget, options.patience, part(progress, SCHEDULE_SHARE, 1.0)))
        spent = search.evaluations >= options.budget
        return self._planned(terms, seen, BUDGET_SPENT if spent else "no improvement")

    @staticmethod
    def _route(frames: int, found: RoundResult) -> Route:
        """The best route of a round."""
        return Route(found.best.start, tuple(found.best.leaves.tolist()), frames)

    def _planned(self, terms: ScoreTerms, seen: Sequence[RoundResult], ended: str) -> HierarchicalPlan:
        best = seen[-1].best
        route = self._route(terms.frames, seen[-1])
        return HierarchicalPlan(
            route,
            best.score,
            {name: float(value) for name, value in zip(TERMS, best.parts, strict=True)},
            seen[-1].evaluations,
            seen[-1].rounds,
            tuple((found.evaluations, found.best.score) for found in seen),
            ended,
            timeline(self.graph, route),
        )
