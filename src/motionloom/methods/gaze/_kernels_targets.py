"""Compiled targets of a gaze: which point is looked at, on which side, and how a moving one is followed."""

from __future__ import annotations

import math
from typing import Any

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.kinematics.feet._kernels_two_bone import add, cross, dot, minus, norm, scaled
from motionloom.methods.gaze._kernels_aim import vector

MIN_DISTANCE = 0.05  # m from the eyes to a target: the direction to a nearer one turns round with every movement
LEVEL = math.cos(math.radians(30.0))  # cosine of the steepest direction whose yaw counts fully
BEHIND = math.radians(30.0)  # a target behind the back changes sides when it is this far beyond
HYSTERESIS = math.radians(20.0)  # a target that was let go must be this much nearer
STEADY = 30.0  # 1/s: a target that hops or starts is caught up with by a critically damped spring of this frequency,
FOLLOW_TIME = 0.06  # s: and its new speed is taken over in this time
MIN_KINK = math.radians(3.0)  # rad/s: a smaller change of its speed from step to step is followed exactly


@kernel
def angle_between(line: Any, other: Any) -> float:
    """Angle between two directions."""
    return math.atan2(norm(cross(line, vector(other))), dot(line, vector(other)))


@kernel
def target_of(
    base: Any, point: Any, change: Any, last: float, aim: Any, was: bool, cone: float, follow: float
) -> Any:  # fmt: skip
    """Yaw and pitch relative to the base gaze, the direction, whether there is a target, and whether it is a point.

    The yaw is on the side of `last`, that of the step before, up to `BEHIND` beyond the back; NaN for the nearer side.
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
    if not size > MIN_DISTANCE or math.isinf(size):  # none, or at the eyes
        return 0.0, 0.0, look, False, False
    line = scaled(line, 1.0 / size)
    turn = wrap_angle(math.atan2(line[0], line[2]) - yaw)
    if not math.isnan(last):
        kept = last + wrap_angle(turn - last)  # on the side where it was
        if abs(kept) <= math.pi + BEHIND:
            turn = kept
    if cone < math.pi:
        released = not was and not math.isnan(aim[0]) and angle_between(line, aim) <= follow
        if abs(turn) > (cone - HYSTERESIS if released else cone):
            return 0.0, 0.0, line, False, was or released
    return turn, math.asin(min(max(line[1], -1.0), 1.0)) - pitch, line, True, True


@kernel
def yaw_share(line: Any) -> float:
    """1 for directions within 30 degrees of level, less for steeper ones, 0 for straight up and down.

    By so much the yaw counts: that of a point overhead or at the feet turns round with every step.
    """
    level = min(1.0, math.sqrt(max(1.0 - line[1] * line[1], 0.0)) / LEVEL)
    return level * (2.0 - level)


@kernel
def target_jump(turn: float, rise: float, line: Any, asked: Any, aim: Any, near: bool) -> float:
    """Angle by which the target has moved since the last step: that of the request, but of a point its direction in the
    world, so that a turn of the body does not count as a new target. A change of sides behind the back does.
    """
    if near and not math.isnan(aim[0]) and abs(turn - asked[0]) < math.pi:
        return angle_between(line, aim)
    return max(abs(turn - asked[0]), abs(rise - asked[1]))


@kernel
def steadied(point: Any, size: float, track: Any, dt: float) -> Any:
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
