"""Exponential maps: a rotation as axis times angle, (..., 3) radians."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionloom.rotation.quaternion import FloatArray


def exp(v: ArrayLike) -> FloatArray:
    """The unit quaternion that turns by |v| radians about v."""
    v = np.asarray(v, float)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    out = np.empty((*v.shape[:-1], 4))
    out[..., :1] = np.cos(angle / 2)
    out[..., 1:] = v * (0.5 * np.sinc(angle / (2 * np.pi)))
    return out


def log(q: ArrayLike) -> FloatArray:
    """The inverse of `exp`, with |v| <= pi: q and -q give the same vector.

    This is the whole angle; GUAN 2.26's log q is half of it.
    """
    q = np.asarray(q, float)
    q = np.where(q[..., :1] < 0, -q, q)
    s = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(s, q[..., :1])
    small = s < 1e-9
    return q[..., 1:] * np.where(small, 2.0, angle / np.where(small, 1.0, s))


def continuous_log(q: ArrayLike) -> FloatArray:
    """Exponential maps along axis 0 (time) without the jump at pi: may run past pi instead of flipping sign."""
    q = np.asarray(q, float)
    v = log(q)
    if len(v) < 2:
        return v
    out = v.copy()
    for t in range(1, len(v)):  # the representative v + 2 pi k v/|v| nearest to the one before
        angle = np.linalg.norm(v[t], axis=-1, keepdims=True)
        unit = v[t] / np.where(angle > 1e-9, angle, 1.0)
        along = np.einsum("...i,...i->...", out[t - 1], unit)[..., None]
        turns = np.where(angle > 1e-9, np.round((along - angle) / (2 * np.pi)), 0.0)
        out[t] = v[t] + 2 * np.pi * turns * unit
    return out
