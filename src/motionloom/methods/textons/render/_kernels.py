"""Compiled loops that make the frames of one texton: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def factor_run(p0: Any, p1: Any, p2: Any, frames: int) -> Any:
    """Block factors of the normal equations of a run between two given frames on either side.

    All free frames have the same blocks (H[t, t] = p0, H[t+1, t] = p1, H[t+2, t] = p2, each (d, d)), so the factors
    of a short run are the first ones of a long run, and one factorisation serves every length:
    K2_t = p2 S_(t-2), K1_t = (p1 - p2 K1_(t-1)^T) S_(t-1), S_t = (p0 - (p1 - p2 K1_(t-1)^T) K1_t^T - p2 K2_t^T)^-1.
    Returns (frames, 3, d, d): S, K1, K2. 5 d^3 multiplications a frame: 200 frames, d = 19: 3 ms. The slow version is
    numpy's dense solver, in tests/methods/textons/test_numbers.py.
    """
    size = len(p0)
    out = np.zeros((frames, 3, size, size))
    for t in range(frames):
        left = p0.copy()
        if t >= 1:
            cross = p1.copy()
            if t >= 2:
                cross -= p2 @ np.ascontiguousarray(out[t - 1, 1].T)
                k2 = p2 @ out[t - 2, 0]
                left -= p2 @ np.ascontiguousarray(k2.T)
                out[t, 2] = k2
            k1 = cross @ out[t - 1, 0]
            left -= cross @ np.ascontiguousarray(k1.T)
            out[t, 1] = k1
        inverse = np.linalg.inv(left)
        for i in range(size):  # rounding must not make it lopsided: it is used from both sides
            for j in range(size):
                out[t, 0, i, j] = 0.5 * (inverse[i, j] + inverse[j, i])
    return out


@kernel(fastmath={"reassoc", "contract"})  # sums of products in any order, so that they go by fours
def solve_run(factors: Any, p1: Any, p2: Any, row: Any, drive: Any, ends: Any) -> Any:
    """(l, d) states between given ends: frames 0, 1, l - 2 and l - 1 are `ends` (4, d), the rest least squares.

    row (d, 3d) = [-W A2, -W A1, W]; drive (l, d) = W D + push, whose rows 1 .. l - 2 count; factors of `factor_run`.
    The right side is sum_s row^T drive[s]; given frames go there too; then forward and back substitution by blocks.
    13 d^2 multiplications a frame: 107 frames, d = 19: 0.2 ms. The slow version is `constrained_run`'s banded one.
    """
    length, size = drive.shape
    x = np.zeros((length, size))
    for s in range(1, length - 1):
        for k in range(3):
            t = s - 1 + k
            if 2 <= t < length - 2:
                for i in range(size):
                    v = drive[s, i]
                    for j in range(size):
                        x[t, j] += row[i, k * size + j] * v
    x[:2], x[length - 2 :] = ends[:2], ends[2:]
    last = length - 3
    for i in range(size):
        for j in range(size):
            x[2, i] -= p1[i, j] * ends[1, j] + p2[i, j] * ends[0, j]
            x[last, i] -= p1[j, i] * ends[2, j] + p2[j, i] * ends[3, j]
            if length >= 6:
                x[3, i] -= p2[i, j] * ends[1, j]
                x[last - 1, i] -= p2[j, i] * ends[2, j]
    for t in range(3, last + 1):
        for i in range(size):
            v = 0.0
            for j in range(size):
                v += factors[t - 2, 1, i, j] * x[t - 1, j]
            if t >= 4:
                for j in range(size):
                    v += factors[t - 2, 2, i, j] * x[t - 2, j]
            x[t, i] -= v
    held = np.empty(size)
    for t in range(last, 1, -1):
        for i in range(size):
            v = 0.0
            for j in range(size):
                v += factors[t - 2, 0, i, j] * x[t, j]
            held[i] = v
        if t + 1 <= last:
            for i in range(size):
                v = x[t + 1, i]
                for j in range(size):
                    held[j] -= factors[t - 1, 1, i, j] * v
        if t + 2 <= last:
            for i in range(size):
                v = x[t + 2, i]
                for j in range(size):
                    held[j] -= factors[t, 2, i, j] * v
        x[t] = held
    return x


@kernel
def ease_between(ends: Any, length: int, reach: int, out: Any) -> None:
    """Add `solving.eased` of the given frames 0, 1, l - 2, l - 1 (4, D) to out (length, D), l = `length`."""
    channels = ends.shape[1]
    inside = length - 3  # frames from 1 to l - 2
    near = min(reach, inside // 2)
    for c in range(channels):
        out[0, c] += ends[0, c]
        out[length - 1, c] += ends[3, c]
        out[length - 2, c] += ends[2, c]
        step = ends[2, c] - ends[1, c]
        for t in range(inside):
            p = t / inside
            out[1 + t, c] += ends[1, c] + (3 * p * p - 2 * p * p * p) * step
        first, last = ends[1, c] - ends[0, c], ends[3, c] - ends[2, c]
        for t in range(near):
            fade = t * (1 - t / near) ** 2
            out[1 + t, c] += fade * first
            out[length - 2 - t, c] -= fade * last
