"""Steps of live variants: plain arrays, no checks. Rows of `state` are written in place (a copy, see `live.step`).

`tables` is a `VariationTables`. A frame is that of `_kernels_mix.variant`; feet are held where they touch (eq 7), as no
later frame is known.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.kinematics.feet._kernels_two_bone import exp, multiply
from motionloom.methods._kernels_live import EARLY, keep_tick, show_between, uniform
from motionloom.methods.variation._kernels_limb_targets import (
    CLOSE,
    forward,
    place_root,
    reach,
    room_for,
    turn_vector,
    within_reach,
)
from motionloom.methods.variation._kernels_mix import (
    HALF_LIFE,
    begin_knots,
    between_moments,
    decay,
    predict,
    travel,
    vote,
)
from motionloom.methods.variation._kernels_standing import follow_feet
from motionloom.methods.variation.timing import MOMENTS

HEADING, SPEED, ACTION = range(3)  # columns of `commanded`
TEMPO = (0.7, 1.4)  # slowest and fastest tempo, as a share of the takes' own
TURN = 0.8  # rad/s: fastest turn towards a commanded heading
RESPONSE = 0.5  # s in which a turn would be complete
SWITCH = 0.3  # s: half-life of the change to the takes of a commanded action
SLIPPED = 0.15  # m: a foot that is held is let go when it is so far from where the takes have it


@kernel
def show_first(tables: Any, state: Any, fps: float) -> None:
    """The first frame of all characters, at a moment that their seed draws."""
    last = tables.takes.values.shape[1] - 1
    for k in range(len(state.time)):
        state.clock[k, 0] = uniform(state.seed[k], 0) * last
        begin_knots(state.seed[k], state.first[k], state.knots[k], tables.takes.sharing)
        _frame(tables, state, k, fps, True)
        keep_tick(state, k)


@kernel
def advance(
    tables: Any, commands: Any, state: Any, dt: float, fps: float, root: Any, rotations: Any, contacts: Any
) -> None:  # fmt: skip
    """All characters by `dt`, each by as many ticks as fall into it; then the poses between their last two ticks."""
    tick = 1.0 / fps
    for k in range(len(state.time)):
        state.time[k] += dt
        if dt > 0.0:
            state.commanded[k, HEADING] = commands.heading[k if len(commands.heading) > 1 else 0]
            state.commanded[k, SPEED] = commands.speed[k if len(commands.speed) > 1 else 0]
            state.commanded[k, ACTION] = commands.action[k if len(commands.action) > 1 else 0]
        while state.time[k] >= tick - EARLY:
            state.time[k] = max(0.0, state.time[k] - tick)
            keep_tick(state, k)
            _frame(tables, state, k, fps, False)
        show_between(state, k, state.time[k] / tick, root, rotations, contacts)


@kernel
def tempo_of(tables: Any, commanded: float) -> float:
    """The tempo for a commanded speed, as a share of the takes' own."""
    if math.isnan(commanded) or tables.speed <= 0.0:
        return 1.0
    return min(max(commanded / tables.speed, TEMPO[0]), TEMPO[1])


