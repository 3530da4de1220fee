"""Point clouds of many clips, and the search for similar pairs by lower bounds.

With horizontal points as complex numbers z (window mean taken off, weights multiplied in) and heights y, the squared
distance of two windows after the best turn is |z|^2 + |z'|^2 - 2 |<z, z'>| + |y - y'|^2 (GUAN 2.28-2.31). Project both
on a few orthonormal directions, z to c with r = |z - c| left over and y to e with s left over: since |<z, z'>| is at
most |<c, c'>| + r r', the square is never below
    |c|^2 + |c'|^2 - 2 |<c, c'>| + (r - r')^2 + |e - e'|^2 + (s - s')^2,
a squared distance itself that costs a tenth and obeys the triangle inequality: two frames are no nearer than the
middle frames of their blocks, minus their distances from these. Pairs that this excludes are skipped; none is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple

import numpy as np

from motionloom.analysis.comparison import frame_weights, windows
from motionloom.analysis.point_cloud import PointCloud
from motionloom.core import Clip, FloatArray, IntArray, Progress, silent
from motionloom.core.progress import each

TURNING, HEIGHTS = 8, 6  # directions: complex on the ground (a multiple of 4), and of heights (2 less)
SNAPSHOTS = 256  # windows from which the directions are computed
TILE = 512  # windows on a side of a tile


class Clouds(NamedTuple):
    """Windows of all frames that count (V of them), and the points of all frames (N) that they are made of."""

    frame: IntArray  # (V,) the frame in the middle of each window
    span: IntArray  # (V, 2) the windows of the same clip: first and last, last excluded
    points: FloatArray  # (N, 3 K) single: x, z, y of all points about their frame's mean, times the root of the weight
    means: FloatArray  # (N, 3) x, z, y of each frame
    middle: FloatArray  # (V, 2) x, z of each window's mean
    size: FloatArray  # (V,) |z|^2 + |y|^2
    turning: FloatArray  # (2, TURNING, V) single: c
    heights: FloatArray  # (HEIGHTS + 2, V) single: e, then r and s
    taps: FloatArray  # (2 radius + 1,)


def build_clouds(points: FloatArray, weights: FloatArray, span: IntArray, measure: PointCloud) -> Clouds:
    """The windows of `points` (N, J, 3) that lie in a clip; `span` (N, 2) is that of `clip_spans`."""
    used = np.flatnonzero(weights)
    w, k = np.sqrt(weights[used] / weights.sum()), len(used)
    taps = frame_weights(measure.radius, measure.taper)
    frame = np.flatnonzero(span[:, 0] < span[:, 1])
    place, first = np.searchsorted(frame, span[frame]), frame - measure.radius
    flat = np.empty((len(points), 3 * k))  # x of all points, then z, then y, times the root of their weights
    for at, axis in enumerate((0, 2, 1)):
        np.multiply(points[:, used, axis], w, out=flat[:, at * k : (at + 1) * k])
    flat[:, 2 * k :] -= flat[:, 2 * k :].mean(0)  # relative to each joint's mean height
    means = np.stack([flat[:, at * k : (at + 1) * k] @ w for at in range(3)], 1)
    middle = _over_windows(means[:, :2], taps)[first]
    ground, up = (_over_windows(np.einsum("fk,fk->f", x, x), taps)[first] for x in np.split(flat, [2 * k], axis=1))
    size = ground - np.einsum("vc,vc->v", middle, middle)
    turning, heights = _project(flat, first, middle, taps, w, *_directions(flat, first, taps, w))
    left = [size - (turning**2).sum((0, 1)), up - (heights**2).sum(0)]
    for at in range(3):
        flat[:, at * k : (at + 1) * k] -= np.outer(means[:, at], w)
    return Clouds(
        frame,
        place,
        flat.astype(np.float32),
        means,
        middle,
        size + up,
        turning.astype(np.float32),
        np.concatenate([heights, np.sqrt(np.maximum(left, 0))]).astype(np.float32),
        taps,
    )


def clip_spans(clips: Sequence[Clip], margin: int = 0) -> IntArray:
    """(N, 2) for each frame, counted through all clips: the first frame of its clip, and the one after its last.

    With a margin, that many frames less at either end; frames within the margin have an empty span, (0, 0).
    """
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    lengths = np.diff(starts)
    out = np.stack([np.repeat(starts[:-1] + margin, lengths), np.repeat(starts[1:] - margin, lengths)], 1)
    at = np.arange(len(out))
    out[(at < out[:, 0]) | (at >= out[:, 1])] = 0
    return out


def _over_windows(x: FloatArray, taps: FloatArray) -> FloatArray:
    """Weighted sums of x (N, ...) over each window, (N - 2 radius, ...)."""
    count = len(x) - len(taps) + 1
    out: FloatArray = taps[0] * x[:count]
    for f in range(1, len(taps)):
        out += taps[f] * x[f : f + count]
    return out


def _directions(flat: FloatArray, first: IntArray, taps: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Orthonormal directions in which windows differ most: (N, K, TURNING) complex, and (N, K, HEIGHTS).

    Computed from evenly spaced windows; the choice affects only the speed.
    """
    k = len(w)
    seen = windows(flat, (len(taps) - 1) // 2)[first[:: max(1, len(first) // SNAPSHOTS)]]
    seen = seen * np.sqrt(taps)[:, None]
    z = (seen[..., :k] + 1j * seen[..., k : 2 * k]).reshape(len(seen), -1)
    even = np.outer(np.sqrt(taps), w).ravel()
    z -= np.outer(z @ even, even)
    y = seen[..., 2 * k :].reshape(len(seen), -1)
    shape = (len(taps), k, -1)
    return _principal(z, TURNING).reshape(shape), _principal(y, HEIGHTS).reshape(shape)


def _principal(x: FloatArray, count: int) -> FloatArray:
    """(D, count) orthonormal directions with the largest |x|^2 for x (S, D); zeros where x has fewer."""
    power, mixed = np.linalg.eigh(x @ x.conj().T)
    keep = np.argsort(power)[::-1][: min(count, x.shape[1])]
    keep = keep[power[keep] > 1e-9 * max(power.max(), 1e-12)]
    out = np.zeros((x.shape[1], count), x.dtype)
    if len(keep):
        out[:, : len(keep)] = np.linalg.qr(x.conj().T @ mixed[:, keep])[0]
    return out


def _project(
    flat: FloatArray,
    first: IntArray,
    middle: FloatArray,
    taps: FloatArray,
    w: FloatArray,
    ground: FloatArray,
    level: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """All windows projected on the directions, (2, TURNING, V) and (HEIGHTS, V): a matrix product per frame."""
    k, count = len(w), len(flat) - len(taps) + 1
    u = ground * np.sqrt(taps)[:, None, None]
    c, e = np.zeros((count, 2 * TURNING)), np.zeros((count, HEIGHTS))
    for f in range(len(taps)):
        both = np.concatenate([np.concatenate([u[f].real, u[f].imag], 1), np.concatenate([-u[f].imag, u[f].real], 1)])
        c += flat[f : f + count, : 2 * k] @ both
        e += flat[f : f + count, 2 * k :] @ (level[f] * np.sqrt(taps[f]))
    c, e = c[first], e[first]
    even = np.einsum("fkm,k->m", u, w)  # contribution of the mean; zero up to rounding, because both are orthogonal
    shift = (middle[:, :1] + 1j * middle[:, 1:]) * even
    c -= np.concatenate([shift.real, shift.imag], 1)
    return np.ascontiguousarray(c.T).reshape(2, TURNING, -1), np.ascontiguousarray(e.T)


def near_pairs(
    found: Clouds,
    kind: IntArray,
    table: FloatArray,
    *,
    step: int,
    radius: int,
    apart: int,
    progress: Progress | None = None,
) -> Iterator[tuple[IntArray, FloatArray]]:
    """Pairs of frames a < b (n, 2) whose windows are within their limit, with their distances, m, tile by tile.

    kind (N,) and table (S, S): the limit of two frames is table[kind, kind], m. With `radius` > 0 only the most similar
    pair within that many frames; with `radius` -1, those smaller than their neighbours across the diagonal, the
    bottoms of valleys. Frames of one clip closer than `apart` are left out. Bounds are tested for blocks of
    `step` frames first. Tiles of rows are distributed to as many threads as numba may use; the result does not depend
    on their number.
    """
    from motionloom.analysis._kernels_clouds import reaches, search_rows
    from motionloom.core._jit import thread_count

    starts, middles = _blocks(found.span, step)
    slack = 1e-5 * float(found.size.max())  # m^2: far above the error of single precision
    reach = np.zeros(len(middles))
    reaches(starts, middles, found.turning, found.heights, found.size, slack, reach)
    blocks = (starts, middles, reach)
    limits = (kind[found.frame], table.astype(float) ** 2, float(table.max()), slack)
    size, rim = max(1, TILE // step), -(-abs(radius) // step)

    def rows(top: int) -> tuple[IntArray, FloatArray]:
        tile = (top, min(top + size, len(middles)), size, rim)
        cells, squared = search_rows(tile, tuple(found), blocks, limits, radius, apart)
        return found.frame[cells], np.sqrt(squared)

    tops = range(0, len(middles), size)
    with ThreadPoolExecutor(thread_count()) as pool:
        waiting = iter(tops)
        ahead = deque(pool.submit(rows, top) for top in islice(waiting, 2 * thread_count()))  # few results in memory
        sizes = [len(middles) - top for top in tops]  # columns to the right of each tile of rows
        try:
            for _ in each(tops, progress or silent(), "comparing frames", sizes):
                found_rows = ahead.popleft().result()
                ahead.extend(pool.submit(rows, top) for top in islice(waiting, 1))
                yield found_rows
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _blocks(span: IntArray, step: int) -> tuple[IntArray, IntArray]:
    """Windows in blocks of `step` that do not cross clips: the first of each block and the end, and the middle ones."""
    at = np.arange(len(span))
    starts = np.append(np.flatnonzero((at - span[:, 0]) % step == 0), len(span))
    return starts, (starts[:-1] + starts[1:] - 1) // 2
