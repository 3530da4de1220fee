"""Compiled blending of a gaze map's examples by yaw and pitch."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods.space._kernels_nearest import nearest_shares

TINY = 1e-12
FASTER = 1.15  # times the speed of the examples that a shift beyond them may have


@kernel
def _cell(values: Any, at: float) -> Any:
    """The cell of increasing values that contains `at`, and the share of it that lies before."""
    k = 0
    while k < len(values) - 2 and values[k + 1] <= at:
        k += 1
    return k, (at - values[k]) / (values[k + 1] - values[k])


@kernel
def _hermite(s: float, size: float) -> Any:
    """Weights of both ends' values, and of their slopes, at the share `s` of a cell of this size."""
    r = 1.0 - s
    return (1.0 + 2.0 * s) * r * r, (3.0 - 2.0 * s) * s * s, s * r * r * size, -s * s * r * size


@kernel
def _bicubic(columns: Any, rows: Any, nodes: Any, yaw: float, pitch: float, out: Any) -> None:
    """Cubic Hermite in both directions: C1.

    `nodes` (columns, rows, 4, 24): values, slopes along yaw, along pitch, and along both.
    """
    i, s = _cell(columns, min(max(yaw, columns[0]), columns[-1]))
    j, t = _cell(rows, min(max(pitch, rows[0]), rows[-1]))
    across, along = _hermite(s, columns[i + 1] - columns[i]), _hermite(t, rows[j + 1] - rows[j])
    for d in range(24):
        out[d] = 0.0
    for a in range(2):
        for b in range(2):
            node = nodes[i + a, j + b]
            value, slope = across[a], across[2 + a]
            for d in range(24):
                level = along[b] * node[0, d] + along[2 + b] * node[2, d]
                tilt = along[b] * node[1, d] + along[2 + b] * node[3, d]
                out[d] += value * level + slope * tilt


@kernel
def triangulated(examples: Any, triangles: Any, border: Any, yaw: float, pitch: float, out: Any) -> None:
    """Linear in the triangle around the request; outside of all, at the nearest point of their border."""
    for k in range(triangles.shape[0]):
        a, b, c = examples[triangles[k, 0]], examples[triangles[k, 1]], examples[triangles[k, 2]]
        area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        v = ((yaw - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (pitch - a[1])) / area
        w = ((b[0] - a[0]) * (pitch - a[1]) - (yaw - a[0]) * (b[1] - a[1])) / area
        if v >= -TINY and w >= -TINY and v + w <= 1 + TINY:
            for d in range(24):
                out[d] = (1 - v - w) * a[d] + v * b[d] + w * c[d]
            return
    least = np.inf
    for k in range(border.shape[0]):
        a, b = examples[border[k, 0]], examples[border[k, 1]]
        x, y = b[0] - a[0], b[1] - a[1]
        t = min(max(((yaw - a[0]) * x + (pitch - a[1]) * y) / (x * x + y * y), 0.0), 1.0)
        away = (a[0] + t * x - yaw) ** 2 + (a[1] + t * y - pitch) ** 2
        if away < least:
            least = away
            for d in range(24):
                out[d] = (1 - t) * a[d] + t * b[d]


@kernel
def _nearest(samples: Any, places: Any, low: Any, high: Any, count: int, yaw: float, pitch: float, out: Any) -> None:
    """HECK's weights: 1/d_i - 1/d_k of the `count` nearest samples, k being the next one.

    `places` (S, 2) are the samples' yaw and pitch. Both are angles, so they are not scaled by their ranges (a degree
    of pitch would count as fifteen of yaw).
    """
    asked = np.empty(2)
    asked[0], asked[1] = min(max(yaw, low[0]), high[0]), min(max(pitch, low[1]), high[1])
    count = min(count, samples.shape[0] - 1) + 1
    near, shares = np.empty(count, np.int64), np.empty(count)
    nearest_shares(places, asked, 2, near, shares)
    for d in range(24):
        out[d] = 0.0
        for k in range(count):
            out[d] += shares[k] * samples[near[k], d]


@kernel
def blend_row(table: Any, yaw: float, pitch: float, out: Any) -> None:
    """The blended row (24,) for one request: of the `nodes`, or of the nearest `samples` where there are no nodes."""
    columns, rows, nodes, samples, places, low, high, neighbours, _ = table
    if nodes.shape[0]:
        _bicubic(columns, rows, nodes, yaw, pitch, out)
    else:
        _nearest(samples, places, low, high, neighbours, yaw, pitch, out)


@kernel
def beyond(table: Any, yaw: float) -> float:
    """How many times as long as its blended row a shift takes: 1 within the examples, more for a larger change of yaw.

    From one side to the other it may be twice as large: without this, the head would be twice as fast as the examples.
    """
    low, high = table[5], table[6]
    border = FASTER * (high[0] if yaw > 0 else -low[0])
    return max(1.0, abs(yaw) / border) if border > 0 else 1.0


@kernel
def blend_rows(table: Any, asked: Any, out: Any) -> None:
    """(N, 24) the blended rows of requests (N, 2)."""
    for n in range(asked.shape[0]):
        blend_row(table, asked[n, 0], asked[n, 1], out[n])
