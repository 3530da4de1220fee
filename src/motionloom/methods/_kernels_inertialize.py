"""Offsets that keep a body continuous where it jumps to another frame, and that decay afterwards (Bollo 2018).

`db` is any named tuple with the arrays of `methods.tracks.TrackFrames` and, where a docstring names them, more. Plain
arrays, no checks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_rotation import difference, turned_by, turned_left


@kernel
def jump_hips(db: Any, source: int, target: int, offsets: Any) -> None:
    """Add to offsets (2, 3), value and velocity, what keeps the hips continuous at a jump (Bollo 2018)."""
    for i in range(3):
        offsets[0, i] += db.hips[source, i] - db.hips[target, i]
        offsets[1, i] += db.hips_velocity[source, i] - db.hips_velocity[target, i]


@kernel
def jump_joint(db: Any, source: int, target: int, j: int, tick: float, offsets: Any) -> None:
    """The offsets (2, 3), rotation vector and angular velocity, that keep a joint continuous at a jump.

    They include what remains of earlier jumps.
    """
    here, room, rate, other = np.empty(4), np.empty(4), np.empty(3), np.empty(3)
    _rate(db, source, j, tick, rate, room)
    _rate(db, target, j, tick, other, room)
    turned_by(offsets[0], db.rotations[source, j], here)
    difference(here, db.rotations[target, j], offsets[0])
    for i in range(3):
        offsets[1, i] += rate[i] - other[i]


@kernel
def _rate(db: Any, frame: int, j: int, tick: float, out: Any, room: Any) -> None:
    """rad/s: angular velocity of a joint from a frame to the next; at the end of a clip, from the previous one.

    `db` also has `last` (F,), the last frame of the clip.
    """
    frame = min(frame, db.last[frame] - 1)
    room[:] = db.rotations[frame + 1, j]
    if j == 0:
        turned_left(db.step[frame, 2], room, room)
    difference(room, db.rotations[frame, j], out)
    for i in range(3):
        out[i] /= tick


@kernel
def decay(offsets: Any, half_life: float, tick: float) -> None:
    """Offsets (R, 2, 3) decay by a tick, each as a critically damped spring."""
    y = 2.0 * math.log(2.0) / half_life
    fade = math.exp(-y * tick)
    for r in range(len(offsets)):
        for i in range(3):
            j1 = offsets[r, 1, i] + offsets[r, 0, i] * y
            offsets[r, 0, i] = fade * (offsets[r, 0, i] + j1 * tick)
            offsets[r, 1, i] = fade * (offsets[r, 1, i] - j1 * y * tick)
