"""Live characters of a parametric graph: a step of many of them. Plain arrays, no checks.

Rows of `state` are written in place (a copy, see `step` in `live.py`); `t` is a `ParametricGraphTables`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.blend._kernels_registered import advance, phase_between, seconds_between
from motionloom.core._jit import kernel
from motionloom.methods._kernels_live import EARLY, FACING, PLACE_X, command_row, keep_tick, show_between
from motionloom.methods.parametric_graph._kernels_aim import ROUNDS, aim, aims
from motionloom.methods.parametric_graph._kernels_body import (
    EXAMPLES,
    FRAMES,
    cloud,
    cloud_distance,
    earlier,
    feet_alignment,
    lookup,
    position_of,
    rows_of,
    scratch_of,
)
from motionloom.methods.parametric_graph._kernels_control import TURN, commanded, wanted_edge
from motionloom.methods.parametric_graph._kernels_parameters import (
    choose_values,
    course_of,
    follow_parameters,
    neighbours_of,
    solve,
)
from motionloom.methods.parametric_graph._kernels_show import (
    CLOUD_ONLY,
    HALF_LIFE,
    INERTIAL,
    WINDOW,
    begin_offsets,
    show,
)

LATE = 0.5  # ticks: how long after its time a transition can still begin


@kernel
def rise_of(t: Any, n: int, w: Any) -> float:
    """m by which the ground rises over a clip."""
    out = 0.0
    for i in range(t.dims[n, EXAMPLES]):
        out += w[i] * t.rises[n, i]
    return out


@kernel
def seconds_to(t: Any, state: Any, k: int, leave: float) -> float:
    """s until the beginning of a transition of character k at u = leave; negative if it is past."""
    n, at = state.node[k, 0], state.place[k, 0, 0]
    rows, w = rows_of(t, n), state.weights[k, 0]
    to = t.meta[n, 0] + leave * t.meta[n, 1]
    half = 0.0 if state.tuning[k, INERTIAL] > 0 else 0.5 * state.tuning[k, WINDOW]
    left = seconds_between(rows, w, at, to) if to >= at else -seconds_between(rows, w, to, at)
    return left - half


@kernel
def due_edge(t: Any, state: Any, k: int, given: Any, tick: float, low: Any, high: Any) -> Any:
    """The edge whose transition begins in this tick, or -1; where it enters, and in how many seconds it begins.

    Its box is left in low and high.
    """
    n = state.node[k, 0]
    meta = t.meta[n]
    count = neighbours_of(t, state, k, n)
    edge = wanted_edge(t, n, given, state.place[k, 0], state.used[k], state.seed[k], state.draws[k])
    cyclic = meta[2] == 1
    tracked = state.tuning[k, HALF_LIFE] > 0 and t.steer[n, TURN] >= 0 and commanded(given)
    if cyclic and tracked and t.edge_target[edge] == n:
        return -1, 0.0, 0.0  # the cycle continues by itself, and its parameters are followed
    leave, enter = lookup(t, edge, state.used[k], count, low, high)
    wait = seconds_to(t, state, k, leave)
    if wait > tick + EARLY:
        return -1, enter, 0.0
    if wait >= -LATE * tick:
        return edge, enter, wait
    if cyclic:
        return -1, enter, 0.0  # too late: the next time round
    soonest, found = np.inf, -1
    for e in range(t.first_out[n], t.first_out[n + 1]):  # too late for this one: the next of the others
        leave, enter = lookup(t, e, state.used[k], count, low, high)
        wait = seconds_to(t, state, k, leave)
        if wait >= -LATE * tick and wait < soonest:
            soonest, found = wait, e
    if found >= 0 and soonest > tick + EARLY:
        return -1, 0.0, 0.0
    edge = found if found >= 0 else edge
    leave, enter = lookup(t, edge, state.used[k], count, low, high)
    return edge, enter, soonest if found >= 0 else 0.0


@kernel
def transition(
    t: Any, state: Any, k: int, edge: int, enter: float, early: float, given: Any, values: Any, box: Any, room: Any
) -> None:
    """Begin the transition over an edge: the next clip, its parameters, and where it is laid (HECK 6.1.2).

    Its point is `early` seconds and half a window from now.
    """
    low, high, asked = box
    space = room[6]
    n, m = state.node[k, 0], t.edge_target[edge]
    half = 0.0 if state.tuning[k, INERTIAL] > 0 else 0.5 * state.tuning[k, WINDOW] + early
    half = max(half, 0.0)
    w = state.weights[k, 0].copy()
    middle = state.place[k, 0].copy()
    advance(rows_of(t, n), w, middle, half, space[0])
    course = course_of(t, n, w, middle)
    clamped = choose_values(t, state, k, m, given, values, middle, course, low, high, 1.0, asked)
    state.draws[k] += 1 + t.low.shape[1]
    state.weights[k, 1], state.place[k, 1], state.level[k, 1] = w, state.place[k, 0], state.level[k, 0]
    state.node[k, 1] = n
    off = solve(t, m, asked, state.weights[k, 0], state.used[k])
    state.level[k, 0] += rise_of(t, n, w)
    state.node[k, 0] = m
    lay(t, state, k, w, middle, enter, half, room)
    for _ in range(ROUNDS if aims(t, m, given, values) else 0):
        clamped = aim(t, state, k, m, values, low, high, asked, space[0])
        off = solve(t, m, asked, state.weights[k, 0], state.used[k])
        lay(t, state, k, w, middle, enter, half, room)
    state.clamped[k] = clamped or off
    state.asked[k], state.goal[k], state.goal_used[k] = asked[0], state.weights[k, 0], state.used[k]
    state.clips[k] += 1
    state.mixing[k] = 0.0


@kernel
def lay(t: Any, state: Any, k: int, w: Any, middle: Any, enter: float, half: float, room: Any) -> None:
    """Lay the present clip of character k on the ground, by the pose of its earlier clip in which both meet.

    That clip is at `middle` there, with weights w; the present one is at u = `enter`, and begins half a window before.
    """
    a, b, feet_a, feet_b, on_a, on_b, space = room
    m, n, into = state.node[k, 0], state.node[k, 1], state.weights[k, 0]
    start = np.zeros(4)
    start[0] = earlier(t, m, into, position_of(t, m, enter), half, space[0])
    centre = start.copy()
    advance(rows_of(t, m), into, centre, half, space[0])
    cloud(t, n, w, middle, t.radius[n], -rise_of(t, n, w), a, feet_a, on_a)
    cloud(t, m, into, centre, t.radius[m], 0.0, b, feet_b, on_b)
    gap, turn, x, z = cloud_distance(a, b, t.cloud)
    if state.tuning[k, CLOUD_ONLY] == 0:
        x, z = feet_alignment(turn, feet_a, feet_b, on_a, on_b, x, z)
    c, s = math.cos(turn), math.sin(turn)
    state.place[k, 0, 0] = start[0]
    state.place[k, 0, 1] = c * start[1] + s * start[2] + x
    state.place[k, 0, 2] = c * start[2] - s * start[1] + z
    state.place[k, 0, 3] = start[3] + turn
    state.gap[k] = gap


@kernel
def room_of(t: Any) -> Any:
    """Scratch arrays of a transition."""
    joints, parts = len(t.parents), len(t.parts)
    return (
        np.empty((FRAMES * joints, 3)),
        np.empty((FRAMES * joints, 3)),
        np.empty((parts, 3)),
        np.empty((parts, 3)),
        np.empty(parts, np.bool_),
        np.empty(parts, np.bool_),
        scratch_of(t),
    )


@kernel
def one_tick(t: Any, state: Any, k: int, given: Any, values: Any, tick: float, box: Any, room: Any) -> None:
    """Character k by one tick."""
    space = room[6]
    jumped = False
    inertial = state.tuning[k, INERTIAL] > 0
    if state.mixing[k] < 0.0:
        edge, enter, early = due_edge(t, state, k, given, tick, box[0], box[1])
        if edge >= 0:
            if inertial:  # the earlier clip is shown up to this tick
                n = state.node[k, 0]
                advance(rows_of(t, n), state.weights[k, 0], state.place[k, 0], tick, space[0])
            transition(t, state, k, edge, enter, early, given, values, box, room)
            jumped = inertial
    if not jumped:
        if state.mixing[k] < 0.0:
            follow_parameters(t, state, k, given, values, tick, box[2])
        n = state.node[k, 0]
        advance(rows_of(t, n), state.weights[k, 0], state.place[k, 0], tick, space[0])
        if state.mixing[k] >= 0.0:
            old = state.node[k, 1]
            advance(rows_of(t, old), state.weights[k, 1], state.place[k, 1], tick, space[0])
            state.mixing[k] += tick
    else:
        begin_offsets(t, state, k, tick, space)
    if state.mixing[k] >= state.tuning[k, WINDOW] or jumped:
        state.mixing[k] = -1.0
        state.node[k, 1] = -1
    keep_tick(state, k)
    show(t, state, k, 0.0 if jumped else tick, space)


@kernel
def show_first(t: Any, state: Any) -> None:
    """The first pose of all characters, at both of their ticks."""
    space = scratch_of(t)
    for k in range(len(state.time)):
        show(t, state, k, 0.0, space)
        keep_tick(state, k)


@kernel
def step(t: Any, commands: Any, state: Any, tick: float, dt: float, out: Any) -> None:
    """All characters by `dt`, each by as many ticks as fall into it; then the poses between their last two ticks."""
    root, rotations, contacts, phase = out
    size = t.low.shape[1]
    box = np.empty(size), np.empty(size), np.empty((1, size))
    room = room_of(t)
    given, values, count = np.empty(6), np.empty(size + 3), commands.values.shape[1]
    for k in range(len(state.time)):
        command_row(commands, k, given)
        values[:] = np.nan
        values[:count] = commands.values[k if len(commands.values) > 1 else 0]
        values[size:] = commands.target[k if len(commands.target) > 1 else 0]
        state.time[k] += dt
        while state.time[k] >= tick - EARLY:
            state.time[k] = max(0.0, state.time[k] - tick)
            for i in range(PLACE_X, FACING + 1):
                if given[i] != state.commanded[k, i] and not (
                    math.isnan(given[i]) and math.isnan(state.commanded[k, i])
                ):
                    state.plan[k, 1] = 0.0  # for another goal
            state.commanded[k] = given
            one_tick(t, state, k, given, values, tick, box, room)
        show_between(state, k, state.time[k] / tick, root, rotations, contacts)
        share = state.time[k] / tick
        a, b = 0, 1
        if state.shown[k, 0, 0] != state.shown[k, 1, 0]:  # in a transition, the nearer tick counts
            a = b = int(np.round(share))
        meta = t.meta[np.int64(state.shown[k, a, 0])]
        phase[k] = phase_between(meta, state.shown[k, a, 2], state.shown[k, b, 2], share)
