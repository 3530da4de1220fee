"""Similarity by point clouds under the best alignment (GUAN 2.6.2, HECK 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from motionloom.analysis.comparison import ClipComparison, Precision, frame_weights, require_comparable
from motionloom.analysis.weights import Weights, joint_weights
from motionloom.core import BadRequest, Clip, FloatArray, InvalidClip, Progress
from motionloom.kinematics.fk import fk

Freedom = Literal["ground", "height", "rigid"]
_STRIP = 512  # rows and columns computed at a time: five buffers of this size stay in the cache


@dataclass(frozen=True)
class PointCloud:
    """How unlike two frames are as clouds of joints over a short window, wherever they stand and face.

    GUAN eq. 2.28: D_ij = min over T of sum_f w_f sum_k w_k |p_ikf - T p_jkf|^2, all weights together summing to 1, so
    D is a mean squared distance (m^2) and its root is in metres. `freedom` sets which T are tried: "ground" turns about
    the vertical and shifts on the floor (the source); "height" also shifts up and down (clips on other levels, stairs);
    "rigid" is any turn and shift in space (ramps), as in GUAN 2.6.2.

    The sums over a window are weighted sums along diagonals of one-frame sums, and those are matrix products.
    Points are taken relative to their frame's mean and the means relative to their window's, so that single precision
    keeps about 1e-7 m^2 (0.3 mm) wherever the clips are.
    """

    radius: int = 5  # frames on each side
    weights: Weights = "uniform"
    taper: str = "triangle"
    freedom: Freedom = "ground"
    precision: Precision = "single"
    name: ClassVar[str] = "point-cloud"
    unit: ClassVar[str] = "m^2"

    def prepare(self, a: Clip, b: Clip) -> ClipComparison:
        """Both clips ready to be compared, whole or by tiles."""
        n = 2 * self.radius + 1
        require_comparable(a, b, shortest=n, why=f"a window of {n} frames")
        return self.between(fk(a), fk(b), joint_weights(a.skeleton, self.weights))

    def matrix(self, a: Clip, b: Clip, progress: Progress | None = None) -> FloatArray:
        """(F_a - 2 radius, F_b - 2 radius) m^2; row r stands for frame r + radius of `a`, columns likewise for `b`."""
        return self.prepare(a, b).matrix(progress)

    def between(self, p: FloatArray, q: FloatArray, weights: FloatArray) -> ClipComparison:
        """The same from ready points (F, K, 3) and (F', K, 3) with weights (K,)."""
        if self.freedom not in ("ground", "height", "rigid"):
            raise BadRequest(f"point cloud freedom: expected ground, height or rigid, found {self.freedom!r}")
        taps = frame_weights(self.radius, self.taper)
        used = weights > 0
        w = weights[used] / weights.sum()
        if not used.all():
            p, q = p[:, used], q[:, used]
        level = float(p[:, :, 1].mean()) if self.freedom == "ground" else np.nan
        dtype = np.float32 if self.precision == "single" else np.float64
        left = _side(p, w, taps, level, dtype, weigh=True)
        right = _side(q, w, taps, level, dtype, weigh=False)
        run = _rigid if self.freedom == "rigid" else _ground

        def block(rows: slice, columns: slice) -> FloatArray:
            return run(left, right, taps.astype(dtype), rows, columns)

        return ClipComparison((len(left.size), len(right.size)), (self.radius, self.radius), block)


class _Side(NamedTuple):
    """One clip, split: what each frame looks like about its mean, and the path of the means about the window's.

    sum_f w_f sum_k w_k p.p' about the window means = sum_f w_f (sum_k w_k d.d') + sum_f w_f c.c'.
    """

    points: FloatArray  # (F, 3K) d: x of all points, then z, then y
    path: FloatArray  # (rows, 3N) c: x of all frames of the window, then z, then y
    size: FloatArray  # (rows,) m^2: weighted sum of their squares
    across: FloatArray  # (F, 2K) and (rows, 2N): z, then -x, on the side that is turned
    path_across: FloatArray


def _side(p: FloatArray, w: FloatArray, taps: FloatArray, level: float, dtype: Any, *, weigh: bool) -> _Side:
    from motionloom.analysis._kernels import split_cloud

    p = np.ascontiguousarray(p, float)
    rows = len(p) - len(taps) + 1
    points, path = np.empty((len(p), 3 * len(w)), dtype), np.empty((rows, 3 * len(taps)), dtype)
    size = np.empty(rows, dtype)
    split_cloud(p, w, taps, level, weigh, points, path, size)
    if not np.isfinite(size).all():
        raise InvalidClip("point cloud: the points hold NaN or infinite values")
    across = (points, path) if weigh else (_across(points), _across(path))  # only one side is turned
    return _Side(points, path, size, *across)


def _across(x: FloatArray) -> FloatArray:
    third = x.shape[1] // 3
    return np.concatenate([x[:, third : 2 * third], -x[:, :third]], 1)


def _ground(left: _Side, right: _Side, taps: FloatArray, rows: slice, columns: slice) -> FloatArray:
    from motionloom.analysis._kernels import add_diagonals, ground_cells

    k, n = (2 * x.shape[1] // 3 for x in (left.points, left.path))
    products = (
        (left.points[:, :k], right.points[:, :k], left.path[:, :n], right.path[:, :n]),
        (left.points[:, :k], right.across, left.path[:, :n], right.path_across),
        (left.points[:, k:], right.points[:, k:], left.path[:, n:], right.path[:, n:]),
    )
    out, size_a, size_b, one, sums = _buffers(left, right, taps, rows, columns, 3)
    for at in _strips(rows, columns):
        for product, total in zip(products, sums, strict=True):
            _multiply(product, at, one, total, len(taps))
            add_diagonals(one, taps, total, at[2], at[3])
        ground_cells(sums[0], sums[1], sums[2], size_a, size_b, out, _within(at, rows, columns))
    return out


def _rigid(left: _Side, right: _Side, taps: FloatArray, rows: slice, columns: slice) -> FloatArray:
    from motionloom.analysis._kernels import add_diagonals, rigid_cells

    thirds = [np.split(x, 3, axis=1) for x in (left.points, right.points, left.path, right.path)]
    products = [(thirds[0][x], thirds[1][y], thirds[2][x], thirds[3][y]) for x in range(3) for y in range(3)]
    out, size_a, size_b, one, sums = _buffers(left, right, taps, rows, columns, 9)
    for at in _strips(rows, columns):
        for product, total in zip(products, sums, strict=True):
            _multiply(product, at, one, total, len(taps))
            add_diagonals(one, taps, total, at[2], at[3])
        rigid_cells(sums, size_a, size_b, out, _within(at, rows, columns))
    return out


Place = tuple[int, int, int, int]  # first row, first column, rows, columns


def _strips(rows: slice, columns: slice) -> list[Place]:
    return [
        (i, j, min(_STRIP, rows.stop - i), min(_STRIP, columns.stop - j))
        for i in range(rows.start, rows.stop, _STRIP)
        for j in range(columns.start, columns.stop, _STRIP)
    ]


def _within(at: Place, rows: slice, columns: slice) -> Place:
    return (at[0] - rows.start, at[1] - columns.start, at[2], at[3])


def _buffers(left: _Side, right: _Side, taps: FloatArray, rows: slice, columns: slice, count: int) -> tuple[Any, ...]:
    n, m = (min(_STRIP, part.stop - part.start) for part in (rows, columns))
    dtype, more = left.size.dtype, len(taps) - 1
    out = np.empty((rows.stop - rows.start, columns.stop - columns.start), dtype)
    sums = np.empty((count, n, m), dtype)
    return out, left.size[rows], right.size[columns], np.empty((n + more, m + more), dtype), sums


def _multiply(product: tuple[FloatArray, ...], at: Place, one: FloatArray, total: FloatArray, taps: int) -> None:
    """One-frame sums of a tile and its rim into `one`, and the path's window sums into `total`."""
    x, y, u, v = product
    i, j, n, m = at
    np.matmul(x[i : i + n + taps - 1], y[j : j + m + taps - 1].T, out=one[: n + taps - 1, : m + taps - 1])
    np.matmul(u[i : i + n], v[j : j + m].T, out=total[:n, :m])
