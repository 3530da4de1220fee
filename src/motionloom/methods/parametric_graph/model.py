"""A parametric motion graph as a model: requests, results and live characters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from motionloom.constraints import (
    Act,
    Avoid,
    Constraint,
    HeadFor,
    LookAt,
    Pace,
    Parameters,
    Reach,
    Request,
    RootPath,
    Style,
)
from motionloom.core import (
    Clip,
    FormatError,
    MotionloomError,
    Note,
    Progress,
    UInt8Array,
    part,
    same_hierarchy,
    with_labels,
)
from motionloom.core.errors import unknown
from motionloom.core.note import warning
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.travel import Travel
from motionloom.methods.array_checks import check_array, check_clips
from motionloom.methods.base import Honours, Model, place
from motionloom.methods.live import Live, joined_sources, layer_of, recorded_origin
from motionloom.methods.parametric_graph.config import LiveOptions, Options
from motionloom.methods.parametric_graph.courses import course_curves
from motionloom.methods.parametric_graph.edge import Edge, Report
from motionloom.methods.parametric_graph.layered_nodes import LayeredNodes, requested_looks, splice_layer_of
from motionloom.methods.parametric_graph.live import ParametricGraphLive
from motionloom.methods.parametric_graph.node_specs import parse_node
from motionloom.methods.parametric_graph.nodes import Node, node_index
from motionloom.methods.parametric_graph.plan import ParametricGraphPlan, run_orders
from motionloom.methods.parametric_graph.plan_search import PlanSearch, labels_of, start_of
from motionloom.methods.parametric_graph.plan_values import has_parameter
from motionloom.methods.parametric_graph.tables import ParametricGraphTables, build_tables
from motionloom.methods.parametric_graph.unreached import unreached
from motionloom.methods.settings import Settings
from motionloom.methods.store import unpacked_model


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ParametricGraphModel(Model[Options]):
    """Nodes, which are parametric spaces, and edges between them."""

    method: ClassVar[str] = "parametric-graph"
    honours: ClassVar[Honours] = (
        (Reach, "hard"),
        (Reach, "soft"),
        (RootPath, "hard"),
        (RootPath, "soft"),
        (Avoid, "hard"),
        (Avoid, "soft"),
        (Style, "hard"),
        (Style, "soft"),
        (HeadFor, "hard"),
        (HeadFor, "soft"),
        (Act, "hard"),
        (Act, "soft"),
        (Pace, "hard"),
        (Pace, "soft"),
        (Parameters, "soft"),
    )
    options_type: ClassVar[type[Settings]] = Options
    live_commands: ClassVar[tuple[str, ...]] = ("heading", "speed", "place", "facing", "action", "values", "target")
    live_options_type: ClassVar[type[Settings] | None] = LiveOptions
    needs_whole_clips: ClassVar[bool] = True

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    refused: tuple[Report, ...] = ()  # edges that were wanted and could not be made
    overlays: Mapping[str, Clip] = field(default_factory=dict)  # actions of layered nodes
    gaze_map: UInt8Array | None = None  # the file of the gaze map of layered nodes
    variation: UInt8Array | None = None  # the file of their model of variation

    def check(self) -> None:
        if not self.nodes or not self.edges:
            raise FormatError("nodes: expected nodes with edges, found none")
        for node in self.nodes:
            node.check(self.skeleton, self.fps)
        node_index([node.name for node in self.nodes])
        for i, edge in enumerate(self.edges):
            edge.check(self.nodes, f"edges.{i}")
        for n in range(len(self.nodes)):
            if not any(e.source == n for e in self.edges):
                raise FormatError(f"edges: no edge leaves node {self.nodes[n].name}")
        for node in self.nodes:
            if node.overlay and node.overlay not in self.overlays:
                raise FormatError(f"nodes: no action {node.overlay!r} for node {node.name}")
        if self.overlays:
            check_clips(tuple(self.overlays.values()), self.skeleton, self.fps)
        gaze, variation = self._layer_models
        if gaze is not None:
            layer_of(gaze, self.nodes[0].body)
        if variation is not None and not same_hierarchy(variation.skeleton, self.skeleton):
            raise FormatError("variation: expected a model with the joints of this graph")

    @cached_property
    def tables(self) -> ParametricGraphTables:
        """Nodes and edges as kernels take them."""
        tables = build_tables(self.skeleton, self.nodes, self.edges, self.config.radius)
        return tables._replace(curves=course_curves(tables, self.nodes, self.edges, self.config.neighbours))

    def parameter_ranges(self) -> Mapping[str, float]:
        out: dict[str, float] = {}
        for node in self.nodes:
            for p in node.space.parameters:
                at = node.space.column(p.name)
                out[p.name] = max(out.get(p.name, 0.0), float((node.space.high - node.space.low)[at].max()))
        return out

    # ---- requests ----

    @property
    def honours_here(self) -> Honours:
        """Nodes with a gaze map also look where a request asks for it."""
        return self.honours if self.gaze_map is None else (*self.honours, (LookAt, "soft"))

    def refuses(self, constraint: Constraint, frames: int | None, options: Options | None = None) -> str:
        if isinstance(constraint, (Style, Act)):
            label = constraint.label if isinstance(constraint, Style) else constraint.action
            labels = labels_of(self.graph)
            if label not in labels and label in (parse_node(line).name for line in self.config.node):
                return (
                    f"node {label} was left out when the graph was learned: no edges lead to it and back (see `edges`)"
                )
            if label not in labels:
                return unknown(label, labels, "node or label of this graph")
            if isinstance(constraint, Act) and constraint.target is not None:
                aiming = [node.name for node in self.nodes if node.target_column >= 0]
                if self.nodes[int(np.flatnonzero(labels[label])[0])].name not in aiming:
                    can = ", ".join(aiming) or "none"
                    return f"{label} cannot meet a target, which is not among its parameters (nodes that can: {can})"
        if isinstance(constraint, Parameters):
            known = sorted({p.name for n in self.nodes for p in n.space.parameters if has_parameter(n, p.name)})
            others = [name for name, _ in constraint.values if name not in known]
            if others:
                return unknown(others[0], known, "parameter of this graph")
        return ""

    def _plan(self, request: Request, options: Options, rng: Generator, progress: Progress) -> ParametricGraphPlan:
        frames = request.length(self.fps)
        assert frames is not None  # checked before: this model has no natural end
        found = PlanSearch(self.graph, request, frames, options).plan(rng, progress)
        progress(1.0, "planning")
        return found

    def render(
        self, plan: ParametricGraphPlan, request: Request, options: Options, rng: Generator, progress: Progress
    ) -> Clip:
        at = start_of(request, plan.length, self.fps)
        state = self.live.begin([plan.seed], Travel(at.place, at.heading), options)
        looks = [c for c in request.all_constraints if isinstance(c, LookAt)]
        live, points = self.live, None
        if looks and isinstance(live, LayeredNodes):
            bare, progress = part(progress, 0.0, 0.3), part(progress, 0.3, 1.0)
            walked = self._recorded(run_orders(live, state, plan.orders, plan.length, bare))
            points = requested_looks(looks, live, walked)
        steps = run_orders(live, state, plan.orders, plan.length, progress, points)
        return place(self._recorded(steps), request, self)

    def shortfall(self, clip: Clip, plan: ParametricGraphPlan, request: Request, options: Options) -> str:
        """Places that are missed, with the turning radius (other constraints are named as everywhere)."""
        return "; ".join(unreached(clip, request, self.nodes, hard=True))

    def remarks(self, clip: Clip, request: Request) -> tuple[Note, ...]:
        """The same for soft constraints."""
        return tuple(warning(text) for text in unreached(clip, request, self.nodes, hard=False))

    def _recorded(self, steps: Any) -> Clip:
        """The steps of one character as a clip; the recording of a stream has the same frames."""
        roots, rotations, contacts, nodes, sources = [], [], [], [], []
        for state, poses in steps:
            roots.append(poses.root[0])
            rotations.append(poses.rotations[0])
            contacts.append(poses.contacts[0])
            nodes.append(int(getattr(state, "below", state).node[0, 0]))
            sources.append(self.live.sources(state))
        origin = recorded_origin(self.live, sources)
        clip = Clip(self.skeleton, np.array(roots), np.array(rotations), self.fps, origin=origin)
        touching, shown = np.array(contacts), np.array(nodes)
        labels = {p.label: touching[:, i] for i, p in enumerate(foot_parts(self.skeleton))}
        return with_labels(clip, {**{n: on[shown] for n, on in labels_of(self.graph).items()}, **labels})

    # ---- live characters ----

    @cached_property
    def live(self) -> Live:
        """Characters that follow commands step by step, with the layers of their nodes."""
        splice = None
        if self.overlays:
            splice = splice_layer_of(self.nodes, self.overlays, self.skeleton, self.fps)
        models, body = self._layer_models, self.nodes[0].body
        gaze = None if models[0] is None else layer_of(models[0], body, lead=True)
        variation = None if models[1] is None else layer_of(models[1], body)
        if splice is None and gaze is None and variation is None:
            return self.graph
        return LayeredNodes(self.graph, splice, gaze, variation)

    @cached_property
    def _layer_models(self) -> tuple[Model[Any] | None, Model[Any] | None]:
        """The gaze map and the model of variation of layered nodes; `FormatError` if they are damaged."""
        found: list[Model[Any] | None] = []
        for name, method in (("gaze_map", "gaze"), ("variation", "variation")):
            if (packed := getattr(self, name)) is None:
                found.append(None)
                continue
            check_array(packed, name, "i", (None,), low=0, high=255)
            try:
                found.append(unpacked_model(packed, method))
            except MotionloomError as error:
                raise FormatError(f"{name}: {error}") from None
        return found[0], found[1]

    @cached_property
    def graph(self) -> ParametricGraphLive:
        """The characters without the layers of their nodes."""
        material = joined_sources([node.sources for node in self.nodes])
        return ParametricGraphLive(self.tables, self.nodes, self.skeleton, self.fps, material, self.config.neighbours)
