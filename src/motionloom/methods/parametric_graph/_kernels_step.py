"""Live characters of a parametric graph: a step of many of them. Plain arrays, no checks.

Rows of `state` are written in place (a copy, see `step` in `live.py`); `t` is a `ParametricGraphTables`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.blend._kernels_registered import advance, phase_between, seconds_between
from motionloom.core._jit import kernel
from motionloom.methods._kernels_live import EARLY, command_row, keep_tick, show_between
from motionloom.methods.parametric_graph._kernels_aim import ROUNDS, aim, aims
from motionloom.methods.parametric_graph._kernels_alignment import laid
from motionloom.methods.parametric_graph._kernels_body import (
    EXAMPLES,
    SIZE,
    cloud,
    earlier,
    empty_cloud,
    lookup,
    position_of,
    retreat,
    rows_of,
    scratch_of,
)
from motionloom.methods.parametric_graph._kernels_control import TURN, commanded, leaves_from, plans_turns, wanted_edge
from motionloom.methods.parametric_graph._kernels_parameters import (
    choose_values,
    course_of,
    follow_parameters,
    followed,
    neighbours_of,
    solve,
    turn_used,
)
from motionloom.methods.parametric_graph._kernels_plan import PLANNING, planned
from motionloom.methods.parametric_graph._kernels_show import (
    CLOUD_ONLY,
    HALF_LIFE,
    INERTIAL,
    PLANNED,
    WINDOW,
    begin_offsets,
    show,
)

NEARER = 4  # times that a clip which is above T_bad goes half of the way to the middle of its box
LATE = 0.5  # ticks: how long after its time a transition can still begin


@kernel
def rise_of(t: Any, n: int, w: Any) -> float:
    """m by which the ground rises over a clip."""
    out = 0.0
    for i in range(t.dims[n, EXAMPLES]):
        out += w[i] * t.rises[n, i]
    return out


@kernel
def half_window(state: Any, k: int) -> float:
    """s from the beginning of a transition to its point."""
    return 0.0 if state.tuning[k, INERTIAL] > 0 else 0.5 * state.tuning[k, WINDOW]


@kernel
def seconds_to(t: Any, state: Any, k: int, leave: float) -> float:
    """s until the beginning of a transition of character k at u = leave; negative if it is past."""
    n, at = state.node[k, 0], state.place[k, 0, 0]
    rows, w = rows_of(t, n), state.weights[k, 0]
    to = t.meta[n, 0] + leave * t.meta[n, 1]
    left = seconds_between(rows, w, at, to) if to >= at else -seconds_between(rows, w, to, at)
    return left - half_window(state, k)


@kernel
def due_edge(t: Any, state: Any, k: int, given: Any, tick: float, low: Any, high: Any) -> Any:
    """Whether a transition begins in this tick; the edge to take, where it enters, and in how many seconds it begins.

    The box of the edge is left in low and high. It is -1 if the clip goes on into itself.
    """
    n = state.node[k, 0]
    meta = t.meta[n]
    count = neighbours_of(t, state, k, n)
    edge = wanted_edge(t, n, given, state.place[k, 0], state.used[k], state.seed[k], state.draws[k])
    cyclic = meta[2] == 1
    tracked = state.tuning[k, HALF_LIFE] > 0 and t.steer[n, TURN] >= 0 and commanded(given)
    if cyclic and tracked and t.edge_target[edge] == n:
        return False, -1, 0.0, 0.0  # the cycle continues by itself, and its parameters are followed
    leave, enter = lookup(t, edge, state.used[k], count, low, high)
    wait = seconds_to(t, state, k, leave)
    if wait >= -LATE * tick or cyclic:  # of a cycle, it may be too late: the next time round
        return -LATE * tick <= wait <= tick + EARLY, edge, enter, wait
    soonest, found = np.inf, edge
    for e in range(t.first_out[n], t.first_out[n + 1]):  # too late for this one: the next of the others
        if not leaves_from(t, e, state.used[k]):
            continue
        leave, enter = lookup(t, e, state.used[k], count, low, high)
        wait = seconds_to(t, state, k, leave)
        if wait >= -LATE * tick and wait < soonest:
            soonest, found = wait, e
    leave, enter = lookup(t, found, state.used[k], count, low, high)
    wait = seconds_to(t, state, k, leave)
    return wait <= tick + EARLY, found, enter, wait


@kernel
def follow_until_due(t: Any, state: Any, k: int, edge: int, given: Any, values: Any, tick: float, box: Any) -> None:
    """Follow parameters as far as the transition over `edge` does not become overdue: its point depends on them.

    Both clips are compared and aligned at that point, so they would lie far apart at a later one.
    """
    if edge < 0 or t.meta[state.node[k, 0], 2] == 1:  # of a cycle, the point comes again
        follow_parameters(t, state, k, given, values, tick, box[2])
        return
    w, used, place = state.weights[k, 0].copy(), state.used[k].copy(), state.place[k, 0].copy()
    follow_parameters(t, state, k, given, values, tick, box[2])
    leave, _ = lookup(t, edge, state.used[k], neighbours_of(t, state, k, state.node[k, 0]), box[0], box[1])
    if seconds_to(t, state, k, leave) < (1.0 - LATE) * tick:
        state.weights[k, 0], state.used[k], state.place[k, 0], state.held[k] = w, used, place, 0.0


@kernel
def plan_ahead(t: Any, state: Any, k: int, edge: int, wait: float, given: Any, tick: float, used: Any) -> None:
    """Work on the plan for the clip after this one, whose transition begins in `wait` seconds, from where it will be.

    Where parameters are followed, plans are made all the time.
    """
    if edge < 0 or state.tuning[k, PLANNED] == 0 or not 0.0 < wait <= PLANNING + tick or followed(t, state, k, given):
        return
    n, m = state.node[k, 0], t.edge_target[edge]
    if t.steer[m, TURN] < 0:
        return
    place = state.place[k, 0].copy()
    advance(rows_of(t, n), state.weights[k, 0], place, wait + half_window(state, k), used)
    course = course_of(t, n, state.weights[k, 0], place)
    if plans_turns(t, m, given, place, course):
        planned(t, state, k, m, given, place, course, turn_used(t, state, k, m), tick, False)


@kernel
def transition(
    t: Any, state: Any, k: int, edge: int, enter: float, early: float, given: Any, values: Any, tick: float, box: Any,
    room: Any,
) -> None:  # fmt: skip
    """Begin the transition over an edge: the next clip, its parameters, and where it is laid (HECK 6.1.2).

    It begins `early` seconds from now (before now, if negative), and its point is half a window later. Both clips are
    compared and aligned at that point, as they were when the edge was tested. Random pairs cannot show that none of a
    box is above T_bad: such a clip goes nearer to the middle of the box.
    """
    low, high, asked = box
    space = room[2]
    n, m = state.node[k, 0], t.edge_target[edge]
    until = early + half_window(state, k)
    w = state.weights[k, 0].copy()
    middle = state.place[k, 0].copy()
    if until >= 0.0:
        advance(rows_of(t, n), w, middle, until, space[0])
    else:
        retreat(rows_of(t, n), w, middle, -until, space[0])
    course = course_of(t, n, w, middle)
    clamped = choose_values(t, state, k, m, given, values, middle, course, low, high, 1.0, tick, asked)
    state.draws[k] += 1 + t.low.shape[1]
    state.weights[k, 1], state.place[k, 1], state.level[k, 1] = w, state.place[k, 0], state.level[k, 0]
    state.node[k, 1] = n
    off = solve(t, m, asked, state.weights[k, 0], state.used[k])
    state.level[k, 0] += rise_of(t, n, w)
    state.node[k, 0] = m
    lay(t, state, k, edge, w, middle, enter, until, room)
    for _ in range(ROUNDS if aims(t, m, given, values) else 0):
        clamped = aim(t, state, k, m, values, low, high, asked, space[0])
        off = solve(t, m, asked, state.weights[k, 0], state.used[k])
        lay(t, state, k, edge, w, middle, enter, until, room)
    for _ in range(NEARER):
        if state.gap[k] <= t.edge_limit[edge]:
            break
        clamped = True
        for d in range(t.dims[m, SIZE]):
            asked[0, d] = 0.5 * (asked[0, d] + 0.5 * (low[d] + high[d]))
        off = solve(t, m, asked, state.weights[k, 0], state.used[k])
        lay(t, state, k, edge, w, middle, enter, until, room)
    state.clamped[k] = clamped or off
    state.asked[k], state.goal[k], state.goal_used[k] = asked[0], state.weights[k, 0], state.used[k]
    state.clips[k] += 1
    state.mixing[k] = 0.0


@kernel
def lay(
    t: Any, state: Any, k: int, edge: int, w: Any, middle: Any, enter: float, until: float, room: Any
) -> None:  # fmt: skip
    """Lay the present clip of character k on the ground, by the pose of its earlier clip in which both meet.

    That clip is at `middle` there, with weights w; the present one is at u = `enter` there, `until` seconds from now.
    """
    a, b, space = room
    m, n, into = state.node[k, 0], state.node[k, 1], state.weights[k, 0]
    start = np.zeros(4)  # where the target is now
    start[0] = position_of(t, m, enter)
    if until >= 0.0:
        start[0] = earlier(t, m, into, start[0], until, space[0])
    centre = start.copy()
    advance(rows_of(t, m), into, centre if until >= 0.0 else start, abs(until), space[0])
    cloud(t, n, w, middle, t.radius[n], -rise_of(t, n, w), a[0], a[1], a[2])
    cloud(t, m, into, centre, t.radius[m], 0.0, b[0], b[1], b[2])
    gap, turn, x, z = laid(a, b, t.cloud, 0.0 if state.tuning[k, CLOUD_ONLY] > 0 else t.edge_limit[edge])
    c, s = math.cos(turn), math.sin(turn)
    state.place[k, 0, 0] = start[0]
    state.place[k, 0, 1] = c * start[1] + s * start[2] + x
    state.place[k, 0, 2] = c * start[2] - s * start[1] + z
    state.place[k, 0, 3] = start[3] + turn
    state.gap[k] = gap


@kernel
def room_of(t: Any) -> Any:
    """Scratch arrays of a transition."""
    return empty_cloud(t), empty_cloud(t), scratch_of(t)


@kernel
def one_tick(t: Any, state: Any, k: int, given: Any, values: Any, tick: float, box: Any, room: Any) -> None:
    """Character k by one tick."""
    space = room[2]
    jumped = False
    if state.mixing[k] < 0.0:
        due, edge, enter, wait = due_edge(t, state, k, given, tick, box[0], box[1])
        if due:
            transition(t, state, k, edge, enter, wait, given, values, tick, box, room)
            jumped = state.tuning[k, INERTIAL] > 0
        else:
            follow_until_due(t, state, k, edge, given, values, tick, box)
            plan_ahead(t, state, k, edge, wait, given, tick, space[0])
    for clip in range(2 if state.mixing[k] >= 0.0 else 1):
        rows = rows_of(t, state.node[k, clip])
        advance(rows, state.weights[k, clip], state.place[k, clip], tick, space[0])
    if state.mixing[k] >= 0.0:
        state.mixing[k] += tick
    if jumped:
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


@kernel(counted=False)
def step(t: Any, commands: Any, state: Any, tick: float, dt: float, out: Any) -> None:
    """`step_all`, which is called from here since its many arrays are then not counted (see `kernel`)."""
    step_all(t, commands, state, tick, dt, out)


@kernel
def step_all(t: Any, commands: Any, state: Any, tick: float, dt: float, out: Any) -> None:
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
            state.commanded[k] = given
            one_tick(t, state, k, given, values, tick, box, room)
        show_between(state, k, state.time[k] / tick, root, rotations, contacts)
        share = state.time[k] / tick
        a, b = 0, 1
        if state.shown[k, 0, 0] != state.shown[k, 1, 0]:  # in a transition, the nearer tick counts
            a = b = int(np.round(share))
        meta = t.meta[np.int64(state.shown[k, a, 0])]
        phase[k] = phase_between(meta, state.shown[k, a, 2], state.shown[k, b, 2], share)
