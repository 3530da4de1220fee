"""Compiled gaze: shifts that start, interrupt each other and end, for many characters or the frames of a clip."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.kinematics.feet._kernels_two_bone import add, cross, dot, minus, norm, scaled
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

HOP = math.radians(3.0)  # a target at rest that moves by more in one step is a new one
MAX_FOLLOW = math.radians(300.0)  # rad/s: a slower target is followed, a faster one is a new shift
LEVEL = math.cos(math.radians(30.0))  # cosine of the steepest direction whose yaw counts fully
BEHIND = math.radians(30.0)  # a target behind the back changes sides when it is this far beyond
HYSTERESIS = math.radians(20.0)  # a target that was let go must be this much nearer
STEADY = 30.0  # 1/s: a target that hops or starts is caught up with by a critically damped spring of this frequency,
FOLLOW_TIME = 0.06  # s: and its new speed is taken over in this time
MIN_KINK = math.radians(3.0)  # rad/s: a smaller change of its speed from step to step is followed exactly


@kernel
def _wrapped(angle: float) -> float:
    """The angle within -pi to pi."""
    return angle - 2 * math.pi * math.floor(angle / (2 * math.pi) + 0.5)


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
def _apart(line: Any, other: Any) -> float:
    """Angle between two directions."""
    return math.atan2(norm(cross(line, vector(other))), dot(line, vector(other)))


@kernel
def _request(
    base: Any, point: Any, change: Any, last: float, aim: Any, was: bool, cone: float, follow: float
) -> Any:  # fmt: skip
    """Yaw and pitch relative to the base gaze, the direction, whether there is a target, and whether it is a point.

    A point beyond the cone is no target; one that was let go (its direction `aim` is kept, and it moves by less than
    `follow`) must come nearer again.
    """
    eye, look, yaw, pitch = base
    if not math.isnan(change[0]):  # relative to the base gaze; a change of zero means that there is no target
        level, heading = math.cos(pitch + change[1]), yaw + change[0]
        line = (level * math.sin(heading), math.sin(pitch + change[1]), level * math.cos(heading))
        return change[0], change[1], line, change[0] != 0.0 or change[1] != 0.0, False
    line = minus(point, eye)
    size = norm(line)
    if not size > 1e-6 or math.isinf(size):  # none, or in the eye itself
        return 0.0, 0.0, look, False, False
    line = scaled(line, 1.0 / size)
    turn = _wrapped(math.atan2(line[0], line[2]) - yaw)
    if was:
        kept = last + _wrapped(turn - last)  # on the side where it was
        if abs(kept) <= math.pi + BEHIND:
            turn = kept
    if cone < math.pi:
        released = not was and not math.isnan(aim[0]) and _apart(line, aim) <= follow
        if abs(turn) > (cone - HYSTERESIS if released else cone):
            return 0.0, 0.0, line, False, was or released
    return turn, math.asin(min(max(line[1], -1.0), 1.0)) - pitch, line, True, True


@kernel
def _level(line: Any) -> float:
    """1 for directions within 30 degrees of level, less for steeper ones, 0 for straight up and down.

    By so much the yaw counts: that of a point overhead or at the feet turns round with every step.
    """
    level = min(1.0, math.sqrt(max(1.0 - line[1] * line[1], 0.0)) / LEVEL)
    return level * (2.0 - level)


@kernel
def _too_fast(table: Any, goal: Any, shown: Any, timing: Any) -> float:
    """How fast the head would be in a shift of spine and neck to `goal`, over `FASTER` times the examples' fastest."""
    turn = (0.0, 0.0, 0.0)
    for k in range(4):
        turn = add(turn, minus(vector(goal[k]), vector(shown[k])))
    steepest = 1.875 * (1.0 + timing[6]) / max(timing[5] - timing[4], 0.05)  # of smootherstep, from the neck's start
    return norm(turn) * steepest / timing[0] / (FASTER * table[8])


@kernel
def _jump(turn: float, rise: float, line: Any, asked: Any, aim: Any, near: bool) -> float:
    """Angle by which the target has moved since the last step: that of the request, but of a point its direction in the
    world, so that a turn of the body does not count as a new target. A change of sides behind the back does.
    """
    if near and not math.isnan(aim[0]) and abs(turn - asked[0]) < math.pi:
        return _apart(line, aim)
    return max(abs(turn - asked[0]), abs(rise - asked[1]))


