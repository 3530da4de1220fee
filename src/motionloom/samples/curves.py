"""Smooth curves through given points: minimum-jerk interpolation between poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import FloatArray

FREE = None  # an end velocity or acceleration that the curve may choose itself


@dataclass(frozen=True, eq=False)
class Curve:
    """A piecewise polynomial of degree 5; outside its knots it keeps the end value."""

    knots: FloatArray  # (n,) s
    terms: FloatArray  # (n - 1, 6, D) per piece, powers of the local time in 0..1

    def __call__(self, time: ArrayLike, derivative: int = 0) -> FloatArray:
        """Values (..., D) at times (...,), or their derivatives per second."""
        time = np.asarray(time, float)
        inside = np.clip(time, self.knots[0], self.knots[-1])
        piece = np.clip(np.searchsorted(self.knots, inside, side="right") - 1, 0, len(self.knots) - 2)
        span = np.diff(self.knots)[piece]
        u = (inside - self.knots[piece]) / span
        row = _row(u, derivative) / (span**derivative)[..., None]
        value = np.einsum("...k,...kd->...d", row, self.terms[piece])
        return value if derivative == 0 else np.where((inside == time)[..., None], value, 0.0)


def _row(u: FloatArray, derivative: int) -> FloatArray:
    """Coefficients of the derivative of 1, u, ..., u^5."""
    out = np.zeros((*np.shape(u), 6))
    for k in range(derivative, 6):
        out[..., k] = factorial(k) / factorial(k - derivative) * np.asarray(u) ** (k - derivative)
    return out


_BAND = 8  # the equations of a knot reach no farther than the two pieces beside it
_ENDS = [[_row(np.asarray(u), order) for order in range(5)] for u in (0.0, 1.0)]


def min_jerk(
    times: Sequence[float] | FloatArray,
    points: ArrayLike,
    *,
    velocity: Mapping[int, Any] | None = None,
    acceleration: Mapping[int, Any] | None = None,
) -> Curve:
    """The curve through `points` (n, D) at `times` (n,) with the least integral of squared jerk.

    Flash and Hogan (1985) found that hands move so. Its pieces are quintics, and all derivatives up to the fourth are
    continuous at a via point. `velocity` and `acceleration` fix derivatives at some knots (index from either end);
    the two ends are at rest unless given otherwise; FREE leaves an end derivative open (then the next natural condition
    holds: zero jerk or zero snap).
    """
    t, x = np.asarray(times, float), np.asarray(points, float)
    x = x.reshape(len(t), -1)
    n, dims = x.shape
    if n < 2 or (np.diff(t) <= 0).any():
        raise ValueError(f"a curve needs two or more increasing times, found {t.tolist()}")
    fixed: list[dict[int, Any]] = [{0: 0.0, n - 1: 0.0}, {0: 0.0, n - 1: 0.0}]
    for given, known in zip((velocity, acceleration), fixed, strict=True):
        known.update({k % n: v for k, v in (given or {}).items()})
    h = np.diff(t)
    size = 6 * (n - 1)
    band = np.zeros((2 * _BAND + 1, size))
    right = np.zeros((size, dims))
    row = 0

    def need(terms: Sequence[tuple[int, float, float]], order: int, value: Any = 0.0) -> None:
        """One equation: the sum of sign * derivative over (piece, local time 0 or 1, sign) equals `value`."""
        nonlocal row
        scale = float(h.min()) ** order  # keeps the rows of like size
        for piece, u, sign in terms:
            columns = np.arange(6 * piece, 6 * piece + 6)
            band[_BAND + row - columns, columns] = sign * scale / h[piece] ** order * _ENDS[int(u)][order]
        right[row] = np.asarray(value, float) * scale
        row += 1

    for k in range(n):
        pieces = [(p, u, 1.0) for p, u in ((k - 1, 1.0), (k, 0.0)) if 0 <= p < n - 1]
        both = [(k - 1, 1.0, 1.0), (k, 0.0, -1.0)]
        for piece in pieces:
            need([piece], 0, x[k])
        for order, known in zip((1, 2), fixed, strict=True):
            value = known.get(k, FREE)
            dual = 5 - order  # what a free velocity (4) or acceleration (3) makes natural
            if value is not FREE:
                for piece in pieces:
                    need([piece], order, value)
            elif len(pieces) == 1:
                need(pieces, dual)
            else:
                need(both, order)
                need(both, dual)
    return Curve(t, _solve(band, right).reshape(n - 1, 6, dims))


def _solve(band: FloatArray, right: FloatArray) -> FloatArray:
    """Solve the banded system; small systems are solved without scipy."""
    size = len(right)
    if size > 60:
        from scipy.linalg import solve_banded

        return np.asarray(solve_banded((_BAND, _BAND), band, right))
    full = np.zeros((size, size))
    for offset in range(-_BAND, _BAND + 1):
        columns = np.arange(max(0, offset), min(size, size + offset))
        full[columns - offset, columns] = band[_BAND - offset, columns]
    return np.asarray(np.linalg.solve(full, right), np.float64)


def ease(time: ArrayLike, start: float, end: float) -> FloatArray:
    """0 before `start`, 1 after `end`, the minimum-jerk step 10 u^3 - 15 u^4 + 6 u^5 between."""
    u = np.clip((np.asarray(time, float) - start) / max(end - start, 1e-9), 0.0, 1.0)
    return u * u * u * (10.0 + u * (6.0 * u - 15.0))


def bump(time: ArrayLike, start: float, peak: float, end: float) -> FloatArray:
    """0, up to 1 at `peak`, and back to 0: two minimum-jerk steps."""
    return ease(time, start, peak) - ease(time, peak, end)


def smooth_fit(values: FloatArray, weights: FloatArray, fps: float, cutoff: float) -> FloatArray:
    """The (F,) curve that follows `values` where `weights` are large, and is smooth everywhere.

    It minimises sum w (y - values)^2 + (2 pi cutoff)^-6 sum y'''^2 (both per frame): with w = 1 it is a
    zero-phase low-pass filter that halves what oscillates at `cutoff` Hz. Where w = 0 it bridges the gap with least
    jerk.
    """
    from scipy.linalg import solveh_banded

    n = len(values)
    strength = (fps / (2 * np.pi * cutoff)) ** 6
    stencil = np.array([-1.0, 3.0, -3.0, 1.0])
    band = np.zeros((4, n))
    band[0] = np.maximum(weights, 1e-9)
    for i in range(4):
        for j in range(i, 4):
            band[j - i, i : n - 3 + i] += strength * stencil[i] * stencil[j]
    return np.asarray(solveh_banded(band, band_rhs(values, weights), lower=True))


def band_rhs(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Right-hand side of `smooth_fit`: w times value, with the same floor on the weight."""
    return np.maximum(weights, 1e-9) * values
