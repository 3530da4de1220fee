"""Compiled gaze: shifts that start, interrupt each other and end, for many characters or the frames of a clip."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.kinematics.feet._kernels_two_bone import add, minus, norm
from motionloom.methods.gaze._kernels_aim import (
    EYE_LIMIT,
    aim_goal,
    eye_place,
    forward,
    look_direction,
    turn_joints,
    vector,
)
from motionloom.methods.gaze._kernels_map import FASTER, beyond, blend_row
from motionloom.methods.gaze._kernels_targets import steadied, target_jump, target_of, yaw_share

HOP = math.radians(3.0)  # a target at rest that moves by more in one step is a new one
SHIFT_HOP = math.radians(6.0)  # during a shift, one that moves by less only changes where the shift ends
MAX_FOLLOW = math.radians(300.0)  # rad/s: a slower target is followed, a faster one is a new shift
MAX_HEAD = math.radians(600.0)  # rad/s: where a target that moves would turn a head faster than this,
OVER = 1.2  # and than so many times the examples' fastest, a shift begins from there: below a lamp that is passed
NEXT = 2  # a carried point that is not that of the step before
STILL = 0.05  # of the head's turn: where the direction of a target moves by less, the body jumps, as in captures


@kernel
def _smootherstep(x: float) -> float:
    x = min(max(x, 0.0), 1.0)
    return x * x * x * (10.0 + x * (6.0 * x - 15.0))


@kernel
def _share(time: float, start: float, peak: float, overshoot: float) -> float:
    """Share of the displacement at a normalized time (HECK 5.2.3, eased)."""
    if time <= peak:
        return (1.0 + overshoot) * _smootherstep((time - start) / max(peak - start, 1e-6))
    return 1.0 + overshoot - overshoot * _smootherstep((time - peak) / max(1.0 - peak, 1e-6))


@kernel
def _head_turn(goal: Any, shown: Any) -> float:
    """Angle by which spine and neck turn the head from one set of displacements to another."""
    turn = (0.0, 0.0, 0.0)
    for k in range(4):
        turn = add(turn, minus(vector(goal[k]), vector(shown[k])))
    return norm(turn)


@kernel
def _too_fast(table: Any, goal: Any, shown: Any, timing: Any) -> float:
    """How fast the head would be in a shift of spine and neck to `goal`, over `FASTER` times the examples' fastest."""
    steepest = 1.875 * (1.0 + timing[6]) / max(timing[5] - timing[4], 0.05)  # of smootherstep, from the neck's start
    return _head_turn(goal, shown) * steepest / timing[0] / (FASTER * table[8])


@kernel
def _eyes_overshoot(goal: Any, begin: Any, timing: Any) -> float:
    """The overshoot of the eyes, which they have no room for at their limit."""
    end = vector(goal[4])
    room = max(EYE_LIMIT - norm(end), 0.0) / max(norm(minus(end, vector(begin[4]))), 1e-12)
    return min(timing[6], room)


@kernel
def _displaced(goal: Any, begin: Any, begin_rate: Any, elapsed: float, timing: Any, k: int, out: Any) -> None:
    """The displacement k (3,) of a shift from `begin` to `goal`, after so many seconds."""
    time = elapsed / timing[0]
    left = min(max(1.0 - time, 0.0), 1.0)
    kick = elapsed * left * left * left
    start, overshoot = (timing[1 + k], timing[6]) if k < 4 else (0.0, _eyes_overshoot(goal, begin, timing))
    share = _share(time, start, timing[5], overshoot)
    for i in range(3):
        out[i] = begin[k, i] + (goal[k, i] - begin[k, i]) * share + kick * begin_rate[k, i]


