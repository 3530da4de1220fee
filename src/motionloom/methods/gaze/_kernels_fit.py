"""Compiled residuals of a gaze motion against the landmarks of a take."""

from __future__ import annotations

from typing import Any

from motionloom.core._jit import kernel
from motionloom.kinematics.feet._kernels_two_bone import exp, multiply, scaled
from motionloom.methods.gaze._kernels_aim import quaternion, vector
from motionloom.methods.gaze._kernels_shifts import _share


@kernel
def landmark_residuals(clock: Any, times: Any, vectors: Any, taken: Any, unit: Any, out: Any) -> None:
    """`out` (F, 4, 3): small rotation vectors from the model's landmarks to those of the take, times `unit` (4,).

    `times` (7,) are four starts, peak and end in the seconds of `clock` (F,), and the overshoot; `vectors` (4, 3) the
    displacements of the joints; `taken` (F, 4, 4) the inverse displacements of the landmarks. About 30 us for 200
    frames; the slow version is in `tests/methods/gaze/gaze_oracle.py`.
    """
    first = min(times[0], times[1], times[2], times[3])
    length = times[5] - first
    peak = (times[4] - first) / length
    for f in range(len(clock)):
        now = (clock[f] - first) / length
        world = (1.0, 0.0, 0.0, 0.0)
        for j in range(4):
            share = _share(now, (times[j] - first) / length, peak, times[6])
            world = multiply(world, exp(scaled(vector(vectors[j]), share)))
            off = multiply(quaternion(taken[f, j]), world)
            sign = 2.0 * unit[j] if off[0] >= 0 else -2.0 * unit[j]
            for k in range(3):
                out[f, j, k] = sign * off[1 + k]
