"""Learning for parametric-graph: spaces of the nodes, then the edges between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import MotionParameter
from motionloom.core import BadRequest, Clip, Note, Progress, part, silent
from motionloom.core.errors import unknown
from motionloom.core.note import info, warning
from motionloom.core.threads import in_threads
from motionloom.methods.base import Model
from motionloom.methods.live import layer_of
from motionloom.methods.parametric_graph.config import DEFAULT, Config
from motionloom.methods.parametric_graph.edge import Edge, Report
from motionloom.methods.parametric_graph.edge_search import BAD, GOOD, build_edge, propose_limits
from motionloom.methods.parametric_graph.edge_verification import EdgeSettings, changes_into
from motionloom.methods.parametric_graph.hubs import with_hubs
from motionloom.methods.parametric_graph.layered_nodes import splice_layer_of
from motionloom.methods.parametric_graph.model import ParametricGraphModel
from motionloom.methods.parametric_graph.node_building import build_node, part_floor, rounded_arrays
from motionloom.methods.parametric_graph.node_specs import NodeSpec, default_nodes, parse_node
from motionloom.methods.parametric_graph.nodes import Node, node_index
from motionloom.methods.parametric_graph.proposals import Proposal, cheapest_ways, propose_edges
from motionloom.methods.parametric_graph.tables import ParametricGraphTables, build_tables
from motionloom.methods.store import packed_model

MOST_REFUSED = 8  # edges that are listed with the reason where all pairs of nodes were tried, the nearest first


Key = tuple[int, int, tuple[float, float]]  # source, target and limits of an edge


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
    gaze: Model[Any] | None = None,
    variation: Model[Any] | None = None,
    rng: Generator | None = None,
    progress: Progress | None = None,
) -> ParametricGraphModel:
    """The graph of some clips; `parameters` are the user's own, in addition to the table.

    `gaze` is a gaze map and `variation` a model of variation, which are put on nodes (`layered_nodes.py`).
    """
    report, rng = progress or silent(), rng or np.random.default_rng(0)
    specs = tuple(parse_node(line) for line in config.node) or default_nodes(clips)
    names = node_index([spec.name for spec in specs])
    for model in (gaze, variation):
        if model is not None:
            layer_of(model, clips[0]).begin(np.zeros(1, np.int64), clips[0].skeleton)  # is it for this body?
    actions = {spec.overlay: action_named(spec, clips) for spec in specs if spec.overlay}
    clips = [clip for clip in clips if not any(clip is action for action in actions.values())]
    wanted = with_layered([parse_edge(line, names) for line in config.edge], specs)
    if not wanted:
        wanted = [WantedEdge(a, b) for a in range(len(specs)) for b in range(len(specs))]
    built: dict[str, Node] = {}
    notes: list[Note] = []
    floor = part_floor(clips)
    own = [spec for spec in specs if not spec.of]
    for i, spec in enumerate(own):
        built[spec.name], about = build_node(
            spec, clips, own=parameters, samples=config.samples, margin=config.margin, floor=floor,
            rng=rng,
            progress=part(report, 0.5 * i / len(own), 0.5 * (i + 1) / len(own)),
        )  # fmt: skip
        notes += about
    nodes = [layered_node(spec, built, gaze is not None, variation is not None) for spec in specs]
    edges, reports = find_edges(nodes, wanted, config, clips[0].fps, rng, part(report, 0.5, 1.0))
    kept, dropped = strong_part(len(nodes), edges)
    listed = "; ".join(r.text for r in reports if r.reason)
    if not kept:
        raise BadRequest(f"no motion can continue without end: {listed or 'there are no edges'}")
    refused = {(r.source, r.target): r for r in reports if r.reason}
    routes = _missing(nodes, edges, refused, kept, dropped, config) if dropped else []
    for i, missing in zip(dropped, routes, strict=True):
        needed = "; ".join(p.needs(refused.get((p.source, p.target))) for p in missing)
        notes += (
            warning(f"node {nodes[i].name} is left out: no edges lead to it and back; the nearest missing: {needed}"),
        )
    number = {n: i for i, n in enumerate(kept)}
    edges = [e for e in edges if e.source in number and e.target in number]
    arrays = ("values", "low", "high", "points", "within")
    edges = [
        replace(e, source=number[e.source], target=number[e.target], **rounded_arrays(e, arrays)) for e in edges
    ]  # fmt: skip
    notes += info(*edge_lines(reports, specs, len(reports) if config.edge else MOST_REFUSED))
    report(1.0, "done")
    made = ParametricGraphModel(
        skeleton=clips[0].skeleton,
        config=config,
        fps=clips[0].fps,
        notes=tuple(notes),
        nodes=tuple(nodes[i] for i in kept),
        edges=tuple(edges),
        refused=tuple(r for r in reports if r.reason),
        overlays={nodes[i].overlay: actions[nodes[i].overlay] for i in kept if nodes[i].overlay},
        gaze_map=None if gaze is None else packed_model(gaze),
        variation=None if variation is None else packed_model(variation),
    )
    if made.overlays:
        table = splice_layer_of(made.nodes, made.overlays, made.skeleton, made.fps).table
        of_layers = [warning(f"overlay {action.name}: {text}") for action in table.actions for text in action.warnings]
        made = replace(made, notes=(*made.notes, *of_layers))
    return with_hubs(made, config.hubs) if config.hubs else made


def _missing(
    nodes: Sequence[Node], edges: Sequence[Edge], refused: Mapping[tuple[str, str], Report], kept: Sequence[int],
    dropped: Sequence[int], config: Config,
) -> list[list[Proposal]]:  # fmt: skip
    """For each node that is left out, what the missing edges on the way to it and back to the others would need.

    The way is the one whose worst missing edge needs least; it may lead over other nodes that are left out.
    """
    made = {(e.source, e.target) for e in edges}
    count = len(nodes)
    pairs = [(a, b) for a in range(count) for b in range(count) if a != b and (a, b) not in made]
    tables = build_tables(nodes[0].skeleton, nodes, [], config.radius)
    name = {node.name: i for i, node in enumerate(nodes)}
    found = {(name[p.source], name[p.target]): p for p in propose_edges(tables, nodes, pairs, config.region)}
    cost = np.zeros((count, count))
    for pair, proposal in found.items():
        tried = refused.get((proposal.source, proposal.target))
        cost[pair] = proposal.needed if tried is None else max(proposal.needed, tried.good_limit)
    ways = cheapest_ways(cost, kept)
    return [[found[pair] for pair in dict.fromkeys(ways[i]) if pair in found] for i in dropped]


def find_edges(
    nodes: Sequence[Node], wanted: Sequence[WantedEdge], config: Config, fps: float, rng: Generator, progress: Progress
) -> tuple[list[Edge], list[Report]]:
    """The edges that can be made, and a report about each that is wanted.

    Edges are built in threads; the result does not depend on their number. One from a part of a node that no motion
    gets into is tried once more from the whole node, which need not leave at one point.
    """
    settings = EdgeSettings(
        config.sources, config.targets, config.region, config.epsilon, config.neighbours, config.verified, config.split
    )
    tables = build_tables(nodes[0].skeleton, nodes, [], config.radius)
    keys: list[Key] = []
    tasks: dict[Key, Key] = {}  # shared by layers
    for want in wanted:
        limits = _limits(tables, nodes, want, config, fps)
        key = (id(nodes[want.source].space), id(nodes[want.target].space), limits)
        keys.append(key)
        tasks.setdefault(key, (want.source, want.target, limits))
    keyed = list(zip(wanted, keys, strict=True))
    built = _built(tables, nodes, tasks, settings, rng, progress)
    for own in (True, False):  # a node's own edge first: by it, motions change into the parts that others leave from
        edges = _steerable(nodes, *_assembled(nodes, keyed, built), config.neighbours)[0]
        made = {(e.source, e.target) for e in edges}
        lost = [key for want, key in keyed if want[:2] not in made and built[key][0] is not None]
        again = {key: tasks[key] for key in lost if not own or tasks[key][0] == tasks[key][1]}
        whole = _built(tables, nodes, again, settings._replace(split=False), rng, silent()) if again else {}
        for key, (edge, report) in whole.items():
            limited = built[key][1]
            why = f"{_stranded(limited)}; from all of {limited.source}, {report.reason}"
            built[key] = (edge, report) if edge is not None else (None, limited._replace(reason=why, part=""))
    return _steerable(nodes, *_assembled(nodes, keyed, built), config.neighbours)


def _built(
    tables: ParametricGraphTables, nodes: Sequence[Node], tasks: Mapping[Key, Key], settings: EdgeSettings,
    rng: Generator, progress: Progress,
) -> dict[Key, tuple[Edge | None, Report]]:  # fmt: skip
    """The edges of these tasks (source, target, limits), each with random numbers of its own."""
    own = rng.spawn(len(tasks))

    def build(task: int, given: Key, watching: Progress) -> tuple[Edge | None, Report]:
        source, target, limits = given
        return build_edge(tables, nodes, source, target, settings, limits, own[task], watching)

    return dict(zip(tasks, in_threads(build, list(tasks.values()), progress), strict=True))


def _assembled(
    nodes: Sequence[Node], wanted: Sequence[tuple[WantedEdge, Key]], built: Mapping[Key, tuple[Edge | None, Report]]
) -> tuple[list[Edge], list[Report]]:
    """The edges that were built and the reports of all; nodes that share a space share what was found."""
    edges, reports = [], []
    for want, key in wanted:
        edge, found = built[key]
        found = found._replace(source=nodes[want.source].name, target=nodes[want.target].name)
        reports.append(found)
        if edge is not None:
            edges.append(replace(edge, source=want.source, target=want.target, report=found))
    return edges, reports


def _limits(
    tables: ParametricGraphTables, nodes: Sequence[Node], want: WantedEdge, config: Config, fps: float
) -> tuple[float, float]:
    """T_good and T_bad of a wanted edge: its own, those of the settings, or proposed ones."""
    good, bad = want.good or config.good, want.bad or config.bad
    if good is None or bad is None:
        proposed = propose_limits(tables, nodes, want.source, want.target, config.region, fps)
        good = good if good is not None else proposed[0] if bad is None else min(proposed[0], bad)
        bad = bad if bad is not None else good * BAD / GOOD
    if bad < good:
        edge = f"edge {nodes[want.source].name} > {nodes[want.target].name}"
        raise BadRequest(f"{edge}: bad: expected at least the limit of good transitions, {good:g} m, found {bad:g} m")
    return good, bad


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
        out[out.index(e.report)] = e.report._replace(reason=_stranded(e.report), part="")
    return kept, out


def _stranded(report: Report) -> str:
    return f"it leaves from {report.part} only, and {report.source} cannot change into that"


def edge_lines(reports: Sequence[Report], specs: Sequence[NodeSpec], refused: int) -> list[str]:
    """What was found about each edge; one line for all edges of layered nodes that share the spaces of others.

    Of those that could not be made, at most so many, the nearest.
    """
    base = {spec.name: spec.of or spec.name for spec in specs}
    alike: dict[Report, list[Report]] = {}
    for r in reports:
        alike.setdefault(r._replace(source=base[r.source], target=base[r.target]), []).append(r)
    nearest = sorted((key for key in alike if key.reason), key=lambda r: r.best / r.good_limit)
    out = []
    for first, *others in (alike[key] for key in [*(key for key in alike if not key.reason), *nearest[:refused]]):
        also = ", ".join(f"{r.source} > {r.target}" for r in others)
        out.append(f"edge {first.text}{f' (the same for {also})' if also else ''}")
    if len(nearest) > refused:
        out.append(f"{len(nearest) - refused} more edges cannot be made; `motionloom edges` lists them")
    return out


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


def action_named(spec: NodeSpec, clips: Sequence[Clip]) -> Clip:
    """The clip with the action of a layered node."""
    wanted = (spec.overlay, spec.overlay.rpartition("/")[2])  # clips that a program read have no folders
    found = [clip for name in wanted for clip in clips if name in (clip.name, clip.name.rpartition(".")[0])]
    if not found:
        known = unknown(spec.overlay, [clip.name for clip in clips], "clip")
        raise BadRequest(f"node {spec.name}: overlay: {known}")
    return found[0]


def layered_node(spec: NodeSpec, built: Mapping[str, Node], gaze: bool, variation: bool) -> Node:
    """The node with its layers; one that is layered on another shares its space and examples."""
    base = spec.of or spec.name
    if base not in built:
        raise BadRequest(f"node {spec.name}: of: {unknown(base, list(built), 'node with clips')}")
    return replace(
        built[base],
        name=spec.name,
        overlay=spec.overlay,
        gaze=gaze and spec.gaze,
        variation=variation and spec.variation,
    )


def with_layered(wanted: Sequence[WantedEdge], specs: Sequence[NodeSpec]) -> list[WantedEdge]:
    """The wanted edges, and the same ones for layered nodes that none of them names."""
    named = {n for want in wanted for n in want[:2]}
    alike = {
        n: [n, *(i for i, spec in enumerate(specs) if spec.of == specs[n].name and i not in named)]
        for n in range(len(specs))
    }
    return [want._replace(source=a, target=b) for want in wanted for a in alike[want[0]] for b in alike[want[1]]]


def strong_part(count: int, edges: Sequence[Edge]) -> tuple[list[int], list[int]]:
    """The largest set of nodes that can all be reached from each other, and the others; no dead ends."""
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
