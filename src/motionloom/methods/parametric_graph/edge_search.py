"""Find edges: which part of a target's space each motion of a source can continue with, and where (HECK 6.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, FloatArray, Progress, part, silent
from motionloom.methods.parametric_graph.edge import Edge, Report
from motionloom.methods.parametric_graph.edge_verification import EdgeSettings, verified_boxes
from motionloom.methods.parametric_graph.nodes import Node, random_values
from motionloom.methods.parametric_graph.tables import ParametricGraphTables
from motionloom.methods.parametric_graph.transition_boxes import narrowed, sample_box
from motionloom.methods.parametric_graph.transition_points import best_points, middle_point, point_clouds, region_points
from motionloom.methods.space.space import Space

GOOD, BAD = 2.0, 2.8  # limits that are proposed, in distances of consecutive frames
NATURAL = 0.0125  # m: distance of consecutive frames that is assumed of motions that hardly move
SPLITS = 5  # how often the part of a source that an edge leaves from is narrowed


def spread_samples(space: Space, count: int, rng: Generator, within: FloatArray | None = None) -> FloatArray:
    """(n, D) parameters that cover a space: the extremes of all parameters, then each the farthest from the others.

    `within` (2, D) limits them.
    """
    low, high = (space.low, space.high) if within is None else within
    known = np.clip(np.concatenate([space.values, space.sample_values]), low, high)
    if space.rows.size == 1:
        return space.values.copy()
    ends = sorted({int(i) for d in range(space.size) for i in (known[:, d].argmin(), known[:, d].argmax())})
    if space.size == 1:
        return np.linspace(low, high, max(count, 2))
    drawn = np.concatenate([known, random_values(space, 20 * count, rng, within)])
    scaled = drawn / space.ranges
    far = np.full(len(drawn), np.inf)
    chosen: list[int] = []
    for n in range(min(count, len(drawn))):
        i = ends[n] if n < len(ends) else int(far.argmax())
        chosen.append(i)
        far = np.minimum(far, ((scaled - scaled[i]) ** 2).sum(1))
    return drawn[chosen]


def propose_limits(
    tables: ParametricGraphTables, nodes: Sequence[Node], source: int, target: int, region: float, fps: float
) -> tuple[float, float]:
    """T_good and T_bad in metres: 2 and 2.8 times the distance of clouds one frame apart, where transitions are made.

    It is the mean of both nodes' medians.
    """
    from motionloom.methods.parametric_graph._kernels_alignment import cloud_distance

    found = []
    for n, end in ((source, True), (target, False)):
        u = region_points(nodes[n], region, end=end, fps=fps)
        weights = np.full((len(u) - 1, nodes[n].space.rows.size), 1.0 / nodes[n].space.rows.size)
        a, b = (point_clouds(tables, n, weights, at, np.zeros(len(at))) for at in (u[:-1], u[1:]))
        pairs = zip(zip(*a, strict=True), zip(*b, strict=True), strict=True)
        found.append(float(np.median([cloud_distance(x[0], y[0], tables.cloud)[0] for x, y in pairs])))
    natural = max(float(np.mean(found)), NATURAL)
    return GOOD * natural, BAD * natural


def build_edge(
    tables: ParametricGraphTables,
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
    names = (nodes[source].name, nodes[target].name)
    within = np.stack([a.low, a.high])
    to_values = spread_samples(b, min(settings.targets, 2), rng)
    if b.rows.size > 1:
        to_values = np.concatenate([to_values, random_values(b, max(settings.targets - len(to_values), 1), rng)])
    found_b = b.weights(to_values)
    to_values = found_b.used
    for turn in range(SPLITS):
        whole = turn == 0
        found_a = a.weights(spread_samples(a, settings.sources, rng, None if whole else within))
        from_values = found_a.used
        own = part(report, 0.6 * turn / SPLITS, 0.6 * (turn + 1) / SPLITS)
        weights = found_a.weights, found_b.weights
        best, points = best_points(tables, source, target, nodes, *weights, settings.region, own)
        good, bad = best <= limits[0], best > limits[1]
        if settings.split and good.any():
            around, several = middle_point(points[good])
            if several:  # one step later or earlier for some pairs: all are to leave at the same one
                best, points = best_points(tables, source, target, nodes, *weights, settings.region, own, around)
                good, bad = best <= limits[0], best > limits[1]
        counts = (int(good.sum()), int((~good & ~bad).sum()), int(bad.sum()))
        boxes = [sample_box(to_values, good[i], bad[i], settings.epsilon * b.ranges) for i in range(len(best))]
        fails = np.array([found is None for found in boxes])
        if not fails.any():
            break
        why = _failure(a, from_values, best, good, fails)
        narrower = None if not settings.split or fails.all() else narrowed(from_values, fails, a, settings.epsilon)
        if narrower is None or turn == SPLITS - 1:
            return None, Report(*names, *counts, 0, 0, 0, 0.0, float(best.min()), 0.0, *limits, why)
        within = narrower

    def verified(boxes: Sequence[Any], watching: Progress) -> tuple[Edge, Report]:
        """The edge with boxes that are shrunk until no pair is too bad, and what was found."""
        low, high = np.stack([x for x, _, _ in boxes]), np.stack([x for _, x, _ in boxes])
        at, anchors, medoids = np.empty((len(best), 2)), np.empty((len(best), b.size)), 0
        for i in range(len(best)):
            inside = good[i] & ((to_values >= low[i]) & (to_values <= high[i])).all(1)
            at[i], two = middle_point(points[i][inside])
            medoids += two
            anchors[i] = to_values[np.flatnonzero(inside)[best[i][inside].argmin()]]
        trimmed, nearest = sum(cut for _, _, cut in boxes), float(best.min())
        first = Report(*names, *counts, trimmed, 0, medoids, 0.0, nearest, 0.0, *limits, "")
        draft = Edge(source, target, from_values, low, high, at, within, first)
        checked, worst, shrunk = verified_boxes(tables, nodes, draft, anchors, settings, limits[1], rng, watching)
        return replace(draft, low=checked[0], high=checked[1]), first._replace(worst=worst, shrunk=shrunk)

    report(0.6, "verifying pairs")
    edge, found = verified(boxes, part(report, 0.6, 0.8))
    if found.worst > limits[1]:  # good targets can be of several kinds, and boxes of neighbouring samples around others
        around_best = [
            sample_box(to_values, good[i], bad[i], settings.epsilon * b.ranges, to_values[best[i].argmin()])
            for i in range(len(best))
        ]
        if all(box is not None for box in around_best):
            edge, found = verified(around_best, part(report, 0.8, 1.0))
    if found.worst > limits[1]:
        why = f"pairs at the transition point remain too bad ({100 * found.worst:.1f} cm)"
        return None, found._replace(reason=why, worst=0.0, shrunk=0)
    reach = float(((edge.high - edge.low) / (b.high - b.low)).mean()) if b.rows.size > 1 else 1.0
    shown = _shown_part(a, within) if edge.limited(nodes[source]) else ""
    found = found._replace(reach=reach, part=shown)
    report(1.0, f"edge {names[0]} > {names[1]}")
    return replace(edge, report=found), found


def _failure(a: Space, values: FloatArray, best: FloatArray, good: BoolArray, fails: BoolArray) -> str:
    """Why the first failing source sample has no box."""
    i = int(np.flatnonzero(fails)[0])
    shown = ", ".join(
        f"{n} {scale * v:.3g} {unit}".rstrip()
        for n, v, (scale, unit) in zip(a.names, values[i], _units(a), strict=True)
    )
    if good[i].any():
        return f"bad motions among the good ones leave no box for {shown}"
    return f"nothing follows {shown} (nearest {100 * best[i].min():.1f} cm)"


def _shown_part(a: Space, within: FloatArray) -> str:
    """The limits of a part in words."""
    return ", ".join(
        f"{name} {scale * low:.3g} to {scale * high:.3g} {unit}".rstrip()
        for name, (scale, unit), (low, high) in zip(a.names, _units(a), within.T, strict=True)
    )


def _units(a: Space) -> list[tuple[float, str]]:
    """Of each value of the parameters: a factor and the unit in which the product is shown."""
    units = [p.unit for p in a.parameters for _ in range(p.size)]
    return [(np.degrees(1.0) if u.startswith("rad") else 1.0, u.replace("rad", "deg")) for u in units]
