"""Learning for parametric-graph: spaces of the nodes, then the edges between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import MotionParameter
from motionloom.core import BadRequest, Clip, Note, Progress, part, silent
from motionloom.core.errors import unknown
from motionloom.core.note import info, warning
from motionloom.methods.parametric_graph.config import DEFAULT, Config
from motionloom.methods.parametric_graph.edge import Edge, Report
from motionloom.methods.parametric_graph.edge_search import BAD, GOOD, build_edge, propose_limits
from motionloom.methods.parametric_graph.edge_verification import EdgeSettings, changes_into
from motionloom.methods.parametric_graph.model import ParametricGraphModel
from motionloom.methods.parametric_graph.nodes import (
    Node,
    build_node,
    default_nodes,
    node_index,
    parse_node,
    part_floor,
)
from motionloom.methods.parametric_graph.tables import build_tables


class WantedEdge(NamedTuple):
    """A line of `Config.edge`."""

    source: int
    target: int
    good: float | None = None
    bad: float | None = None


def fit(
    clips: Sequence[Clip],
    config: Config = DEFAULT,
    *,
    parameters: Sequence[MotionParameter] = (),
    rng: Generator | None = None,
    progress: Progress | None = None,
) -> ParametricGraphModel:
    """The graph of some clips; `parameters` are the user's own, in addition to the table."""
    report, rng = progress or silent(), rng or np.random.default_rng(0)
    specs = tuple(parse_node(line) for line in config.node) or default_nodes(clips)
    names = node_index([spec.name for spec in specs])
    wanted = [parse_edge(line, names) for line in config.edge]
    if not wanted:
        wanted = [WantedEdge(a, b) for a in range(len(specs)) for b in range(len(specs))]
    nodes: list[Node] = []
    notes: list[Note] = []
    floor = part_floor(clips)
    for i, spec in enumerate(specs):
        node, about = build_node(
            spec, clips, own=parameters, samples=config.samples, margin=config.margin, floor=floor,
            rng=rng,
            progress=part(report, 0.5 * i / len(specs), 0.5 * (i + 1) / len(specs)),
        )  # fmt: skip
        nodes.append(node)
        notes += about
    edges, reports = find_edges(nodes, wanted, config, clips[0].fps, rng, part(report, 0.5, 1.0))
    kept, dropped = strong_part(len(nodes), edges)
    listed = "; ".join(r.text for r in reports if r.reason)
    if not kept:
        raise BadRequest(f"no motion can go on for ever: {listed or 'there are no edges'}")
    for i in dropped:
        notes += (warning(f"node {nodes[i].name} is left out: no way leads to it and back"),)
    number = {n: i for i, n in enumerate(kept)}
    edges = [e for e in edges if e.source in number and e.target in number]
    edges = [
        replace(e, source=number[e.source], target=number[e.target]) for e in edges
    ]  # fmt: skip
    notes += info(*(f"edge {r.text}" for r in reports))
    report(1.0, "done")
    return ParametricGraphModel(
        skeleton=clips[0].skeleton,
        config=config,
        fps=clips[0].fps,
        notes=tuple(notes),
        nodes=tuple(nodes[i] for i in kept),
        edges=tuple(edges),
        refused=tuple(r for r in reports if r.reason),
    )


def find_edges(
    nodes: Sequence[Node], wanted: Sequence[WantedEdge], config: Config, fps: float, rng: Generator, progress: Progress
) -> tuple[list[Edge], list[Report]]:
    """The edges that can be made, and a report about each that is wanted."""
    settings = EdgeSettings(
        config.sources, config.targets, config.region, config.epsilon, config.neighbours, config.verified, config.split
    )
    tables = build_tables(nodes[0].examples[0].skeleton, nodes, [], config.radius)
    edges, reports = [], []
    for i, want in enumerate(wanted):
        own = part(progress, i / len(wanted), (i + 1) / len(wanted))
        good, bad = want.good or config.good, want.bad or config.bad
        if good is None or bad is None:
            proposed = propose_limits(tables, nodes, want.source, want.target, config.region, fps)
            good = good if good is not None else proposed[0] if bad is None else min(proposed[0], bad)
            bad = bad if bad is not None else good * BAD / GOOD
        if bad < good:
            raise BadRequest(f"bad: expected at least the limit of good transitions, {good:g} m, found {bad:g} m")
        edge, found = build_edge(tables, nodes, want.source, want.target, settings, (good, bad), rng, own)
        reports.append(found)
        if edge is not None:
            edges.append(edge)
    return _steerable(nodes, edges, reports, config.neighbours)


def _steerable(
    nodes: Sequence[Node], edges: Sequence[Edge], reports: Sequence[Report], neighbours: int
) -> tuple[list[Edge], list[Report]]:
    """The edges without those from a part of a node that its other motions cannot change into."""
    own = {e.source: e for e in edges if e.source == e.target and not e.limited(nodes[e.source])}
    kept, out = [], list(reports)
    for e in edges:
        space = nodes[e.source].space
        if not e.limited(nodes[e.source]) or (
            e.source in own and changes_into(e.within, own[e.source], space, neighbours)
        ):
            kept.append(e)
            continue
        why = f"it leaves from {e.report.part} only, and {nodes[e.source].name} cannot change into that"
        out[out.index(e.report)] = e.report._replace(reason=why, part="")
    return kept, out


def parse_edge(text: str, known: Mapping[str, int]) -> WantedEdge:
    """A line of `Config.edge`: `walk>run good=0.1 bad=0.14`."""
    pair, *rest = text.split() or [""]
    source, arrow, target = pair.partition(">")
    if not arrow:
        raise BadRequest(f"expected an edge as `walk>run`, found {text!r}", where=("edge",))
    for name in (source, target):
        if name not in known:
            raise BadRequest(unknown(name, known, "node"), where=("edge",))
    given: dict[str, float] = {}
    for item in rest:
        key, _, value = item.partition("=")
        try:
            given[key] = float(value)
        except ValueError:
            raise BadRequest(f"edge {pair}: expected `good=0.1` or `bad=0.14` in metres, found {item!r}") from None
        if key not in ("good", "bad") or not given[key] > 0:
            raise BadRequest(f"edge {pair}: expected `good=0.1` or `bad=0.14` in metres, found {item!r}")
    return WantedEdge(known[source], known[target], given.get("good"), given.get("bad"))


def strong_part(count: int, edges: Sequence[Edge]) -> tuple[list[int], list[int]]:
    """The largest set of nodes that can all be reached from each other, and the others; no node without a way on."""
    can = np.zeros((count, count), bool)
    for e in edges:
        can[e.source, e.target] = True
    for via in range(count):
        can |= can[:, via : via + 1] & can[via]
    both = can & can.T
    best: list[int] = []
    for n in range(count):
        own = [m for m in range(count) if both[n, m]]
        if both[n, n] and len(own) > len(best):
            best = own
    return best, [n for n in range(count) if n not in best]
