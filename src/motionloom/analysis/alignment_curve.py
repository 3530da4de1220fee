"""Alignment curves: which moments of two or more clips belong together, as a strictly increasing spline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, FloatArray
from motionloom.core.arrays import frozen, put

MIN_SLOPE = 0.02  # least slope of a fitted curve, as a share of its mean slope: time never stands still
TABLE, ROUNDS = 16, 4  # table entries between two knots, and steps of Newton's method: they leave 1e-15
KNOT_SECONDS = 0.25  # distance of knots in a fitted curve


@dataclass(frozen=True, eq=False)
class AlignmentCurve:
    """S(u) = sum_k B_k(u) control[k] for u from 0 to 1: at the same u, each clip is at the same point of the action.

    HECK 3.4. Column i of S is the time in clip i, in seconds. The first and the last control point are the ends, and
    every column of `control` increases strictly, so every S_i does too.
    """

    knots: FloatArray  # (K + degree + 1,) from 0 to 1, the ends repeated degree + 1 times
    control: FloatArray  # (K, N) seconds
    degree: int = 3

    def __post_init__(self) -> None:
        put(self, "control", frozen(self.control, np.float64, (None, None), "control points"))
        count = len(self.control)
        put(self, "knots", frozen(self.knots, np.float64, (count + self.degree + 1,), "knots"))
        late = np.argwhere(np.diff(self.control, axis=0) <= 0)
        if len(late):
            k, i = (int(n) for n in late[0])
            a, b = self.control[k, i], self.control[k + 1, i]
            raise BadRequest(f"an alignment curve must increase: clip {i} goes from {a:g} s to {b:g} s")

    def __reduce__(self) -> tuple[Any, ...]:
        return (AlignmentCurve, (self.knots, self.control, self.degree))

    @property
    def spans(self) -> FloatArray:
        """(N, 2) seconds: where each clip's part begins and ends."""
        return self.control[[0, -1]].T

    def __call__(self, u: ArrayLike) -> FloatArray:
        """Times (..., N) in all clips at parameters u (...); u outside 0..1 is held at the ends."""
        return self._spline()(np.clip(np.asarray(u, float), 0, 1))

    def slope(self, u: ArrayLike) -> FloatArray:
        """dS/du (..., N), seconds per unit of u; always positive."""
        return self._spline().derivative()(np.clip(np.asarray(u, float), 0, 1))

    def parameter(self, seconds: ArrayLike, clip: int = 0) -> FloatArray:
        """The u at which clip number `clip` is at time `seconds` (...); times outside its span give 0 or 1.

        S increases strictly: Newton's method from a table, kept between the entries on both sides.
        """
        wanted = np.asarray(seconds, float)
        spline = self._spline(clip)
        start, stop = self.spans[clip]
        slope = spline.derivative()
        grid = np.linspace(0, 1, TABLE * (len(self.control) - self.degree) + 1)
        values = np.maximum.accumulate(spline(grid))
        at = np.clip(np.searchsorted(values, wanted, side="right") - 1, 0, len(grid) - 2)
        low, high = grid[at], grid[at + 1]
        u = low + (high - low) * np.clip((wanted - values[at]) / np.maximum(values[at + 1] - values[at], 1e-300), 0, 1)
        for _ in range(ROUNDS):
            u = np.clip(u - (spline(u) - wanted) / slope(u), low, high)
        return np.where(wanted <= start, 0.0, np.where(wanted >= stop, 1.0, u))

    def matching(self, seconds: ArrayLike, *, of: int = 0, to: int = 1) -> FloatArray:
        """The times in clip `to` that belong to times `seconds` in clip `of`."""
        return self._spline(to)(self.parameter(seconds, of))

    def _spline(self, clip: int | None = None) -> Any:
        from scipy.interpolate import BSpline

        return BSpline(self.knots, self.control if clip is None else self.control[:, clip], self.degree)


def fit_curve(
    times: ArrayLike,
    *,
    at: ArrayLike | None = None,
    knot_seconds: float = KNOT_SECONDS,
    degree: int = 3,
    limit: float | None = None,
) -> AlignmentCurve:
    """The strictly increasing, end-interpolating B-spline nearest to matching times (P, N) s, in least squares.

    HECK 3.4 fits it to the cells of a time-warping path. Row p belongs to parameter `at[p]`; by default that is the
    mean over the clips of how far each has come, which grows with every step of a path. The unknowns are the steps
    between control points, each at least MIN_SLOPE of an even one (then S' is at least that share of its mean,
    everywhere), and their sum is fixed, so that the ends are met exactly: least squares with bounds.

    With `limit`, neither of two clips runs more than so many times as fast as the other: a curve through a path within
    a slope limit would swing beyond it. Steps of both are then sums of (1, limit) and (limit, 1), with factors >= 0.
    """
    points = np.asarray(times, float)
    if points.ndim != 2 or len(points) < 2 or not np.isfinite(points).all():
        raise BadRequest(f"a curve is fitted to finite times (rows, clips), two rows or more; found {points.shape}")
    total = points[-1] - points[0]
    if (total <= 0).any() or (np.diff(points, axis=0) < 0).any():
        raise BadRequest("a curve needs times that never go back and end later than they begin, in every clip")
    if not knot_seconds > 0:
        raise BadRequest(f"expected a distance of knots above 0 s, found {knot_seconds:g}")
    u = ((points - points[0]) / total).mean(1) if at is None else np.asarray(at, float)
    degree = min(degree, len(points) - 1)
    pieces = int(np.clip(round(total.max() / knot_seconds), 1, max(1, len(points) - degree)))
    knots = np.concatenate([np.zeros(degree), np.linspace(0, 1, pieces + 1), np.ones(degree)])
    curve = AlignmentCurve(knots, _control_points(points, u, knots, degree), degree)
    if limit is not None and len(total) == 2 and 1 / limit < total[1] / total[0] < limit < _steepest(curve):
        mixed = np.array([[1.0, limit], [limit, 1.0]]) / total[:, None]
        curve = AlignmentCurve(knots, _control_points(points, u, knots, degree, mixed), degree)
    return curve


