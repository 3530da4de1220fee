"""Compiled loops of building a motion graph: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.analysis._kernels_clouds import is_lowest
from motionloom.core._jit import kernel


@kernel
def choose_cells(
    values: Any, corner: Any, inner: Any, span: Any, kind: Any, table: Any, radius: int, apart: int
) -> Any:
    """Cells of a tile that are at or below their limit and, with `radius` > 0, smallest within `radius` of them.

    values (n, m); corner: the frames of its first row and column; inner: (first row, last row, first column, last
    column) to choose from, ends excluded: the rest is margin. span (N, 2): the frames of the same clip that count,
    first and last excluded; an empty span is a frame that does not count. kind (N,) and table (S, S): limits.
    Frames of one clip nearer than `apart` are not chosen, but they compete. Only column frame > row frame is chosen.
    Of equal cells the first one, row by row, is smallest. Most cells fail the test against their neighbours, so the
    whole square is searched for few. Returns (count, 2) frames and (count,) values.
    Slow version: `slow_pairs` in tests/methods/graph/test_transitions.py.
    """
    found, held = np.empty((1024, 2), np.int64), np.empty(1024, values.dtype)
    count = 0
    for r in range(inner[0], inner[1]):
        a = corner[0] + r
        if span[a, 0] >= span[a, 1]:
            continue
        rows = (max(a - radius, span[a, 0]) - corner[0], min(a + radius + 1, span[a, 1]) - corner[0])
        for c in range(max(inner[2], a + 1 - corner[1]), inner[3]):
            b = corner[1] + c
            v = values[r, c]
            if v > table[kind[a], kind[b]] or span[b, 0] >= span[b, 1]:
                continue
            if b - a < apart and span[b, 0] == span[a, 0]:
                continue
            if radius > 0:
                columns = (max(b - radius, span[b, 0]) - corner[1], min(b + radius + 1, span[b, 1]) - corner[1])
                if not is_lowest(values, r, c, rows, columns):
                    continue
            if count == len(held):
                found, held = _doubled(found, held)
            found[count, 0], found[count, 1], held[count] = a, b, v
            count += 1
    return found[:count], held[:count]


@kernel
def _doubled(found: Any, held: Any) -> Any:
    more, longer = np.empty((2 * len(held), 2), found.dtype), np.empty(2 * len(held), held.dtype)
    more[: len(held)], longer[: len(held)] = found, held
    return more, longer


@kernel
def align_pairs(points: Any, a: Any, b: Any, clip: Any, radius: int, turn: Any, shift: Any) -> None:
    """The turn and shift (HECK 3.2-3.4) that align the points around frame b[t] with those around a[t], for each t.

    points (N, J, 3) of all clips; clip (N, 2): first and last frame (excluded) of each frame's clip. `radius` frames to
    each side, weighted equally, fewer where a clip ends. Slow version: `laid_on` of motionloom.blend.transition_point.
    """
    joints = points.shape[1]
    for t in range(len(a)):
        i, j = a[t], b[t]
        before = min(radius, i - clip[i, 0], j - clip[j, 0])
        after = min(radius, clip[i, 1] - 1 - i, clip[j, 1] - 1 - j)
        ox, oz, ou, ov = points[i, 0, 0], points[i, 0, 2], points[j, 0, 0], points[j, 0, 2]
        sx = sz = su = sv = dot = cross = 0.0
        for f in range(-before, after + 1):
            for k in range(joints):
                x, z = points[i + f, k, 0] - ox, points[i + f, k, 2] - oz
                u, v = points[j + f, k, 0] - ou, points[j + f, k, 2] - ov
                sx += x
                sz += z
                su += u
                sv += v
                dot += x * u + z * v
                cross += x * v - u * z
        n = (before + after + 1) * joints
        angle = np.arctan2(cross - (sx * sv - su * sz) / n, dot - (sx * su + sz * sv) / n)
        c, s = np.cos(angle), np.sin(angle)
        mu, mv = su / n + ou, sv / n + ov
        turn[t] = angle
        shift[t, 0] = sx / n + ox - (c * mu + s * mv)
        shift[t, 1] = sz / n + oz - (c * mv - s * mu)
