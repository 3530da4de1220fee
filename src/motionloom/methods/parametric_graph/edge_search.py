"""Find edges: which part of a target's space each motion of a source can continue with, and where (HECK 6.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.analysis.point_cloud import PointCloud
from motionloom.core import FloatArray, IntArray, Progress, part, silent
from motionloom.methods.parametric_graph.edge import Edge, Report
from motionloom.methods.parametric_graph.nodes import Node
from motionloom.methods.parametric_graph.tables import CLOUD, GraphTables, with_edges
from motionloom.methods.space.space import Space

TWO_MINIMA = 0.06  # of a clip: where points of good samples differ by more, the medoid is taken, not the mean
GOOD, BAD = 2.0, 2.8  # limits that are proposed, in distances of consecutive frames
SHRINK = 0.85  # a box in which a pair is too bad is scaled by this
ROUNDS = 40  # of shrinking
TILE = 250  # target samples compared at a time


class EdgeSettings(NamedTuple):
    """How edges are found."""

    sources: int  # n_s
    targets: int  # n_t
    region: float  # of a clip at its end, and at the beginning of the next
    epsilon: float  # of the range: how far a bad sample is kept out of a box
    neighbours: int  # k - d
    verified: int  # random pairs


def spread_samples(space: Space, count: int, rng: Generator) -> FloatArray:
    """(n, D) parameters that cover a space: the extremes of all parameters, then each the farthest from the others."""
    known = np.concatenate([space.values, space.sample_values])
    if space.rows.size == 1:
        return space.values.copy()
    ends = sorted({int(i) for d in range(space.size) for i in (known[:, d].argmin(), known[:, d].argmax())})
    if space.size == 1:
        return np.linspace(space.low, space.high, max(count, 2))
    drawn = np.concatenate([known, random_values(space, 20 * count, rng)])
    scaled = drawn / space.ranges
    far = np.full(len(drawn), np.inf)
    chosen: list[int] = []
    for n in range(min(count, len(drawn))):
        i = ends[n] if n < len(ends) else int(far.argmax())
        chosen.append(i)
        far = np.minimum(far, ((scaled - scaled[i]) ** 2).sum(1))
    return drawn[chosen]


def random_values(space: Space, count: int, rng: Generator) -> FloatArray:
    """(count, D) random parameters of a space: between two measured blends."""
    known = np.concatenate([space.values, space.sample_values])
    a, b = known[rng.integers(len(known), size=count)], known[rng.integers(len(known), size=count)]
    share = rng.random((count, 1))
    return np.asarray((1 - share) * a + share * b)


def propose_limits(
    tables: GraphTables, nodes: Sequence[Node], source: int, target: int, fps: float
) -> tuple[float, float]:
    """T_good and T_bad in metres: 2 and 2.8 times the distance of clouds one frame apart within both nodes."""
    from motionloom.methods.parametric_graph._kernels_body import cloud_distance

    found = []
    for n in {source, target}:
        rows = nodes[n].space.rows
        weights = np.full((1, rows.size), 1.0 / rows.size)
        step = 1.0 / fps / float(rows.durations.mean())
        u = np.linspace(0.05, 0.9, 12)
        a, b = (_clouds(tables, n, np.repeat(weights, len(u), 0), at, np.zeros(len(u))) for at in (u, u + step))
        found += [cloud_distance(x, y, CLOUD)[0] for x, y in zip(a, b, strict=True)]
    natural = max(float(np.median(found)), 0.005)
    return GOOD * natural, BAD * natural


def build_edge(
    tables: GraphTables,
    nodes: Sequence[Node],
    source: int,
    target: int,
    settings: EdgeSettings,
    limits: tuple[float, float],
    rng: Generator,
    progress: Progress | None = None,
) -> tuple[Edge | None, Report]:
    """The edge from one node to another, and what was found; None if a source sample has no good continuation.

    `tables` need not hold any edges.
    """
    report = progress or silent()
    report(0.0, f"edge {nodes[source].name} > {nodes[target].name}")
    a, b = nodes[source].space, nodes[target].space
    from_values = spread_samples(a, settings.sources, rng)
    to_values = spread_samples(b, min(settings.targets, 2), rng)
    if b.rows.size > 1:
        to_values = np.concatenate([to_values, random_values(b, max(settings.targets - len(to_values), 1), rng)])
    found_a, found_b = a.weights(from_values), b.weights(to_values)
    from_values, to_values = found_a.used, found_b.used
    best, points = _best_points(
        tables, source, target, nodes, found_a.weights, found_b.weights, settings.region, report
    )
    good, bad = best <= limits[0], best > limits[1]
    counts = (int(good.sum()), int((~good & ~bad).sum()), int(bad.sum()))
    names = (nodes[source].name, nodes[target].name)

    def refused(why: str) -> tuple[None, Report]:
        found = Report(*names, *counts, 0, 0, 0, 0.0, float(best.min()), 0.0, *limits, why)
        return None, found

    low, high = np.empty((len(best), b.size)), np.empty((len(best), b.size))
    at, anchors = np.empty((len(best), 2)), np.empty((len(best), b.size))
    trimmed = medoids = 0
    for i in range(len(best)):
        if not good[i].any():
            shown = ", ".join(f"{n} {v:.3g}" for n, v in zip(a.names, from_values[i], strict=True))
            return refused(f"nothing follows {shown} (nearest {100 * best[i].min():.1f} cm)")
        lo, hi = to_values[good[i]].min(0), to_values[good[i]].max(0)
        before = (lo.copy(), hi.copy())
        low[i], high[i] = trimmed_box(lo, hi, to_values[bad[i]], settings.epsilon * b.ranges)
        trimmed += int((low[i] != before[0]).any() or (high[i] != before[1]).any())
        inside = good[i] & ((to_values >= low[i]) & (to_values <= high[i])).all(1)
        if not inside.any() or (high[i] < low[i]).any():
            shown = ", ".join(f"{n} {v:.3g}" for n, v in zip(a.names, from_values[i], strict=True))
            return refused(f"bad motions among the good ones leave no box for {shown}")
        at[i], two = middle_point(points[i][inside])
        medoids += two
        anchors[i] = to_values[np.flatnonzero(inside)[best[i][inside].argmin()]]
    report(0.6, "verifying pairs")
    draft = Edge(
        source, target, from_values, low, high, at, Report(*names, *counts, 0, 0, 0, 0.0, 0.0, 0.0, *limits, "")
    )
    boxes, worst, shrunk = verified_boxes(
        tables, nodes, draft, anchors, settings, limits[1], rng, part(report, 0.6, 1.0)
    )
    if worst > limits[1]:
        return refused(f"pairs at the transition point remain too bad ({100 * worst:.1f} cm)")
    reach = float(((boxes[1] - boxes[0]) / b.ranges).mean()) if b.rows.size > 1 else 1.0
    found = Report(*names, *counts, trimmed, shrunk, medoids, reach, float(best.min()), worst, *limits, "")
    report(1.0, f"edge {names[0]} > {names[1]}")
    return replace(draft, low=boxes[0], high=boxes[1], report=found), found


def trimmed_box(
    low: FloatArray, high: FloatArray, bad: FloatArray, epsilon: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The box made smaller until every bad sample (n, D) is at least epsilon outside: the least change first.

    Bad samples are taken in the order of how little a side has to move for them, so that the result does not depend
    on their order (see errata).
    """
    low, high = low.copy(), high.copy()
    size = np.maximum(high - low, 1e-12)
    while len(bad):
        inside = ((bad > low - epsilon) & (bad < high + epsilon)).all(1)
        bad = bad[inside]
        if not len(bad):
            break
        up, down = (bad + epsilon - low) / size, (high - (bad - epsilon)) / size
        cost = np.minimum(up, down)
        n, d = np.unravel_index(int(cost.argmin()), cost.shape)
        if up[n, d] <= down[n, d]:
            low[d] = bad[n, d] + epsilon[d]
        else:
            high[d] = bad[n, d] - epsilon[d]
        if high[d] < low[d]:
            break
    return low, high


