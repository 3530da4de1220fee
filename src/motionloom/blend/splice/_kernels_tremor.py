"""Compiled parts of tremor: the slow part of rotations, and one rotation at a time without its tremor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import smoothstep
from motionloom.kinematics._kernels_resample import slerp
from motionloom.kinematics.feet._kernels_two_bone import exp, inverse, log, multiply, norm, normalize, scaled

LIVE_LEAST = math.radians(3.0)  # from here to twice as far from its prediction, a turn becomes tremor
FOLLOW_RATE = 60.0  # 1/s: how fast the prediction follows turns
DURING_TREMOR = 0.25  # of that, while they tremble
HOLD_TIME = 0.05  # s in which tremor fades out
TRACK_SIZE = 8  # numbers that are kept of a turn: its prediction (4), rate (3), and tremor (below 0: nothing yet)


@kernel
def _row(turns: Any, i: int) -> Any:
    return (turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3])


@kernel
def slow_turns(turns: Any, taps: Any, out: Any) -> None:
    """The mean of rotations (F, 4) around each frame, with weights `taps` (2 R + 1,); both ends are point-reflected.

    Tested against a slow version. About 3 us for 100 frames and 13 taps.
    """
    last, reach = turns.shape[0] - 1, taps.shape[0] // 2
    longer = np.empty((last + 1 + 2 * reach, 4))
    for i in range(-reach, last + reach + 1):
        q = _row(turns, min(max(i, 0), last))
        if i < 0 or i > last:
            inner = -i if i < 0 else 2 * last - i
            q = multiply(q, multiply(inverse(_row(turns, min(max(inner, 0), last))), q))
        k = i + reach
        sign = 1.0
        if k:
            p = _row(longer, k - 1)
            sign = 1.0 if p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] >= 0 else -1.0
        longer[k, 0], longer[k, 1], longer[k, 2], longer[k, 3] = sign * q[0], sign * q[1], sign * q[2], sign * q[3]
    for f in range(last + 1):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for k in range(taps.shape[0]):
            t = taps[k]
            a, b = a + t * longer[f + k, 0], b + t * longer[f + k, 1]
            c, d = c + t * longer[f + k, 2], d + t * longer[f + k, 3]
        out[f, 0], out[f, 1], out[f, 2], out[f, 3] = normalize((a, b, c, d))


@kernel
def steadied_turn(turn: Any, track: Any, dt: float) -> Any:
    """A world rotation without tremor, from the rotations before it alone, as live characters need it.

    `track` (TRACK_SIZE,) is overwritten, unless dt = 0. A g-h filter predicts the rotation with a constant rate, which
    is exact but for accelerations, so that a turn far from its prediction trembles; the prediction then takes its
    place. Turns within `LIVE_LEAST` keep their bits.
    """
    if track[7] < 0.0:
        track[0], track[1], track[2], track[3] = turn
        track[4] = track[5] = track[6] = track[7] = 0.0
    elif dt > 0.0:
        less = math.exp(-FOLLOW_RATE * dt)
        predicted = multiply(
            exp((track[4] * dt, track[5] * dt, track[6] * dt)), (track[0], track[1], track[2], track[3])
        )
        off = log(multiply(turn, inverse(predicted)))
        far = smoothstep((norm(off) - LIVE_LEAST) / LIVE_LEAST)
        fading = track[7] * math.exp(-dt / HOLD_TIME)
        tremor = max(far, fading if fading > 1e-3 else 0.0)
        gain = 1.0 - tremor * (1.0 - DURING_TREMOR)
        slow = multiply(exp(scaled(off, gain * (1.0 - less * less))), predicted)
        track[0], track[1], track[2], track[3] = normalize(slow)
        rate = gain * (1.0 - less) ** 2 / dt
        for k in range(3):
            track[4 + k] += rate * off[k]
        track[7] = tremor
    if track[7] <= 0.0:
        return turn
    return slerp(turn, (track[0], track[1], track[2], track[3]), track[7])