def _steepest(curve: AlignmentCurve) -> float:
    """How many times as fast as the other clip one of two runs at most."""
    slope = curve.slope(np.linspace(0, 1, TABLE * (len(curve.control) - curve.degree) + 1))
    return float((slope.max(1) / slope.min(1)).max())


def _control_points(
    points: FloatArray, u: FloatArray, knots: FloatArray, degree: int, mixed: FloatArray | None = None
) -> FloatArray:
    """(K, N) control points; `mixed` (N, N) are steps, as shares of each clip, of which sums are taken."""
    from scipy.interpolate import BSpline
    from scipy.optimize import nnls

    count = len(knots) - degree - 1
    basis = BSpline.design_matrix(np.clip(u, 0, 1), knots, degree).toarray()
    greville = np.array([knots[k + 1 : k + degree + 1].mean() for k in range(count)])
    least = MIN_SLOPE * np.diff(greville)  # steps of the normalised curve, which runs from 0 to 1
    sums = basis[:, ::-1].cumsum(1)[:, ::-1][:, 1:]  # value = sums @ steps
    even = 1e-3 * np.sqrt(len(u)) * np.diff(np.diag(1 / np.diff(greville)), axis=0) / count
    whole = 1e3 * np.sqrt(len(u)) * np.ones((1, count - 1))  # the steps must add up to 1
    rows = np.concatenate([sums, even, whole])
    target = (points - points[0]) / (points[-1] - points[0])
    right = np.concatenate([target, np.zeros((len(even), len(target[0]))), whole[:, :1].repeat(len(target[0]), 1)])
    right -= (rows @ least)[:, None]
    if mixed is not None:
        more = nnls(np.kron(mixed, rows), right.T.ravel())[0].reshape(len(mixed), -1).T @ mixed.T
    else:
        more = np.stack([nnls(rows, column)[0] for column in right.T], 1)
    more *= (1 - least.sum()) / more.sum(0)
    steps = np.concatenate([np.zeros_like(target[:1]), np.cumsum(least[:, None] + more, axis=0)])
    out = points[0] + (points[-1] - points[0]) * steps
    out[-1] = points[-1]
    return np.asarray(out)


def from_key_times(keys: Sequence[ArrayLike], *, smooth: bool = True) -> AlignmentCurve:
    """The curve through key times: `keys` holds, for each clip, the seconds of the same events, in order.

    GUAN eq 2.6: u = ((m - 1) + (T - K_m) / (K_{m+1} - K_m)) / (M - 1) between keys m and m + 1, M keys in all, T from
    the first key to the last. That is piecewise linear (`smooth=False`), and its speed jumps at every key; `smooth`
    lays a monotone cubic through the same points, whose speed does not (blended clips need that: HECK 3.4-3.5).
    """
    table = [np.asarray(k, float) for k in keys]
    if len({t.shape for t in table}) > 1 or table[0].ndim != 1 or len(table[0]) < 2:
        raise BadRequest(
            f"key times: expected the same number, 2 or more, for each clip; found {[t.size for t in table]}"
        )
    for i, column in enumerate(table):
        if not np.isfinite(column).all() or (np.diff(column) <= 0).any():
            raise BadRequest(f"key times of clip {i} must increase, found {', '.join(f'{t:g}' for t in column)} s")
    points = np.stack(table, 1)
    count = len(points)
    u = np.linspace(0, 1, count)
    if not smooth or count == 2:
        return AlignmentCurve(np.concatenate([[0.0], u, [1.0]]), points, 1)
    step = np.diff(points, axis=0)
    inside = 2 * step[:-1] * step[1:] / (step[:-1] + step[1:])
    inside = np.minimum(inside, 1.4 * np.minimum(step[:-1], step[1:]))  # 1.5 and more could cross control points
    third = np.concatenate([step[:1], inside, step[-1:]]) / 3
    inner = np.stack([points[:-1] + third[:-1], points[1:] - third[1:]], 1).reshape(-1, points.shape[1])
    knots = np.concatenate([np.zeros(4), np.repeat(u[1:-1], 2), np.ones(4)])
    return AlignmentCurve(knots, np.concatenate([points[:1], inner, points[-1:]]), 3)
