"""Learning the hierarchy of transitions, and searching it for the way that keeps a request best."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
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
from motionloom.core import Clip, NoPath, Note, replace
from motionloom.kinematics.travel import placed
from motionloom.methods.base import Honours, Model, check_request
from motionloom.methods.graph import Graph, Route, Transitions
from motionloom.methods.graph.build import build_told, find_transitions
from motionloom.methods.graph.labels import Limits
from motionloom.methods.graph.limits import limit_used
from motionloom.methods.graph.missing import Look, connection
from motionloom.methods.graph.naming import with_mirrored
from motionloom.methods.graph.prune import facts, prune
from motionloom.methods.graph.render import render
from motionloom.methods.graph.report import bent_poses, check_start, remarks
from motionloom.methods.graph.settings import GraphConfig
from motionloom.methods.hierarchical_graph.hard import must_keep, too_far
from motionloom.methods.hierarchical_graph.levels import Levels, grow_levels, spacing
from motionloom.methods.hierarchical_graph.search import Found, Search
from motionloom.methods.hierarchical_graph.shapes import TERMS, Material, Terms
from motionloom.methods.hierarchical_graph.terms import material, terms_of
from motionloom.methods.settings import Settings, param

SPENT = "the budget was spent"


@dataclass(frozen=True)
class Config(GraphConfig):
    """What learning needs."""

    contacts: bool = param(False, "join only frames in which the same heels and toes stand")
    most: int = param(100_000, "most transitions; of more, the best of each square of frames is kept", low=100)
    cluster: float = param(0.5, "widest cluster of transitions at the top level", unit="s", low=0)


@dataclass(frozen=True)
class Options(Settings):
    """What synthesis needs. The weights say what a metre, a radian, a second or a transition counts in the score."""

    budget: int = param(100_000, "most ways that are looked at", low=1)
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
    bend: float = param(
        0.5, "farthest that the way found is bent (and turned, rad) to keep what is hard", unit="m", low=0
    )


class Plan(NamedTuple):
    """The way that was found, and how the search went."""

    route: Route
    score: float
    parts: Mapping[str, float]  # the score by its terms, weights included
    evaluations: int
    rounds: int
    history: tuple[tuple[int, float], ...]  # evaluations and best score after each round; the score never rises
    ended: str  # why: "no better way was found", "the budget was spent", "it was stopped", "nothing to aim for"

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
        try:
            plan = self._plan(request, options, rng, None)
        except NoPath as missing:
            raise NoPath(str(missing), best=self._nearest(request, options, rng)) from None
        clip = self.render(plan, request)
        if why := too_far(clip, request, options.bend):
            outside = check_start(request.beginning(plan.route.frames, self.fps), request.constraints)
            looked = f"{why} ({plan.evaluations} ways looked at, {plan.ended})"
            raise NoPath(outside or looked, best=clip)
        return clip

    def _nearest(self, request: Request, options: Any, rng: Generator) -> Clip | None:
        """The best clip where no way keeps hard labels: they are wishes then. None if no way is long enough."""
        kept = [dataclasses.replace(c, weight=1.0) if isinstance(c, Style) else c for c in request.constraints]
        softer = dataclasses.replace(request, constraints=tuple(kept))
        try:
            return self.render(self._plan(softer, options, rng, None), softer)
        except NoPath:
            return None

    def remarks(self, clip: Clip, request: Request) -> tuple[Note, ...]:
        return remarks(clip, self.graph.clips, request.wishes)

    def render(self, plan: Plan, request: Request) -> Clip:
        """The motion of a plan where the request begins, with the score in its notes."""
        begin = request.beginning(plan.route.frames, self.fps)
        clip = placed(render(self.graph, plan.route), begin.position, begin.heading)
        notes = (plan.note(), *bent_poses(clip, request.constraints))
        return replace(clip, origin=dataclasses.replace(clip.origin, notes=notes))

    def _plan(
        self, request: Request, options: Any, rng: Generator, progress: Callable[[Found], bool | None] | None
    ) -> Plan:
        hard, alive = must_keep(self.graph, self.material, request)
        terms = terms_of(self.graph, request, options)
        search = Search(self.material, terms, hard, alive, rng, gap=round(options.shortest * self.fps))
        if all(c.hard and isinstance(c, (PoseAt, Style)) for c in request.constraints):
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
        return self._planned(terms, seen, ended or (SPENT if spent else "no better way was found"))

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


DEFAULT = Config()


def fit(clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None) -> HierarchicalGraph:
    """Learn from clips of one skeleton at `config.fps` (see `methods.prepare`). No chance is involved."""
    if config.mirror:
        clips = with_mirrored(clips)
    settings = _settings(config)
    whole, rough = build_told(clips, **settings)
    graph, report = prune(whole)
    limit = limit_used(config.measure, config.limit, whole.transitions.distance)
    said = connection(whole, graph, Look(partial(_found, settings), limit, config.measure, config.blend, rough))
    levels = grow_levels(graph, widest=config.cluster * config.fps)
    edges = f"{len(graph.transitions)} edges in {len(levels.roots)} clusters, {levels.depth} levels"
    if (side := spacing(whole)) > 1:
        edges += f"; thinned to the best of each {side} x {side} frames"
    return HierarchicalGraph(
        skeleton=clips[0].skeleton,
        config=config,
        fps=config.fps,
        notes=(*report.notes(), *said, *facts(graph).notes(), Note(edges)),
        graph=graph,
        levels=levels,
    )


def _settings(config: Config) -> dict[str, Any]:
    names = ("measure", "window", "blend", "limit", "limits", "shortest", "contacts", "most")
    return {name: getattr(config, name) for name in names} | {"minima": False}


def _found(settings: dict[str, Any], clips: Sequence[Clip], limit: float, limits: Limits) -> Transitions:
    """All transitions with another limit, thinned out as in learning."""
    return find_transitions(clips, **(settings | {"limit": limit, "limits": limits}))
