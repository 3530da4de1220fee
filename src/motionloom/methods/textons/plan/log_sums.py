"""Logarithms of sums of exponentials over many ranges of one array."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray, IntArray

LEVEL = 256.0  # nats: exponentials are taken relative to a multiple of it, so that no sum is rounded to zero


class RangeSums:
    """log sum exp(x[first:stop]) for R ranges, -inf where one is empty.

    Each exponential is computed once for all ranges that contain it (more often only where x spans hundreds of nats).
    """

    def __init__(self, first: IntArray, stop: IntArray) -> None:
        kept = np.flatnonzero(first < stop)
        edges, self._which = np.unique(np.stack([first, stop], 1)[kept], axis=0, return_inverse=True)
        self._kept, self._count = kept, len(first)
        self._edges = edges[::-1].ravel()  # falling, so that `reduceat` does not sum from one range to the next
        self._which = len(edges) - 1 - self._which.ravel()

    def __call__(self, x: FloatArray) -> FloatArray:
        """(R,) sums over the ranges of x (L,)."""
        out = np.full(self._count, -np.inf)
        if not len(self._kept):
            return out
        x = np.append(x, -np.inf)  # a range may end with the array
        level = LEVEL * np.ceil(np.maximum.reduceat(x, self._edges)[::2] / LEVEL)
        sums = np.empty(len(level))
        for one in np.unique(level):
            at = level == one
            sums[at] = np.add.reduceat(np.exp(np.minimum(x - one, 0.0)), self._edges)[::2][at]
        out[self._kept] = (np.log(sums) + level)[self._which]
        return out
