"""Elementary functions of numbers: easing, smoothing, unit vectors, runs, pairwise distances."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from motionloom.core.arrays import BoolArray, FloatArray

Float = TypeVar("Float", np.float32, np.float64)


def smoothstep(x: ArrayLike) -> FloatArray:
    """3 x^2 - 2 x^3: from 0 to 1 with no slope at either end; 0 below 0 and 1 above 1.

    >>> smoothstep([-1.0, 0.25, 0.5, 2.0])
    array([0.     , 0.15625, 0.5    , 1.     ])
    """
    u = np.clip(np.asarray(x, float), 0.0, 1.0)
    return np.asarray(u * u * (3 - 2 * u))


def smootherstep(x: ArrayLike) -> FloatArray:
    """6 x^5 - 15 x^4 + 10 x^3: from 0 to 1 with neither speed nor acceleration at either end.

    >>> smootherstep([-1.0, 0.25, 0.5, 2.0])
    array([0.        , 0.10351562, 0.5       , 1.        ])
    """
    u = np.clip(np.asarray(x, float), 0.0, 1.0)
    return np.asarray(u * u * u * (u * (6 * u - 15) + 10))


def squared_distances(a: NDArray[Float], b: NDArray[Float]) -> NDArray[Float]:
    """(A, B) squared distances of the rows of a (A, D) from those of b (B, D): |a|^2 + |b|^2 - 2 a.b, never negative.

    Rounding leaves about 1e-16 of the largest square: equal rows come out at 1e-8 of their length, not at 0.
    """
    out = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * (a @ b.T)
    return np.maximum(out, 0, out=out)


def unit_vectors(vectors: FloatArray) -> FloatArray:
    """(..., 3) vectors made 1 long; those near zero stay so."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9))


def gaussian_smoothed(values: FloatArray, frames: float) -> FloatArray:
    """Values (F, ...) smoothed over time by a Gaussian of that standard deviation; ends stand still beyond."""
    from scipy.ndimage import gaussian_filter1d

    return np.asarray(gaussian_filter1d(values, frames, axis=0, mode="nearest"))


def runs(mask: BoolArray) -> list[tuple[int, int]]:
    """The stretches [start, end) where `mask` (F,) holds.

    >>> runs(np.array([True, False, True, True]))
    [(0, 1), (2, 4)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(a, b) for a, b in edges.reshape(-1, 2).tolist()]
