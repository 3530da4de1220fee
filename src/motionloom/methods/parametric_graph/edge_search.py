"""Find edges: which part of a target's space each motion of a source can continue with, and where (HECK 6.1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from motionloom.analysis.point_cloud import PointCloud
from motionloom.core import BoolArray, FloatArray, Progress, part, silent
from motionloom.methods.parametric_graph.config import WINDOW
from motionloom.methods.parametric_graph.edge import Edge, Report
from motionloom.methods.parametric_graph.edge_verification import EdgeSettings, verified_boxes
from motionloom.methods.parametric_graph.nodes import Node, random_values
from motionloom.methods.parametric_graph.tables import CLOUD, ParametricGraphTables
from motionloom.methods.space.space import Space

TWO_MINIMA = 0.06  # of a clip: where points of good samples differ by more, the medoid is taken, not the mean
GOOD, BAD = 2.0, 2.8  # limits that are proposed, in distances of consecutive frames
NATURAL = 0.0125  # m: distance of consecutive frames that is assumed of motions that hardly move
AROUND = 0.14  # s: how far transition points of an edge may lie from the usual one
LONGEST = 1.5  # s of a region
SPLITS = 5  # how often the part of a source that an edge leaves from is narrowed
SMALLEST = 0.05  # of a parameter's range: a part of a source that is smaller gives no edge
TILE = 250  # target samples compared at a time


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
    from motionloom.methods.parametric_graph._kernels_body import cloud_distance

    found = []
    for n, end in ((source, True), (target, False)):
        u = region_points(nodes[n], region, end=end, fps=fps)
        weights = np.full((len(u) - 1, nodes[n].space.rows.size), 1.0 / nodes[n].space.rows.size)
        a, b = (point_clouds(tables, n, weights, at, np.zeros(len(at))) for at in (u[:-1], u[1:]))
        found.append(float(np.median([cloud_distance(x, y, CLOUD)[0] for x, y in zip(a, b, strict=True)])))
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
        narrower = None if not settings.split or fails.all() else _narrowed(from_values, fails, a, settings.epsilon)
        if narrower is None or turn == SPLITS - 1:
            return None, Report(*names, *counts, 0, 0, 0, 0.0, float(best.min()), 0.0, *limits, why)
        within = narrower
    low, high = np.stack([x for x, _, _ in boxes]), np.stack([x for _, x, _ in boxes])  # type: ignore[misc]
    trimmed = sum(cut for _, _, cut in boxes)  # type: ignore[misc]
    at, anchors, medoids = np.empty((len(best), 2)), np.empty((len(best), b.size)), 0
    for i in range(len(best)):
        inside = good[i] & ((to_values >= low[i]) & (to_values <= high[i])).all(1)
        at[i], two = middle_point(points[i][inside])
        medoids += two
        anchors[i] = to_values[np.flatnonzero(inside)[best[i][inside].argmin()]]
    report(0.6, "verifying pairs")
    first = Report(*names, *counts, trimmed, 0, medoids, 0.0, float(best.min()), 0.0, *limits, "")
    draft = Edge(source, target, from_values, low, high, at, within, first)
    checked, worst, shrunk = verified_boxes(
        tables, nodes, draft, anchors, settings, limits[1], rng, part(report, 0.6, 1.0)
    )
    if worst > limits[1]:
        why = f"pairs at the transition point remain too bad ({100 * worst:.1f} cm)"
        return None, first._replace(reason=why)
    reach = float(((checked[1] - checked[0]) / (b.high - b.low)).mean()) if b.rows.size > 1 else 1.0
    edge = replace(draft, low=checked[0], high=checked[1])
    shown = _shown_part(a, within) if edge.limited(nodes[source]) else ""
    found = first._replace(shrunk=shrunk, reach=reach, worst=worst, part=shown)
    report(1.0, f"edge {names[0]} > {names[1]}")
    return replace(edge, report=found), found


def sample_box(
    to_values: FloatArray, good: BoolArray, bad: BoolArray, epsilon: FloatArray
) -> tuple[FloatArray, FloatArray, bool] | None:
    """The box of a source sample and whether it was trimmed; None if it has none, or one without a good sample."""
    if not good.any():
        return None
    lo, hi = to_values[good].min(0), to_values[good].max(0)
    low, high = trimmed_box(lo, hi, to_values[bad], epsilon)
    if (high < low).any() or not (good & ((to_values >= low) & (to_values <= high)).all(1)).any():
        return None
    return low, high, bool((low != lo).any() or (high != hi).any())


def _failure(a: Space, values: FloatArray, best: FloatArray, good: BoolArray, fails: BoolArray) -> str:
    """Why the first failing source sample has no box."""
    i = int(np.flatnonzero(fails)[0])
    shown = ", ".join(f"{n} {v:.3g}" for n, v in zip(a.names, values[i], strict=True))
    if good[i].any():
        return f"bad motions among the good ones leave no box for {shown}"
    return f"nothing follows {shown} (nearest {100 * best[i].min():.1f} cm)"


def _narrowed(values: FloatArray, fails: BoolArray, a: Space, epsilon: float) -> FloatArray | None:
    """(2, D) the part of a source without its failing samples; None where that is too small.

    Of one parameter it is the longest run of samples that do not fail.
    """
    if a.size == 1:
        order = np.argsort(values[:, 0])
        runs, first = [], None
        for n, i in enumerate([*order, -1]):
            if i >= 0 and not fails[i]:
                first = n if first is None else first
            elif first is not None:
                runs.append((first, n - 1))
                first = None
        low, high = max(runs, key=lambda run: values[order[run[1]], 0] - values[order[run[0]], 0])
        box = np.stack([values[order[low]], values[order[high]]])
    else:
        kept = values[~fails]
        box = np.stack(trimmed_box(kept.min(0), kept.max(0), values[fails], epsilon * a.ranges))
    return box if (box[1] - box[0] >= SMALLEST * a.ranges).all() else None


def _shown_part(a: Space, within: FloatArray) -> str:
    """The limits of a part in words."""
    out = []
    units = [p.unit for p in a.parameters for _ in range(p.size)]
    for name, unit, (low, high) in zip(a.names, units, within.T, strict=True):
        scale = np.degrees(1.0) if unit.startswith("rad") else 1.0
        out.append(f"{name} {scale * low:.3g} to {scale * high:.3g} {unit.replace('rad', 'deg')}".rstrip())
    return ", ".join(out)


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


def point_clouds(
    tables: ParametricGraphTables, node: int, weights: FloatArray, u: FloatArray, levels: FloatArray
) -> FloatArray:
    """(N, 3 J, 3) clouds of a node with weights (N, K) at parameters u (N,), with levels (N,) added to heights."""
    from motionloom.methods.parametric_graph._kernels_body import FRAMES, clouds

    out = np.empty((len(u), FRAMES * len(tables.parents), 3))
    clouds(
        tables, node, np.ascontiguousarray(weights), np.ascontiguousarray(u, float), tables.radius[node], levels, out
    )
    return out


def region_points(node: Node, region: float, *, end: bool, fps: float) -> FloatArray:
    """Parameters u at which transitions are tried: one for each frame of the last or first part of a clip.

    The part is of the time of the mean clip, and lasts at most `LONGEST` seconds, which is more than a stride. Half a
    window and a tick before the point, or after it, every example still has motion (errata 3.3).
    """
    seconds = float(node.clock[-1])
    lasts = min(region * seconds, LONGEST)
    count = max(3, round(lasts * fps) + 1)
    first, last = _with_room(node, 0.5 * WINDOW + 1.0 / fps)
    if end:
        last = max(last, seconds - lasts)
        return node.at_seconds(np.linspace(seconds - lasts, last, count))
    return node.at_seconds(np.linspace(min(first, lasts), lasts, count))


def _with_room(node: Node, seconds: float) -> tuple[float, float]:
    """s of the mean clip: the first time before which all examples have so many seconds, and the last time after which
    they have."""
    rows, whole = node.space.rows, float(node.clock[-1])
    if rows.cyclic:
        return 0.0, whole
    u = (np.arange(1, len(rows.paces) - 1) - rows.lead) / rows.count
    times = np.interp(u, np.linspace(0.0, 1.0, len(node.clock)), node.clock)
    since = np.concatenate([np.zeros((1, rows.size)), np.cumsum(rows.paces[1:-2], axis=0)]).min(1)
    until = np.cumsum(rows.paces[1:-1][::-1], axis=0).min(1)[::-1] - rows.paces[1:-1].max(1)
    before, after = times[since >= seconds], times[until >= seconds]
    return (float(before[0]) if len(before) else 0.0), (float(after[-1]) if len(after) else whole)


def best_points(
    tables: ParametricGraphTables,
    source: int,
    target: int,
    nodes: Sequence[Node],
    from_weights: FloatArray,
    to_weights: FloatArray,
    region: float,
    progress: Progress,
    around: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """(n_s, n_t) m the least distance of each pair, and (n_s, n_t, 2) where it is; `around` a point, if given."""
    fps = nodes[source].fps
    leave = region_points(nodes[source], region, end=True, fps=fps)
    enter = region_points(nodes[target], region, end=False, fps=fps)
    if around is not None:
        leave = leave[np.abs(leave - around[0]) <= AROUND / nodes[source].clock[-1]]
        enter = enter[np.abs(enter - around[1]) <= AROUND / nodes[target].clock[-1]]
    n_s, n_t = len(from_weights), len(to_weights)
    rises = from_weights @ nodes[source].rises
    p = point_clouds(
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
        q = point_clouds(
            tables, target, np.repeat(some, len(enter), 0), np.tile(enter, count), np.zeros(count * len(enter))
        )
        cells = measure.between(p, q, weights).matrix()
        cells = cells.reshape(n_s, len(leave), count, len(enter)).transpose(0, 2, 1, 3).reshape(n_s, count, -1)
        least = cells.argmin(2)
        span = slice(first, first + count)
        best[:, span] = np.sqrt(np.maximum(np.take_along_axis(cells, least[..., None], 2)[..., 0], 0.0))
        points[:, span, 0], points[:, span, 1] = leave[least // len(enter)], enter[least % len(enter)]
    return best, points
