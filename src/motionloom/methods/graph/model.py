"""The base class of the graph methods: models that hold a motion graph, and their plans."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Request
from motionloom.core import BadRequest, BoolArray, Clip, Note, Progress, replace
from motionloom.methods.base import Band, Model, O, place
from motionloom.methods.graph.build.prune import walkable_frames
from motionloom.methods.graph.config import ARRIVAL
from motionloom.methods.graph.frame_names import frame_name
from motionloom.methods.graph.graph import Graph, Route
from motionloom.methods.graph.live import GraphLive, GraphLiveOptions, graph_live
from motionloom.methods.graph.pace_change import PaceChange
from motionloom.methods.graph.query.facing import usual_facing
from motionloom.methods.graph.query.goal import GroundGoal
from motionloom.methods.graph.query.messages import result_notes
from motionloom.methods.graph.render.render import render
from motionloom.methods.graph.render.root_tracks import stretches
from motionloom.methods.graph.search.moves import GroundMoves, ground_moves
from motionloom.methods.graph.stored_checks import check_graph
from motionloom.methods.lead_into_constraints import lead_into, pose_warnings
from motionloom.methods.settings import Settings


class GraphPlan(NamedTuple):
    """A route through a motion graph, the goal of the search, and notes about it."""

    route: Route
    timeline: tuple[Band, ...] = ()
    goal: GroundGoal | None = None
    notes: tuple[Note, ...] = ()
    reason: str = ""  # why a hard constraint is not met
    pace_change: PaceChange | None = None  # of the strides of the route

    @property
    def frames(self) -> int:
        return self.route.frames if self.pace_change is None else self.pace_change.frames

    def bands(self) -> Sequence[Band]:
        return self.timeline


def graph_model(model: Model[Any]) -> GraphModel[Any]:
    """The model, if it has a motion graph; else `BadRequest`."""
    if isinstance(model, GraphModel):
        return model
    raise BadRequest(
        f"a random walk needs a motion graph, and a {model.method} model has none; learn a model of motion-graph, "
        "two-level-graph or hierarchical-graph"
    )


def timeline(graph: Graph, route: Route) -> tuple[Band, ...]:
    """The clips and transitions of a route, in order."""
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
    """A model with a motion graph: rendering, notes and live characters of all graph methods."""

    keeps_notes: ClassVar[bool] = True
    live_commands: ClassVar[tuple[str, ...]] = ("heading", "speed", "place", "action")
    live_options_type: ClassVar[type[Settings] | None] = GraphLiveOptions

    graph: Graph

    def check(self) -> None:
        check_graph(self.graph, self.skeleton, self.fps)

    @cached_property
    def walkable(self) -> BoolArray:
        """(N,) frames from which a motion can continue without end."""
        return walkable_frames(self.graph)

    @cached_property
    def moves(self) -> GroundMoves:
        """Displacements on the ground of all frames and transitions that are not dead ends."""
        found = ground_moves(self.graph)
        return found.within(self.walkable, np.ones(len(found.enter), bool))

    @cached_property
    def pace(self) -> float:
        """m/s: the median speed of the clips."""
        return max(0.2, float(np.median(np.linalg.norm(self.moves.step[:, :2], axis=1))) * self.fps)

    @cached_property
    def free_angle(self) -> float:
        """rad that a body may face away from its path at no cost; see `usual_facing`."""
        return usual_facing(self.graph.clips)

    @cached_property
    def live(self) -> GraphLive:
        """Characters that follow commands step by step."""
        return graph_live(self.graph)

    def render(self, plan: Any, request: Request, options: O, rng: Generator, progress: Progress) -> Clip:
        clip = render(self.graph, plan.route, lift=self.cleans_feet(request), progress=progress)
        change = getattr(plan, "pace_change", None)
        clip = place(clip if change is None else change.apply(clip), request, self)
        notes = (*plan.notes, *pose_warnings(clip, request.constraints))
        clip = lead_into(clip, request.constraints, plan.reason or self.shortfall(clip, plan, request, options))
        return replace(clip, origin=dataclasses.replace(clip.origin, notes=notes))

    def remarks(self, clip: Clip, request: Request) -> tuple[Note, ...]:
        arrival = getattr(self.options(request), "arrival", ARRIVAL)
        return result_notes(clip, self.graph.clips, request.all_constraints, arrival)
