"""Live characters of a parametric space: a step of many of them. Plain arrays, no checks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.blend._kernels_registered import advance, phase_between, pose, workspace, wrapped
from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.methods._kernels_live import EARLY, keep_tick, show_between
from motionloom.methods.space._kernels_weights import approach, corrected_weights

HALF_LIFE, RESPONSE = 0, 1  # columns of `tuning`
COURSE_HALF_LIFE = 0.3  # s: the sway of the hips is taken out of the course


@kernel
def show(rows: Any, state: Any, k: int, space: Any) -> None:
    """The pose of character k at its position, as its last tick."""
    pose(
        rows, state.weights[k], wrapped(rows, state.place[k, 0]), state.place[k, 1:], state.root[k, 1],
        state.rotations[k, 1], state.contacts[k, 1], space,
    )  # fmt: skip
    state.shown[k, 1] = state.place[k, 0]


@kernel
def show_first(rows: Any, state: Any) -> None:
    """The first pose of all characters, at both of their ticks."""
    space = workspace(rows[0].shape[1], rows[0].shape[3])
    for k in range(len(state.time)):
        show(rows, state, k, space)
        keep_tick(state, k)


@kernel
def choose(known: Any, steering: Any, given: Any, heading: float, state: Any, k: int, wanted: Any) -> None:
    """The weights that character k goes to: those of the commanded values, or of the turn towards the heading.

    known is `Space.corrected_map`; steering (4,): the column of the turn or -1, its range, its middle, and 1 for
    a rate or the seconds of a cycle for a whole turn.
    """
    values, moments, curve, spread, section, at, by = known
    size = values.shape[1]
    wanted[0] = state.wanted[k]
    for d in range(size):
        if d < len(given) and not math.isnan(given[d]):
            wanted[0, d] = given[d]
    column = int(steering[0])
    if column >= 0 and not math.isnan(heading):
        off = wrap_angle(heading - state.course[k])
        rate = min(max(off / state.tuning[k, RESPONSE], -8.0), 8.0)
        wanted[0, column] = (rate * steering[3] - steering[2]) / steering[1]
    same = True
    for d in range(size):
        same = same and wanted[0, d] == state.wanted[k, d]
    if same:
        return
    state.wanted[k] = wanted[0]
    corrected_weights(
        values, moments, curve, spread, section, at, by, wanted, state.goal[k : k + 1], state.used[k : k + 1]
    )


@kernel
def step(
    rows: Any, known: Any, scale: Any, steering: Any, commands: Any, state: Any, tick: float, dt: float, out: Any
) -> None:
    """All characters by `dt`, each by as many ticks as fall into it; then the poses between their last two ticks.

    scale (2, D): middle and range of the parameters; out is (root, rotations, contacts, phase).
    """
    root, rotations, contacts, phase = out
    space = workspace(rows[0].shape[1], rows[0].shape[3])
    size = known[0].shape[1]
    wanted, given = np.empty((1, size)), np.empty(size)
    for k in range(len(state.time)):
        row = k if len(commands.values) > 1 else 0
        for d in range(size):
            x = commands.values[row, d] if d < commands.values.shape[1] else math.nan
            given[d] = (x - scale[0, d]) / scale[1, d]
        heading = commands.heading[k if len(commands.heading) > 1 else 0]
        state.time[k] += dt
        while state.time[k] >= tick - EARLY:
            state.time[k] = max(0.0, state.time[k] - tick)
            choose(known, steering, given, heading, state, k, wanted)
            share = 1.0 - 0.5 ** (tick / state.tuning[k, HALF_LIFE])
            approach(state.weights[k], state.goal[k], state.weights.shape[1], share)
            advance(rows, state.weights[k], state.place[k], tick, space[0])
            off = wrap_angle(state.place[k, 3] - state.course[k])
            state.course[k] += (1.0 - 0.5 ** (tick / COURSE_HALF_LIFE)) * off
            keep_tick(state, k)
            show(rows, state, k, space)
        show_between(state, k, state.time[k] / tick, root, rotations, contacts)
        phase[k] = phase_between(rows[6], state.shown[k, 0], state.shown[k, 1], state.time[k] / tick)
