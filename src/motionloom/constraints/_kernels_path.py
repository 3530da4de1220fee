"""Compiled pairing of a travelled line with a drawn path."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def couple(place: Any, samples: Any, choice: Any) -> None:
    """choice (F, S): which of `path_error.STEPS` the best pairing takes to each pair of a frame and a sample.

    c[f, s] = max(d[f, s], min(c[f-1, s-1], c[f-1, s], c[f, s-1])), row by row, d being squared distances; one row of c
    is kept. About 4 ns a pair (anti-diagonals in numpy: 25 ns and more). The slow version is in
    tests/constraints/test_residual_table.py.
    """
    count = len(samples)
    row = np.full(count, np.inf)
    for f in range(len(place)):
        corner = np.inf  # c[f-1, s-1]
        left = np.inf  # c[f, s-1]
        for s in range(count):
            best, pick = corner, 0
            if row[s] < best:
                best, pick = row[s], 1
            if left < best:
                best, pick = left, 2
            x, z = place[f, 0] - samples[s, 0], place[f, 1] - samples[s, 1]
            d = x * x + z * z
            left = d if f == 0 and s == 0 else max(d, best)
            corner, row[s] = row[s], left
            choice[f, s] = pick
