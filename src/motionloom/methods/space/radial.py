"""Interpolation of what the map of a space misses by radial basis functions |x - x_i|, which do not overshoot."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray


def solve_misses(at: FloatArray, off: FloatArray) -> FloatArray:
    """(R + 1, D) coefficients of `_kernels_weights.missed_at`, which is then `off` (R, D) at requests (R, D)."""
    count, size = at.shape
    system = np.ones((count + 1, count + 1))
    system[:count, :count] = _distances(at, at)
    system[count, count] = 0.0
    return np.asarray(np.linalg.solve(system, np.concatenate([off, np.zeros((1, size))])))


def _distances(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(((a[:, None] - b[None]) ** 2).sum(-1)))
