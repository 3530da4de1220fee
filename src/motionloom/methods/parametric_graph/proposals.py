"""Which further edges a graph could have, and how the limit of an edge trades the quality of transitions for reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, Progress, part, silent
from motionloom.methods.parametric_graph.edge import Edge, Report
from motionloom.methods.parametric_graph.edge_search import BAD, GOOD, propose_limits, spread_samples
from motionloom.methods.parametric_graph.nodes import Node, random_values
from motionloom.methods.parametric_graph.tables import ParametricGraphTables
from motionloom.methods.parametric_graph.transition_boxes import sample_box
from motionloom.methods.parametric_graph.transition_points import best_points

SOURCES, TARGETS = 9, 60  # samples by which a proposal is judged
TRADE_SOURCES, TRADE_TARGETS = 16, 200
EPSILON = 0.01  # of the range
FACTORS = np.linspace(0.25, 3.0, 23)  # times the proposed limit


class Proposal(NamedTuple):
    """An edge that a graph does not have: every motion of the source has one to continue with within `needed`."""

    source: str
    target: str
    needed: float  # m
    limit: float  # m: of good transitions, as proposed from the clips
    part: float  # share of the source's samples that have one within the limit

    @property
    def possible(self) -> bool:
        """Whether an edge from all motions of the source could be made with the proposed limits."""
        return self.needed <= self.limit

    def needs(self, refused: Report | None) -> str:
        """What the edge needs, as a graph file takes it; `refused`: what was found where it was tried and not made."""
        name, good = f"{self.source} > {self.target}", math.ceil(1000 * self.needed) / 10
        if refused is None:
            return f"{name}, as another entry of [[edges]], with good = {good:.1f} cm"
        limit = f"{100 * refused.good_limit:.1f}"
        if self.needed <= refused.good_limit or f"{good:.1f}" == limit:
            return f"{name}, which good = {limit} cm does not make ({refused.reason})"
        return f"{name} with good = {good:.1f} cm (limit {limit})"

    @property
    def text(self) -> str:
        """One line."""
        name, limit = f"edge {self.source} > {self.target}", f"limit {100 * self.limit:.1f} cm"
        if self.possible:
            return f"{name} is possible: all motions have a continuation within {100 * self.needed:.1f} cm ({limit})"
        share = f"{100 * self.part:.0f} % of its motions within the limit" if self.part else "no motion within it"
        return f"{name} needs good = {100 * self.needed:.1f} cm ({limit}; {share})"


def propose_edges(
    tables: ParametricGraphTables,
    nodes: Sequence[Node],
    pairs: Iterable[tuple[int, int]],
    region: float,
    progress: Progress | None = None,
) -> list[Proposal]:
    """What an edge between each of these pairs of nodes would need, the nearest first; judged by a few samples."""
    report, wanted, out = progress or silent(), list(pairs), []
    for i, (a, b) in enumerate(wanted):
        own = part(report, i / len(wanted), (i + 1) / len(wanted))
        best = _distances(tables, nodes, a, b, region, SOURCES, TARGETS, own)[0]
        limit = propose_limits(tables, nodes, a, b, region, nodes[a].fps)[0]
        nearest = best.min(1)
        out.append(
            Proposal(nodes[a].name, nodes[b].name, float(nearest.max()), limit, float((nearest <= limit).mean()))
        )  # fmt: skip
    return sorted(out, key=lambda p: p.needed / p.limit)


def cheapest_ways(cost: FloatArray, kept: Sequence[int]) -> list[list[tuple[int, int]]]:
    """For each node, the pairs on its way from and to the nodes `kept`: of the least largest cost, then least sum."""
    count = len(cost)
    out: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for back in (False, True):
        table = cost.T if back else cost
        best = [(0.0, 0.0) if n in kept else (np.inf, np.inf) for n in range(count)]
        before, done = [-1] * count, set[int]()
        while len(done) < count:
            at = min((n for n in range(count) if n not in done), key=lambda n: best[n])
            done.add(at)
            for n in range(count):
                new = (max(best[at][0], table[at, n]), best[at][1] + table[at, n])
                if n not in done and new < best[n]:
                    best[n], before[n] = new, at
        for n in range(count):
            way, to = [], n
            while before[to] >= 0:
                way.append((to, before[to]) if back else (before[to], to))
                to = before[to]
            out[n] += way if back else way[::-1]
    return out


class Trade(NamedTuple):
    """An edge at several limits: L of them."""

    name: str
    limits: FloatArray  # (L,) m, of good transitions
    reach: FloatArray  # (L,) mean share of the target's range that can follow; 0 for samples without a box
    distance: FloatArray  # (L,) m, mean over the pairs in the boxes; NaN without any
    used: float  # m, the limit of the edge itself


def trade_off(
    tables: ParametricGraphTables,
    nodes: Sequence[Node],
    source: int,
    target: int,
    region: float,
    used: float,
    rng: np.random.Generator,
) -> Trade:
    """How far an edge with the limit `used` reaches with others, and how bad its pairs then are (HECK 6.2.4)."""
    fps, space = nodes[source].fps, nodes[target].space
    best, to = _distances(tables, nodes, source, target, region, TRADE_SOURCES, TRADE_TARGETS, silent(), rng)
    proposed = propose_limits(tables, nodes, source, target, region, fps)[0]
    reach, distance, extent = [], [], np.maximum(space.high - space.low, 1e-9)
    limits = np.unique(np.append(FACTORS * max(proposed, used / 2.0), used))
    for limit in limits:
        shares, inside = [], []
        for row in best:
            box = sample_box(to, row <= limit, row > limit * BAD / GOOD, EPSILON * space.ranges)
            shares.append(0.0 if box is None else float(((box[1] - box[0]) / extent).mean()))
            if box is not None:
                inside.append(row[((to >= box[0]) & (to <= box[1])).all(1)])
        reach.append(np.mean(shares))
        distance.append(np.concatenate(inside).mean() if inside else np.nan)
    name = f"{nodes[source].name} > {nodes[target].name}"
    return Trade(name, limits, np.array(reach), np.array(distance), used)


def trade_offs(
    tables: ParametricGraphTables,
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    region: float,
    progress: Progress | None = None,
) -> list[Trade]:
    """`trade_off` of each edge."""
    report, rng, out = progress or silent(), np.random.default_rng(0), []
    for i, edge in enumerate(edges):
        report(i / len(edges), f"edge {nodes[edge.source].name} > {nodes[edge.target].name}")
        used = edge.report.good_limit
        out.append(trade_off(tables, nodes, edge.source, edge.target, region, used, rng))
    report(1.0, "done")
    return out


def _distances(
    tables: ParametricGraphTables, nodes: Sequence[Node], source: int, target: int, region: float, n_s: int, n_t: int,
    progress: Progress, rng: np.random.Generator | None = None,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """(n_s, n_t) m the least distance of pairs of samples, and (n_t, D) the parameters of the target's."""
    rng = rng or np.random.default_rng(0)
    a, b = nodes[source].space, nodes[target].space
    to = spread_samples(b, 2, rng)
    if b.rows.size > 1:
        to = np.concatenate([to, random_values(b, n_t - len(to), rng)])
    found_a, found_b = a.weights(spread_samples(a, n_s, rng)), b.weights(to)
    best, _ = best_points(tables, source, target, nodes, found_a.weights, found_b.weights, region, progress)
    return best, found_b.used
