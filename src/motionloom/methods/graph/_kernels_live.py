"""Steps of live graph characters: plain arrays, no checks. Rows of `state` are written in place (a copy, see `step`).

`tables` is a `Tables`. A character at frame n of a clip placed by turn and shift is at turn(place[n]) + shift.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.core._kernels_rotation import mixed, turned_left
from motionloom.methods._kernels_live import (
    ACTION,
    EARLY,
    HEADING,
    PLACE_X,
    PLACE_Z,
    SPEED,
    command_row,
    keep_tick,
    show_between,
    uniform,
)
from motionloom.methods.graph.graph import FREE

STALE = 1e-9  # least freshness: improbable, but never impossible
ARRIVAL_RADIUS = 0.4  # m: within this distance of a place, no direction is preferred


@kernel
def improve(
    value: Any, cost: Any, change: Any, change_over: Any, goes_on: Any, first_out: Any, enter: Any, penalty: Any,
    blend: int, discount: float,
) -> float:  # fmt: skip
    """One sweep of value iteration over all frames, the last ones first; returns the largest change.

    value (N, B) is the least discounted sum of costs from a frame on: V(n) = min of c(n) + g V(n + 1), over the next
    frame, and penalty(t) + blended costs + g^blend V(enter), over each transition t. Columns are bins of an angle,
    which a frame changes by change[n] and a transition by change_over[t], so neighbouring bins are interpolated; where
    both are empty, columns are independent. Cost: (N + T) B, 1 ms for 10,000 frames and as many transitions of 24 bins.
    """
    frames, bins = value.shape
    gone = discount**blend
    weight = 0.5 * (1.0 - gone) / (1.0 - discount)
    largest = 0.0
    for n in range(frames - 1, -1, -1):
        first, last = first_out[n], first_out[n + 1]
        if first == last and not goes_on[n]:
            continue
        for b in range(bins):
            best = np.inf
            if goes_on[n]:
                best = cost[n, b] + discount * _at(value[n + 1], b - change[n] if len(change) else np.float64(b))
            for t in range(first, last):
                m = enter[t]
                to = b - change_over[t] if len(change) else np.float64(b)
                over = penalty[t] + weight * (cost[n, b] + _at(cost[m], to)) + gone * _at(value[m], to)
                best = min(best, over)
            if best == np.inf:  # a dead end, which no character shows
                continue
            largest = max(largest, abs(best - value[n, b]))
            value[n, b] = best
    return largest


@kernel
def _at(row: Any, bin: float) -> float:
    """A row of a cyclic table, interpolated between two bins."""
    low = math.floor(bin)
    share = bin - low
    i = np.int64(low) % len(row)
    return row[i] if share == 0.0 else (1.0 - share) * row[i] + share * row[(i + 1) % len(row)]


@kernel
def advance(
    tables: Any, commands: Any, state: Any, dt: float, tick: float, root: Any, rotations: Any, contacts: Any
) -> None:
    """All characters by `dt`, each by as many ticks as fall into it; then the poses between their last two ticks."""
    for k in range(len(state.time)):
        state.time[k] += dt
        while state.time[k] >= tick - EARLY:
            state.time[k] = max(0.0, state.time[k] - tick)
            command_row(commands, k, state.commanded[k])
            _tick(tables, state, k)
            keep_tick(state, k)
            _show(tables, state, k)
        show_between(state, k, state.time[k] / tick, root, rotations, contacts)


@kernel
def _tick(tables: Any, state: Any, k: int) -> None:
    """One tick: the next frame of the blend or of the clip, or the start of a transition."""
    if state.over[k] >= 0:
        state.blended[k] += 1
        if state.blended[k] > len(tables.alpha):  # entered
            over = state.over[k]
            c, s = math.cos(state.lay[k, 0]), math.sin(state.lay[k, 0])
            x, z = tables.shift[over, 0], tables.shift[over, 1]
            state.lay[k, 1] += c * x + s * z
            state.lay[k, 2] += c * z - s * x
            state.lay[k, 0] = wrap_angle(state.lay[k, 0] + tables.turn[over])
            state.frame[k] = tables.enter[over]
            state.over[k] = -1
            state.since[k] = 0
            for r in range(state.recent.shape[1] - 1, 0, -1):
                state.recent[k, r] = state.recent[k, r - 1]
            state.recent[k, 0] = state.frame[k]
        return
    frame = state.frame[k]
    chosen = _choose_transition(tables, state, k)
    if chosen >= 0:
        state.over[k], state.blended[k] = chosen, 1
    elif tables.goes_on[frame] or (state.ordered[k] != FREE and _next_in_clip(tables, frame)):
        state.frame[k] = state.recent[k, 0, 1] = frame + 1
        state.since[k] += 1


@kernel
def _next_in_clip(tables: Any, frame: int) -> bool:
    """Whether the next frame belongs to the same clip."""
    return frame + 1 < len(tables.clip_of) and tables.clip_of[frame + 1] == tables.clip_of[frame]


@kernel
def _choose_transition(tables: Any, state: Any, k: int) -> int:
    """The transition to take at the present frame, -1 to continue the clip."""
    frame, ordered = state.frame[k], state.ordered[k]
    if ordered != FREE:
        if ordered >= 0 and frame == tables.leave[ordered]:
            state.ordered[k] = FREE
            return ordered
        return -1
    first, last = tables.first_out[frame], tables.first_out[frame + 1]
    must = frame >= tables.exit_end[frame]
    if first == last or (state.since[k] < state.tuning[k, 0] and not must):
        return -1
    given = state.commanded[k]
    action = np.int64(given[ACTION])
    course = _commanded_course(tables, state, k)
    free = math.isnan(course) and math.isnan(given[SPEED]) and action < 0
    if free:
        return _draw_transition(tables, state, k, first, last, must)
    found, best = -1, np.inf
    blend = len(tables.alpha) + 1
    if not must:
        best = _value(tables, given, action, course - state.lay[k, 0], frame + 1) * tables.discount
        best += _cost(tables, given, action, course - state.lay[k, 0], frame)
    gone = tables.discount**blend
    weight = 0.5 * (1.0 - gone) / (1.0 - tables.discount)
    here = _cost(tables, given, action, course - state.lay[k, 0], frame)
    for t in range(first, last):
        seen = course - state.lay[k, 0] - tables.turn[t]
        there = _cost(tables, given, action, seen, tables.enter[t])
        value = tables.penalty[t] + weight * (here + there)
        value += gone * _value(tables, given, action, seen, tables.enter[t])
        if value < best:
            found, best = t, value
    return found


@kernel
def _value(tables: Any, given: Any, action: Any, course: float, frame: int) -> float:
    """Expected cost of following the commands from a frame on; `course`: the direction in the clip's coordinates."""
    value = 0.0
    if not math.isnan(course):
        bins = tables.heading_value.shape[1]
        value += _at(tables.heading_value[frame], wrap_angle(course - tables.course[frame]) * bins / (2.0 * math.pi))
    if not math.isnan(given[SPEED]):
        value += tables.speed_value[frame, _speed_bin(tables, given[SPEED])]
    if action >= 0:
        value += tables.action_value[frame, action]
    return value


