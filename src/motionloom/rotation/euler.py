"""Euler angles in all twelve orders, radians.

Order "zyx" with angles (a, b, c) is the matrix Rz(a) @ Ry(b) @ Rx(c): each turn about the axes already turned,
which is how a BVH file with `CHANNELS 3 Zrotation Yrotation Xrotation` is read.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from motionloom.rotation.quaternion import FloatArray, multiply
from motionloom.rotation.wrapping import wrap_angle

LOCKED = 1e-7  # sine of half the angle from gimbal lock below which the outer angles cannot be told apart
ORDERS = tuple("".join(o) for o in product("xyz", repeat=3) if o[0] != o[1] and o[1] != o[2])


def _axes(order: str) -> tuple[int, int, int]:
    if order not in ORDERS:
        raise ValueError(f"no Euler order {order!r}; one of {', '.join(ORDERS)}")
    return "xyz".index(order[0]), "xyz".index(order[1]), "xyz".index(order[2])


def about(axis: int, angle: ArrayLike) -> FloatArray:
    """The quaternion of a turn about x (0), y (1) or z (2)."""
    half = np.asarray(angle, float) / 2
    out = np.zeros((*half.shape, 4))
    out[..., 0], out[..., 1 + axis] = np.cos(half), np.sin(half)
    return out


def from_euler(angles: ArrayLike, order: str) -> FloatArray:
    """Angles (..., 3), in the order's own order, to quaternions (..., 4)."""
    angles = np.asarray(angles, float)
    i, j, k = _axes(order)
    return multiply(about(i, angles[..., 0]), multiply(about(j, angles[..., 1]), about(k, angles[..., 2])))


def to_euler(q: ArrayLike, order: str) -> FloatArray:
    """Quaternions to angles (..., 3), each in [-pi, pi]; in gimbal lock the third angle is 0.

    Bernardes and Viollet (2022): the half sum and half difference of the outer angles are two plain arctangents.
    """
    return _euler(np.asarray(q, float), order)[0]


def _euler(q: FloatArray, order: str) -> tuple[FloatArray, FloatArray]:
    """Angles (..., 3), and the lock (...,): 0, or in gimbal lock how the first angle changes with the third, -1 or 1.

    In lock the third angle is 0 here; with the first changed by lock * c, any third angle c is the same rotation.
    """
    k, j, i = _axes(order)
    proper = i == k
    if proper:
        k = 3 - i - j
    sign = float((i - j) * (j - k) * (k - i) // 2)
    w, u, v, t = q[..., 0], q[..., 1 + i], q[..., 1 + j], q[..., 1 + k] * sign
    if not proper:
        w, u, v, t = w - v, u + t, v + w, t - u
    low, high = np.hypot(v, t), np.hypot(w, u)
    plus, minus, middle = np.arctan2(u, w), np.arctan2(t, v), 2.0 * np.arctan2(low, high)
    outer = 1.0 if proper else sign
    lock = np.where(low < LOCKED, -outer, np.where(high < LOCKED, outer, 0.0))
    first = outer * np.where(low < LOCKED, 2 * plus, np.where(high < LOCKED, 2 * minus, plus + minus))
    third = np.where(lock != 0, 0.0, plus - minus)
    out = np.stack([first, middle if proper else middle - np.pi / 2, third], -1)
    return wrap_angle(out), lock


def to_euler_continuous(q: ArrayLike, order: str) -> FloatArray:
    """Like `to_euler`, along axis 0 (time), without jumps: angles may run past 180 degrees.

    Every rotation has two sets of angles (up to whole turns); each frame takes the set nearer to the frame before it.
    In gimbal lock it has any number of them, and the third angle goes straight from the free frame before to the next.
    """
    q = np.asarray(q, float)
    angles, lock = _euler(q, order)
    if len(angles) < 2:
        return angles
    if not lock.any():
        return np.unwrap(_nearer_sets(angles, order), axis=0)
    flat, locks = angles.reshape(len(q), -1, 3), lock.reshape(len(q), -1)
    for n in range(flat.shape[1]):
        one, free = flat[:, n], np.flatnonzero(locks[:, n] == 0)
        if len(free):
            one[free] = np.unwrap(_nearer_sets(one[free], order), axis=0)
            third = np.interp(np.arange(len(one)), free, one[free, 2])
            one[:, 0] += locks[:, n] * third
            one[:, 2] = third
    return np.unwrap(angles, axis=0)


def _nearer_sets(angles: FloatArray, order: str) -> FloatArray:
    """For each frame the one of its two sets of angles that is nearer to the frame before, but for whole turns.

    As switching both neighbours keeps their difference, the choice is a running exclusive-or and needs no loop.
    """
    i, _, k = _axes(order)
    middle = -angles[..., 1] if i == k else np.pi - angles[..., 1]
    other = np.stack([angles[..., 0] + np.pi, middle, angles[..., 2] + np.pi], -1)
    stay = _apart(angles[1:], angles[:-1])
    switch = _apart(other[1:], angles[:-1])
    odd = np.logical_xor.accumulate(switch < stay - 1e-9, axis=0)
    return np.concatenate([angles[:1], np.where(odd[..., None], other[1:], angles[1:])])


def _apart(a: FloatArray, b: FloatArray) -> FloatArray:
    d = wrap_angle(a - b)
    return np.einsum("...i,...i->...", d, d)