@kernel
def step_row(
    body: Any, table: Any, row: Any, root: Any, turns: Any, point: Any, change: Any, given: Any, due: float,
    carried: int, begins: float, cone: float, dt: float, space: Any,
) -> None:  # fmt: skip
    """One step of one character: its state `row` and its rotations `turns` (J, 4) are overwritten.

    `given` (3,) replaces the base gaze where it is finite: a smoothed one lets the head's bob pass. A shift that begins
    now and is larger than the examples takes longer than they do, but not longer than `due` seconds. A point that is
    `carried` (1, or `NEXT` for the first step of another) turns with the body and is followed exactly. A look `begins`
    on the side of this yaw, if it is known from which the whole of it can be seen (else NaN). With `dt` = 0 the gaze
    is shown as it is.
    """
    shown, rate, begin, begin_rate, elapsed, timing, asked, aim, pace, track, active, busy = row
    places, world, moved, other, goal, blended, far = space
    wanted = not math.isnan(point[0]) or not math.isnan(change[0])
    if not (busy[0] > 0 or (wanted and dt > 0)):
        if dt > 0:
            aim[:] = math.nan
        return
    forward(body, root, turns, places, world)
    look = look_direction(body, world) if math.isnan(given[0]) else vector(given)
    yaw, pitch = math.atan2(look[0], look[2]), math.asin(min(max(look[1], -1.0), 1.0))
    frame = (math.cos(0.5 * yaw), 0.0, math.sin(0.5 * yaw), 0.0)
    if dt <= 0:
        turn_joints(body, frame, world, turns, shown, moved)
        return
    was = active[0] > 0
    base = (eye_place(body, places), look, yaw, pitch)
    follow = MAX_FOLLOW * dt
    given_change = (change[0], change[1])
    last = begins if not was or not math.isnan(begins) else asked[0]
    turn, rise, line, now, near = target_of(base, vector(point), given_change, last, aim, was, cone, follow)
    moved_by = target_jump(turn, rise, line, asked, aim, near) if now and was else 0.0
    hop = min(follow, max(HOP, 2.0 * pace[0] * dt))
    hops = moved_by > (max(hop, SHIFT_HOP) if elapsed[0] < timing[0] else hop)
    if carried > 0:  # it hops with the body, or to the other side
        hops = carried == NEXT or abs(turn - asked[0]) > math.pi
    starts = now != was or hops
    target = vector(point) if near else (change[0], change[1], 0.0)
    if starts or carried > 0 or not now:
        track[:] = 0.0
        for i in range(3):
            track[0, i] = target[i] if now else 0.0
    else:
        target = steadied(target, norm(minus(target, base[0])) if near else 1.0, track, dt)
    goal[:] = 0.0
    side, height, direction = turn, rise, line
    if now:
        if not starts:
            steady = given_change if near else (target[0], target[1])
            side, height, direction, _, _ = target_of(base, target, steady, turn, aim, True, math.inf, follow)
        blend_row(table, side * yaw_share(direction), height, blended)
        for k in range(15):
            goal[k // 3, k % 3] = blended[2 + k]
        moved[:] = turns
        aim_goal(body, (frame, look), root, turns, world, direction, target, near, (places, moved, other), goal)
        if not starts and carried == 0 and math.isinf(due):
            for k in range(4):
                _displaced(goal, begin, begin_rate, elapsed[0] + dt, timing, k, moved[k])
            step = _head_turn(moved, shown)
            starts = step > max(OVER * table[8], MAX_HEAD) * dt and moved_by > STILL * step
    if starts:
        reached = (0.0, 0.0, 0.0)  # yaw about y, pitch against x: a shift that interrupts begins from there
        for k in range(5):
            reached = add(reached, vector(shown[k]))
        apart = turn * yaw_share(line) - reached[1]
        blend_row(table, apart, rise + reached[0], far)
        timing[:] = far[17:24]
        longer = max(beyond(table, apart), _too_fast(table, goal, shown, timing))
        timing[0] = max(timing[0], min(timing[0] * longer, due))
        begin[:] = shown
        begin_rate[:] = rate
        elapsed[0] = 0.0
    elapsed[0] += dt
    done = not now and elapsed[0] >= timing[0]
    for k in range(5):
        _displaced(goal, begin, begin_rate, elapsed[0], timing, k, goal[k])
        if done:
            goal[k] = 0.0
    eyes = min(1.0, EYE_LIMIT / max(norm(vector(goal[4])), 1e-12))  # an interrupted shift continues for a moment
    for k in range(5):
        for i in range(3):
            value = goal[k, i] * (eyes if k == 4 else 1.0)
            rate[k, i] = 0.0 if done else (value - shown[k, i]) / dt
            shown[k, i] = value
    asked[0], asked[1] = (turn, rise) if now else (0.0, 0.0)
    aim[0], aim[1], aim[2] = line if near else (math.nan, math.nan, math.nan)
    pace[0] = min(moved_by / dt, MAX_FOLLOW) if now and was else MAX_FOLLOW
    active[0], busy[0] = now, not done
    if not done:
        turn_joints(body, frame, world, turns, shown, moved)


@kernel
def _space(joints: int) -> Any:
    return (
        np.empty((joints, 3)), np.empty((joints, 4)), np.empty((joints, 4)), np.empty((joints, 4)),
        np.empty((5, 3)), np.empty(24), np.empty(24),
    )  # fmt: skip


@kernel
def _row(state: Any, n: int) -> Any:
    shown, rate, begin, begin_rate, elapsed, timing, asked, aim, pace, track, active, busy = state
    one = slice(n, n + 1)
    return (
        shown[n], rate[n], begin[n], begin_rate[n], elapsed[one], timing[n], asked[n], aim[n], pace[one], track[n],
        active[one], busy[one],
    )  # fmt: skip


@kernel
def gaze_rows(body: Any, table: Any, state: Any, given: Any, cone: float, dt: float) -> None:
    """One step of N characters: `state` and the rotations in `given` are overwritten.

    `given` holds roots (N, 3), rotations (N, J, 4), points (N, 3), changes (N, 2), base gazes (N, 3), due times (N,),
    which points are carried (N,): 0, 1, or `NEXT` for the first step of another one; and yaws of looks that begin (N,).
    """
    root, turns, points, changes, looks, due, carried, begins = given
    space = _space(turns.shape[1])
    for n in range(turns.shape[0]):
        row = _row(state, n)
        step_row(
            body, table, row, root[n], turns[n], points[n], changes[n], looks[n], due[n], carried[n], begins[n],
            cone, dt, space,
        )  # fmt: skip


@kernel
def gaze_frames(body: Any, table: Any, state: Any, given: Any, cone: float, dt: float) -> None:
    """F steps of one character, the frames of a clip; `given` as for `gaze_rows`."""
    root, turns, points, changes, looks, due, carried, begins = given
    space, row = _space(turns.shape[1]), _row(state, 0)
    for f in range(turns.shape[0]):
        step_row(
            body, table, row, root[f], turns[f], points[f], changes[f], looks[f], due[f], carried[f], begins[f],
            cone, dt, space,
        )  # fmt: skip
