"""Compiled loops that grow the trees of edges: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def grow(points: Any, cost: Any, group: Any, widest: float, halt: Any, done: Any) -> Any:
    """Binary trees by 2-means over groups of edges; a group wider than `widest` frames is split into several trees.

    points (T, 2) from- and to-frame, with `group` (T,) not decreasing. Returns `order` (T,) the edges as leaves from
    left to right; per node, in preorder, `first` and `stop` of its leaves, the mean of its points, the mean cost, the
    edge nearest to the mean, the latest from- and the earliest to-frame; and the nodes that are roots. A node's left
    child is the next node, and its right child follows the left one's 2 m - 1 nodes. T log T steps of a few rounds of
    Lloyd each: 100,000 edges in 0.1 s. Counts nodes in `done`, and ends early once `halt` is set.
    The slow version is `slow_tree` in tests/methods/hierarchical_graph/test_edge_trees.py.
    """
    count = len(points)
    order = np.arange(count).astype(np.int32)
    first = np.empty(2 * count, np.int32)
    stop = np.empty(2 * count, np.int32)
    centre = np.empty((2 * count, 2))
    mean = np.empty(2 * count)
    medoid = np.empty(2 * count, np.int32)
    ends = np.empty((2 * count, 2), np.int32)
    roots = np.empty(count, np.int32)
    nodes = 0
    found = 0
    spare = np.empty(count, np.int32)
    lows = np.empty(count + 1, np.int64)  # a stack of ranges; the right half waits while the left one is done
    highs = np.empty(count + 1, np.int64)
    inside = np.empty(count + 1, np.bool_)  # whether it is below a root
    begin = 0
    while begin < count:
        end = begin + 1
        while end < count and group[end] == group[begin]:
            end += 1
        top = 0
        lows[0], highs[0], inside[0] = begin, end, False
        while top >= 0 and not halt[0]:
            done[0] = nodes
            low, high, below = lows[top], highs[top], inside[top]
            top -= 1
            if not below and _extent(points, order, low, high) <= widest:
                below = True
                roots[found] = nodes
                found += 1
            if below:
                _describe(points, cost, order, low, high, nodes, centre, mean, medoid, ends)
                first[nodes], stop[nodes] = low, high
                nodes += 1
            if high - low > 1:
                middle = _halve(points, order, low, high, spare)
                top += 1
                lows[top], highs[top], inside[top] = middle, high, below
                top += 1
                lows[top], highs[top], inside[top] = low, middle, below
        begin = end
    return (
        order,
        first[:nodes].copy(),
        stop[:nodes].copy(),
        centre[:nodes].copy(),
        mean[:nodes].copy(),
        medoid[:nodes].copy(),
        ends[:nodes].copy(),
        roots[:found].copy(),
    )


@kernel
def _extent(points: Any, order: Any, low: int, high: int) -> float:
    """The larger of the two spans of a range of edges, in frames."""
    widest = 0.0
    for k in range(2):
        least = most = points[order[low], k]
        for i in range(low + 1, high):
            v = points[order[i], k]
            least, most = min(least, v), max(most, v)
        widest = max(widest, most - least)
    return widest


@kernel
def _describe(
    points: Any, cost: Any, order: Any, low: int, high: int, node: int, centre: Any, mean: Any, medoid: Any, ends: Any
) -> None:
    x = y = c = 0.0
    latest, earliest = points[order[low], 0], points[order[low], 1]
    for i in range(low, high):
        x += points[order[i], 0]
        y += points[order[i], 1]
        c += cost[order[i]]
        latest, earliest = max(latest, points[order[i], 0]), min(earliest, points[order[i], 1])
    ends[node, 0], ends[node, 1] = int(latest), int(earliest)
    n = high - low
    centre[node, 0], centre[node, 1], mean[node] = x / n, y / n, c / n
    best = np.inf
    for i in range(low, high):
        e = order[i]
        d = (points[e, 0] - x / n) ** 2 + (points[e, 1] - y / n) ** 2
        if d < best - 1e-9 or (d < best + 1e-9 and cost[e] < cost[medoid[node]]):
            best, medoid[node] = d, e


@kernel
def _halve(points: Any, order: Any, low: int, high: int, spare: Any) -> int:
    """Split a range of edges by 2-means, started from the two sides of its mean along its longest axis.

    Partitions `order` stably, and returns the start of the second part.
    """
    n = high - low
    mx = my = 0.0
    for i in range(low, high):
        mx += points[order[i], 0] / n
        my += points[order[i], 1] / n
    xx = xy = yy = 0.0
    for i in range(low, high):
        dx, dy = points[order[i], 0] - mx, points[order[i], 1] - my
        xx += dx * dx
        xy += dx * dy
        yy += dy * dy
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)  # of the larger axis of the covariance
    ux, uy = np.cos(angle), np.sin(angle)
    ax, ay, bx, by = mx - ux, my - uy, mx + ux, my + uy
    for _ in range(50):
        sx = sy = tx = ty = 0.0
        left = 0
        for i in range(low, high):
            x, y = points[order[i], 0], points[order[i], 1]
            if (x - ax) ** 2 + (y - ay) ** 2 <= (x - bx) ** 2 + (y - by) ** 2:
                sx += x
                sy += y
                left += 1
            else:
                tx += x
                ty += y
        if left == 0 or left == n:
            break
        cx, cy, dx, dy = sx / left, sy / left, tx / (n - left), ty / (n - left)
        if cx == ax and cy == ay and dx == bx and dy == by:  # the same edges as in the round before
            break
        ax, ay, bx, by = cx, cy, dx, dy
    at, kept = low, 0
    for i in range(low, high):
        e = order[i]
        x, y = points[e, 0], points[e, 1]
        if (x - ax) ** 2 + (y - ay) ** 2 <= (x - bx) ** 2 + (y - by) ** 2:
            order[at] = e
            at += 1
        else:
            spare[kept] = e
            kept += 1
    for i in range(kept):
        order[at + i] = spare[i]
    return at if low < at < high else low + n // 2
