"""The root of a live character moves over its standing feet as it did in the frames observed, frame by frame.

The causal form of `kinematics.feet.grounding.ground_root`. Plain arrays, no checks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.core._kernels_rotation import turned_left
from motionloom.kinematics._kernels_heading import face

GROUND_TIME = 0.04  # s: the time over which corrections along the ground are averaged
HEIGHT_TIME = 0.1  # s: and those of height
MIN_STANDING = 0.2  # where feet stand less of the time than this, the root keeps its own velocity more and more
SLIP_X, SLIP_Z, KNOWN, HEIGHT = range(4)  # columns of `ground`


@kernel
def without_own_heading(turns: Any, axes: Any) -> None:
    """Turn the hips back to heading 0, but not while the body turns over: as `local_frames.restore` does."""
    face(turns[0], axes, 0.0)


@kernel
def foot_places(tables: Any, turns: Any, height: float) -> Any:
    """(P, 3) m: foot parts, seen from the hips' place on the ground and heading."""
    joints = len(tables.parents)
    places, world = np.zeros((joints, 3)), np.empty((joints, 4))
    places[0, 1] = height
    world[0] = turns[0]
    for m in range(1, len(tables.chain)):
        j = tables.chain[m]
        p = tables.parents[j]
        places[j] = places[p]
        _add_rotated(world[p], tables.bones[j], places[j])
        _multiply(world[p], turns[j], world[j])
    out = np.empty((len(tables.parts), 3))
    for i in range(len(out)):
        out[i] = places[tables.parts[i]]
        _add_rotated(world[tables.parts[i]], tables.tips[i], out[i])
    return out


@kernel
def _add_rotated(q: Any, v: Any, out: Any) -> None:
    """out += q v q^-1."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    out[0] += v[0] + w * tx + y * tz - z * ty
    out[1] += v[1] + w * ty + z * tx - x * tz
    out[2] += v[2] + w * tz + x * ty - y * tx


@kernel
def _multiply(a: Any, b: Any, out: Any) -> None:
    """out = a b."""
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1]
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]


@kernel
def move(
    tables: Any, state: Any, k: int, was: int, shown: int, places: Any, rates: Any, turns: Any, tick: float
) -> None:
    """Move a character on by the rates of its last pose, and put down its new one.

    `was` and `shown` are rows of the observed frames of both. Where the same foot parts stand in both, the path is
    corrected by how much more they slip than they did there; in height, the lowest part comes as far above the floor as
    it was.
    """
    x, z, turn = tick * state.rates[k, 0], tick * state.rates[k, 1], tick * state.rates[k, 2]
    c, s = math.cos(turn), math.sin(turn)
    both, more_x, more_z = 0, 0.0, 0.0
    for p in range(len(places)):
        if tables.contacts[was, p] and tables.contacts[shown, p]:
            there_x, there_z = c * places[p, 0] + s * places[p, 2], c * places[p, 2] - s * places[p, 0]
            more_x += there_x + x - state.feet[k, p, 0] - tables.slip[was, p, 0]
            more_z += there_z + z - state.feet[k, p, 1] - tables.slip[was, p, 1]
            both += 1
    ground, keep = state.ground[k], math.exp(-tick / GROUND_TIME)
    known = 1.0 if both else 0.0
    ground[SLIP_X] = keep * ground[SLIP_X] + (1.0 - keep) * more_x / max(both, 1)
    ground[SLIP_Z] = keep * ground[SLIP_Z] + (1.0 - keep) * more_z / max(both, 1)
    ground[KNOWN] = keep * ground[KNOWN] + (1.0 - keep) * known
    x -= ground[SLIP_X] / max(ground[KNOWN], MIN_STANDING)
    z -= ground[SLIP_Z] / max(ground[KNOWN], MIN_STANDING)
    track = state.track[k]
    c, s = math.cos(track[2]), math.sin(track[2])
    track[0] += c * x + s * z
    track[1] += c * z - s * x
    track[2] = wrap_angle(track[2] + turn)
    lowest, stands = math.inf, False
    for p in range(len(places)):
        lowest = min(lowest, places[p, 1] - tables.heights[p])
        stands = stands or tables.contacts[shown, p]
        state.feet[k, p, 0], state.feet[k, p, 1] = places[p, 0], places[p, 2]
    if stands:
        wanted = lowest - tables.low[shown]
        keep = math.exp(-tick / HEIGHT_TIME) if tick > 0 else 0.0
        ground[HEIGHT] = keep * ground[HEIGHT] + (1.0 - keep) * wanted
    for p in range(len(places)):
        above = places[p, 1] - ground[HEIGHT] - tables.heights[p]
        state.contacts[k, 1, p] = tables.contacts[shown, p] and above < tables.near[0]
    for i in range(3):
        state.rates[k, i] = rates[i]
    state.root[k, 1, 0], state.root[k, 1, 1], state.root[k, 1, 2] = track[0], rates[3] - ground[HEIGHT], track[1]
    state.rotations[k, 1] = turns
    turned_left(track[2], state.rotations[k, 1, 0], state.rotations[k, 1, 0])
