"""Compiled two-bone legs: scalars in tuples, no arrays, so that a solution takes a fraction of a microsecond."""

from __future__ import annotations

import math
from typing import Any

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import smoothstep
from motionloom.kinematics.ik.limb import BACKWARD, PASSING, STRAIGHT

SQUARE = math.sqrt(0.5)  # sine of half a right angle


@kernel
def multiply(a: Any, b: Any) -> Any:
    """The Hamilton product of two quaternions (w, x, y, z)."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def inverse(q: Any) -> Any:
    return (q[0], -q[1], -q[2], -q[3])


@kernel
def normalize(q: Any) -> Any:
    size = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] * size, q[1] * size, q[2] * size, q[3] * size)


@kernel
def cross(a: Any, b: Any) -> Any:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def dot(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def norm(a: Any) -> Any:
    return math.sqrt(dot(a, a))


@kernel
def add(a: Any, b: Any) -> Any:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def minus(a: Any, b: Any) -> Any:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scaled(a: Any, by: Any) -> Any:
    return (a[0] * by, a[1] * by, a[2] * by)


@kernel
def rotate(q: Any, v: Any) -> Any:
    u = (q[1], q[2], q[3])
    i = cross(u, v)
    k = cross(u, i)
    return (v[0] + 2.0 * (q[0] * i[0] + k[0]), v[1] + 2.0 * (q[0] * i[1] + k[1]), v[2] + 2.0 * (q[0] * i[2] + k[2]))


@kernel
def between(a: Any, b: Any) -> Any:
    """The shortest turn from direction a to direction b, neither zero; opposite ones turn about any normal."""
    a, b = scaled(a, 1.0 / norm(a)), scaled(b, 1.0 / norm(b))
    w = 1.0 + dot(a, b)
    if w < 1e-9:
        n = cross(a, (1.0, 0.0, 0.0)) if abs(a[0]) < 0.9 else cross(a, (0.0, 1.0, 0.0))
        return normalize((0.0, n[0], n[1], n[2]))
    n = cross(a, b)
    return normalize((w, n[0], n[1], n[2]))


@kernel
def exp(v: Any) -> Any:
    """The turn by |v| radians about v."""
    angle = norm(v)
    share = 0.5 if angle < 1e-9 else math.sin(0.5 * angle) / angle
    return (math.cos(0.5 * angle), v[0] * share, v[1] * share, v[2] * share)


@kernel
def log(q: Any) -> Any:
    """The rotation vector of a turn, of at most half a turn: the inverse of `exp`."""
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    share = 2.0 if sine < 1e-9 else 2.0 * math.atan2(sine, abs(q[0])) / sine
    if q[0] < 0.0:
        share = -share
    return (q[1] * share, q[2] * share, q[3] * share)


@kernel
def _unit(v: Any, fallback: Any) -> Any:
    length = norm(v)
    return scaled(v, 1.0 / length) if length > 1e-12 else fallback


@kernel
def _folded(t: Any, across: Any, sine: Any, sine_new: Any, bend: Any, asked: Any) -> Any:
    f = minus(bend, scaled(t, dot(t, bend)))
    f = _unit(f, f)
    along = dot(across, f)
    weight = (1.0 - smoothstep(sine / STRAIGHT)) * max(sine_new - sine, 0.0)
    side = add(across, scaled(f, weight)) if along >= 0.0 else across
    same = scaled(_unit(side, f), sine_new)
    if along >= 0.0:
        return same
    passing = 1.0 - (1.0 - smoothstep(asked / PASSING)) * min(max(-along / BACKWARD, 0.0), 1.0)
    over = (1.0 - smoothstep(sine / STRAIGHT - 1.0)) * passing
    forward = scaled(_unit(add(across, scaled(f, weight - 2.0 * along)), f), sine_new)
    return add(scaled(same, 1.0 - over), scaled(forward, over))


@kernel
def two_bone(hip: Any, knee: Any, ankle: Any, target: Any, bend: Any) -> Any:
    """Turns of the upper and the lower bone that bring the ankle to `target`, which is within reach of the hip.

    `limb.two_bone` without its soft limit and pole, on one leg: it is the slow version that tests this one.
    """
    thigh, shin, old, wanted = minus(knee, hip), minus(ankle, knee), minus(ankle, hip), minus(target, hip)
    a, b, d = norm(thigh), norm(shin), norm(old)
    t, s = scaled(thigh, 1.0 / a), scaled(shin, 1.0 / b)
    reach = max(min(norm(wanted), a + b), abs(a - b))
    half = 0.5 * norm(minus(t, s))  # sine of half the knee's angle
    half_new = math.sqrt(min(max(half * half - (reach * reach - d * d) / (4.0 * a * b), 0.0), 1.0))
    bent = (1.0, 0.0, 0.0, 0.0)
    if half_new != half:
        sine = 2.0 * half * math.sqrt(max(1.0 - half * half, 0.0))
        sine_new = 2.0 * half_new * math.sqrt(1.0 - half_new * half_new)
        across = minus(s, scaled(t, dot(t, s)))
        bentness = 1.0 if half > SQUARE else sine
        fold = _folded(t, across, bentness, sine_new, bend, norm(minus(target, ankle)) / (a + b))
        cosine = math.sqrt(max(1.0 - dot(fold, fold), 0.0))
        if half_new > SQUARE:
            cosine = -cosine
        bent = between(s, add(scaled(t, cosine), fold))
    middle = add(thigh, rotate(bent, shin))
    aim = wanted if norm(wanted) > 1e-9 else (old if d > 1e-9 else thigh)
    upper = between(middle, aim) if norm(middle) > 1e-9 else (1.0, 0.0, 0.0, 0.0)
    return upper, multiply(upper, bent)
