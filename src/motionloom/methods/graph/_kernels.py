"""Compiled loops of building a motion graph: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def choose(values: Any, corner: Any, inner: Any, span: Any, kind: Any, table: Any, radius: int, apart: int) -> Any:
    """Cells of a tile that are at or below their limit and, with `radius` > 0, smallest within `radius` of them.

    values (n, m); corner: the frames that its first row and column stand for; inner: (first row, last row, first
    column, last column) to choose from, ends excluded: the rest is rim. span (N, 2): the frames of the same clip that
    count, first and last excluded; an empty span is a frame that does not count. kind (N,) and table (S, S): limits.
    Frames of one clip nearer than `apart` are not chosen, but they compete. Only column frame > row frame is chosen.
    Of equal cells the first one, row by row, is smallest. Most cells fail the test against their neighbours, so the
    square around is searched for few. Returns (count, 2) frames and (count,) values.
    Slow version: `slow_pairs` in tests/methods/graph/test_build.py.
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
                if not lowest(values, r, c, rows, columns):
                    continue
            if count == len(held):
                found, held = _grown(found, held)
            found[count, 0], found[count, 1], held[count] = a, b, v
            count += 1
    return found[:count], held[:count]


@kernel
def lowest(values: Any, r: int, c: int, rows: Any, columns: Any) -> bool:
    """Is cell (r, c) the smallest of these rows and columns (first, last excluded)? Of equal ones the first is.

    Most cells fail against a neighbour, so those are asked first.
    """
    v = values[r, c]
    if (c > columns[0] and values[r, c - 1] <= v) or (c + 1 < columns[1] and values[r, c + 1] < v):
        return False
    if (r > rows[0] and values[r - 1, c] <= v) or (r + 1 < rows[1] and values[r + 1, c] < v):
        return False
    for i in range(rows[0], rows[1]):
        for j in range(columns[0], columns[1]):
            w = values[i, j]
            if w < v or (w == v and (i < r or (i == r and j < c))):
                return False
    return True


@kernel
def _grown(found: Any, held: Any) -> Any:
    more, longer = np.empty((2 * len(held), 2), found.dtype), np.empty(2 * len(held), held.dtype)
    more[: len(held)], longer[: len(held)] = found, held
    return more, longer


@kernel
def lay(points: Any, a: Any, b: Any, clip: Any, radius: int, turn: Any, shift: Any) -> None:
    """The turn and shift (HECK 3.2-3.4) that lay the points around frame b[t] on those around frame a[t], for each t.

    points (N, J, 3) of all clips; clip (N, 2): first and last frame (excluded) of each frame's clip. `radius` frames to
    each side, all alike, fewer where a clip ends sooner. Slow version: `laid_on` of motionloom.blend.point.
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


@kernel
def fit_plants(parts: Any, runs: Any, a: Any, b: Any, half: int, gap: int, most: float, turn: Any, shift: Any) -> None:
    """Each turn and shift changed so that feet which stand over the cut stand in one place.

    parts (N, P, 3) heels and toes; runs (N, P, 4): the last frame up to this one of its clip in which the part stands
    (-1: none) and the first of that plant, the first frame from this one on in which it stands (-1: none) and the one
    after the last of that plant. `gap` is how many frames a foot may lift and still count as standing, `most` the
    largest turn. Slow version: `plant_fit` of motionloom.blend.plants, which says what is done and why.
    """
    count = 2 * half + 1
    rim = count / 4
    for t in range(len(a)):
        i, j = a[t], b[t]
        c, s = np.cos(turn[t]), np.sin(turn[t])
        p, q, w = np.empty((parts.shape[1], 2)), np.empty((parts.shape[1], 2)), np.empty(parts.shape[1])
        n = firm = 0
        for k in range(parts.shape[1]):
            last, first = runs[i - 1, k, 0], runs[j, k, 2]
            if last < 0 or first < 0 or (first - j) + (i - last) - 1 > gap:
                continue
            leave, enter = max(last - (i - half), 0), min(half + first - j, count - 1)
            begin, end = max(runs[i - 1, k, 1] - (i - half), 0), min(half + runs[j, k, 3] - j, count)
            w[n] = max(0.0, 1 - begin / rim) * max(0.0, 1 - (count - end) / rim)
            firm += w[n] > 0.5
            straight = enter == leave + 1
            la, lb = i - half + leave, j - half + (leave if straight else enter)
            u, v = parts[lb, k, 0], parts[lb, k, 2]
            p[n, 0], p[n, 1] = parts[la, k, 0], parts[la, k, 2]
            if straight:  # both clips at the same two moments
                p[n, 0], p[n, 1] = (p[n, 0] + parts[la + 1, k, 0]) / 2, (p[n, 1] + parts[la + 1, k, 2]) / 2
                u, v = (u + parts[lb + 1, k, 0]) / 2, (v + parts[lb + 1, k, 2]) / 2
            q[n, 0], q[n, 1] = c * u + s * v + shift[t, 0], c * v - s * u + shift[t, 1]
            n += 1
        if n == 0:
            continue
        more = 0.0
        if firm > 1:
            more = min(max(_turn_of(p, q, w, n), -most), most)
        c, s = np.cos(more), np.sin(more)
        dx = dz = total = 0.0
        for k in range(n):
            wk = w[k] + 1e-3
            dx += wk * (p[k, 0] - (c * q[k, 0] + s * q[k, 1]))
            dz += wk * (p[k, 1] - (c * q[k, 1] - s * q[k, 0]))
            total += wk
        x, z = shift[t, 0], shift[t, 1]
        turn[t] += more
        shift[t, 0], shift[t, 1] = c * x + s * z + dx / total, c * z - s * x + dz / total


@kernel
def _turn_of(p: Any, q: Any, w: Any, n: int) -> float:
    """The best turn of points q (n, 2) onto p: `ground_alignment`."""
    total = px = pz = qx = qz = 0.0
    for k in range(n):
        total += w[k]
        px += w[k] * p[k, 0]
        pz += w[k] * p[k, 1]
        qx += w[k] * q[k, 0]
        qz += w[k] * q[k, 1]
    px, pz, qx, qz = px / total, pz / total, qx / total, qz / total
    dot = cross = 0.0
    for k in range(n):
        x, z, u, v = p[k, 0] - px, p[k, 1] - pz, q[k, 0] - qx, q[k, 1] - qz
        dot += w[k] * (x * u + z * v)
        cross += w[k] * (x * v - u * z)
    return float(np.arctan2(cross, dot))
