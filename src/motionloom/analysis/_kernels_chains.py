"""Compiled chains through cells of a distance matrix: slope-limited paths along the bottoms of its valleys."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def chains(cells: Any, values: Any, rows: int, reach: int, slope: int, least: int) -> Any:
    """Chains through cells (n, 2), sorted by row and column, of one pair of clips; values (n,).

    A chain continues from a cell to one that is 1 to `reach` rows and columns further, at most `slope` times as many of
    the one as of the other. Longest chains first; of two equally long ones that with more and smaller values. No cell
    is in two chains. Returned are the cells of chains that cover `least` rows and columns or more (m,), and where each
    ends (c,). Memory grows with the cells and with `rows`, one more than the largest row.
    """
    count = len(cells)
    begin = np.zeros(rows + 1, np.int64)  # the first cell of each row
    for n in range(count):
        begin[cells[n, 0] + 1] += 1
    for i in range(rows):
        begin[i + 1] += begin[i]
    right = np.zeros(reach + 1, np.int64)  # in the row that is a rows before: the first cell at or beyond this column
    gain = values - values.max()
    length, total, before = np.ones(count, np.int64), gain.copy(), np.full(count, -1, np.int64)
    for n in range(count):
        i, j = cells[n]
        for a in range(1, min(reach, i) + 1):
            if n == begin[i]:
                right[a] = begin[i - a]
            while right[a] < begin[i - a + 1] and cells[right[a], 1] < j:
                right[a] += 1
            for k in range(right[a] - 1, begin[i - a] - 1, -1):
                b = j - cells[k, 1]
                if b > reach or b > slope * a:
                    break
                if a > slope * b:
                    continue
                steps = length[k] + a + b
                if steps > length[n] or (steps == length[n] and total[k] + gain[n] < total[n]):
                    length[n], total[n], before[n] = steps, total[k] + gain[n], k
    used = np.zeros(count, np.bool_)
    out, ends = np.empty(count, np.int64), np.empty(count, np.int64)
    filled, found = 0, 0
    for n in np.argsort(-length, kind="mergesort"):
        if used[n]:
            continue
        start, at = filled, n
        while at >= 0 and not used[at]:
            used[at] = True
            out[filled] = at
            filled += 1
            at = before[at]
        first, last = out[filled - 1], out[start]
        if cells[last, 0] - cells[first, 0] >= least and cells[last, 1] - cells[first, 1] >= least:
            out[start:filled] = out[start:filled][::-1].copy()
            ends[found] = filled
            found += 1
        else:
            filled = start
    return out[:filled], ends[:found]
