"""Compiled interpolation of rotations: slerp without trigonometry for small turns, and a C1 curve through frames."""

from __future__ import annotations

import math
from typing import Any

from motionloom.core._jit import kernel
from motionloom.kinematics.feet._kernels_two_bone import exp, inverse, log, multiply, normalize

TERMS = 7  # of the series of slerp's weights
SMALL = 0.02  # largest 1 - cosine for which they leave less than 1e-13: turns of up to 0.4 rad


@kernel
def _series(t: float, less: float) -> float:
    """sin(t x) / sin(x) for cos(x) = 1 - less (D. Eberly, A Fast and Accurate Algorithm for Computing SLERP, 2011)."""
    square, out = t * t, 1.0
    for i in range(TERMS, 0, -1):
        out = 1.0 - (square / (i * (2.0 * i + 1.0)) - i / (2.0 * i + 1.0)) * less * out
    return t * out


@kernel
def slerp(a: Any, b: Any, t: float) -> Any:
    """From a to b along the shorter arc; the values of `rotation.slerp`."""
    d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    if d < 0.0:
        b, d = (-b[0], -b[1], -b[2], -b[3]), -d
    x, y, z, w = b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3]
    less = 0.5 * (x * x + y * y + z * z + w * w)  # 1 - cosine, exact for small turns
    if less < SMALL:
        wa, wb = _series(1.0 - t, less), _series(t, less)
    else:
        omega = 2.0 * math.atan2(math.sqrt(2.0 * less), math.sqrt(2.0 + 2.0 * d))
        sine = math.sin(omega)
        wa, wb = math.sin((1.0 - t) * omega) / sine, math.sin(t * omega) / sine
    return normalize((wa * a[0] + wb * b[0], wa * a[1] + wb * b[1], wa * a[2] + wb * b[2], wa * a[3] + wb * b[3]))


@kernel
def bezier(a: Any, c: Any, d: Any, b: Any, t: float) -> Any:
    """The Bezier curve of slerps with these control points (Shoemake 1985)."""
    ac, cd, db = slerp(a, c, t), slerp(c, d, t), slerp(d, b, t)
    return slerp(slerp(ac, cd, t), slerp(cd, db, t), t)


@kernel
def control_turns(q: Any, ahead: Any, behind: Any) -> None:
    """Control points (F, J, 4) after and before each frame, a third of the way along the central differences."""
    last = q.shape[0] - 1
    for j in range(q.shape[1]):
        before = (0.0, 0.0, 0.0)  # the step to this frame
        for f in range(last + 1):
            here, after = (q[f, j, 0], q[f, j, 1], q[f, j, 2], q[f, j, 3]), before
            if f < last:
                there = (q[f + 1, j, 0], q[f + 1, j, 1], q[f + 1, j, 2], q[f + 1, j, 3])
                after = log(multiply(inverse(here), there))
            if f == 0:
                before = after
            v = ((before[0] + after[0]) / 6.0, (before[1] + after[1]) / 6.0, (before[2] + after[2]) / 6.0)
            plus, minus = multiply(here, exp(v)), multiply(here, exp((-v[0], -v[1], -v[2])))
            for k in range(4):
                ahead[f, j, k], behind[f, j, k] = plus[k], minus[k]
            before = after


@kernel
def cubic_turns(q: Any, ahead: Any, behind: Any, first: Any, t: Any, out: Any) -> None:
    """Rotations `out` (N, J, 4) at frames first + t of q (F, J, 4), on the curve with these control points."""
    for n in range(len(first)):
        i = first[n]
        for j in range(q.shape[1]):
            a = (q[i, j, 0], q[i, j, 1], q[i, j, 2], q[i, j, 3])
            if t[n] != 0.0:
                b = (q[i + 1, j, 0], q[i + 1, j, 1], q[i + 1, j, 2], q[i + 1, j, 3])
                c = (ahead[i, j, 0], ahead[i, j, 1], ahead[i, j, 2], ahead[i, j, 3])
                d = (behind[i + 1, j, 0], behind[i + 1, j, 1], behind[i + 1, j, 2], behind[i + 1, j, 3])
                a = bezier(a, c, d, b, t[n])
            for k in range(4):
                out[n, j, k] = a[k]