@kernel
def _frame(tables: Any, state: Any, k: int, fps: float, first: bool) -> None:
    """The next frame of a character: its pose, then its track and clock after it."""
    takes, body = tables.takes, tables.body
    clips, moments, count = takes.values.shape
    clock, base, offset = state.clock[k], state.base[k], state.offset[k]
    if clock[0] >= moments - 1:
        clock[0] -= moments - 1
    action = np.int64(state.commanded[k, ACTION])
    share = 1.0 - 0.5 ** (1.0 / (SWITCH * fps))
    for c in range(clips):
        base[c] += share * (tables.goals[action + 1, c] - base[c])
    weights, mean, values = np.empty((clips, count + 2)), np.empty(count), np.empty(count)
    step, y = takes.knot * fps * MOMENTS, 2.0 * math.log(2.0) / (HALF_LIFE * fps)
    slower = 1.0 / tempo_of(tables, state.commanded[k, SPEED])
    pace = predict(takes, state.seed[k], clock, step, state.first[k], state.knots[k], base, state.amounts[k], slower,
                   True, weights, mean)  # fmt: skip
    for d in range(count):
        values[d] = mean[d]
        if offset[0, d] != 0.0:
            values[d] = min(max(mean[d] + offset[0, d], body.low[d]), body.high[d])
    for c in range(clips):
        state.weights[k, c] = weights[c, count]
    vote(takes, clock[0], weights, True, state.contacts[k, 1])
    state.shown[k, 1] = clock[0]
    if state.hold[k]:
        at = between_moments(clock[0], moments - 1, True)
        follow_feet(takes, body, at, weights, mean, state.last[k], state.track[k], state.feet[k], fps, room_for(body))
    corrected = not first and state.hold[k] and _hold_feet(tables, state, k, values)
    for d in range(count):
        if corrected:
            offset[0, d] = values[d] - mean[d]
            most = y * abs(offset[0, d])  # a correction that fades does not grow first
            offset[1, d] = min(max(offset[0, d] - state.last_offset[k, d], -most), most)
        state.last_offset[k, d] = offset[0, d]
    _pose(tables, values, state.track[k], state.root[k, 1], state.rotations[k, 1])
    _move(tables, state, k, values, fps)
    state.last[k] = values
    for d in range(offset.shape[1]):
        decay(offset[:, d], y)
    clock += 1.0 / pace


@kernel
def _move(tables: Any, state: Any, k: int, values: Any, fps: float) -> None:
    """The track of a character a frame on, turned towards its commanded heading."""
    steering = np.array([1.0, 0.0])
    wanted = state.commanded[k, HEADING]
    if not math.isnan(wanted):
        off = wrap_angle(wanted - state.track[k, 2] - tables.lean)
        steering[1] = min(max(off / RESPONSE, -TURN), TURN) / fps
    travel(tables.body, values, steering, state.track[k])
    if tables.body.root[2] < 0:
        state.track[k, 2] += steering[1]


@kernel
def _hold_feet(tables: Any, state: Any, k: int, values: Any) -> bool:
    """Put feet that stand where they touched, at their own height (eq 7); a toe only while its heel is up.

    As in rendered clips the leg is drawn to the sample: LAU's w2 makes knees swing.
    """
    body = tables.body
    root, turn = place_root(body, values, state.track[k])
    room, due = room_for(body), False
    goal, sample, target = np.empty(len(values)), np.empty(len(values)), np.empty(3)
    for p in range(state.contacts.shape[2]):
        on = state.contacts[k, 1, p]
        for h in range(p):
            if tables.legs[h] == tables.legs[p] and state.contacts[k, 1, h]:
                on = False
        if not on:
            state.held[k, p] = False
            continue
        end = forward(body, p, values, root, turn, room[0], room[1])
        target[0], target[1], target[2] = state.spots[k, p, 0], end[1], state.spots[k, p, 2]
        far = math.sqrt((end[0] - target[0]) ** 2 + (end[2] - target[2]) ** 2)
        if not state.held[k, p] or far > SLIPPED:
            state.held[k, p] = True
            for i in range(3):
                state.spots[k, p, i] = end[i]
            continue
        within_reach(room[0][body.tops[p]], tables.longest[p], end, target)
        if not due:
            goal[:] = values
        due = True
        sample[:] = values
        miss = reach(body, p, values, goal, root, turn, target, True, room)
        if miss > max(far, CLOSE):  # better left as it is
            values[:] = sample
    return due


@kernel
def _pose(tables: Any, values: Any, track: Any, root: Any, rotations: Any) -> None:
    """Position of the hips (3,) and local rotations (J, 4) of degrees of freedom (D,) at a track (3,)."""
    body = tables.body
    place, turn = place_root(body, values, track)
    for i in range(3):
        root[i] = place[i]
    for i in range(4):
        rotations[0, i] = turn[i]
    for j in range(1, len(rotations)):
        c = body.centre[j]
        q = multiply((c[0], c[1], c[2], c[3]), exp(turn_vector(body, j, values)))
        for i in range(4):
            rotations[j, i] = q[i]
