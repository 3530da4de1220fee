"""Learning the hierarchy of transitions, and searching it for the way that keeps a request best."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

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
from motionloom.core import Clip, NoPath, replace
from motionloom.kinematics.travel import placed
from motionloom.methods.base import Honours, Model, check_request
from motionloom.methods.graph import Graph, Route
from motionloom.methods.graph.build import build
from motionloom.methods.graph.prune import facts, prune
from motionloom.methods.graph.render import render
from motionloom.methods.hierarchical_graph.hard import must_keep, too_far
from motionloom.methods.hierarchical_graph.levels import Levels, grow_levels
from motionloom.methods.hierarchical_graph.search import Found, Search
from motionloom.methods.hierarchical_graph.shapes import TERMS, Material, Terms
from motionloom.methods.hierarchical_graph.terms import material, terms_of
from motionloom.methods.settings import Settings, param


@dataclass(frozen=True)
class Config(Settings):
    """What learning needs."""

    fps: float = param(30.0, "frame rate of the model", unit="fps", low=1, high=1000)
    measure: str = param(
        "point-cloud",
        "how frames are compared",
        choices=("point-cloud", "joint-positions", "joint-angles", "curvature"),
    )
    window: float = param(0.35, "how much motion around a frame is compared", unit="s", low=0)
    limit: float | None = param(
        None, "largest distance of a transition, in the measure's unit; default: 0.08 m, else 1 % of all pairs", low=0
    )
    limits: str = param("", "other limits for pairs of labels, as 'walk jog 9cm'")
    blend: float = param(0.4, "length of a transition's blend", unit="s", low=0.05)
    shortest: float = param(0.5, "frames of one clip nearer than this are not joined", unit="s", low=0.1)
    most: int = param(200_000, "most transitions; of more, the best of each square of frames is kept", low=100)
    cluster: float = param(0.5, "widest cluster of transitions at the top level", unit="s", low=0)


@dataclass(frozen=True)
class Options(Settings):
    """What synthesis needs. The weights say what a metre, a radian, a second or a transition counts in the score."""

    budget: int = param(30_000, "most ways that are looked at", low=1)
    patience: int = param(18, "rounds without a better way after which the search ends", low=1)
    smoothness: float = param(
        0.05, "weight of each transition; the worst of the graph counts as 1", symbol="w_c", low=0
    )
    length: float = param(10.0, "weight of each second that a way is too short", symbol="w_f", low=0.01)
    body: float = param(1.0, "weight of place and heading: root_at, reach, root_path", symbol="w_b", low=0)
    joints: float = param(1.0, "weight of joints and poses: position_at, pose_at", symbol="w_j", low=0)
    style: float = param(1.0, "weight of the share of a span that is not in its style", low=0)
    obstacles: float = param(4.0, "weight of how deep the way lies in an obstacle, and for how long", low=0)
    shortest: float = param(0.3, "shortest time between two transitions, where there is a choice", unit="s", low=0)
    bend: float = param(0.25, "how far a way may be bent to a hard place, per metre walked", low=0)


class Plan(NamedTuple):
    """The way that was found, and how the search went."""

    route: Route
    score: float
    parts: Mapping[str, float]  # the score by its terms, weights included
    evaluations: int
    rounds: int
    history: tuple[tuple[int, float], ...]  # evaluations and best score after each round; the score never rises
    ended: str  # why: "no better way was found", "the budget was spent", "it was stopped", "nothing to aim for"

    def describe(self) -> str:
        """One line for the notes of a clip."""
        first = f", from {self.history[0][1]:.3f}" if len(self.history) > 1 else ""
        parts = ", ".join(f"{name} {value:.3f}" for name, value in self.parts.items() if value > 0)
        return (
            f"best score {self.score:.3f}{first} ({parts or 'nothing to pay'}) after {self.evaluations} ways "
            f"in {self.rounds} rounds: {self.ended}"
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HierarchicalGraph(Model):
    """A motion graph with all its transitions, and the trees over them (GUAN 2.4.3)."""

    method: ClassVar[str] = "hierarchical-graph"
    honours: ClassVar[Honours] = tuple(
        (kind, strength)
        for kind in (PoseAt, RootAt, PositionAt, RootPath, Reach, Style, Avoid)
        for strength in ("hard", "soft")
    )
    Options: ClassVar[type[Settings]] = Options
    speaks: ClassVar[bool] = True

    graph: Graph
    levels: Levels

    @cached_property
    def material(self) -> Material:
        """Graph and trees as the search reads them."""
        return material(self.graph, self.levels)

    def plan(self, request: Request, rng: Generator, progress: Callable[[Found], bool | None] | None = None) -> Plan:
        """The best way found. `NoPath`, with what is missing, if what is hard about its frames cannot be kept.

        `progress` is told the best so far after each round, and ends the search with what there is by giving back
        False; so does Ctrl-C.
        """
        check_request(self, request)
        return self._plan(request.at_fps(self.fps), self.options(request), rng, progress)

    def make(self, request: Request, options: Any, rng: Generator) -> Clip:
        plan = self._plan(request, options, rng, None)
        clip = self.render(plan, request)
        if why := too_far(clip, request, options.bend):
            raise NoPath(f"{why} ({plan.evaluations} ways looked at, {plan.ended})", best=clip)
        return clip

    def render(self, plan: Plan, request: Request) -> Clip:
        """The motion of a plan where the request begins, with the score in its notes."""
        begin = request.beginning(plan.route.frames, self.fps)
        clip = placed(render(self.graph, plan.route), begin.position, begin.heading)
        return replace(clip, origin=dataclasses.replace(clip.origin, notes=(plan.describe(),)))

    def _plan(
        self, request: Request, options: Any, rng: Generator, progress: Callable[[Found], bool | None] | None
    ) -> Plan:
        hard, alive = must_keep(self.graph, self.material, request)
        terms = terms_of(self.graph, request, options)
        search = Search(self.material, terms, hard, alive, rng, gap=round(options.shortest * self.fps))
        if _aimless(terms):
            return self._planned(terms, [search.wander()], "nothing to aim for")
        seen: list[Found] = []
        ended = ""
        try:
            for found in search.rounds(options.budget, options.patience):
                seen.append(found)
                if progress is not None and progress(found) is False:
                    ended = "it was stopped"
                    break
        except KeyboardInterrupt:
            if not seen:
                raise
            ended = "it was stopped"
        spent = search.evaluations >= options.budget
        return self._planned(terms, seen, ended or ("the budget was spent" if spent else "no better way was found"))

    def _planned(self, terms: Terms, seen: Sequence[Found], ended: str) -> Plan:
        best = seen[-1].best
        return Plan(
            Route(best.start, tuple(int(e) for e in best.leaves), terms.frames),
            best.score,
            {name: float(value) for name, value in zip(TERMS, best.parts, strict=True)},
            seen[-1].evaluations,
            seen[-1].rounds,
            tuple((found.evaluations, found.best.score) for found in seen),
            ended,
        )


def _aimless(terms: Terms) -> bool:
    """Does every way that keeps what is hard do as well as any other?"""
    rows = (terms.points, terms.headings, terms.poses, terms.spans, terms.reaches, terms.circles, terms.ways)
    return not any(len(r) for r in rows)


DEFAULT = Config()


def fit(clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None) -> HierarchicalGraph:
    """Learn from clips of one skeleton at `config.fps` (see `methods.prepare`). No chance is involved."""
    whole = build(
        clips,
        measure=config.measure,
        window=config.window,
        blend=config.blend,
        limit=config.limit,
        limits=config.limits,
        minima=False,
        shortest=config.shortest,
        most=config.most,
    )
    graph, report = prune(whole)
    notes = report.lines()
    if not len(graph.transitions) and len(whole.transitions):
        graph, notes = whole, ["no way through these clips leads round: a result can only be as long as its way"]
    levels = grow_levels(graph, widest=config.cluster * config.fps)
    edges = f"{len(graph.transitions)} edges in {len(levels.roots)} clusters, {levels.depth} levels"
    return HierarchicalGraph(
        skeleton=clips[0].skeleton,
        config=config,
        fps=config.fps,
        notes=(*notes, *facts(graph).lines(), edges),
        graph=graph,
        levels=levels,
    )