def middle_point(points: FloatArray) -> tuple[FloatArray, bool]:
    """The mean of transition points (n, 2); the medoid, and True, where they have two minima."""
    mean = points.mean(0)
    if (points.std(0) <= TWO_MINIMA).all():
        return mean, False
    apart = np.abs(points[:, None] - points[None]).sum(-1) if len(points) <= 300 else None
    if apart is None:
        few = points[:: -(-len(points) // 300)]
        return few[int(np.abs(few[:, None] - few[None]).sum(-1).sum(1).argmin())], True
    return points[int(apart.sum(1).argmin())], True


def _clouds(tables: GraphTables, node: int, weights: FloatArray, u: FloatArray, levels: FloatArray) -> FloatArray:
    from motionloom.methods.parametric_graph._kernels_body import FRAMES, clouds

    out = np.empty((len(u), FRAMES * len(tables.parents), 3))
    clouds(
        tables, node, np.ascontiguousarray(weights), np.ascontiguousarray(u, float), tables.radius[node], levels, out
    )
    return out


def region_points(node: Node, region: float, *, end: bool, fps: float) -> FloatArray:
    """Parameters u at which transitions are tried: about one for each frame of the last or first part of a clip."""
    count = max(3, round(region * float(node.space.rows.durations.mean()) * fps) + 1)
    return np.linspace(1.0 - region, 1.0, count) if end else np.linspace(0.0, region, count)


def _best_points(
    tables: GraphTables,
    source: int,
    target: int,
    nodes: Sequence[Node],
    from_weights: FloatArray,
    to_weights: FloatArray,
    region: float,
    progress: Progress,
) -> tuple[FloatArray, FloatArray]:
    """(n_s, n_t) m the least distance of each pair, and (n_s, n_t, 2) where it is."""
    fps = nodes[source].examples[0].fps
    leave = region_points(nodes[source], region, end=True, fps=fps)
    enter = region_points(nodes[target], region, end=False, fps=fps)
    n_s, n_t = len(from_weights), len(to_weights)
    rises = from_weights @ nodes[source].rises
    p = _clouds(
        tables, source, np.repeat(from_weights, len(leave), 0), np.tile(leave, n_s), np.repeat(-rises, len(leave))
    )
    joints = len(tables.parents)
    measure = PointCloud(radius=0)
    weights = np.repeat(CLOUD / joints, joints)
    best, points = np.empty((n_s, n_t)), np.empty((n_s, n_t, 2))
    for first in range(0, n_t, TILE):
        progress(0.05 + 0.5 * first / n_t, "comparing motions")
        some = to_weights[first : first + TILE]
        count = len(some)
        q = _clouds(tables, target, np.repeat(some, len(enter), 0), np.tile(enter, count), np.zeros(count * len(enter)))
        cells = measure.between(p, q, weights).matrix()
        cells = cells.reshape(n_s, len(leave), count, len(enter)).transpose(0, 2, 1, 3).reshape(n_s, count, -1)
        least = cells.argmin(2)
        span = slice(first, first + count)
        best[:, span] = np.sqrt(np.maximum(np.take_along_axis(cells, least[..., None], 2)[..., 0], 0.0))
        points[:, span, 0], points[:, span, 1] = leave[least // len(enter)], enter[least % len(enter)]
    return best, points


def verified_boxes(
    tables: GraphTables, nodes: Sequence[Node], edge: Edge, anchors: FloatArray, settings: EdgeSettings, limit: float,
    rng: Generator, progress: Progress,
) -> tuple[tuple[FloatArray, FloatArray], float, int]:  # fmt: skip
    """Boxes, shrunk towards their best samples until no random pair at the point that is used exceeds the limit.

    Returns the boxes, the worst pair of the last round, and how many boxes were shrunk.
    """
    shrunk, worst, count = np.zeros(len(edge.values), bool), np.inf, settings.verified
    for turn in range(ROUNDS):
        progress(turn / ROUNDS, "verifying pairs")
        found, near = random_pairs(tables, nodes, edge, settings.neighbours, count, rng)
        worst = float(found.max(initial=0.0))
        if worst <= limit and count == settings.verified:
            break
        if worst <= limit:
            count = settings.verified
            continue
        wrong = np.unique(near[found > limit])
        shrunk[wrong] = True
        low, high = edge.low.copy(), edge.high.copy()
        low[wrong] = anchors[wrong] + SHRINK * (low[wrong] - anchors[wrong])
        high[wrong] = anchors[wrong] + SHRINK * (high[wrong] - anchors[wrong])
        edge = replace(edge, low=low, high=high)
        count = max(settings.verified // 5, 1)
    return (edge.low, edge.high), worst, int(shrunk.sum())


def random_pairs(
    tables: GraphTables, nodes: Sequence[Node], edge: Edge, neighbours: int, count: int, rng: Generator
) -> tuple[FloatArray, IntArray]:
    """(count,) m the distances of random pairs that the edge allows, at its points; and (count, k) the samples used."""
    from motionloom.methods.parametric_graph._kernels_body import verify

    a, b = nodes[edge.source].space, nodes[edge.target].space
    own = with_edges(tables, nodes, [edge])
    k = min(a.size + neighbours, len(edge.values))
    found = a.weights(random_values(a, count, rng))
    asked = (found.used - a.middle) / a.ranges
    near, shares = neighbour_shares((edge.values - a.middle) / a.ranges, asked, k)
    low, high = (np.einsum("nk,nkd->nd", shares, side[near]) for side in (edge.low, edge.high))
    to = b.weights(low + rng.random((count, b.size)) * (high - low))
    out = np.empty(count)
    levels = -(found.weights @ nodes[edge.source].rises)
    radius = own.radius[[edge.source, edge.target]]
    verify(own, 0, np.ascontiguousarray(asked), found.weights, levels, to.used, to.weights, radius, k, CLOUD, out)
    return out, near[:, : max(1, k - 1)]


def neighbour_shares(samples: FloatArray, asked: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    """(n, k) the nearest samples and their weights, HECK eqs 6.1-6.2; in units of the range."""
    apart = np.sqrt(np.maximum(((asked[:, None] - samples[None]) ** 2).sum(-1), 1e-24))
    near = np.argsort(apart, axis=1, kind="stable")[:, :k]
    inverse = 1.0 / np.take_along_axis(apart, near, 1)
    shares = inverse - inverse[:, -1:]
    total = shares.sum(1, keepdims=True)
    return near, np.where(total > 0, shares / np.maximum(total, 1e-300), 1.0 / k)