@kernel
def _steadied(point: Any, size: float, track: Any, dt: float) -> Any:
    """The point that is followed: the target, without its hops and sudden starts, so that speeds do not jump.

    `track` (5, 3) holds the target of the last step, its speed, the offset of the point from it with its rate, and what
    the target did unexpectedly. What it does unexpectedly is added to the offset, which a spring takes back. Its speed
    counts as changed by what two steps have in common: a hop changes it for one step only. `size` is the length
    of a radian: the distance of the target.
    """
    out = (point[0], point[1], point[2])
    fade, learned = math.exp(-STEADY * dt), 1.0 - math.exp(-dt / FOLLOW_TIME)
    off = minus(out, add(vector(track[0]), scaled(vector(track[1]), dt)))
    smooth = norm(off) <= MIN_KINK * dt * size
    for i in range(3):
        pull = track[3, i] + STEADY * track[2, i]
        track[2, i] = (track[2, i] + pull * dt) * fade
        track[3, i] = (track[3, i] - STEADY * pull * dt) * fade
        if smooth:
            track[1, i] = (out[i] - track[0, i]) / dt
        else:
            common = min(abs(off[i]), abs(track[4, i])) if off[i] * track[4, i] > 0.0 else 0.0
            track[1, i] += learned * math.copysign(common, off[i]) / dt
            track[2, i] -= off[i]
        track[0, i], track[4, i] = out[i], off[i]
    return add(out, vector(track[2]))


@kernel
def _eyes_overshoot(goal: Any, begin: Any, timing: Any) -> float:
    """The overshoot of the eyes, which they have no room for at their limit."""
    end = vector(goal[4])
    room = max(EYE_LIMIT - norm(end), 0.0) / max(norm(minus(end, vector(begin[4]))), 1e-12)
    return min(timing[6], room)


@kernel
def step_row(
    body: Any, table: Any, row: Any, root: Any, turns: Any, point: Any, change: Any, given: Any, due: float,
    cone: float, dt: float, space: Any,
) -> None:  # fmt: skip
    """One step of one character: its state `row` and its rotations `turns` (J, 4) are overwritten.

    `given` (3,) replaces the base gaze where it is finite: a smoothed one lets the head's bob pass. A shift that begins
    now and is larger than the examples takes longer than they do, but not longer than `due` seconds. With `dt` = 0 the
    gaze is shown as it is.
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
    turn, rise, line, now, near = _request(base, vector(point), given_change, asked[0], aim, was, cone, follow)
    moved_by = _jump(turn, rise, line, asked, aim, near) if now and was else 0.0
    starts = now != was or moved_by > min(follow, max(HOP, 2.0 * pace[0] * dt))
    target = vector(point) if near else (change[0], change[1], 0.0)
    if starts or not now:
        track[:] = 0.0
        for i in range(3):
            track[0, i] = target[i] if now else 0.0
    else:
        target = _steadied(target, norm(minus(target, base[0])) if near else 1.0, track, dt)
    goal[:] = 0.0
    side, height, direction = turn, rise, line
    if now:
        if not starts:
            steady = given_change if near else (target[0], target[1])
            side, height, direction, _, _ = _request(base, target, steady, turn, aim, True, math.inf, follow)
        blend_row(table, side * _level(direction), height, blended)
        for k in range(15):
            goal[k // 3, k % 3] = blended[2 + k]
        moved[:] = turns
        aim_goal(body, (frame, look), root, turns, world, direction, target, near, (places, moved, other), goal)
    if starts:
        reached = (0.0, 0.0, 0.0)  # yaw about y, pitch against x: a shift that interrupts begins from there
        for k in range(5):
            reached = add(reached, vector(shown[k]))
        apart = turn * _level(line) - reached[1]
        blend_row(table, apart, rise + reached[0], far)
        timing[:] = far[17:24]
        longer = max(beyond(table, apart), _too_fast(table, goal, shown, timing))
        timing[0] = max(timing[0], min(timing[0] * longer, due))
        begin[:] = shown
        begin_rate[:] = rate
        elapsed[0] = 0.0
    elapsed[0] += dt
    time = elapsed[0] / timing[0]
    left = min(max(1.0 - time, 0.0), 1.0)
    kick = elapsed[0] * left * left * left
    done = not now and time >= 1.0
    for k in range(5):
        start, beyond_goal = (timing[1 + k], timing[6]) if k < 4 else (0.0, _eyes_overshoot(goal, begin, timing))
        share = _share(time, start, timing[5], beyond_goal)
        for i in range(3):
            value = begin[k, i] + (goal[k, i] - begin[k, i]) * share + kick * begin_rate[k, i]
            goal[k, i] = 0.0 if done else value
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

    `given` holds roots (N, 3), rotations (N, J, 4), points (N, 3), changes (N, 2), base gazes (N, 3), due times (N,).
    """
    root, turns, points, changes, looks, due = given
    space = _space(turns.shape[1])
    for n in range(turns.shape[0]):
        row = _row(state, n)
        step_row(body, table, row, root[n], turns[n], points[n], changes[n], looks[n], due[n], cone, dt, space)


@kernel
def gaze_frames(body: Any, table: Any, state: Any, given: Any, cone: float, dt: float) -> None:
    """F steps of one character, the frames of a clip; `given` as for `gaze_rows`."""
    root, turns, points, changes, looks, due = given
    space, row = _space(turns.shape[1]), _row(state, 0)
    for f in range(turns.shape[0]):
        step_row(body, table, row, root[f], turns[f], points[f], changes[f], looks[f], due[f], cone, dt, space)
