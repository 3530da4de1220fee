"""The pose of a live character of a parametric graph, in transitions too. Plain arrays, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.blend._kernels_registered import advance, pose, wrapped
from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import smoothstep
from motionloom.core._kernels_rotation import difference, mixed, turned_by
from motionloom.methods._kernels_inertialize import decay
from motionloom.methods.parametric_graph._kernels_body import EXAMPLES, rows_of

HALF_LIFE, RESPONSE, WINDOW, INERTIAL, CLOUD_ONLY, LINEAR, PLANNED, NEIGHBOURS = range(8)  # columns of `tuning`
OFFSET_HALF_LIFE = 0.1  # s of an inertialised transition


@kernel
def body_at(t: Any, state: Any, k: int, which: int, root: Any, rotations: Any, contacts: Any, space: Any) -> None:
    """The pose of the present (0) or the earlier (1) clip of character k."""
    rows = rows_of(t, state.node[k, which])
    place = state.place[k, which]
    w = state.weights[k, which, : t.dims[state.node[k, which], EXAMPLES]]
    pose(rows, w, wrapped(rows, place[0]), place[1:], root, rotations, contacts, space)
    root[1] += state.level[k, which]


@kernel
def show(t: Any, state: Any, k: int, tick: float, space: Any) -> None:
    """The pose of character k at its places, as its last tick."""
    root, rotations, contacts = state.root[k, 1], state.rotations[k, 1], state.contacts[k, 1]
    body_at(t, state, k, 0, root, rotations, contacts, space)
    for i in range(2):
        state.shown[k, 1, i], state.shown[k, 1, 2 + i] = state.node[k, i], state.place[k, i, 0]
    if state.tuning[k, INERTIAL] > 0:
        decay(state.offsets[k], OFFSET_HALF_LIFE, tick)
        for i in range(3):
            root[i] += state.offsets[k, 0, 0, i]
        for j in range(len(rotations)):
            turned_by(state.offsets[k, 1 + j, 0], rotations[j], rotations[j])
    elif state.mixing[k] >= 0.0:
        window = state.tuning[k, WINDOW]
        share = state.mixing[k] / window if window > 0 else 1.0
        share = min(share, 1.0) if state.tuning[k, LINEAR] > 0 else smoothstep(share)
        old_root, old, on = np.empty(3), np.empty(rotations.shape), np.empty(len(contacts), np.bool_)
        body_at(t, state, k, 1, old_root, old, on, space)
        for i in range(3):
            root[i] = (1.0 - share) * old_root[i] + share * root[i]
        for j in range(len(rotations)):
            mixed(old[j], rotations[j], share, rotations[j])
        if share < 0.5:
            contacts[:] = on


@kernel
def begin_offsets(t: Any, state: Any, k: int, tick: float, space: Any) -> None:
    """Offsets by which the pose continues from the earlier clip, with its velocity (D. Bollo 2018).

    Called in the tick of the jump: the earlier clip is at its place of this tick, the new one too.
    """
    joints, parts = state.rotations.shape[2], state.contacts.shape[2]
    old_root, new_root, then_root = np.empty(3), np.empty(3), np.empty(3)
    old, new, then = np.empty((joints, 4)), np.empty((joints, 4)), np.empty((joints, 4))
    on, v, w = np.empty(parts, np.bool_), np.empty(3), np.empty(3)
    body_at(t, state, k, 1, old_root, old, on, space)
    decay(state.offsets[k], OFFSET_HALF_LIFE, tick)
    for i in range(3):
        old_root[i] += state.offsets[k, 0, 0, i]
    for j in range(joints):
        turned_by(state.offsets[k, 1 + j, 0], old[j], old[j])
    body_at(t, state, k, 0, new_root, new, on, space)
    place = state.place[k, 0].copy()
    advance(rows_of(t, state.node[k, 0]), state.weights[k, 0], state.place[k, 0], tick, space[0])
    body_at(t, state, k, 0, then_root, then, on, space)
    state.place[k, 0] = place
    for i in range(3):
        state.offsets[k, 0, 0, i] = old_root[i] - new_root[i]
        before = (old_root[i] - state.root[k, 1, i]) / tick
        state.offsets[k, 0, 1, i] = before - (then_root[i] - new_root[i]) / tick
    for j in range(joints):
        difference(old[j], new[j], state.offsets[k, 1 + j, 0])
        difference(old[j], state.rotations[k, 1, j], v)
        difference(then[j], new[j], w)
        for i in range(3):
            state.offsets[k, 1 + j, 1, i] = (v[i] - w[i]) / tick
