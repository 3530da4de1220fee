"""A point in the world as the parameters of a clip that is to meet it (HECK 6.2.2.3). Plain arrays, no checks.

`t` is a `ParametricGraphTables`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.blend._kernels_registered import advance, seconds_between
from motionloom.core._jit import kernel
from motionloom.methods._kernels_live import ACTION
from motionloom.methods.parametric_graph._kernels_body import rows_of
from motionloom.methods.parametric_graph._kernels_parameters import REACHED

ROUNDS = 3  # the clip that meets a point is laid a little differently than the one before it, so it is aimed again


@kernel
def aims(t: Any, m: int, given: Any, values: Any) -> bool:
    """Whether a point in the world is commanded, which the action m is to meet."""
    return t.aims[m] >= 0 and given[ACTION] == m and not math.isnan(values[-1] + values[-2] + values[-3])


@kernel
def begin_of_clip(t: Any, m: int, w: Any, place: Any, used: Any) -> Any:
    """x, z and heading of the first pose (u = 0) of a clip of node m with weights w that is at a place."""
    rows, at, first = rows_of(t, m), np.zeros(4), float(t.meta[m, 0])
    at[0] = min(place[0], first)
    advance(rows, w, at, seconds_between(rows, w, at[0], max(place[0], first)), used)
    turn = place[3] - at[3] if place[0] > first else place[3]
    c, s = math.cos(turn), math.sin(turn)
    x, z = c * at[1] + s * at[2], c * at[2] - s * at[1]
    if place[0] > first:
        return place[1] - x, place[2] - z, turn
    return place[1] + x, place[2] + z, turn + at[3]


@kernel
def aim(t: Any, state: Any, k: int, m: int, values: Any, low: Any, high: Any, out: Any, used: Any) -> bool:
    """Parameters out (1, D) for the point in the world values[-3:], within the box; whether it was out of it."""
    x, z, heading = begin_of_clip(t, m, state.weights[k, 0], state.place[k, 0], used)
    c, s = math.cos(heading), math.sin(heading)
    ahead, first, clamped = values[-1] - z, t.aims[m], False
    side = values[-3] - x
    for i in range(3):
        d = first + i
        local = c * side - s * ahead if i == 0 else values[-2] - state.level[k, 0] if i == 1 else s * side + c * ahead
        wanted = (local - t.scale[m, 0, d]) / t.scale[m, 1, d]
        state.wanted[k, d] = wanted
        out[0, d] = min(max(wanted, low[d]), high[d])
        clamped = clamped or abs(out[0, d] - wanted) > REACHED
    return clamped
