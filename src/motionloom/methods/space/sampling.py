"""Measure blends of examples, and fit the map from weights to parameters (HECK 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray, IntArray, Progress

Measure = Callable[[FloatArray], FloatArray]
"""Weights (K,) of a blend to its parameters (D,)."""

BATCH = 32  # blends before the first check of the fit; then as many as there are, halved
DENSE = (5e-4, 5e-3)  # mean and worst error of predicted parameters, of the range, at which the space is covered
RIDGE = 1e-5  # of the fit, for features of unit deviation


class Sampled(NamedTuple):
    """Measured blends, and the fitted map of `_kernels_blended_value`."""

    weights: FloatArray  # (S, K)
    values: FloatArray  # (S, D)
    middle: FloatArray  # (D,) of the examples
    ranges: FloatArray  # (D,) the extent of what blends reach, times `scale`
    curve: FloatArray  # (I, Q, D)
    error: FloatArray  # (2,) mean and worst error of the last batch, which the fit had not seen, of the range


def sample_space(
    values: FloatArray,
    measure: Measure,
    *,
    most: int,
    together: int,
    smoothness: float,
    scale: FloatArray | float = 1.0,
    rng: Generator,
    progress: Progress,
) -> Sampled:
    """Measure blends of at most `together` examples, until the fit predicts new ones, or `most` are measured.

    values (K, D) are the examples' parameters. Every second blend is a random one; the others are those that the fit
    so far gives for random parameters of the space. The error is that of blends that the fit has not seen. `scale` (D,)
    multiplies the extents by which parameters are made comparable.
    """
    count, size = values.shape
    middle, ranges = values.mean(0), scale * _extent(values)
    near = np.argsort(((values[:, None] - values[None]) ** 2 / ranges**2).sum(-1), axis=1, kind="stable")
    weights: list[FloatArray] = []
    found: list[FloatArray] = []
    table = moment_table(size)
    curve = np.zeros((len(table), polynomial_size(size), size))
    error = np.full(2, np.inf)
    while len(weights) < most and count > 1:
        batch = [random_weights(near, together, rng) for _ in range(min(max(BATCH, len(weights)), most - len(weights)))]
        if weights:
            half = len(batch) // 2
            scaled, drawn = (values - middle) / ranges, (np.stack(found) - middle) / ranges
            a, b = drawn[rng.integers(len(drawn), size=half)], drawn[rng.integers(len(drawn), size=half)]
            share = rng.random((half, 1))
            asked = np.ascontiguousarray((1 - share) * a + share * b)
            batch[:half] = list(weights_for(scaled, table, curve, spread_of(scaled, smoothness), asked)[0])
        measured = []
        for n, w in enumerate(batch):
            progress((len(weights) + n) / most, "measuring blends")
            measured.append(measure(w))
        before = ranges
        weights += batch
        found += measured
        ranges = scale * _extent(np.concatenate([values, np.stack(found)]))
        off = np.abs(
            predict((values - middle) / before, table, curve, np.stack(batch)) * before / ranges
            - (np.stack(measured) - middle) / ranges
        )
        error = np.array([off.mean(), off.max()])
        curve = fit_map((values - middle) / ranges, table, np.stack(weights), (np.stack(found) - middle) / ranges)
        if (error <= DENSE).all():
            break
    progress(1.0, "measuring blends")
    if not weights:
        return Sampled(np.zeros((0, count)), np.zeros((0, size)), middle, ranges, curve, error)
    return Sampled(np.stack(weights), np.stack(found), middle, ranges, curve, error)


def random_weights(near: IntArray, together: int, rng: Generator) -> FloatArray:
    """(K,) weights of a random blend: of neighbours in the space, or, one time in four, of any examples."""
    count = len(near)
    size = int(rng.integers(2, max(2, min(together, count)) + 1))
    if rng.random() < 0.25:
        chosen = rng.choice(count, size, replace=False)
    else:
        reach = min(count, 2 * together)
        chosen = rng.choice(near[int(rng.integers(count)), :reach], size, replace=False)
    out = np.zeros(count)
    out[chosen] = rng.dirichlet(np.ones(size))
    return out


def weights_for(
    values: FloatArray, table: IntArray, curve: FloatArray, spread: float, asked: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """(N, K) weights and (N, D) the parameters that they reach, all in units of the range; see `_kernels_weights`."""
    from motionloom.methods.space._kernels_weights import space_weights

    weights, used = np.zeros((len(asked), len(values))), np.zeros(asked.shape)
    none = np.zeros((0, len(values) + 2))
    space_weights(np.array(values), table, np.array(curve), spread, none, asked, weights, used)
    return weights, used


def polynomial_size(size: int) -> int:
    """Terms of a polynomial of second degree in D variables."""
    return 1 + size + size * (size + 1) // 2


def moment_table(size: int) -> IntArray:
    """(I, 4) the axes of each central moment of D variables, -1 where there is none: second to fourth order.

    Of more than three variables, second order alone.
    """
    orders = (2, 3, 4) if size <= 3 else (2,)
    rows = [axes for order in orders for axes in combinations_with_replacement(range(size), order)]
    return np.array([[*axes, *[-1] * (4 - len(axes))] for axes in rows], np.int64)


def degree_of(axes: IntArray, size: int) -> int:
    """The degree of the polynomial of a moment: 2 for second order, 1 for third, 0 for fourth."""
    return min(4 - int((axes >= 0).sum()), 2 if size <= 3 else 1)


def features(values: FloatArray, table: IntArray, weights: FloatArray) -> tuple[FloatArray, list[tuple[int, int]]]:
    """(S, F) moments times powers of g, for weights (S, K), and the place (I, Q) of each in the map's coefficients."""
    size = values.shape[1]
    g = weights @ values
    off = values[None] - g[:, None]
    powers = [np.ones(len(g)), *g.T, *(g[:, a] * g[:, b] for a in range(size) for b in range(a, size))]
    counts = (1, 1 + size, len(powers))
    columns, places = [], []
    for i, axes in enumerate(table):
        moment = (weights * np.prod([off[:, :, a] for a in axes[axes >= 0]], axis=0)).sum(1)
        for q in range(counts[degree_of(axes, size)]):
            columns.append(moment * powers[q])
            places.append((i, q))
    return np.stack(columns, 1), places


