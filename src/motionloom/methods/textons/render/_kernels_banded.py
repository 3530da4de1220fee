"""Kernels of textons' runs: symmetric banded systems, filled, factored and solved in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


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
