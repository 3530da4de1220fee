"""Compiled rotations of single quaternions (w x y z), for kernels that step characters: plain arrays, no checks."""

from __future__ import annotations

import math
from typing import Any

from motionloom.core._jit import kernel


@kernel
def turned_left(angle: float, q: Any, out: Any) -> None:
    """out = yaw(angle) q: a rotation turned left about the vertical; `out` may be `q`."""
    c, s = math.cos(angle / 2), math.sin(angle / 2)
    w, x, y, z = q[0], q[1], q[2], q[3]
    out[0], out[1], out[2], out[3] = c * w - s * y, c * x + s * z, c * y + s * w, c * z - s * x


@kernel
def difference(a: Any, b: Any, out: Any) -> None:
    """out = log(a b^-1): the rotation vector (rad, along the shorter arc) that turns b into a."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = -a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = -a[0] * b[2] + a[1] * b[3] + a[2] * b[0] - a[3] * b[1]
    z = -a[0] * b[3] - a[1] * b[2] + a[2] * b[1] + a[3] * b[0]
    if w < 0:
        w, x, y, z = -w, -x, -y, -z
    size = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 if size < 1e-9 else 2.0 * math.atan2(size, w) / size
    out[0], out[1], out[2] = scale * x, scale * y, scale * z


@kernel
def turned_by(v: Any, q: Any, out: Any) -> None:
    """out = exp(v) q, of length 1: q turned by the rotation vector v; `out` may be `q`."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    s = 0.5 - angle * angle / 48.0 if angle < 1e-4 else math.sin(angle / 2) / angle
    a, b, c, d = math.cos(angle / 2), s * v[0], s * v[1], s * v[2]
    w, x, y, z = q[0], q[1], q[2], q[3]
    ow = a * w - b * x - c * y - d * z
    ox = a * x + b * w + c * z - d * y
    oy = a * y - b * z + c * w + d * x
    oz = a * z + b * y - c * x + d * w
    size = 1.0 / math.sqrt(ow * ow + ox * ox + oy * oy + oz * oz)
    out[0], out[1], out[2], out[3] = size * ow, size * ox, size * oy, size * oz


@kernel
def mixed(a: Any, b: Any, share: float, out: Any) -> None:
    """out = (1 - share) a + share b, along the shorter arc and normalised: for consecutive frames."""
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    u, v = 1.0 - share, share if dot >= 0 else -share
    w, x, y, z = (u * a[0] + v * b[0], u * a[1] + v * b[1], u * a[2] + v * b[2], u * a[3] + v * b[3])
    size = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    out[0], out[1], out[2], out[3] = size * w, size * x, size * y, size * z
