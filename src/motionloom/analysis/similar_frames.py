"""Pairs of similar frames in hours of motion, in time that grows with the 1.5th power of the frames.

Frames are sorted into groups of similar ones, and each frame is compared with those of the nearest groups. Distances
are first computed of a projection to the main directions, in which they are never larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionloom.core import BoolArray, FloatArray, IntArray, Progress
from motionloom.core.numbers import squared_distances
from motionloom.core.progress import each, parts

DIRECTIONS = 24  # of the projection
SAMPLE = 5_000  # frames that determine directions and groups
GROUPS_COMPARED = 8  # nearest groups of each frame's own, itself included
NEIGHBOURS = 64  # most similar frames that are kept for each
BLOCK = 4096  # frames that are assigned to groups together

SmallFloats = NDArray[np.float32]
Allowed = Callable[[IntArray, IntArray, IntArray, IntArray], BoolArray]
"""Whether the pairs (a, b) are possible instead of the pairs (i, j)."""


class FramePairs(NamedTuple):
    """Pairs of similar frames, ordered by the first and then by distance."""

    i: IntArray  # (P,)
    j: IntArray  # (P,)
    distance: FloatArray  # (P,)


def similar_frames(
    rows: SmallFloats,
    largest: float,
    progress: Progress,
    *,
    targets: BoolArray | None = None,
    count: int = NEIGHBOURS,
    apart: int = 1,
) -> Iterator[FramePairs]:
    """For each frame i of (F, D) rows, the nearest j found whose distance is at most `largest`; group by group of i.

    At most `count` for each i, `apart` frames from it or more, and, with `targets` (F,), only those.
    """
    sorting, comparing = parts(progress, [1, 2])
    flat = projected(rows)
    centres = _centres(flat, round(np.sqrt(len(rows))))
    blocks = [slice(k, k + BLOCK) for k in range(0, len(rows), BLOCK)]
    group = np.concatenate(
        [squared_distances(flat[b], centres).argmin(1) for b in each(blocks, sorting, "sorting frames")]
    )
    order = np.argsort(group, kind="stable")
    members = np.split(order, np.searchsorted(group[order], np.arange(1, len(centres))))
    candidates = members if targets is None else [m[targets[m]] for m in members]
    near = np.argsort(squared_distances(centres, centres), axis=1, kind="stable")[:, :GROUPS_COMPARED]
    sizes = [len(m) + 1 for m in members]
    for g, own in enumerate(each(members, comparing, "comparing frames", sizes)):
        yield _compared(rows, flat, own, np.concatenate([candidates[k] for k in near[g]]), largest, count, apart)


def projected(rows: SmallFloats) -> SmallFloats:
    """Rows (F, D) along the main directions, at most `DIRECTIONS` of them; distances are never larger than before."""
    sample = rows[:: max(1, len(rows) // SAMPLE)].astype(float)
    middle = sample.mean(0)
    directions = np.linalg.eigh((sample - middle).T @ (sample - middle))[1][:, -DIRECTIONS:]
    return ((rows - middle.astype(rows.dtype)) @ directions.astype(rows.dtype)).astype(np.float32)


def _centres(flat: SmallFloats, count: int) -> SmallFloats:
    """Centres of groups: frames spread over time, moved to the mean of the sampled frames nearest to each, twice."""
    sample = flat[:: max(1, len(flat) // SAMPLE)]
    centres = flat[np.linspace(0, len(flat) - 1, count).astype(int)].copy()
    for _ in range(2):
        own = squared_distances(sample, centres).argmin(1)
        sizes = np.bincount(own, minlength=count)
        sums = np.zeros_like(centres)
        np.add.at(sums, own, sample)
        centres[sizes > 0] = sums[sizes > 0] / sizes[sizes > 0, None].astype(centres.dtype)
    return centres


def _compared(
    rows: SmallFloats, flat: SmallFloats, own: IntArray, others: IntArray, largest: float, count: int, apart: int
) -> FramePairs:
    """Pairs of a frame of one group and one of the groups near to it."""
    out = [FramePairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))]
    for first in range(0, len(own) if len(others) else 0, BLOCK // 8):
        some = own[first : first + BLOCK // 8]
        rough = squared_distances(flat[some], flat[others])
        rough[np.abs(some[:, None] - others) < apart] = np.inf
        kept = min(2 * count, len(others))
        top = np.argpartition(rough, kept - 1, axis=1)[:, :kept]
        a, b = np.nonzero(np.take_along_axis(rough, top, 1) <= largest**2)
        i, j = some[a], others[top[a, b]]
        exact = np.linalg.norm(rows[i].astype(float) - rows[j], axis=1)
        i, j, exact = (x[exact <= largest] for x in (i, j, exact))
        order = np.lexsort((j, exact, i))
        i, j, exact = i[order], j[order], exact[order]
        best = np.arange(len(i)) - np.searchsorted(i, i) < count
        out.append(FramePairs(i[best], j[best], exact[best]))
    return FramePairs(*(np.concatenate(part) for part in zip(*out, strict=True)))


def local_best(
    rows: SmallFloats, i: IntArray, j: IntArray, distance: FloatArray, radius: int, allowed: Allowed
) -> BoolArray:
    """Whether no allowed pair of frames within `radius` of both frames of a pair has a smaller distance."""
    out = np.ones(len(i), bool)
    for first in range(0, len(i), BLOCK):
        some = np.arange(first, min(first + BLOCK, len(i)))
        for up in range(-radius, radius + 1):
            for side in range(-radius, radius + 1):
                some = some[out[some]]
                a, b = i[some] + up, j[some] + side
                inside = (a >= 0) & (a < len(rows)) & (b >= 0) & (b < len(rows))
                inside[inside] = allowed(a[inside], b[inside], i[some][inside], j[some][inside])
                a, b, at = a[inside], b[inside], some[inside]
                out[at] = np.linalg.norm(rows[a] - rows[b], axis=1) >= distance[at] * (1 - 1e-5)
    return out