@kernel
def _cost(tables: Any, given: Any, action: Any, course: float, frame: int) -> float:
    """Cost of one tick at a frame, as the sum over the commands."""
    cost = 0.0
    if not math.isnan(course):
        cost += abs(wrap_angle(course - tables.course[frame]))
    if not math.isnan(given[SPEED]):
        cost += tables.speed_cost[frame, _speed_bin(tables, given[SPEED])]
    if action >= 0:
        cost += tables.action_cost[frame, action]
    return cost


@kernel
def _speed_bin(tables: Any, speed: float) -> int:
    """The bin nearest to a commanded speed."""
    found = 0
    for i in range(1, len(tables.speed_bins)):
        if abs(tables.speed_bins[i] - speed) < abs(tables.speed_bins[found] - speed):
            found = i
    return found


@kernel
def _commanded_course(tables: Any, state: Any, k: int) -> float:
    """The commanded direction, rad in the world; NaN for any.

    A place inside the turning circle cannot be reached by turning towards it: the course stays straight until the
    place is outside.
    """
    given = state.commanded[k]
    if math.isnan(given[PLACE_X]) or math.isnan(given[PLACE_Z]):
        return given[HEADING]
    frame, lay = state.frame[k], state.lay[k]
    c, s = math.cos(lay[0]), math.sin(lay[0])
    x, z = tables.place[frame, 0], tables.place[frame, 1]
    dx, dz = given[PLACE_X] - (lay[1] + c * x + s * z), given[PLACE_Z] - (lay[2] + c * z - s * x)
    if math.hypot(dx, dz) < ARRIVAL_RADIUS:
        return math.nan
    course = tables.course[frame] + lay[0]
    ahead, side = dx * math.sin(course) + dz * math.cos(course), abs(dx * math.cos(course) - dz * math.sin(course))
    if math.hypot(ahead, side - tables.radius) < 0.9 * tables.radius:
        return course
    return math.atan2(dx, dz)


