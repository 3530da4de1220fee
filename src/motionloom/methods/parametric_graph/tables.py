"""Nodes and edges of a parametric graph as flat arrays, one after the other, as kernels take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from motionloom.core import FloatArray, IntArray, Skeleton
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.travel import body_axes
from motionloom.methods.parametric_graph.edge import Edge
from motionloom.methods.parametric_graph.nodes import Node

CLOUD = np.array([0.25, 0.5, 0.25])  # weights of the three frames of a cloud
LOW = 0.02  # m above its lowest height: a foot part carries the body below this, less and less
STILL = 0.15  # m/s: nodes that are slower stand still


class ParametricGraphTables(NamedTuple):
    """N nodes, E edges, S samples; J joints, P foot parts, D the most parameters of a node."""

    parents: IntArray  # (J,)
    bones: FloatArray  # (1, J, 3)
    parts: IntArray  # (P,) joint of each foot part
    tips: FloatArray  # (P, 3)
    axes: FloatArray  # (4,)
    dims: IntArray  # (N, 7) rows, examples, parameters, moments, terms, rows of the section, misses
    meta: IntArray  # (N, 3) lead, count, 1 if cyclic
    turns: FloatArray  # all nodes, one after the other; *_at (N,) is where each begins
    turns_at: IntArray
    levels: FloatArray
    steps: FloatArray
    paces: FloatArray
    sway: FloatArray  # rad: heading of an example at a row without the even part of its turn
    rows_at: IntArray
    touches: FloatArray
    touches_at: IntArray
    feet: FloatArray  # m: foot parts left and forward of the hips, and above their lowest height in the node
    values: FloatArray
    values_at: IntArray
    moments: IntArray
    moments_at: IntArray
    curve: FloatArray
    curve_at: IntArray
    spread: FloatArray  # (N,)
    section: FloatArray
    section_at: IntArray
    missed_at: FloatArray
    missed_at_at: IntArray
    missed_by: FloatArray
    missed_by_at: IntArray
    durations: FloatArray  # (N, K) s, of the examples
    rises: FloatArray  # (N, K) m, by which the ground under an example rises from its beginning to its end
    courses: FloatArray  # (N, K) rad, direction of travel relative to the heading
    cloud: FloatArray  # (3,) weights of the frames of a cloud
    radius: FloatArray  # (N,) s on each side of a cloud
    steer: FloatArray  # (N, 7) column of the turn or -1, its value per rad, least and largest turn of a clip; column of
    # the speed or -1, least and largest speed
    aims: IntArray  # (N,) first of the three columns to which a target in the world is mapped, or -1
    curves: FloatArray  # (N, M, 8) courses by their turn, see `course_curves`; zero without edges
    radii: FloatArray  # (N,) m, turning radius; 0 where a node cannot turn
    scale: FloatArray  # (N, 2, D) middle and range of the parameters
    bounds: FloatArray  # (N, 2, D) least and largest parameters, in units of the range
    first_out: IntArray  # (N + 1,) edges that leave each node
    edge_source: IntArray  # (E,)
    edge_target: IntArray  # (E,)
    edge_first: IntArray  # (E + 1,) samples of each edge
    edge_limit: FloatArray  # (E,) m: T_bad
    edge_within: FloatArray  # (E, 2, D) parameters of the source from which an edge leaves, in units; infinite: all
    hop: IntArray  # (N, N) edge to take from a node towards another, -1 if there is no path
    sample_values: FloatArray  # (S, D) parameters of the source, in units of its range
    low: FloatArray  # (S, D) box of the target, in units of its range
    high: FloatArray
    points: FloatArray  # (S, 2) transition point: u of the source and u' of the target
    most_examples: int
    stay: int  # node in which characters stand still, -1 if there is none
    stopping: float  # m: from where they begin to stop to where they stand
    stride: float  # m: of a clip of those who walk: they stop half of it too early or too late at most


def build_tables(
    skeleton: Skeleton, nodes: Sequence[Node], edges: Sequence[Edge], radius: float
) -> ParametricGraphTables:
    """The tables of a graph; `radius` is that of a cloud in seconds. Edges are sorted by their source."""
    parts = foot_parts(skeleton)
    most_k = max(n.space.rows.size for n in nodes)
    most_d = max(n.space.size for n in nodes)
    own = [n.space.rows.tables(skeleton) for n in nodes]
    maps = [n.space.corrected_map for n in nodes]
    flat: dict[str, Any] = {}
    for name, arrays in (
        ("turns", [x[0] for x in own]),
        ("rows", [x[1] for x in own]),
        ("touches", [x[4] for x in own]),
        ("values", [m[0] for m in maps]),
        ("moments", [m[1] for m in maps]),
        ("curve", [m[2] for m in maps]),
        ("section", [m[4] for m in maps]),
        ("missed_at", [m[5] for m in maps]),
        ("missed_by", [m[6] for m in maps]),
    ):
        flat[f"{name}_at"] = np.cumsum([0, *(a.size for a in arrays[:-1])]).astype(np.int64)
        if name != "rows":
            flat[name] = np.concatenate([a.ravel() for a in arrays])
    dims = [
        [len(x[1]), n.space.rows.size, n.space.size, len(m[1]), m[2].shape[1], len(m[4]), len(m[5])]
        for x, n, m in zip(own, nodes, maps, strict=True)
    ]
    scale, bounds = np.zeros((len(nodes), 2, most_d)), np.zeros((len(nodes), 2, most_d))
    scale[:, 1] = 1.0
    for i, n in enumerate(nodes):
        d = n.space.size
        scale[i, 0, :d], scale[i, 1, :d] = n.space.middle, n.space.ranges
        bounds[i, 0, :d] = (n.space.low - n.space.middle) / n.space.ranges
        bounds[i, 1, :d] = (n.space.high - n.space.middle) / n.space.ranges
    none = np.zeros(0, np.int64)
    found = ParametricGraphTables(
        parents=np.array(skeleton.parents),
        bones=np.array(skeleton.offsets)[None].copy(),
        parts=np.array([p.joint for p in parts], np.int64),
        tips=np.array([p.offset for p in parts]).reshape(-1, 3),
        axes=np.array(body_axes(skeleton)),
        dims=np.array(dims, np.int64),
        meta=np.stack([x[6] for x in own]),
        levels=np.concatenate([x[1].ravel() for x in own]),
        steps=np.concatenate([x[2].ravel() for x in own]),
        paces=np.concatenate([x[3].ravel() for x in own]),
        sway=np.concatenate([n.sway.ravel() for n in nodes]),
        feet=np.concatenate([n.feet.ravel() for n in nodes]),
        spread=np.array([m[3] for m in maps], float),
        durations=_rows([n.space.rows.durations for n in nodes], most_k),
        cloud=CLOUD,
        rises=_rows([n.rises for n in nodes], most_k),
        courses=_rows([n.courses for n in nodes], most_k),
        radius=np.array([_radius(n, radius) for n in nodes]),
        steer=np.stack([n.steering for n in nodes]),
        aims=np.array([n.target_column for n in nodes], np.int64),
        curves=np.zeros((len(nodes), 2, 8)),
        radii=np.nan_to_num([n.turning_radius for n in nodes], posinf=0.0),
        scale=scale,
        bounds=bounds,
        first_out=none,
        edge_source=none,
        edge_target=none,
        edge_first=none,
        edge_limit=np.zeros(0),
        edge_within=np.zeros((0, 2, most_d)),
        hop=none,
        sample_values=np.zeros((0, most_d)),
        low=np.zeros((0, most_d)),
        high=np.zeros((0, most_d)),
        points=np.zeros((0, 2)),
        most_examples=most_k,
        stay=_stay(nodes),
        stopping=0.0,
        stride=0.0,
        **flat,
    )
    return with_edges(found, nodes, edges)


def with_edges(tables: ParametricGraphTables, nodes: Sequence[Node], edges: Sequence[Edge]) -> ParametricGraphTables:
    """The tables with other edges."""
    most = tables.scale.shape[2]
    ordered = sorted(edges, key=lambda e: (e.source, e.target))
    hop = _hops([float(n.space.rows.durations.mean()) for n in nodes], ordered)
    stopping, stride = _stopping(tables.stay, nodes, ordered, hop)
    return tables._replace(
        stopping=stopping,
        stride=stride,
        first_out=np.searchsorted([e.source for e in ordered], np.arange(len(nodes) + 1)).astype(np.int64),
        edge_source=np.array([e.source for e in ordered], np.int64),
        edge_target=np.array([e.target for e in ordered], np.int64),
        edge_first=np.cumsum([0, *(len(e.values) for e in ordered)]).astype(np.int64),
        edge_limit=np.array([e.report.bad_limit for e in ordered], float),
        edge_within=np.array([_within(nodes[e.source], e, most) for e in ordered]).reshape(-1, 2, most),
        hop=hop,
        sample_values=_stacked([_scaled(nodes[e.source], e.values) for e in ordered], most),
        low=_stacked([_scaled(nodes[e.target], e.low) for e in ordered], most),
        high=_stacked([_scaled(nodes[e.target], e.high) for e in ordered], most),
        points=np.concatenate([e.points for e in ordered]) if ordered else np.zeros((0, 2)),
    )


def _stay(nodes: Sequence[Node]) -> int:
    slow = [i for i, n in enumerate(nodes) if n.turn_column[0] < 0 and float(n.speeds.max()) < STILL]
    return min(slow, key=lambda i: float(nodes[i].speeds.max()), default=-1)


def _stopping(stay: int, nodes: Sequence[Node], edges: Sequence[Edge], hop: IntArray) -> tuple[float, float]:
    """Metres from leaving a node that can turn to where the path to the node that stays ends; and of its clips."""
    turning = [i for i, n in enumerate(nodes) if n.turn_column[0] >= 0]
    if stay < 0 or not turning:
        return 0.0, 0.0
    distance, at = 0.0, turning[0]
    stride = float(np.linalg.norm(nodes[at].moves(3)[1, :2]))
    for _ in nodes:
        edge = hop[at, stay]
        if edge < 0 or at == stay:
            break
        at, rows = edges[edge].target, nodes[edges[edge].target].space.rows
        entered = rows.lead + int(edges[edge].points[:, 1].mean() * rows.count)
        moved = np.linalg.norm(rows.steps[entered : rows.lead + rows.count, :, :2], axis=2).mean(1).sum()
        distance += float(moved) if at != stay else 0.0
    return distance, stride


def _radius(node: Node, seconds: float) -> float:
    """The radius of a cloud, which lies within a quarter of a cycle or within the margin."""
    rows = node.space.rows
    room = 0.25 * rows.durations.min() if rows.cyclic else rows.paces[1 : rows.lead].sum(0).min()
    return float(min(seconds, room))


def _scaled(node: Node, values: FloatArray) -> FloatArray:
    return np.asarray((values - node.space.middle) / node.space.ranges)


def _within(node: Node, edge: Edge, width: int) -> FloatArray:
    out = np.stack([np.full(width, -np.inf), np.full(width, np.inf)])
    if edge.limited(node):
        out[:, : node.space.size] = _scaled(node, edge.within)
    return out


def _rows(given: Sequence[FloatArray], width: int) -> FloatArray:
    return np.stack([np.pad(x, (0, width - len(x))) for x in given])


def _stacked(given: Sequence[FloatArray], width: int) -> FloatArray:
    if not given:
        return np.zeros((0, width))
    return np.concatenate([np.pad(x, ((0, 0), (0, width - x.shape[1]))) for x in given])


def _hops(seconds: Sequence[float], edges: Sequence[Edge]) -> IntArray:
    """(N, N) the first edge of a quickest path between nodes, by the mean durations of the clips on it; from a node
    to itself, of its quickest cycle.
    """
    count = len(seconds)
    out = np.full((count, count), -1, np.int64)
    far = np.full((count, count), np.inf)
    for e, edge in enumerate(edges):
        far[edge.source, edge.target], out[edge.source, edge.target] = seconds[edge.target], e
    for via in range(count):
        for a in range(count):
            for b in range(count):
                if far[a, via] + far[via, b] < far[a, b] - 1e-9:
                    far[a, b], out[a, b] = far[a, via] + far[via, b], out[a, via]
    return out
