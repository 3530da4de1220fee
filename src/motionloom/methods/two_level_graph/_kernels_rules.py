"""Compiled: the local maximum rule on a sparse list of pairs. Plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def mark_best(a: Any, b: Any, distance: Any, first: Any, clip: Any, radius: int, out: Any) -> None:
    """Fill out (P,): whether each pair has the least distance of all listed ones within `radius` frames of its own.

    Pairs are ordered by a, then b; those of frame a are first[a] .. first[a + 1] - 1. Only pairs of the same two clips
    are compared; of equal ones the first in order is best. Cost: pairs times (2 radius + 1) short rows. The slow
    version is in tests/methods/two_level_graph/test_rules.py.
    """
    frames = len(first) - 1
    for p in range(len(a)):
        best = True
        for row in range(max(a[p] - radius, 0), min(a[p] + radius + 1, frames)):
            if not best:
                break
            if clip[row] != clip[a[p]] or first[row] == first[row + 1]:
                continue
            start = first[row] + np.searchsorted(b[first[row] : first[row + 1]], b[p] - radius)
            for q in range(start, first[row + 1]):
                if b[q] > b[p] + radius:
                    break
                if clip[b[q]] == clip[b[p]] and (distance[q] < distance[p] or (distance[q] == distance[p] and q < p)):
                    best = False
                    break
        out[p] = best
