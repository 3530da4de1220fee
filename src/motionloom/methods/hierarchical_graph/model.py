"""A hierarchical motion graph as a model: the randomised search for the route that keeps a request best."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

from numpy.random import Generator

from motionloom.constraints import (
    Avoid,
    PoseAt,
    PositionAt,
    Reach,
    Request,
    RootAt,
    RootPath,
    Style,
)
from motionloom.core import Clip, NoPath, Note, Progress, part
from motionloom.methods.base import Band, Honours
from motionloom.methods.bend import far_pose
from motionloom.methods.graph import Route
from motionloom.methods.graph.model import GraphModel, timeline
from motionloom.methods.graph.query.messages import check_start
from motionloom.methods.hierarchical_graph.config import Options
from motionloom.methods.hierarchical_graph.edge_trees import Levels, check_levels
from motionloom.methods.hierarchical_graph.hard_constraints import must_keep, too_far
from motionloom.methods.hierarchical_graph.objective import material, terms_of
from motionloom.methods.hierarchical_graph.search import Found, Search
from motionloom.methods.hierarchical_graph.search_arrays import TERMS, Material, Terms
from motionloom.methods.settings import Settings

SCHEDULED = 0.1  # finding out what a request allows when, as a share of planning
SPENT = "the budget was spent"


class Plan(NamedTuple):
    """The way that was found, and how the search went."""

    route: Route
    score: float
    parts: Mapping[str, float]  # the score by its terms, weights included
    evaluations: int
    rounds: int
    history: tuple[tuple[int, float], ...]  # evaluations and best score after each round; the score never rises
    ended: str  # why: "no better way was found", "the budget was spent", "nothing to aim for"
    timeline: tuple[Band, ...] = ()
    reason: str = ""  # the hard constraint that it cannot keep

    @property
    def frames(self) -> int:
        return self.route.frames

    @property
    def notes(self) -> tuple[Note, ...]:
        return (self.note(),)

    def bands(self) -> Sequence[Band]:
        return self.timeline

    def note(self) -> Note:
        """How the search went; a warning if its budget was spent."""
        first = f", from {self.history[0][1]:.3f}" if len(self.history) > 1 else ""
        parts = ", ".join(f"{name} {value:.3f}" for name, value in self.parts.items() if value > 0)
        rounds = "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
        return Note(
            f"best score {self.score:.3f}{first} ({parts or 'nothing to pay'}) after {self.evaluations} ways in "
            f"{rounds}: {self.ended}",
            "warning" if self.ended == SPENT else "info",
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HierarchicalGraph(GraphModel[Options]):
    """A motion graph with all its transitions, and the trees over them (GUAN 2.4.3)."""

    method: ClassVar[str] = "hierarchical-graph"
    honours: ClassVar[Honours] = tuple(
        (kind, strength)
        for kind in (PoseAt, RootAt, PositionAt, RootPath, Reach, Style, Avoid)
        for strength in ("hard", "soft")
    )
    options_type: ClassVar[type[Settings]] = Options

    levels: Levels

    def check(self) -> None:
        super().check()
        check_levels(self.levels, self.graph)

    @cached_property
    def material(self) -> Material:
        """Graph and trees as the search reads them."""
        return material(self.graph, self.levels)

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> Plan:
        """The best route found; where no route keeps hard labels, the best one with these as soft constraints."""
        try:
            return self._searched(request, options, rng, progress)
        except NoPath as missing:
            kept = [dataclasses.replace(c, weight=1.0) if isinstance(c, Style) else c for c in request.constraints]
            softer = dataclasses.replace(request, constraints=tuple(kept))
            try:
                return self._searched(softer, options, rng, progress)._replace(reason=str(missing))
            except NoPath:
                raise missing from None

    def shortfall(self, clip: Clip, plan: Plan, request: Request, options: Options) -> str:
        if not (why := too_far(clip, request, options.bend)):
            return far_pose(clip, request.constraints, options.bend_pose)
        outside = check_start(request.beginning(plan.route.frames, self.fps), request.constraints)
        return outside or f"{why} ({plan.evaluations} ways looked at, {plan.ended})"

    def _searched(self, request: Request, options: Options, rng: Generator, progress: Progress) -> Plan:
        hard, alive = must_keep(self.graph, self.material, request, part(progress, 0.0, SCHEDULED))
        terms = terms_of(self.graph, request, options)
        search = Search(
            self.material,
            terms,
            hard,
            alive,
            rng,
            gap=round(options.shortest * self.fps),
            kept=options.kept,
            restarts=options.restarts,
            shortcuts=options.shortcuts,
        )
        if all(c.hard and isinstance(c, (PoseAt, Style)) for c in request.constraints):
            return self._planned(terms, [search.wander()], "nothing to aim for")
        seen: list[Found] = []
        seen.extend(search.rounds(options.budget, options.patience, part(progress, SCHEDULED, 1.0)))
        spent = search.evaluations >= options.budget
        return self._planned(terms, seen, SPENT if spent else "no better way was found")

    def _planned(self, terms: Terms, seen: Sequence[Found], ended: str) -> Plan:
        best = seen[-1].best
        route = Route(best.start, tuple(int(e) for e in best.leaves), terms.frames)
        return Plan(
            route,
            best.score,
            {name: float(value) for name, value in zip(TERMS, best.parts, strict=True)},
            seen[-1].evaluations,
            seen[-1].rounds,
            tuple((found.evaluations, found.best.score) for found in seen),
            ended,
            timeline(self.graph, route),
        )
