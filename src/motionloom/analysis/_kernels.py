"""Compiled loops of the similarity measures: plain arrays in and out, no checks, either precision.

All are written for one core and rows in C order; the inner loops run along columns, where the compiler vectorises.
Buffers may be larger than the part in use, so sizes are given apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel

FAST = {"contract", "nsz", "arcp", "nnan", "ninf"}  # no reordering of sums: results do not depend on tile sizes


@kernel(fastmath={"contract", "reassoc"})
def split_cloud(p: Any, w: Any, taps: Any, level: Any, weigh: Any, points: Any, path: Any, size: Any) -> None:
    """Points (F, K, 3) to points about their frame's mean and windows of means about the window's mean.

    points (F, 3K) and path (rows, 3N) hold x, then z, then y; with `weigh` they carry the weights w (K,) and taps (N,).
    size[i] = sum_f w_f (sum_k w_k |d|^2 + |c|^2). Heights of the path count from `level` unless it is NaN. One pass in
    double precision; 300 x 31: 25 us. Tested through `slow_cloud`.
    """
    frames, joints, taken = p.shape[0], w.size, taps.size
    means = np.zeros((3, frames))
    spread = np.zeros(frames)
    factors = w.copy() if weigh else np.ones(joints)
    for f in range(frames):
        x = y = z = total = 0.0
        for k in range(joints):
            x += w[k] * p[f, k, 0]
            y += w[k] * p[f, k, 1]
            z += w[k] * p[f, k, 2]
        means[0, f], means[1, f], means[2, f] = x, z, y
        for k in range(joints):
            dx, dy, dz = p[f, k, 0] - x, p[f, k, 1] - y, p[f, k, 2] - z
            total += w[k] * (dx * dx + dy * dy + dz * dz)
            points[f, k] = dx * factors[k]
            points[f, joints + k] = dz * factors[k]
            points[f, 2 * joints + k] = dy * factors[k]
        spread[f] = total
    factors = taps.copy() if weigh else np.ones(taken)
    for i in range(size.size):
        total = 0.0
        for t in range(taken):
            total += taps[t] * spread[i + t]
        for place in range(3):
            mean = 0.0
            for t in range(taken):
                mean += taps[t] * means[place, i + t]
            if place == 2 and not np.isnan(level):
                mean = level
            for t in range(taken):
                c = means[place, i + t] - mean
                total += taps[t] * c * c
                path[i, place * taken + t] = c * factors[t]
        size[i] = total


@kernel(fastmath=FAST)
def add_diagonals(one: Any, taps: Any, into: Any, n: int, m: int) -> None:
    """into[i, j] += sum_f taps[f] one[i + f, j + f]  for i < n, j < m: frame sums to window sums.

    Four taps at a time, so that `into` is read and written a quarter as often. 3,000 x 3,000 cells, 11 taps, tiles of
    512: 7 ms in single precision. The slow version is `slow_cloud` in tests/analysis/test_point_cloud.py.
    """
    for i in range(n):
        f = 0
        while f + 4 <= taps.size:
            a, b, c, d = taps[f], taps[f + 1], taps[f + 2], taps[f + 3]
            for j in range(m):
                into[i, j] += (
                    a * one[i + f, j + f]
                    + b * one[i + f + 1, j + f + 1]
                    + c * one[i + f + 2, j + f + 2]
                    + d * one[i + f + 3, j + f + 3]
                )
            f += 4
        while f < taps.size:
            a = taps[f]
            for j in range(m):
                into[i, j] += a * one[i + f, j + f]
            f += 1


@kernel(fastmath=FAST)
def ground_cells(dot: Any, cross: Any, up: Any, size_a: Any, size_b: Any, out: Any, at: Any) -> None:
    """out = |A|^2 + |B|^2 - 2 (sqrt(dot^2 + cross^2) + up): what is left after the best turn about the vertical.

    The best turn makes sum w p.Phi(p') on the ground as large as it can be: sqrt(dot^2 + cross^2). `at` is
    (row, column, rows, columns) of this tile in `out`. Slow version: `slow_cloud`.
    """
    row, column, n, m = at
    zero = out.dtype.type(0)
    for i in range(n):
        a = size_a[row + i]
        for j in range(m):
            most = np.sqrt(dot[i, j] * dot[i, j] + cross[i, j] * cross[i, j]) + up[i, j]
            out[row + i, column + j] = max(a + size_b[column + j] - (most + most), zero)


@kernel(fastmath={"contract"})
def rigid_cells(h: Any, size_a: Any, size_b: Any, out: Any, at: Any) -> None:
    """out = |A|^2 + |B|^2 - 2 lambda, lambda = max over rotations R of tr(R H): what is left after the best 3-D turn.

    lambda is the largest root of x^4 - 2 |H|^2 x^2 - 8 det(H) x + |H|^4 - 4 |cof H|^2 (the characteristic polynomial
    of Horn's 4 x 4 matrix, written with the nine sums H; sigma1 + sigma2 + sign(det) sigma3 in singular values).
    Newton from sqrt(3) |H|, which is never below it, comes down to it; 60 steps also settle double roots. 0.1 us a
    cell. Compared with a slow version (by SVD) in tests/analysis/test_point_cloud.py.
    """
    row, column, n, m = at
    for i in range(n):
        for j in range(m):
            a, b, c = np.float64(h[0, i, j]), np.float64(h[1, i, j]), np.float64(h[2, i, j])
            d, e, f = np.float64(h[3, i, j]), np.float64(h[4, i, j]), np.float64(h[5, i, j])
            g, k, s = np.float64(h[6, i, j]), np.float64(h[7, i, j]), np.float64(h[8, i, j])
            c0, c1, c2 = e * s - f * k, f * g - d * s, d * k - e * g
            c3, c4, c5 = c * k - b * s, a * s - c * g, b * g - a * k
            c6, c7, c8 = b * f - c * e, c * d - a * f, a * e - b * d
            det = a * c0 + b * c1 + c * c2
            cof = c0 * c0 + c1 * c1 + c2 * c2 + c3 * c3 + c4 * c4 + c5 * c5 + c6 * c6 + c7 * c7 + c8 * c8
            norm = a * a + b * b + c * c + d * d + e * e + f * f + g * g + k * k + s * s
            x = np.sqrt(3.0 * norm)
            for _ in range(60):
                x2 = x * x
                slope = 4.0 * x * (x2 - norm) - 8.0 * det
                if slope <= 0.0:
                    break
                step = (x2 * (x2 - 2.0 * norm) - 8.0 * det * x + norm * norm - 4.0 * cof) / slope
                x -= step
                if step <= 1e-10 * x:
                    break
            left = size_a[row + i] + size_b[column + j] - 2.0 * x
            out[row + i, column + j] = max(left, 0.0)


@kernel(fastmath=FAST)
def add_half_angles(a: Any, b: Any, weights: Any, poly: Any, out: Any) -> None:
    """out[i, j] += sum_k w_k acos(|q_ik . q_jk|)^2: squared half angles between joints' rotations.

    `a` is (F, K, 4); `b` is (K, 4, F'), so that the inner loop runs along its last axis. acos(1 - u)^2 is the
    polynomial `poly` in u (constant first; degree 6, see joint_angles.py): 12 operations that vectorise, against about
    40 for acos. 3,000 x 3,000 x 30: 0.2 s. Slow version: `slow_angles` in tests/analysis/test_joint_measures.py.
    """
    one = out.dtype.type(1)
    rows, columns = out.shape
    spare = np.empty(512, out.dtype)  # stands for the row after the last where their number is odd
    for start in range(0, columns, 512):  # a strip of b that stays in the nearest cache
        stop = min(start + 512, columns)
        for i in range(0, rows, 2):  # two rows share what is read of b
            after = min(i + 1, rows - 1)
            into, below = out[i, start:stop], out[after, start:stop] if after > i else spare[: stop - start]
            for k in range(a.shape[1]):
                w, q0, q1, q2, q3 = weights[k], a[i, k, 0], a[i, k, 1], a[i, k, 2], a[i, k, 3]
                r0, r1, r2, r3 = a[after, k, 0], a[after, k, 1], a[after, k, 2], a[after, k, 3]
                p1, p2, p3, p4, p5, p6 = w * poly[1], w * poly[2], w * poly[3], w * poly[4], w * poly[5], w * poly[6]
                b0, b1, b2, b3 = b[k, 0, start:stop], b[k, 1, start:stop], b[k, 2, start:stop], b[k, 3, start:stop]
                for j in range(into.size):  # over slices from 0: the compiler then vectorises it
                    u = one - abs(q0 * b0[j] + q1 * b1[j] + q2 * b2[j] + q3 * b3[j])
                    v = one - abs(r0 * b0[j] + r1 * b1[j] + r2 * b2[j] + r3 * b3[j])
                    into[j] += u * (p1 + u * (p2 + u * (p3 + u * (p4 + u * (p5 + u * p6)))))
                    below[j] += v * (p1 + v * (p2 + v * (p3 + v * (p4 + v * (p5 + v * p6)))))


@kernel(fastmath={"contract", "reassoc"})
def correlate_chosen(a: Any, b: Any, apart: Any, most: float, best: float, worst: float, out: Any) -> None:
    """out[i, j] = best - a_i . b_j where apart[i, j] <= most (the candidates), else `worst`.

    `a` and `b` hold mean-free windows of curvature (rows, N K). Only the candidates are computed, as GUAN does.
    Slow version: `slow_correlation` in tests/analysis/test_curvature_similarity.py.
    """
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            if apart[i, j] <= most:
                total = out.dtype.type(0)
                for d in range(a.shape[1]):
                    total += a[i, d] * b[j, d]
                out[i, j] = max(best - total, 0.0)
            else:
                out[i, j] = worst


@kernel(fastmath={"contract"})
def turning(q: Any, fps: float, out: Any) -> None:
    """out[t] = log(q[t-1]^-1 q[t]) and log(q[t]^-1 q[t+1]), averaged, times fps; at the ends the one there is.

    q (F, K, 4), out (F, K, 3) rad/s, F at least 2. One pass; 3,000 x 30: 4 ms against 35 ms in numpy. The slow version
    is in `slow_angles` in tests/analysis/test_joint_measures.py.
    """
    last = q.shape[0] - 1
    out[0] = 0.0
    for t in range(last):
        out[t + 1] = 0.0
        before = fps if t == 0 else 0.5 * fps
        after = fps if t + 1 == last else 0.5 * fps
        for k in range(q.shape[1]):
            a, b, c, d = q[t, k, 0], q[t, k, 1], q[t, k, 2], q[t, k, 3]
            e, f, g, h = q[t + 1, k, 0], q[t + 1, k, 1], q[t + 1, k, 2], q[t + 1, k, 3]
            w = a * e + b * f + c * g + d * h
            x = a * f - b * e - c * h + d * g
            y = a * g + b * h - c * e - d * f
            z = a * h - b * g + c * f - d * e
            if w < 0.0:  # the shorter way round
                w, x, y, z = -w, -x, -y, -z
            s = np.sqrt(x * x + y * y + z * z)
            scale = 2.0 * np.arctan2(s, w) / s if s > 1e-9 else 2.0
            for axis, v in ((0, x), (1, y), (2, z)):
                out[t, k, axis] += before * scale * v
                out[t + 1, k, axis] += after * scale * v
