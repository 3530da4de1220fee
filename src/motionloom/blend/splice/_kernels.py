"""Compiled loops of splicing: the best rotation between point clouds, and motion sampled at fractional frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def largest_eigenvector(n: Any, v: Any, out: Any) -> None:
    """The unit eigenvector of the symmetric 4 x 4 matrix `n` with the largest eigenvalue; `n` and `v` are overwritten.

    Cyclic Jacobi rotations, which are exact to rounding; at most 12 sweeps, usually 4.
    """
    scale = 0.0
    for p in range(4):
        for q in range(4):
            v[p, q] = 1.0 if p == q else 0.0
            scale += n[p, q] * n[p, q]
    for _ in range(12):
        off = 0.0
        for p in range(3):
            for q in range(p + 1, 4):
                off += n[p, q] * n[p, q]
        if off <= 1e-32 * scale:
            break
        for p in range(3):
            for q in range(p + 1, 4):
                if n[p, q] == 0.0:
                    continue
                theta = (n[q, q] - n[p, p]) / (2.0 * n[p, q])
                t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
                if theta < 0:
                    t = -t
                c = 1.0 / np.sqrt(t * t + 1.0)
                s = t * c
                for k in range(4):
                    a, b = n[k, p], n[k, q]
                    n[k, p], n[k, q] = c * a - s * b, s * a + c * b
                for k in range(4):
                    a, b = n[p, k], n[q, k]
                    n[p, k], n[q, k] = c * a - s * b, s * a + c * b
                for k in range(4):
                    a, b = v[k, p], v[k, q]
                    v[k, p], v[k, q] = c * a - s * b, s * a + c * b
    best = 0
    for k in range(1, 4):
        if n[k, k] > n[best, best]:
            best = k
    sign = 1.0 if v[0, best] >= 0 else -1.0
    for k in range(4):
        out[k] = sign * v[k, best]


@kernel
def horn_space() -> Any:
    """Memory for `best_rotation_in`."""
    return np.empty((3, 3)), np.empty((4, 4)), np.empty((4, 4))


@kernel
def best_rotation_in(a: Any, b: Any, out: Any, work: Any) -> None:
    """The rotation about the origin that takes points a (K, 3) nearest to b (K, 3): Horn 1987, the closed form.

    `out` (4,) maximizes sum_k b_k . (q a_k q^-1), which is the eigenvector of Horn's matrix N with the largest
    eigenvalue. Tested against the SVD form. About 1 us.
    """
    m, n, v = work
    m[:] = 0.0
    for k in range(a.shape[0]):
        for i in range(3):
            for j in range(3):
                m[i, j] += a[k, i] * b[k, j]
    n[0, 0] = m[0, 0] + m[1, 1] + m[2, 2]
    n[1, 1] = m[0, 0] - m[1, 1] - m[2, 2]
    n[2, 2] = m[1, 1] - m[0, 0] - m[2, 2]
    n[3, 3] = m[2, 2] - m[0, 0] - m[1, 1]
    n[0, 1] = n[1, 0] = m[1, 2] - m[2, 1]
    n[0, 2] = n[2, 0] = m[2, 0] - m[0, 2]
    n[0, 3] = n[3, 0] = m[0, 1] - m[1, 0]
    n[1, 2] = n[2, 1] = m[0, 1] + m[1, 0]
    n[1, 3] = n[3, 1] = m[2, 0] + m[0, 2]
    n[2, 3] = n[3, 2] = m[1, 2] + m[2, 1]
    largest_eigenvector(n, v, out)


@kernel
def best_rotation(a: Any, b: Any, out: Any) -> None:
    """`best_rotation_in` with memory of its own."""
    best_rotation_in(a, b, out, horn_space())


@kernel
def best_rotations(a: Any, b: Any, out: Any) -> None:
    """`best_rotation` of each row: points (F, K, 3), rotations `out` (F, 4)."""
    work = horn_space()
    for f in range(a.shape[0]):
        best_rotation_in(a[f], b[f], out[f], work)
