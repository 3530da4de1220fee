"""Compiled loops of dynamic time warping: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def free_steps(cost: Any, free_start: bool, codes: Any, side: Any, stop: Any, done: Any) -> Any:
    """Least sums of the last row, (M,), and the step into each cell, with any number of steps either way.

    `side` (N,) gets the least sums of the last column.

    T[i, j] = cost[i, j] + min(T[i-1, j-1], T[i-1, j], T[i, j-1]), the diagonal first among equals. Row by row, in
    memory order, with one row of sums. `codes` (N, M) uint8 gets 0 for a diagonal step (or a start in row 0), 1 for
    one across (along a row), 2 for one down; with no rows it is left alone and only the sums are made.
    3000 x 3000: 14 ms with codes, 12 ms without. The slow version is `dtw_slow` in tests/analysis/test_dtw.py.
    """
    rows, columns = cost.shape
    keep = codes.shape[0] > 0
    above = np.empty(columns)
    total = 0.0
    for j in range(columns):
        start = free_start or j == 0
        total = cost[0, j] if start else total + cost[0, j]
        above[j] = total
        if keep:
            codes[0, j] = 0 if start else 1
    side[0] = total
    for i in range(1, rows):
        done[0] = i
        if stop[0]:
            break
        corner = above[0]
        left = corner + cost[i, 0]
        above[0] = left
        if keep:
            codes[i, 0] = 2
            for j in range(1, columns):
                up = above[j]
                best = corner
                code = 0
                if up < best:
                    best = up
                    code = 2
                if left < best:
                    best = left
                    code = 1
                left = best + cost[i, j]
                above[j] = left
                codes[i, j] = code
                corner = up
        else:
            for j in range(1, columns):
                up = above[j]
                left = min(left, min(up, corner)) + cost[i, j]
                above[j] = left
                corner = up
        side[i] = left
    return above


@kernel
def limited_steps(
    cost: Any, prices: Any, limit: int, free_start: bool, codes: Any, side: Any, stop: Any, done: Any
) -> Any:
    """Like `free_steps`, with at most `limit` = k steps across or down in a row and a diagonal step between runs.

    E[i, j] = cost[i, j] + T[i-1, j-1]                               the path arrives diagonally (or starts)
    H_m[i, j] = cost[i, j] + price[i, j] + H_{m-1}[i, j-1],  H_0 = E        m steps across since then
    V_m[i, j] = cost[i, j] + price[i, j] + V_{m-1}[i-1, j],  V_0 = E        m steps down since then
    T = min(E, H_1 .. H_k, V_1 .. V_k)

    `prices` are those of the rows (N,) and of the columns (M,), whose sum is that of a step. As costs and prices are
    not negative, a step across next to one down is never better than the diagonal, so this is exact, and the code of
    the winner (0; m; k + m) is all that the way back needs: one byte a cell. No sum waits for its left neighbour, so
    the loops over j run on vectors. Memory: 2k + 4 rows of sums. 3000 x 3000, k = 2: 43 ms.
    The slow version is `dtw_limited_slow` in tests/analysis/test_dtw.py.
    """
    rows, columns = cost.shape
    keep = codes.shape[0] > 0
    across = np.full((limit + 1, columns), np.inf)
    down = np.full((limit + 1, columns), np.inf)
    best, dear = np.empty(columns), np.empty(columns)
    code = np.zeros(columns, np.uint8)
    for i in range(rows):
        done[0] = i
        if stop[0]:
            break
        row = cost[i]
        for j in range(columns):
            dear[j] = row[j] + prices[0][i] + prices[1][j]
        for m in range(limit, 0, -1):
            for j in range(columns):
                down[m, j] = down[m - 1, j] + dear[j]
        if i == 0:
            for j in range(columns):
                across[0, j] = row[j] if free_start or j == 0 else np.inf
        else:
            across[0, 0] = np.inf
            for j in range(1, columns):
                across[0, j] = best[j - 1] + row[j]
        for m in range(1, limit + 1):
            for j in range(1, columns):
                across[m, j] = across[m - 1, j - 1] + dear[j]
        for j in range(columns):
            best[j] = across[0, j]
            down[0, j] = across[0, j]
            code[j] = 0
        for m in range(1, limit + 1):
            for j in range(columns):
                value = across[m, j]
                better = value < best[j]
                best[j] = value if better else best[j]
                code[j] = m if better else code[j]
            for j in range(columns):
                value = down[m, j]
                better = value < best[j]
                best[j] = value if better else best[j]
                code[j] = limit + m if better else code[j]
        if keep:
            codes[i] = code
        side[i] = best[columns - 1]
    return best


@kernel
def trace(codes: Any, limit: int, row: int, column: int, path: Any) -> int:
    """Walk back from (row, column) to row 0; fills `path` (N + M, 2) from its end, returns where it begins.

    `limit` is that of `limited_steps`, or 0 for codes of `free_steps`.
    """
    i, j = row, column
    at = path.shape[0]
    while True:
        at -= 1
        path[at, 0], path[at, 1] = i, j
        code = codes[i, j]
        if limit == 0:
            if code == 1:
                j -= 1
            elif code == 2:
                i -= 1
            elif i == 0:
                return at
            else:
                i -= 1
                j -= 1
            continue
        for _ in range(code if code <= limit else code - limit):
            if code <= limit:
                j -= 1
            else:
                i -= 1
            at -= 1
            path[at, 0], path[at, 1] = i, j
        if i == 0:
            return at
        i -= 1
        j -= 1


@kernel
def least_mean_end(codes: Any, limit: int, last: Any, side: Any, path: Any) -> Any:
    """The cell of the last row or column whose path has the least mean cost; ties go to the longer path.

    `last` (M,) and `side` (N,) are the least sums of these cells. Every path is traced for its length: O((N + M)^2).
    """
    rows, columns = codes.shape
    best, row, column, longest = np.inf, rows - 1, columns - 1, 0
    for k in range(rows + columns - 1):
        i, j = (rows - 1, k) if k < columns else (k - columns, columns - 1)
        total = last[k] if k < columns else side[i]
        if not np.isfinite(total):
            continue
        count = path.shape[0] - trace(codes, limit, i, j, path)
        mean = total / count
        if mean < best or (mean == best and count > longest):
            best, row, column, longest = mean, i, j, count
    return row, column


@kernel
def path_through(
    cost: Any, prices: Any, limit: int, free_start: bool, end: int, codes: Any, path: Any, stop: Any, done: Any
) -> Any:
    """The whole search in one compiled call, as each one costs time when a process first uses it.

    Returns the least cost (infinite: no path) and where `path` (N + M, 2) begins; with no rows in `codes` and `path`
    only the cost is found. `limit` 0 is none, without `prices`. `end` is 0 for the last cell, 1 for any of the last
    row, 2 for the cell of the last row or column with the least mean. Counts rows in `done`, and returns an infinite
    cost once `stop` is set.
    """
    side = np.empty(cost.shape[0])
    if limit == 0:
        last = free_steps(cost, free_start, codes, side, stop, done)
    else:
        last = limited_steps(cost, prices, limit, free_start, codes, side, stop, done)
    if stop[0]:  # the codes are not all there
        return np.inf, 0
    row, column = cost.shape[0] - 1, last.size - 1
    if end == 1:
        column = last.argmin()
    elif end == 2:
        row, column = least_mean_end(codes, limit, last, side, path)
    total = last[column] if row == cost.shape[0] - 1 else side[row]
    begin = 0
    if path.shape[0] > 0 and np.isfinite(total):
        begin = trace(codes, limit, row, column, path)
    return total, begin