def predict(values: FloatArray, table: IntArray, curve: FloatArray, weights: FloatArray) -> FloatArray:
    """(S, D) the parameters of blends (S, K) by the map, in numpy."""
    found, places = features(values, table, weights)
    return np.asarray(weights @ values + found @ np.stack([curve[at] for at in places]))


def fit_map(values: FloatArray, table: IntArray, weights: FloatArray, measured: FloatArray) -> FloatArray:
    """(I, Q, D) the coefficients of the map: least squares on what g misses, with a ridge."""
    found, places = features(values, table, weights)
    scale = np.maximum(found.std(0), 1e-9)
    found = found / scale
    ridge = RIDGE * len(found)
    solved = np.linalg.solve(found.T @ found + ridge * np.eye(len(scale)), found.T @ (measured - weights @ values))
    out = np.zeros((len(table), polynomial_size(values.shape[1]), values.shape[1]))
    for at, row in zip(places, solved / scale[:, None], strict=True):
        out[at] = row
    return out


def _extent(values: FloatArray) -> FloatArray:
    return np.maximum(np.ptp(values, axis=0), 1e-9)


def spread_of(values: FloatArray, smoothness: float) -> float:
    """e of `_kernels_weights`: `smoothness` times the median squared distance to the nearest example; values (K, D)."""
    apart = ((values[:, None] - values[None]) ** 2).sum(-1)
    np.fill_diagonal(apart, np.inf)
    return float(max(smoothness * np.median(apart.min(1)), 1e-8))
