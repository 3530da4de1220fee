"""Live characters of a parametric graph: a step of many of them. Plain arrays, no checks.

Rows of `state` are written in place (a copy, see `step` in `live.py`); `t` is a `ParametricGraphTables`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.blend._kernels_registered import advance, seconds_between, wrapped
from motionloom.core._jit import kernel
from motionloom.methods._kernels_live import (
    EARLY,
    FACING,
    PLACE_X,
    PLACE_Z,
    SPEED,
    between,
    command_row,
    uniform,
)
from motionloom.methods.parametric_graph._kernels_body import (
    EXAMPLES,
    FRAMES,
    SIZE,
    cloud,
    cloud_distance,
    earlier,
    feet_alignment,
    known_of,
    lookup,
    position_of,
    rows_of,
    scratch_of,
)
from motionloom.methods.parametric_graph._kernels_control import (
    FACTOR,
    PACE,
    TURN,
    clip_turn,
    commanded,
    gentle_turn,
    plans_turns,
    towards_part,
    turn_of_clip,
    wanted_edge,
)
from motionloom.methods.parametric_graph._kernels_course import planned_turn
from motionloom.methods.parametric_graph._kernels_show import (
    CLOUD_ONLY,
    HALF_LIFE,
    INERTIAL,
    NEIGHBOURS,
    PLANNED,
    RESPONSE,
    WINDOW,
    begin_offsets,
    show,
)
from motionloom.methods.space._kernels_weights import approach, corrected_weights

MOVED = 0.002  # of the range: parameters that are commanded anew are followed from this change on
REACHED = 0.01  # of the range
INTERVAL = 0.16  # s from one plan to the next within a clip
LATE = 0.5  # ticks: how long after its time a transition can still begin


@kernel
def neighbours_of(t: Any, state: Any, k: int, n: int) -> int:
    """How many samples of an edge are interpolated."""
    return t.dims[n, SIZE] + np.int64(state.tuning[k, NEIGHBOURS])


@kernel
def course_of(t: Any, n: int, w: Any, place: Any) -> float:
    """rad: direction of travel of a body of node n at a place, without sway."""
    r, examples = t.dims[n, 0], t.dims[n, EXAMPLES]
    at = t.rows_at[n]
    sway = t.sway[at : at + r * examples].reshape(r, examples)
    row = int(place[0])
    out = place[3]
    for i in range(examples):
        if w[i] != 0.0:
            out += w[i] * (t.courses[n, i] - sway[row, i])
    return out


@kernel
def rise_of(t: Any, n: int, w: Any) -> float:
    """m by which the ground rises over a clip."""
    out = 0.0
    for i in range(t.dims[n, EXAMPLES]):
        out += w[i] * t.rises[n, i]
    return out


@kernel
def next_turn(
    t: Any, state: Any, k: int, m: int, given: Any, place: Any, course: float, now: float, at_once: bool
) -> float:
    """The turn (rad) of the plan for the commanded place; made anew at the beginning of a clip (`at_once`), and at
    intervals within it. `now` is the present turn."""
    if at_once or state.plan[k, 1] <= 0.0:
        at, goal = np.empty(4), np.empty(3)
        at[0], at[1], at[2], at[3] = place[1], place[2], course, now
        goal[0], goal[1], goal[2] = given[PLACE_X], given[PLACE_Z], given[FACING]
        follows = t.meta[m, 2] == 1 and t.hop[m, m] >= 0 and t.edge_target[t.hop[m, m]] == m
        state.plan[k, 0] = planned_turn(t.curves[m], at, goal, state.tuning[k, HALF_LIFE] if follows else 0.0)
        state.plan[k, 1] = INTERVAL
    return state.plan[k, 0]


@kernel
def choose_values(
    t: Any, state: Any, k: int, m: int, given: Any, values: Any, place: Any, course: float, low: Any, high: Any,
    clips: float, out: Any,
) -> bool:  # fmt: skip
    """Parameters out (1, D) of the next clip of node m, within the box; returns whether any was out of it."""
    size, same = t.dims[m, SIZE], m == state.node[k, 0]
    free = not commanded(given)
    clamped = False
    for d in range(size):
        out[0, d] = state.used[k, d] if same else 0.0
        if free:
            draw = uniform(state.seed[k], state.draws[k] + 1 + d)
            out[0, d] = low[d] + draw * (high[d] - low[d])
        if d < len(values) and not math.isnan(values[d]):
            out[0, d] = (values[d] - t.scale[m, 0, d]) / t.scale[m, 1, d]
    column = np.int64(t.steer[m, TURN])
    if column >= 0:
        factor, middle, size_of = t.steer[m, FACTOR], t.scale[m, 0, column], t.scale[m, 1, column]
        turns = ((low[column] * size_of + middle) / factor, (high[column] * size_of + middle) / factor)
        if state.tuning[k, PLANNED] > 0 and plans_turns(t, m, given, place, course):
            now = (out[0, column] * size_of + middle) / factor
            turn = min(max(next_turn(t, state, k, m, given, place, course, now, clips == 1.0), turns[0]), turns[1])
        else:
            turn = clip_turn(t, m, given, place, course, clips)
            if state.tuning[k, PLANNED] > 0 and clips == 1.0 and not math.isnan(turn):
                turn = gentle_turn(t, m, turn, turns[0], turns[1], out[0], neighbours_of(t, state, k, m))
        valued = column < len(values) and not math.isnan(values[column])
        if math.isnan(turn) and valued:
            turn = values[column] / factor
        elif math.isnan(turn) and not free:
            turn = 0.0  # straight ahead: a turn that was left over would lead around in circles
        if not math.isnan(turn):
            if t.meta[m, 2] != 1:
                turn = turn_of_clip(t.curves[m], turn)
            out[0, column] = (turn * factor - middle) / size_of
    column = np.int64(t.steer[m, PACE])
    if column >= 0 and not math.isnan(given[SPEED]):
        out[0, column] = (given[SPEED] - t.scale[m, 0, column]) / t.scale[m, 1, column]
    towards_part(t, m, given, place, out[0])
    for d in range(size):
        state.wanted[k, d] = out[0, d]
        inside = min(max(out[0, d], low[d]), high[d])
        clamped = clamped or abs(inside - out[0, d]) > REACHED
        out[0, d] = inside
    return clamped


@kernel
def solve(t: Any, m: int, asked: Any, w: Any, used: Any) -> bool:
    """Weights w (K,) and the parameters that they reach, used (D,), for asked (1, D); whether these differ."""
    size, count = t.dims[m, SIZE], t.dims[m, EXAMPLES]
    values, moments, curve, spread, section, at, by = known_of(t, m)
    weights, reached = np.zeros((1, count)), np.zeros((1, size))
    corrected_weights(values, moments, curve, spread, section, at, by, asked[:, :size].copy(), weights, reached)
    w[:] = 0.0
    w[:count] = weights[0]
    off = False
    for d in range(size):
        used[d] = reached[0, d]
        off = off or abs(reached[0, d] - asked[0, d]) > REACHED
    return off


@kernel
def follow_parameters(t: Any, state: Any, k: int, given: Any, values: Any, tick: float, asked: Any) -> None:
    """Parameters tracked within a clip: weights go to those of the commanded parameters with a half-life."""
    n = state.node[k, 0]
    column = np.int64(t.steer[n, TURN])
    edge = t.hop[n, n]
    half_life = state.tuning[k, HALF_LIFE]
    if half_life <= 0.0 or column < 0 or edge < 0 or t.edge_target[edge] != n or not commanded(given):
        return
    low, high = np.empty(t.low.shape[1]), np.empty(t.low.shape[1])
    lookup(t, edge, state.used[k], neighbours_of(t, state, k, n), low, high)
    seconds = 0.0
    for i in range(t.dims[n, EXAMPLES]):
        seconds += state.weights[k, 0, i] * t.durations[n, i]
    place, w = state.place[k, 0], state.weights[k, 0]
    course = course_of(t, n, w, place)
    state.plan[k, 1] -= tick
    clips = max(state.tuning[k, RESPONSE] / seconds, 0.3)
    state.clamped[k] = choose_values(t, state, k, n, given, values, place, course, low, high, clips, asked)
    new = False
    for d in range(t.dims[n, SIZE]):
        new = new or abs(asked[0, d] - state.asked[k, d]) > MOVED
    if new:
        for d in range(t.dims[n, SIZE]):
            state.asked[k, d] = asked[0, d]
        solve(t, n, asked, state.goal[k], state.goal_used[k])
    share = 1.0 - 0.5 ** (tick / half_life)
    approach(w, state.goal[k], t.dims[n, EXAMPLES], share)
    for d in range(t.dims[n, SIZE]):
        state.used[k, d] += share * (state.goal_used[k, d] - state.used[k, d])


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
    a, b, feet_a, feet_b, on_a, on_b, space = room
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
    state.clamped[k] = clamped or off
    state.asked[k], state.goal[k], state.goal_used[k] = asked[0], state.weights[k, 0], state.used[k]
    into = state.weights[k, 0]
    level = state.level[k, 0] + rise_of(t, n, w)
    # the target begins half a window before its point
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
    state.level[k, 0] = level
    state.node[k, 0] = m
    state.gap[k] = gap
    state.clips[k] += 1
    state.mixing[k] = 0.0


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
    state.root[k, 0] = state.root[k, 1]
    state.rotations[k, 0] = state.rotations[k, 1]
    show(t, state, k, 0.0 if jumped else tick, space)


@kernel
def show_first(t: Any, state: Any) -> None:
    """The first pose of all characters, at both of their ticks."""
    space = scratch_of(t)
    for k in range(len(state.time)):
        show(t, state, k, 0.0, space)
        state.root[k, 0] = state.root[k, 1]
        state.rotations[k, 0] = state.rotations[k, 1]


@kernel
def step(t: Any, commands: Any, state: Any, tick: float, dt: float, out: Any) -> None:
    """All characters by `dt`, each by as many ticks as fall into it; then the poses between their last two ticks."""
    root, rotations, contacts, phase = out
    size = t.low.shape[1]
    box = np.empty(size), np.empty(size), np.empty((1, size))
    room = room_of(t)
    given, values = np.empty(6), np.empty(commands.values.shape[1])
    for k in range(len(state.time)):
        command_row(commands, k, given)
        values[:] = commands.values[k if len(commands.values) > 1 else 0]
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
        between(state.root[k], state.rotations[k], state.time[k] / tick, root[k], rotations[k])
        contacts[k] = state.contacts[k]
        n = state.node[k, 0]
        meta = t.meta[n]
        phase[k] = (wrapped(rows_of(t, n), state.place[k, 0, 0]) - meta[0]) / meta[1] if meta[2] == 1 else math.nan
