"""Compiled loop of thinning transitions: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def best_of_squares(pairs: Any, values: Any, square: Any) -> Any:
    """Indices of the pairs (n, 2) that are the best of their square; of equal ones the first. `square` (N,) per frame.

    One pass over a table from the least to the largest square that occurs, so pairs should lie together (a tile):
    60,000 of them in 1 ms. The slow version is `slow_thinning` in tests/methods/graph/test_thinning.py.
    """
    if len(pairs) == 0:
        return np.empty(0, np.int64)
    low0 = high0 = square[pairs[0, 0]]
    low1 = high1 = square[pairs[0, 1]]
    for i in range(len(pairs)):
        r, c = square[pairs[i, 0]], square[pairs[i, 1]]
        low0, high0, low1, high1 = min(low0, r), max(high0, r), min(low1, c), max(high1, c)
    best = np.full((high0 - low0 + 1, high1 - low1 + 1), -1, np.int64)
    for i in range(len(pairs)):
        r, c = square[pairs[i, 0]] - low0, square[pairs[i, 1]] - low1
        if best[r, c] < 0 or values[i] < values[best[r, c]]:
            best[r, c] = i
    flat = best.ravel()
    return flat[flat >= 0]
