"""Parameters of the clips of live characters: those of the next clip, and following them within a clip. No checks.

`t` is a `ParametricGraphTables`, `state` a `ParametricGraphState`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods._kernels_live import ACTION, SPEED, uniform
from motionloom.methods.parametric_graph._kernels_body import EXAMPLES, SIZE, known_of, lookup
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
)
from motionloom.methods.parametric_graph._kernels_course import HIPS
from motionloom.methods.parametric_graph._kernels_plan import forget_plan, planned
from motionloom.methods.parametric_graph._kernels_show import HALF_LIFE, NEIGHBOURS, PLANNED, RESPONSE
from motionloom.methods.parametric_graph.tables import LOW
from motionloom.methods.space._kernels_weights import approach, corrected_weights

MOVED = 0.002  # of the range: parameters that are commanded anew are followed from this change on
REACHED = 0.01  # of the range


@kernel
def neighbours_of(t: Any, state: Any, k: int, n: int) -> int:
    """How many samples of an edge are interpolated."""
    return t.dims[n, SIZE] + np.int64(state.tuning[k, NEIGHBOURS])


@kernel
def course_of(t: Any, n: int, w: Any, place: Any) -> float:
    """rad: direction of travel of a body of node n at a place, without sway."""
    examples = t.dims[n, EXAMPLES]
    at = t.rows_at[n] + int(place[0]) * examples
    out = place[3]
    for i in range(examples):
        if w[i] != 0.0:
            out += w[i] * (t.courses[n, i] - t.sway[at + i])
    return out


@kernel
def choose_values(
    t: Any, state: Any, k: int, m: int, given: Any, values: Any, place: Any, course: float, low: Any, high: Any,
    clips: float, tick: float, out: Any,
) -> bool:  # fmt: skip
    """Parameters out (1, D) of the next clip of node m, within the box; returns whether any was out of it.

    `clips`: within so many clips a heading is to be reached; 1 at a transition.
    values (D + 3,) belong to the action commanded, which need not be m: other nodes are not given them.
    """
    size, same = t.dims[m, SIZE], m == state.node[k, 0]
    meant = given[ACTION] < 0 or given[ACTION] == m
    free = not commanded(given)
    clamped = False
    for d in range(size):
        out[0, d] = state.used[k, d] if same else 0.0
        if free:
            draw = uniform(state.seed[k], state.draws[k] + 1 + d)
            out[0, d] = low[d] + draw * (high[d] - low[d])
        if meant and not math.isnan(values[d]):
            out[0, d] = (values[d] - t.scale[m, 0, d]) / t.scale[m, 1, d]
    column = np.int64(t.steer[m, TURN])
    if column >= 0:
        factor, middle, size_of = t.steer[m, FACTOR], t.scale[m, 0, column], t.scale[m, 1, column]
        turns = ((low[column] * size_of + middle) / factor, (high[column] * size_of + middle) / factor)
        if state.tuning[k, PLANNED] > 0 and plans_turns(t, m, given, place, course):
            now = (out[0, column] * size_of + middle) / factor
            turn = planned(t, state, k, m, given, place, course, now, tick, clips != 1.0)
            turn = min(max(turn, turns[0]), turns[1])
            if clips == 1.0:
                forget_plan(state.plan[k])
        else:
            forget_plan(state.plan[k])
            turn = clip_turn(t, m, given, place, course, clips)
            if state.tuning[k, PLANNED] > 0 and clips == 1.0 and not math.isnan(turn):
                turn = gentle_turn(t, m, turn, turns[0], turns[1], out[0], neighbours_of(t, state, k, m))
        valued = meant and not math.isnan(values[column])
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
def hold_feet(t: Any, n: int, before: Any, w: Any, place: Any, held: Any, tick: float) -> None:
    """Shift a place so that the feet which carry the body stay where they are as weights change from `before` to w.

    How a foot moves is the sum of the changes times the examples' feet. held (2,) m/s is the velocity of the shift.
    """
    examples, parts, row = t.dims[n, EXAMPLES], len(t.parts), int(place[0])
    at = t.touches_at[n] + row * examples * parts
    feet = t.feet[3 * at : 3 * (at + examples * parts)].reshape(examples, parts, 3)
    carried, side, ahead = 0.0, 0.0, 0.0
    for p in range(parts):
        left, height, forward = 0.0, 0.0, 0.0
        for i in range(examples):
            change = w[i] - before[i]
            if w[i] != 0.0 or change != 0.0:
                left += change * feet[i, p, 0]
                height += w[i] * feet[i, p, 1]
                forward += change * feet[i, p, 2]
        low = min(max(2.0 - 2.0 * height / LOW, 0.0), 1.0)
        carried += low
        side += low * left
        ahead += low * forward
    scale, c, s = 1.0 / (max(carried, 1.0) * tick), math.cos(place[3]), math.sin(place[3])
    x = -scale * (c * side + s * ahead) - held[0]
    z = -scale * (c * ahead - s * side) - held[1]
    share = min(1.0, HIPS * tick / max(math.hypot(x, z), 1e-12))
    held[0] += share * x
    held[1] += share * z
    place[1] += tick * held[0]
    place[2] += tick * held[1]


@kernel
def turn_used(t: Any, state: Any, k: int, m: int) -> float:
    """rad: the turn of the present clip if it is of node m, else the middle one of that node."""
    column = np.int64(t.steer[m, TURN])
    own = state.used[k, column] if m == state.node[k, 0] else 0.0
    return (own * t.scale[m, 1, column] + t.scale[m, 0, column]) / t.steer[m, FACTOR]


@kernel
def followed(t: Any, state: Any, k: int, given: Any) -> bool:
    """Whether parameters are followed within the present clip: those of a node that turns and goes on into itself."""
    n = state.node[k, 0]
    edge = t.hop[n, n]
    return (
        state.tuning[k, HALF_LIFE] > 0.0
        and t.steer[n, TURN] >= 0
        and edge >= 0
        and t.edge_target[edge] == n
        and commanded(given)
    )


@kernel
def follow_parameters(t: Any, state: Any, k: int, given: Any, values: Any, tick: float, asked: Any) -> None:
    """Parameters tracked within a clip: weights go to those of the commanded parameters with a half-life."""
    if not followed(t, state, k, given):
        state.held[k] = 0.0
        return
    n = state.node[k, 0]
    half_life = state.tuning[k, HALF_LIFE]
    low, high = np.empty(t.low.shape[1]), np.empty(t.low.shape[1])
    lookup(t, t.hop[n, n], state.used[k], neighbours_of(t, state, k, n), low, high)
    seconds = 0.0
    for i in range(t.dims[n, EXAMPLES]):
        seconds += state.weights[k, 0, i] * t.durations[n, i]
    place, w = state.place[k, 0], state.weights[k, 0]
    course = course_of(t, n, w, place)
    clips = max(state.tuning[k, RESPONSE] / seconds, 0.3)
    state.clamped[k] = choose_values(t, state, k, n, given, values, place, course, low, high, clips, tick, asked)
    new = False
    for d in range(t.dims[n, SIZE]):
        new = new or abs(asked[0, d] - state.asked[k, d]) > MOVED
    if new:
        for d in range(t.dims[n, SIZE]):
            state.asked[k, d] = asked[0, d]
        solve(t, n, asked, state.goal[k], state.goal_used[k])
    share = 1.0 - 0.5 ** (tick / half_life)
    before = w.copy()
    approach(w, state.goal[k], t.dims[n, EXAMPLES], share)
    hold_feet(t, n, before, w, place, state.held[k], tick)
    for d in range(t.dims[n, SIZE]):
        state.used[k, d] += share * (state.goal_used[k, d] - state.used[k, d])
