"""Compiled search for similar point clouds: distances are computed only where lower bounds allow them."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel

FAST = {"contract", "reassoc"}


@kernel
def search_rows(tile: Any, clouds: Any, blocks: Any, limits: Any, radius: int, apart: int) -> Any:
    """Pairs of windows i < j at or below their limit, i in one tile of rows; as `choose_cells`, but over `Clouds`.

    tile: (first block of the rows, last excluded, blocks in a tile of columns, blocks that a margin of `radius` windows
    needs). clouds: the fields of `Clouds`. blocks: (first window of each block and the end (B + 1,), the middle window
    (B,), how far any other of the block is from it (B,)). limits: (the kind of each window (V,), squared limits (S, S),
    the largest limit, the rounding error of a bound). A block is skipped if its middles are farther apart than the
    limit and both their reaches; then each of its cells, by its own bound. The rest lies on short stretches of
    diagonals. Returns (count, 2) windows and (count,) squared distances. 5,000 windows: 20 ms; 20,000 at 120 fps: 0.3
    s. Slow version: `slow_pairs` in tests/methods/graph/test_transitions.py.
    """
    starts, middles = blocks[:2]
    top, bottom, wide, rim = tile
    upper, lower = max(0, top - rim), min(len(middles), bottom + rim)
    rows = starts[lower] - starts[upper]
    most = starts[1:] - starts[:-1]
    columns = min((wide + 2 * rim) * most.max(), starts[-1])
    values = np.full((rows, columns), np.inf, np.float32)
    cells = np.empty((rows * columns, 2), np.int64)
    found, held = np.empty((256, 2), np.int64), np.empty(256)
    count = 0
    for left in range(top, len(middles), wide):
        right = min(left + wide, len(middles))
        place = (upper, lower, max(0, left - rim), min(len(middles), right + rim))
        marked = _mark(place, clouds, blocks, limits, values, cells)
        if marked == 0:
            continue
        corner = (starts[place[0]], starts[place[2]])
        end = (starts[place[1]], starts[place[3]])
        _measure(cells[:marked], corner, end, clouds, values)
        inner = (starts[top], starts[bottom], starts[left], starts[right])
        found, held, count = _take(
            cells[:marked], corner, inner, clouds[1], limits, radius, apart, values, found, held, count
        )
        for n in range(marked):
            values[cells[n, 0] - corner[0], cells[n, 1] - corner[1]] = np.inf
    return found[:count], held[:count]


@kernel
def _mark(place: Any, clouds: Any, blocks: Any, limits: Any, values: Any, cells: Any) -> int:
    """Mark the cells of a tile that may be at or below the largest limit by -1 in `values`; list them in `cells`."""
    starts, middles, reach = blocks
    size, turning, heights = clouds[5], clouds[6], clouds[7]
    most, slack = limits[2], limits[3]
    corner = (starts[place[0]], starts[place[2]])
    first, n = place[2], place[3] - place[2]
    c, e = np.empty((2, turning.shape[1], n), np.float32), np.empty((heights.shape[0] + 2, n), np.float32)
    for k in range(n):
        j = middles[first + k]
        c[:, :, k], e[:-2, k], e[-2, k], e[-1, k] = turning[:, :, j], heights[:, j], size[j], reach[first + k]
    room, work = np.empty(n, np.float32), np.empty((2, n), np.float32)
    marked = 0
    for u in range(place[0], place[1]):
        i = middles[u]
        _rooms(turning[:, :, i].copy(), heights[:, i].copy(), size[i] - slack, most + reach[u], c, e, work, room)
        for start in range(0, n, 32):
            stop = min(start + 32, n)
            if not _any_room(room[start:stop]):
                continue
            for k in range(start, stop):
                if room[k] < 0:
                    continue
                alone = starts[u + 1] - starts[u] == 1 and starts[first + k + 1] - starts[first + k] == 1
                for a in range(starts[u], starts[u + 1]):
                    for b in range(starts[first + k], starts[first + k + 1]):
                        if alone or _bound(turning, heights, size, a, b) <= most * most + slack:
                            values[a - corner[0], b - corner[1]] = -1
                            cells[marked, 0], cells[marked, 1] = a, b
                            marked += 1
    return marked


@kernel(fastmath=FAST)
def _any_room(room: Any) -> bool:
    most = room[0]
    for k in range(room.size):
        most = max(most, room[k])
    return bool(most >= 0)


@kernel(fastmath=FAST)
def _rooms(ci: Any, ei: Any, size: float, reach: float, c: Any, e: Any, work: Any, room: Any) -> None:
    """room[k] = (limit^2 - bound) / 2 for one window (c_i, e_i) against many; negative: too far apart.

    The limit is the largest one plus both reaches; e holds sizes and reaches in its last two rows. The loops over k are
    in single precision, four directions at a time: 2 ns for each pair.
    """
    n = room.size
    dot, cross = work[0, :n], work[1, :n]
    dot[:] = 0
    cross[:] = 0
    for m in range(0, c.shape[1], 4):
        x0, x1, x2, x3 = ci[0, m], ci[0, m + 1], ci[0, m + 2], ci[0, m + 3]
        y0, y1, y2, y3 = ci[1, m], ci[1, m + 1], ci[1, m + 2], ci[1, m + 3]
        c0, c1, c2, c3 = c[0, m, :n], c[0, m + 1, :n], c[0, m + 2, :n], c[0, m + 3, :n]
        d0, d1, d2, d3 = c[1, m, :n], c[1, m + 1, :n], c[1, m + 2, :n], c[1, m + 3, :n]
        for k in range(n):
            dot[k] += (x0 * c0[k] + y0 * d0[k] + x1 * c1[k] + y1 * d1[k]) + (
                x2 * c2[k] + y2 * d2[k] + x3 * c3[k] + y3 * d3[k]
            )
            cross[k] += (x0 * d0[k] - y0 * c0[k] + x1 * d1[k] - y1 * c1[k]) + (
                x2 * d2[k] - y2 * c2[k] + x3 * d3[k] - y3 * c3[k]
            )
    h, far, sizes, reaches = np.float32(0.5 * size), np.float32(reach), e[-2, :n], e[-1, :n]
    half = np.float32(0.5)
    for k in range(n):
        both = far + reaches[k]
        room[k] = half * (both * both - sizes[k]) - h + np.sqrt(dot[k] * dot[k] + cross[k] * cross[k])
    for m in range(0, ei.size, 4):
        x0, x1, x2, x3 = ei[m], ei[m + 1], ei[m + 2], ei[m + 3]
        c0, c1, c2, c3 = e[m, :n], e[m + 1, :n], e[m + 2, :n], e[m + 3, :n]
        for k in range(n):
            room[k] += x0 * c0[k] + x1 * c1[k] + x2 * c2[k] + x3 * c3[k]


@kernel(fastmath=FAST)
def _bound(turning: Any, heights: Any, size: Any, i: int, j: int) -> float:
    """A lower bound of the squared distance of windows i and j."""
    dot = cross = up = np.float32(0)
    for m in range(turning.shape[1]):
        x, y, c, d = turning[0, m, i], turning[1, m, i], turning[0, m, j], turning[1, m, j]
        dot += x * c + y * d
        cross += x * d - y * c
    for m in range(heights.shape[0]):
        up += heights[m, i] * heights[m, j]
    return float(size[i] + size[j] - 2 * (np.sqrt(dot * dot + cross * cross) + up))


@kernel
def reaches(starts: Any, middles: Any, turning: Any, heights: Any, size: Any, slack: float, out: Any) -> None:
    """out[u] = the largest bound between the middle window of block u and any other of it."""
    for u in range(len(middles)):
        out[u] = 0.0
        for v in range(starts[u], starts[u + 1]):
            if v != middles[u]:
                out[u] = max(out[u], np.sqrt(max(_bound(turning, heights, size, v, middles[u]), 0.0) + slack))


@kernel
def _measure(cells: Any, corner: Any, end: Any, clouds: Any, values: Any) -> None:
    """The squared distance of every marked cell, stretch by stretch along the diagonals.

    Neighbours on a diagonal share the products of their frames; a window's is their weighted sum.
    """
    frame, span, points, means, middle, size, taps = (
        clouds[0],
        clouds[1],
        clouds[2],
        clouds[3],
        clouds[4],
        clouds[5],
        clouds[8],
    )
    radius = len(taps) // 2
    products = np.empty((3, min(values.shape) + 2 * radius))
    for n in range(len(cells)):
        i, j = cells[n]
        r, c = i - corner[0], j - corner[1]
        if values[r, c] >= 0 or (r > 0 and c > 0 and i > span[i, 0] and j > span[j, 0] and values[r - 1, c - 1] == -1):
            continue
        last = min(span[i, 1] - i, span[j, 1] - j, end[0] - i, end[1] - j)
        length = 1
        while length < last and values[r + length, c + length] == -1:
            length += 1
        _frame_products(points, means, frame[i] - radius, frame[j] - radius, length + 2 * radius, products)
        for k in range(length):
            dot = cross = up = 0.0
            for f in range(taps.size):
                dot += taps[f] * products[0, k + f]
                cross += taps[f] * products[1, k + f]
                up += taps[f] * products[2, k + f]
            a, b = middle[i + k], middle[j + k]
            dot -= a[0] * b[0] + a[1] * b[1]
            cross -= a[0] * b[1] - a[1] * b[0]
            left = size[i + k] + size[j + k] - 2 * (np.sqrt(dot * dot + cross * cross) + up)
            values[r + k, c + k] = max(left, 0.0)


@kernel(fastmath=FAST)
def _frame_products(points: Any, means: Any, i: int, j: int, count: int, out: Any) -> None:
    """out[:, t] = sums of p.p', of the cross product on the ground, and of heights, of frames i + t and j + t."""
    k = points.shape[1] // 3
    for t in range(count):
        p, q = points[i + t], points[j + t]
        x, z, y, u, v, w = p[:k], p[k : 2 * k], p[2 * k :], q[:k], q[k : 2 * k], q[2 * k :]
        dot = cross = up = np.float32(0)
        for n in range(k):
            dot += x[n] * u[n] + z[n] * v[n]
            cross += x[n] * v[n] - z[n] * u[n]
            up += y[n] * w[n]
        a, b = means[i + t], means[j + t]
        out[0, t] = dot + (a[0] * b[0] + a[1] * b[1])
        out[1, t] = cross + (a[0] * b[1] - a[1] * b[0])
        out[2, t] = up + a[2] * b[2]


