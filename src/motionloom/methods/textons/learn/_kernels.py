"""Compiled loops of the texton method: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def best_segmentation(score: Any, start: Any, log_m: Any, shortest: int, stop: Any) -> Any:
    """The exact best segmentation of one clip into labelled segments of at least `shortest` frames.

    errata.md, LI appendix A: with S_i(t) the cumulative frame score,
    G(t, i) = S_i(t) + max over b <= t - shortest + 1 of [ max_j (G(b-1, j) + log M_ji) + start(b) - S_i(b+1) ],
    where the inner max is 0 for b = 0. The bracket is a running maximum, so the cost is O(T N^2) and memory 3 T N.

    score (T, N) frame log-likelihoods; start (T,) log density of frames b and b + 1 as the first two of a segment.
    Returns (labels per segment, first frame per segment, value). The slow version is `every_segmentation` in
    tests/methods/textons/test_numbers.py.
    """
    frames, count = score.shape
    total = np.zeros((frames, count))  # S
    for i in range(count):
        run = 0.0
        for t in range(frames):
            run += score[t, i]
            total[t, i] = run
    best = np.full((frames, count), -np.inf)  # G
    begin = np.full((frames, count), -1, np.int32)  # b of the segment that ends here
    before = np.full((frames, count), -1, np.int32)  # label of the segment before b
    held = np.full(count, -np.inf)  # the running bracket, its b and its j
    held_b = np.full(count, -1, np.int32)
    held_j = np.full(count, -1, np.int32)
    for t in range(shortest - 1, frames):
        if stop[0]:
            break
        b = t - shortest + 1
        for i in range(count):
            if b == 0:
                value, j_best = 0.0, -1
            elif b < shortest:
                continue
            else:
                value, j_best = -np.inf, -1
                for j in range(count):
                    v = best[b - 1, j] + log_m[j, i]
                    if v > value:
                        value, j_best = v, j
                if j_best < 0:
                    continue
            value += start[b] - total[b + 1, i]
            if value > held[i]:
                held[i], held_b[i], held_j[i] = value, b, j_best
        for i in range(count):
            if held_b[i] >= 0:
                best[t, i] = total[t, i] + held[i]
                begin[t, i] = held_b[i]
                before[t, i] = held_j[i]
    label = np.argmax(best[frames - 1])
    value = best[frames - 1, label]
    labels, starts = [], []
    t, i = frames - 1, int(label)
    while t >= 0:
        b = begin[t, i]
        labels.append(i)
        starts.append(b)
        i, t = before[t, i], b - 1
    return np.array(labels[::-1]), np.array(starts[::-1]), value


@kernel
def factor_banded(bands: Any) -> None:
    """Cholesky factor, in place, of a symmetric positive definite banded matrix: bands[j, k] = M[j + k, j].

    n b^2 / 2 multiplications for n unknowns and band b, along rows of memory. 1,300 unknowns, band 39: 0.5 ms.
    The slow version is numpy's dense Cholesky, in tests/methods/textons/test_numbers.py.
    """
    n, width = bands.shape
    for j in range(n):
        d = np.sqrt(bands[j, 0])
        bands[j, 0] = d
        last = min(width, n - j)
        for k in range(1, last):
            bands[j, k] /= d
        for k in range(1, last):
            f = bands[j, k]
            for m in range(k, last):
                bands[j + k, m - k] -= f * bands[j, m]


@kernel
def solve_banded(bands: Any, right: Any) -> None:
    """Solve L L^T x = right in place, with the factor of `factor_banded`."""
    n, width = bands.shape
    for j in range(n):
        x = right[j] / bands[j, 0]
        right[j] = x
        for k in range(1, min(width, n - j)):
            right[j + k] -= bands[j, k] * x
    for j in range(n - 1, -1, -1):
        x = right[j]
        for k in range(1, min(width, n - j)):
            x -= bands[j, k] * right[j + k]
        right[j] = x / bands[j, 0]


@kernel
def fill_bands(block: Any, pull: Any, fixed: Any, x: Any, bands: Any, right: Any) -> None:
    """The normal equations of LI eq. 8, whitened, for all frames of a texton; fixed frames keep their values.

    Each frame t = 1 .. l-2 adds |W (x[t+1] - A1 x[t] - A2 x[t-1]) - u[t]|^2 with W = B^-1. block (3d, 3d) is
    [-W A2, -W A1, W]^T [-W A2, -W A1, W]; pull (l, 3d) is that row's transpose times u[t]. bands (l d, 3d) and right
    (l d,) are filled here. Fixed frames become the identity, their terms go to the right.
    """
    length, size = x.shape
    bands[:] = 0.0
    right[:] = 0.0
    width = 3 * size
    count = length * size
    for t in range(1, length - 1):
        base = (t - 1) * size
        for b in range(width):
            right[base + b] += pull[t, b]
            for a in range(b, width):
                bands[base + b, a - b] += block[a, b]
    for t in range(length):
        if not fixed[t]:
            continue
        for k in range(size):
            c = t * size + k
            value = x[t, k]
            for o in range(1, min(width, count - c)):
                right[c + o] -= bands[c, o] * value
                bands[c, o] = 0.0
            for o in range(1, min(width, c + 1)):
                right[c - o] -= bands[c - o, o] * value
                bands[c - o, o] = 0.0
            bands[c, 0] = 1.0
    for t in range(length):
        if fixed[t]:
            for k in range(size):
                right[t * size + k] = x[t, k]
