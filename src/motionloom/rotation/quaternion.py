"""Unit quaternions (..., 4) as w x y z; arrays of any leading shape, broadcast like numpy's own functions.

A product reads as composition: `multiply(a, b)` turns by b first, then by a, as the matrices A @ B would.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

IDENTITY: FloatArray = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.flags.writeable = False


def multiply(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """The Hamilton product: scalar part w1 w2 - v1.v2 (EDEN appendix A, as corrected)."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    out = np.empty((*np.broadcast_shapes(a.shape[:-1], b.shape[:-1]), 4))
    out[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    out[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    out[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    out[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return out


def inverse(q: ArrayLike) -> FloatArray:
    """The inverse of a unit quaternion: (w, -x, -y, -z)."""
    return np.asarray(q, float) * np.array([1.0, -1.0, -1.0, -1.0])


def normalize(q: ArrayLike) -> FloatArray:
    """Scaled to unit length; a zero quaternion becomes the identity."""
    q = np.asarray(q, float)
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(length > 1e-12, q / np.where(length > 1e-12, length, 1.0), IDENTITY)


def rotate(q: ArrayLike, v: ArrayLike) -> FloatArray:
    """Vectors v (..., 3) turned by q (..., 4)."""
    q, v = np.asarray(q, float), np.asarray(v, float)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    a, b, c = v[..., 0], v[..., 1], v[..., 2]
    i, j, k = y * c - z * b, z * a - x * c, x * b - y * a  # u x v; np.cross takes three times as long
    out = np.empty((*np.shape(i), 3))
    out[..., 0] = a + 2.0 * (w * i + (y * k - z * j))
    out[..., 1] = b + 2.0 * (w * j + (z * i - x * k))
    out[..., 2] = c + 2.0 * (w * k + (x * j - y * i))
    return out


def angle_between(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """The angle of the rotation that takes a to b, 0..pi; an antipode (-q) counts as the same rotation.

    EDEN A has 2 acos |<a, b>|; 2 atan2 of the difference is the same angle, exact for small ones too.
    """
    d = multiply(inverse(a), b)
    return 2.0 * np.arctan2(np.linalg.norm(d[..., 1:], axis=-1), np.abs(d[..., 0]))


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> FloatArray:
    """Turn by `angle` radians about `axis` (..., 3); the axis need not be of unit length, but must not be zero."""
    axis = np.asarray(axis, float)
    half = np.asarray(angle, float)[..., None] / 2
    unit = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    shape = np.broadcast_shapes(half.shape[:-1], unit.shape[:-1])
    out = np.empty((*shape, 4))
    out[..., :1] = np.cos(half)
    out[..., 1:] = np.sin(half) * unit
    return out


def between(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """The shortest turn that takes direction a (..., 3) to direction b. Opposite directions turn about any normal."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    a, b = np.broadcast_arrays(a, b)
    w = 1.0 + np.einsum("...i,...i->...", a, b)
    q = np.concatenate([w[..., None], np.cross(a, b)], axis=-1)
    flat = w < 1e-9
    if flat.any():
        other = np.where(np.abs(a[..., :1]) < 0.9, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
        normal = np.cross(a, other)
        half_turn = np.concatenate([np.zeros_like(w)[..., None], normal], axis=-1)
        q = np.where(flat[..., None], half_turn, q)
    return normalize(q)


def nearest_sign(q: ArrayLike, reference: ArrayLike) -> FloatArray:
    """q or -q, whichever lies on the reference's hemisphere."""
    q = np.asarray(q, float)
    dot = np.einsum("...i,...i->...", q, np.asarray(reference, float))
    return np.where(dot[..., None] < 0, -q, q)


def continuous(q: ArrayLike) -> FloatArray:
    """Signs chosen along axis 0 (time) so that neighbours lie on one hemisphere; the first frame keeps its sign."""
    q = np.asarray(q, float)
    if len(q) < 2:
        return q.copy()
    flips = np.einsum("t...i,t...i->t...", q[1:], q[:-1]) < 0
    odd = np.logical_xor.accumulate(flips, axis=0)
    out = q.copy()
    out[1:][odd] *= -1.0
    return out


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> FloatArray:
    """From a (t = 0) to b (t = 1) at constant angular speed, along the shorter arc; t broadcasts."""
    a = np.asarray(a, float)
    b = nearest_sign(b, a)
    t = np.asarray(t, float)[..., None]
    angle = np.arctan2(
        np.linalg.norm(b - a, axis=-1, keepdims=True), np.linalg.norm(b + a, axis=-1, keepdims=True)
    )  # a quarter of the turn, exact for small angles
    omega = 2.0 * angle
    s = np.sin(omega)
    small = s < 1e-8
    s = np.where(small, 1.0, s)
    wa = np.where(small, 1.0 - t, np.sin((1.0 - t) * omega) / s)
    wb = np.where(small, t, np.sin(t * omega) / s)
    return normalize(wa * a + wb * b)


def average(q: ArrayLike, weights: ArrayLike | None = None, *, axis: int = 0) -> FloatArray:
    """The rotation with the least weighted sum of squared chordal distances: signs do not matter.

    It is the eigenvector of sum_i w_i q_i q_i^T with the largest eigenvalue (Markley et al. 2007).
    """
    q = np.moveaxis(np.asarray(q, float), axis, -2)
    w = np.ones(q.shape[:-1]) if weights is None else np.broadcast_to(np.asarray(weights, float), q.shape[:-1])
    m = np.einsum("...n,...ni,...nj->...ij", w, q, q)
    vectors = np.linalg.eigh(m)[1][..., :, -1]
    return np.where(vectors[..., :1] < 0, -vectors, vectors)


def twist(q: ArrayLike, axis: ArrayLike) -> FloatArray:
    """The signed angle, in (-pi, pi], of the part of q that turns about the unit `axis` (swing-twist split)."""
    q = np.asarray(q, float)
    along = np.einsum("...i,i->...", q[..., 1:], np.asarray(axis, float))
    w = np.where(q[..., 0] < 0, -q[..., 0], q[..., 0])
    return 2.0 * np.arctan2(np.where(q[..., 0] < 0, -along, along), w)


def yaw(angle: ArrayLike) -> FloatArray:
    """The turn about world y by `angle`: heading 0 faces +z, positive turns left, towards +x."""
    half = np.asarray(angle, float) / 2
    out = np.zeros((*half.shape, 4))
    out[..., 0], out[..., 2] = np.cos(half), np.sin(half)
    return out