@kernel
def _take(
    cells: Any,
    corner: Any,
    inner: Any,
    span: Any,
    limits: Any,
    radius: int,
    apart: int,
    values: Any,
    found: Any,
    held: Any,
    count: int,
) -> Any:
    """Cells i < j of the inner tile that are at or below their limit and smallest in their square, or valley."""
    kind, table = limits[0], limits[1]
    for n in range(len(cells)):
        i, j = cells[n]
        if not (inner[0] <= i < inner[1] and inner[2] <= j < inner[3] and i < j):
            continue
        same = span[i, 0] == span[j, 0]
        v = values[i - corner[0], j - corner[1]]
        if v > table[kind[i], kind[j]] or (same and j - i < apart):
            continue
        if radius > 0:
            rows = (max(i - radius, span[i, 0]) - corner[0], min(i + radius + 1, span[i, 1]) - corner[0])
            columns = (max(j - radius, span[j, 0]) - corner[1], min(j + radius + 1, span[j, 1]) - corner[1])
            if not is_lowest(values, i - corner[0], j - corner[1], rows, columns):
                continue
        elif radius < 0:
            r, c = i - corner[0], j - corner[1]
            if (
                i > span[i, 0]
                and j + 1 < span[j, 1]
                and c + 1 < values.shape[1]
                and r > 0
                and values[r - 1, c + 1] <= v
            ):
                continue
            if i + 1 < span[i, 1] and j > span[j, 0] and r + 1 < values.shape[0] and c > 0 and values[r + 1, c - 1] < v:
                continue
        if count == len(held):
            more, longer = np.empty((2 * count, 2), np.int64), np.empty(2 * count)
            more[:count], longer[:count] = found, held
            found, held = more, longer
        found[count, 0], found[count, 1], held[count] = i, j, v
        count += 1
    return found, held, count


@kernel
def is_lowest(values: Any, r: int, c: int, rows: Any, columns: Any) -> bool:
    """Whether cell (r, c) is the smallest of these rows and columns (last excluded); of equal ones the first is.

    Most cells fail against a neighbour, so these are tested first.
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
