"""Steps of live graph characters: plain arrays, no checks. Rows of `state` are written in place (a copy, see `step`).

`tables` is a `Tables`. A character at frame o, whose clip lies by turn and shift, is at turn(place[o]) + shift.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods._kernels_live import (
    ACTION,
    EARLY,
    HEADING,
    PLACE_X,
    PLACE_Z,
    SPEED,
    between,
    changed,
    command_row,
    mixed,
    turned_left,
    uniform,
    wrapped,
)

CURSOR, END, STRIDE, BEST = range(4)  # columns of `search`
PER_TICK = 6  # transitions looked at in a tick, each with what may follow it
SEARCH = 8  # ticks that a search takes at most; of more transitions than fit into it, every n-th is looked at
FOLLOWING = 12  # transitions that are tried after each
TAIL = 24  # ticks that are walked on after the last of them
ARRIVED = 0.4  # m: this near to a place it has been reached
TURNS, BEFORE, ALIKE, OUTSIDE, LATER = 0.4, 0.5, 0.05, 3.0, 1.0  # weights of the terms of a cost


@kernel
def advance(
    tables: Any, commands: Any, state: Any, dt: float, tick: float, root: Any, rotations: Any, contacts: Any
) -> None:
    """All characters by `dt`, each by as many ticks as fall into it; then the poses between their last two ticks."""
    given = np.empty(6)
    blend = len(tables.alpha) + 1
    for k in range(len(state.time)):
        command_row(commands, k, given)
        state.time[k] += dt
        while state.time[k] >= tick - EARLY:
            state.time[k] = max(0.0, state.time[k] - tick)
            state.commanded[k] = given
            _tick(tables, state, k, changed(given, state.searched[k]), tick)
            state.root[k, 0] = state.root[k, 1]
            state.rotations[k, 0] = state.rotations[k, 1]
            _show(tables, state, k)
        between(state.root[k], state.rotations[k], state.time[k] / tick, root[k], rotations[k])
        over = state.over[k]
        shown = state.frame[k]
        if over >= 0:
            at = state.blended[k]
            shown = tables.leave[over] + at if 2 * at < blend else tables.enter[over] - blend + at
        contacts[k] = tables.contacts[shown]


@kernel
def _tick(tables: Any, state: Any, k: int, new: bool, tick: float) -> None:
    """One tick: a frame on in the clip or in the blend, and a part of the search for the next transition."""
    if state.over[k] >= 0:
        state.blended[k] += 1
        if state.blended[k] > len(tables.alpha):  # entered
            over = state.over[k]
            _laid(tables, state.lay[k], over, state.lay[k])
            state.frame[k] = tables.enter[over]
            state.over[k] = -1
    elif state.chosen[k] >= 0 and state.frame[k] >= tables.leave[state.chosen[k]]:
        state.over[k], state.blended[k], state.chosen[k] = state.chosen[k], 1, -1
        _start_search(tables, state, k)
    elif tables.goes_on[state.frame[k]]:
        state.frame[k] += 1
    if new or (state.chosen[k] < 0 and state.search[k, END] == 0):
        _start_search(tables, state, k)
    _search(tables, state, k, tick)


@kernel
def _origin(tables: Any, state: Any, k: int, lay: Any) -> int:
    """The frame from which transitions are searched, and how its clip lies: where the blend leads, or the present."""
    over = state.over[k]
    if over < 0:
        lay[:] = state.lay[k]
        return state.frame[k]
    _laid(tables, state.lay[k], over, lay)
    return tables.enter[over]


@kernel
def _laid(tables: Any, lay: Any, t: int, out: Any) -> None:
    """How the clip that transition t enters lies, if the one that it leaves lies by `lay`; `out` may be `lay`."""
    c, s = math.cos(lay[0]), math.sin(lay[0])
    x, z = tables.shift[t, 0], tables.shift[t, 1]
    out[1], out[2] = lay[1] + c * x + s * z, lay[2] + c * z - s * x
    out[0] = wrapped(lay[0] + tables.turn[t])


@kernel
def _start_search(tables: Any, state: Any, k: int) -> None:
    """Begin with the transitions of a window; after a transition a while passes, where there is a choice."""
    over = state.over[k]
    origin = state.frame[k] if over < 0 else tables.enter[over]
    last = tables.exit_end[origin]
    wait = state.tuning[k, 0] if over >= 0 else SEARCH
    low = min(origin + wait, last)
    if tables.first_out[low] == tables.first_out[last + 1]:  # no exit so late: all of them
        low = origin
    high = min(low + state.tuning[k, 1], last)
    while tables.first_out[low] == tables.first_out[high + 1]:  # none in the window: up to the next
        high += 1
    state.search[k, CURSOR] = tables.first_out[low]
    state.search[k, END] = tables.first_out[high + 1]
    count = state.search[k, END] - state.search[k, CURSOR]
    state.search[k, STRIDE] = max(1, -(-count // (PER_TICK * SEARCH)))
    state.search[k, BEST] = -1
    state.cost[k] = np.inf
    state.chosen[k] = -1
    state.searched[k] = state.commanded[k]
    state.draws[k] += 1


@kernel
def _search(tables: Any, state: Any, k: int, tick: float) -> None:
    """Look at some more transitions; the best is chosen when all were looked at, or when there is no time left."""
    if state.chosen[k] >= 0:
        return
    lay = np.empty(3)
    origin = _origin(tables, state, k, lay)
    first = state.frame[k] if state.over[k] < 0 else origin  # transitions that leave before this have been passed
    left = PER_TICK
    urgent = state.over[k] < 0 and state.frame[k] >= tables.exit_end[state.frame[k]]
    while state.search[k, CURSOR] < state.search[k, END] and (left > 0 or urgent):
        t = state.search[k, CURSOR]
        state.search[k, CURSOR] += state.search[k, STRIDE]
        left -= 1
        if tables.leave[t] < first:
            continue
        cost = _cost(tables, state, k, origin, lay, t, tick)
        if cost < state.cost[k]:
            state.cost[k] = cost
            state.search[k, BEST] = t
    if state.search[k, CURSOR] < state.search[k, END]:
        return
    best = state.search[k, BEST]
    if best >= 0 and tables.leave[best] >= first:
        state.chosen[k] = best
        state.search[k, END] = 0
    else:  # passed while searching
        _start_search(tables, state, k)
        if urgent:
            state.chosen[k] = tables.first_out[state.frame[k]]
            state.search[k, END] = 0


@kernel
def _cost(tables: Any, state: Any, k: int, origin: int, lay: Any, t: int, tick: float) -> float:
    """How badly the commands are followed over transition t and the best of some that may come after it."""
    given = state.commanded[k]
    action = np.int64(given[ACTION])
    free = math.isnan(given[HEADING]) and math.isnan(given[SPEED]) and math.isnan(given[PLACE_X]) and action < 0
    if free:  # a random walk: alike frames more often, by the Gumbel trick
        drawn = uniform(state.seed[k], state.draws[k] * 1_000_003 + t)
        return tables.unlike[t] - math.log(-math.log(max(drawn, 1e-12)))
    goal = np.empty(6)
    _goal(tables, given, origin, lay, goal)
    blend = len(tables.alpha) + 1
    after, later = np.empty(3), np.empty(3)
    _laid(tables, lay, t, after)
    entered = tables.enter[t]
    ticks = tables.leave[t] - origin + blend
    outside = tables.without[action, tables.leave[t] + 1] - tables.without[action, origin]
    way = _misses(tables, goal, entered, after, ticks, tick) * BEFORE
    stop = min(entered + TAIL, max(tables.exit_end[entered], entered))
    best = way + _end(tables, goal, action, entered, stop, after, ticks, outside, tick)
    low, high = tables.first_out[entered], tables.first_out[stop + 1]
    step = max(1, -(-(high - low) // FOLLOWING))
    for u in range(low, high, step):
        _laid(tables, after, u, later)
        start = tables.enter[u]
        more = ticks + tables.leave[u] - entered + blend
        out = outside + tables.without[action, tables.leave[u] + 1] - tables.without[action, entered]
        end = min(start + TAIL, max(tables.exit_end[start], start))
        cost = way + ALIKE * tables.unlike[u] + _end(tables, goal, action, start, end, later, more, out, tick)
        best = min(best, cost)
    return best + ALIKE * tables.unlike[t]


@kernel
def _goal(tables: Any, given: Any, origin: int, lay: Any, goal: Any) -> None:
    """goal (6,): place now x, z; direction wanted (NaN: any); speed; distance at which to stop; direction at the end.

    A place is walked to in a straight line, and the direction at the end is that from there to the place.
    """
    speeds = tables.speeds[np.int64(given[ACTION])]
    c, s = math.cos(lay[0]), math.sin(lay[0])
    x, z = tables.place[origin, 0], tables.place[origin, 1]
    goal[0], goal[1] = lay[1] + c * x + s * z, lay[2] + c * z - s * x
    goal[2], goal[4] = given[HEADING], math.inf
    goal[3] = speeds[1] if math.isnan(given[SPEED]) else min(max(given[SPEED], speeds[0]), speeds[2])
    if not math.isnan(given[PLACE_X]) and not math.isnan(given[PLACE_Z]):
        dx, dz = given[PLACE_X] - goal[0], given[PLACE_Z] - goal[1]
        goal[2], goal[4] = math.atan2(dx, dz), math.hypot(dx, dz)
    goal[5] = given[SPEED]


@kernel
def _misses(tables: Any, goal: Any, frame: int, lay: Any, ticks: int, tick: float) -> float:
    """How far a character at `frame` is from where it should be by now, as a share of the way that it should make."""
    c, s = math.cos(lay[0]), math.sin(lay[0])
    x, z = tables.place[frame, 0], tables.place[frame, 1]
    dx, dz = lay[1] + c * x + s * z - goal[0], lay[2] + c * z - s * x - goal[1]
    far = goal[3] * ticks * tick
    if math.isnan(goal[2]):  # any direction: the distance alone
        return 0.0 if math.isnan(goal[5]) else abs(math.hypot(dx, dz) - far) / (far + 0.3)
    to = min(far, goal[4])
    return math.hypot(dx - to * math.sin(goal[2]), dz - to * math.cos(goal[2])) / (far + 0.3)


@kernel
def _end(
    tables: Any, goal: Any, action: Any, start: int, stop: int, lay: Any, ticks: int, outside: int, tick: float
) -> float:
    """The cost of walking on from `start` to `stop`: place and direction there, and time outside of the action."""
    total = ticks + stop - start
    cost = _misses(tables, goal, stop, lay, total, tick)
    if not math.isnan(goal[2]):
        wanted = goal[2]
        if goal[4] < math.inf:
            c, s = math.cos(lay[0]), math.sin(lay[0])
            x, z = tables.place[stop, 0], tables.place[stop, 1]
            dx = goal[0] + goal[4] * math.sin(goal[2]) - (lay[1] + c * x + s * z)
            dz = goal[1] + goal[4] * math.cos(goal[2]) - (lay[2] + c * z - s * x)
            wanted = math.atan2(dx, dz) if math.hypot(dx, dz) > ARRIVED else tables.course[stop] + lay[0]
        cost += TURNS * abs(wrapped(tables.course[stop] + lay[0] - wanted))
    if action >= 0:
        gone = outside + tables.without[action, stop + 1] - tables.without[action, start]
        cost += OUTSIDE * gone / total + LATER * min(tables.ticks_to[action, stop] * tick, 10.0)
    return cost


@kernel
def show(tables: Any, state: Any) -> None:
    """The poses of all characters at their last tick."""
    for k in range(len(state.time)):
        _show(tables, state, k)


@kernel
def _show(tables: Any, state: Any, k: int) -> None:
    """The pose of one character at its last tick: a frame of its clip, or a blend of two, laid on the ground."""
    root, rotations, lay = state.root[k, 1], state.rotations[k, 1], state.lay[k]
    over = state.over[k]
    if over < 0:
        root[:] = tables.root[state.frame[k]]
        rotations[:] = tables.rotations[state.frame[k]]
    else:
        at, blend = state.blended[k], len(tables.alpha) + 1
        a, b = tables.leave[over] + at, tables.enter[over] - blend + at
        share = tables.alpha[at - 1]
        c, s = math.cos(tables.turn[over]), math.sin(tables.turn[over])
        x, z = tables.root[b, 0], tables.root[b, 2]
        x, z = c * x + s * z + tables.shift[over, 0], c * z - s * x + tables.shift[over, 1]
        root[0] = tables.root[a, 0] + share * (x - tables.root[a, 0])
        root[1] = tables.root[a, 1] + share * (tables.root[b, 1] - tables.root[a, 1])
        root[2] = tables.root[a, 2] + share * (z - tables.root[a, 2])
        hips = np.empty(4)
        turned_left(tables.turn[over], tables.rotations[b, 0], hips)
        mixed(tables.rotations[a, 0], hips, share, rotations[0])
        for j in range(1, len(rotations)):
            mixed(tables.rotations[a, j], tables.rotations[b, j], share, rotations[j])
    c, s = math.cos(lay[0]), math.sin(lay[0])
    x, z = root[0], root[2]
    root[0], root[2] = lay[1] + c * x + s * z, lay[2] + c * z - s * x
    turned_left(lay[0], rotations[0], rotations[0])
