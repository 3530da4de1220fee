"""Compiled loops of splicing: the best rotation between point clouds, and frames along lines of a body."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.kinematics.feet._kernels_two_bone import cross, dot, normalize


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


@kernel
def line_frame(line: Any) -> Any:
    """The rotation whose x axis is along `line` and whose y axis is as near to the vertical as possible.

    HECK's frame puts the hip line on x, which leaves the rotation about it free; world up fixes it.
    """
    size = 1.0 / math.sqrt(dot(line, line))
    x = (line[0] * size, line[1] * size, line[2] * size)
    y = (-x[0] * x[1], 1.0 - x[1] * x[1], -x[2] * x[1])
    size = 1.0 / max(math.sqrt(dot(y, y)), 1e-9)
    y = (y[0] * size, y[1] * size, y[2] * size)
    z = cross(x, y)
    # the rotation matrix with columns x, y, z as a quaternion, by its largest component
    w2, x2 = 1.0 + x[0] + y[1] + z[2], 1.0 + x[0] - y[1] - z[2]
    y2, z2 = 1.0 - x[0] + y[1] - z[2], 1.0 - x[0] - y[1] + z[2]
    if w2 >= x2 and w2 >= y2 and w2 >= z2:
        q = (w2, y[2] - z[1], z[0] - x[2], x[1] - y[0])
    elif x2 >= y2 and x2 >= z2:
        q = (y[2] - z[1], x2, y[0] + x[1], z[0] + x[2])
    elif y2 >= z2:
        q = (z[0] - x[2], y[0] + x[1], y2, z[1] + y[2])
    else:
        q = (x[1] - y[0], z[0] + x[2], z[1] + y[2], z2)
    return normalize(q)


@kernel
def line_frames(lines: Any, out: Any) -> None:
    """`line_frame` of each row (F, 3); rotations `out` (F, 4)."""
    for f in range(lines.shape[0]):
        out[f, 0], out[f, 1], out[f, 2], out[f, 3] = line_frame((lines[f, 0], lines[f, 1], lines[f, 2]))
