"""Points at which one motion can continue with another: the least distance of their point clouds (HECK 6.1.1.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.analysis.point_cloud import PointCloud
from motionloom.core import BoolArray, FloatArray, Progress
from motionloom.methods.parametric_graph.config import WINDOW
from motionloom.methods.parametric_graph.nodes import Node
from motionloom.methods.parametric_graph.tables import CLOUD, ParametricGraphTables

TWO_MINIMA = 0.06  # of a clip: where points of good samples differ by more, the medoid is taken, not the mean
AROUND = 0.14  # s: how far transition points of an edge may lie from the usual one
LONGEST = 1.5  # s of a region
TILE = 250  # target samples compared at a time


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
        cells = measure.between(p[0], q[0], weights).matrix().reshape(n_s, len(leave), count, len(enter))
        flat = cells.transpose(0, 2, 1, 3).reshape(n_s, count, -1)
        found = flat.argmin(2)
        least = np.sqrt(np.maximum(np.take_along_axis(flat, found[..., None], 2)[..., 0], 0.0))
        where = np.stack(np.divmod(found, len(enter)), 2)
        span = slice(first, first + count)
        best[:, span] = least
        points[:, span, 0], points[:, span, 1] = leave[where[..., 0]], enter[where[..., 1]]
    return best, points


def point_clouds(
    tables: ParametricGraphTables, node: int, weights: FloatArray, u: FloatArray, levels: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Clouds of a node with weights (N, K) at parameters u (N,), with levels (N,) added to heights.

    Points (N, 3 J, 3), foot parts (N, P, 3) and their contacts (N, P).
    """
    from motionloom.methods.parametric_graph._kernels_alignment import FRAMES
    from motionloom.methods.parametric_graph._kernels_body import clouds

    count, parts = len(u), len(tables.parts)
    points, feet = np.empty((count, FRAMES * len(tables.parents), 3)), np.empty((count, parts, 3))
    out = points, feet, np.empty((count, parts), bool)
    clouds(tables, node, np.ascontiguousarray(weights), np.ascontiguousarray(u, float), levels, out)
    return out


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
