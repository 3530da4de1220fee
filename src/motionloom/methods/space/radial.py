"""Interpolation of what the map of a space misses by radial basis functions |x - x_i|, which do not overshoot."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray


def solve_misses(at: FloatArray, off: FloatArray) -> FloatArray:
    """(R + 1, D) coefficients with which `missed_at` has the values `off` (R, D) at requests (R, D)."""
    count, size = at.shape
    system = np.ones((count + 1, count + 1))
    system[:count, :count] = _distances(at, at)
    system[count, count] = 0.0
    return np.asarray(np.linalg.solve(system, np.concatenate([off, np.zeros((1, size))])))


def missed_at(at: FloatArray, by: FloatArray, asked: FloatArray) -> FloatArray:
    """(N, D) what the map misses at requests (N, D)."""
    return np.asarray(_distances(asked, at) @ by[:-1] + by[-1])


def _distances(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(((a[:, None] - b[None]) ** 2).sum(-1)))