@kernel
def _draw_transition(tables: Any, state: Any, k: int, first: int, last: int, must: bool) -> int:
    """A random walk: transitions and the next frame by their weights and freshness; at the last exit one is taken."""
    state.draws[k] += 1
    frame, total = state.frame[k], 0.0
    for t in range(first, last):
        if tables.weight[t] > 0.0:
            total += tables.rate * tables.weight[t] * _freshness(tables, state, k, tables.enter[t])
    staying = 0.0 if must else tables.stay[frame] * _freshness(tables, state, k, frame + 1)
    left = uniform(state.seed[k], state.draws[k]) * (total + staying)
    found = -1
    for t in range(first, last):
        if tables.weight[t] > 0.0:
            left -= tables.rate * tables.weight[t] * _freshness(tables, state, k, tables.enter[t])
            found = t
            if left < 0.0:
                return t
    return found if must else -1


@kernel
def _freshness(tables: Any, state: Any, k: int, frame: int) -> float:
    """(r / R)^4 if a second of motion from `frame` on was shown in the r-th piece of a clip before the present one.

    1 if it was shown in none of the last R; at least `STALE`.
    """
    pieces = state.recent.shape[1]
    end = min(frame + tables.second, max(tables.exit_end[frame], frame))
    for r in range(pieces):
        if state.recent[k, r, 0] <= end and state.recent[k, r, 1] >= frame:
            return max((r / pieces) ** 4, STALE)
    return 1.0


@kernel
def show_first(tables: Any, state: Any) -> None:
    """The first poses of all characters, as those of both ticks."""
    for k in range(len(state.time)):
        _show(tables, state, k)
        keep_tick(state, k)


@kernel
def _show(tables: Any, state: Any, k: int) -> None:
    """The pose of one character at its last tick: a frame of its clip or a blend of two, placed on the ground."""
    root, rotations, lay = state.root[k, 1], state.rotations[k, 1], state.lay[k]
    over, near = state.over[k], state.frame[k]
    if over < 0:
        root[:] = tables.root[near]
        rotations[:] = tables.rotations[near]
    else:
        at, blend = state.blended[k], len(tables.alpha) + 1
        a, b = tables.leave[over] + at, tables.enter[over] - blend + at
        near = a if 2 * at < blend else b
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
        if len(tables.blend_root):
            root[:] = tables.blend_root[over, at - 1]
            for i in range(len(tables.legs)):
                rotations[tables.legs[i]] = tables.blend_legs[over, at - 1, i]
    c, s = math.cos(lay[0]), math.sin(lay[0])
    x, z = root[0], root[2]
    root[0], root[2] = lay[1] + c * x + s * z, lay[2] + c * z - s * x
    turned_left(lay[0], rotations[0], rotations[0])
    state.shown[k, 1, 0], state.shown[k, 1, 1], state.shown[k, 1, 2] = state.frame[k], over, state.blended[k]
    state.contacts[k, 1] = tables.contacts[near]
