"""Rotation matrices (..., 3, 3) and the 6-D form (their first two columns; Zhou et al. 2019)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionloom.rotation.quaternion import FloatArray, normalize


def to_matrix(q: ArrayLike) -> FloatArray:
    """(..., 4) to (..., 3, 3); columns are where x, y and z go."""
    q = np.asarray(q, float)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    m = np.empty((*q.shape[:-1], 3, 3))
    m[..., 0, 0] = 1 - 2 * (y * y + z * z)
    m[..., 0, 1] = 2 * (x * y - w * z)
    m[..., 0, 2] = 2 * (x * z + w * y)
    m[..., 1, 0] = 2 * (x * y + w * z)
    m[..., 1, 1] = 1 - 2 * (x * x + z * z)
    m[..., 1, 2] = 2 * (y * z - w * x)
    m[..., 2, 0] = 2 * (x * z - w * y)
    m[..., 2, 1] = 2 * (y * z + w * x)
    m[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return m


def from_matrix(m: ArrayLike) -> FloatArray:
    """(..., 3, 3) to unit quaternions with w >= 0, by the largest of the four squared components."""
    m = np.asarray(m, float)
    d = np.einsum("...ii->...i", m)
    t = d.sum(-1)
    squares = np.stack([t, d[..., 0], d[..., 1], d[..., 2]], -1)
    best = squares.argmax(-1)
    a = m - np.swapaxes(m, -1, -2)
    s = m + np.swapaxes(m, -1, -2)
    v = np.stack([a[..., 2, 1], a[..., 0, 2], a[..., 1, 0]], -1)
    x, y, z = d[..., 0], d[..., 1], d[..., 2]
    rows = [
        np.stack([1 + t, v[..., 0], v[..., 1], v[..., 2]], -1),
        np.stack([v[..., 0], 1 + x - y - z, s[..., 0, 1], s[..., 0, 2]], -1),
        np.stack([v[..., 1], s[..., 0, 1], 1 - x + y - z, s[..., 1, 2]], -1),
        np.stack([v[..., 2], s[..., 0, 2], s[..., 1, 2], 1 - x - y + z], -1),
    ]
    q = np.choose(best[..., None], rows)
    return normalize(np.where(q[..., :1] < 0, -q, q))


def to_6d(q: ArrayLike) -> FloatArray:
    """(..., 4) to (..., 6): the first column of the matrix, then the second."""
    m = to_matrix(q)
    return np.concatenate([m[..., 0], m[..., 1]], -1)


def from_6d(v: ArrayLike) -> FloatArray:
    """(..., 6) to unit quaternions, by Gram-Schmidt: any two independent vectors will do."""
    v = np.asarray(v, float)
    a, b = v[..., :3], v[..., 3:]
    x = a / np.linalg.norm(a, axis=-1, keepdims=True)
    y = b - np.einsum("...i,...i->...", x, b)[..., None] * x
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return from_matrix(np.stack([x, y, np.cross(x, y)], -1))
