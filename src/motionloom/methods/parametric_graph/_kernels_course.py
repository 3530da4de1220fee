"""Courses on the ground: where clips with certain turns lead, and the turn by which a place and heading are reached.

A course is at (5,): x, z, heading, the turn of the present clip (rad), and the velocity (m/s, to the left) with which
hips move over the feet as the turn changes. `curves` (M, 8) is a node's row of `ParametricGraphTables.curves`: turn,
speed (m/s), turning rate (rad/s) and seconds of a clip, the least and largest turn that may follow it, and last how far
left of the feet the hips are. No checks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle

STEP = 0.1  # s of one step along a course
FINE = 3  # changes of the turn in a step
FIRST_TURNS, STRIDE = 17, 7  # turns that a plan tries for the first of three segments, from the middle in such strides
UNSTEADY = 0.15  # s that a change of the turn over its whole range costs
AHEAD = (5, 5)  # turns for each of the other two segments, where turns are followed
AHEAD_CLIPS = (9, 5)  # and for the other two of three clips, where turns are set once for each
SEGMENT = 0.5  # s of a segment, where turns are followed within a clip
NEAR, NEAR_TURN = 0.25, math.radians(15.0)  # m and rad: a goal is reached
AIM = 0.5  # of both: a plan aims at this or less
MISS = 1.5  # s that a miss by NEAR counts
WIDER = 1.25  # the radius of the rest of a path, in turning radii: turns change gradually
CHANGE = 0.6  # m of a straight line that the rest of a path needs to change from one side to the other
COINCIDE = 1e-10  # squared distance of circles of radius 1 that coincide, or touch, but for rounding
AT_TURN, SPEED, RATE, SECONDS, LEAST, LARGEST = range(6)  # columns of `curves`
LEFT = 7  # another one
HIPS = 3.0  # m/s^2: hips are moved over standing feet with no more than this, as clips of walks do


@kernel
def along(curves: Any, turn: float, column: int) -> float:
    """A column of `curves` at a turn."""
    count = len(curves)
    low, high = curves[0, AT_TURN], curves[count - 1, AT_TURN]
    x = (turn - low) / (high - low) * (count - 1) if high > low else 0.0
    i = min(max(int(x), 0), count - 2)
    f = min(max(x - i, 0.0), 1.0)
    return (1.0 - f) * curves[i, column] + f * curves[i + 1, column]


@kernel
def begin_segment(curves: Any, at: Any, target: float, half_life: float) -> Any:
    """How many steps a segment towards a turn has, and their s; a turn that is set once for each clip changes here."""
    if half_life > 0.0:
        return round(SEGMENT / STEP), STEP
    at[3] = min(max(target, along(curves, at[3], LEAST)), along(curves, at[3], LARGEST))
    seconds = along(curves, at[3], SECONDS)
    steps = max(1, round(seconds / STEP))
    return steps, seconds / steps


@kernel
def one_step(curves: Any, at: Any, target: float, half_life: float, seconds: float) -> None:
    """A course by `seconds`, with the turn going towards `target` within the limits of what may follow."""
    if half_life > 0.0:
        tick = seconds / FINE
        share, shift, left = 1.0 - 0.5 ** (tick / half_life), 0.0, along(curves, at[3], LEFT)
        for _ in range(FINE):
            into = min(max(target, along(curves, at[3], LEAST)), along(curves, at[3], LARGEST))
            at[3] += share * (into - at[3])
            before, left = left, along(curves, at[3], LEFT)
            at[4] += min(max((left - before) / tick - at[4], -HIPS * tick), HIPS * tick)
            shift += tick * at[4]
        at[0] += shift * math.cos(at[2])
        at[1] -= shift * math.sin(at[2])
    by = seconds * along(curves, at[3], RATE)
    far = seconds * along(curves, at[3], SPEED)
    middle = at[2] + 0.5 * by
    at[0] += far * math.sin(middle)
    at[1] += far * math.cos(middle)
    at[2] += by


@kernel
def missed(at: Any, goal: Any) -> float:
    """How far a course is from goal (x, z, heading or NaN): 1 at the border of what counts as reached."""
    off = math.hypot(at[0] - goal[0], at[1] - goal[1]) / NEAR
    if math.isnan(goal[2]):
        return off
    return max(off, abs(wrap_angle(at[2] - goal[2])) / NEAR_TURN)


@kernel
def rest_of_way(at: Any, goal: Any, radius: float, speed: float) -> float:
    """s from a course to the goal on the shortest path with a turning radius, with `speed`.

    Without a heading at the goal it is an arc and a straight line; for a goal inside a turning circle, a whole turn.
    """
    if not math.isnan(goal[2]):
        return dubins(at, goal[0], goal[1], goal[2], radius, CHANGE) / speed
    best = 2.0 * math.pi * radius
    for side in (-1.0, 1.0):
        x = goal[0] - (at[0] + side * radius * math.cos(at[2]))  # from the centre of the circle on this side
        z = goal[1] - (at[1] - side * radius * math.sin(at[2]))
        far = math.hypot(x, z)
        if far >= radius:
            straight = math.sqrt(far * far - radius * radius)
            course = math.atan2(x, z) + side * (math.atan2(radius, straight) if straight > 0.0 else 0.5 * math.pi)
            best = min(best, radius * ((side * (course - at[2])) % (2.0 * math.pi)) + straight)
    return best / speed


@kernel
def try_turns(
    curves: Any, at: Any, goal: Any, half_life: float, begin: int, end: int, best: float, found: float
) -> Any:
    """The cost (s) and first turn (rad) of the best course, of those that begin with some of the `FIRST_TURNS`.

    All courses of three segments, each towards one of a few turns, are tried: what counts is the time until the goal
    is passed, with a penalty for missing it, or the time of the rest of the path from the end of the course (`dubins`).
    Turns `begin` to `end` are tried, in an order that covers the range soon; `best` and `found` are of those before.
    """
    count = len(curves)
    low, high = curves[0, AT_TURN], curves[count - 1, AT_TURN]
    fastest, radius = 0.0, 1e3
    for i in range(count):
        fastest = max(fastest, curves[i, SPEED])
        if abs(curves[i, RATE]) > 1e-6:
            radius = min(radius, curves[i, SPEED] / abs(curves[i, RATE]))
    radius = max(WIDER * radius, 0.05)
    fastest = max(fastest, 1e-3)
    for n in range(begin, end):
        first = low + (high - low) * ((FIRST_TURNS // 2 + STRIDE * n) % FIRST_TURNS) / (FIRST_TURNS - 1)
        cost = cost_after(curves, at, first, goal, half_life, radius, fastest, best)
        if cost < best:
            best, found = cost, first
    return best, found


@kernel
def cost_after(
    curves: Any, at: Any, first: float, goal: Any, half_life: float, radius: float, fastest: float, best: float
) -> float:  # fmt: skip
    """The cost (s) of the best course that begins with a turn; inf if none is below `best`.

    Where turns are followed, each change of the turn costs its share of the range times `UNSTEADY`: many courses reach
    a far goal in nearly the same time, and a body whose turn changes with every plan slides over its feet.
    """
    tried = AHEAD if half_life > 0.0 else AHEAD_CLIPS
    low, high = curves[0, AT_TURN], curves[len(curves) - 1, AT_TURN]
    rate = UNSTEADY / max(high - low, 1e-6) if half_life > 0.0 else 0.0
    one, two, three = np.empty(5), np.empty(5), np.empty(5)
    one[:] = at
    change_one = rate * abs(first - at[3])
    passing, time_one = course_cost(curves, one, first, goal, half_life, 0.0)
    lowest = passing + change_one
    if time_one + change_one > min(best, lowest):
        return lowest
    for j in range(tried[0]):
        two[:] = one
        second = low + (high - low) * j / (tried[0] - 1)
        change_two = change_one + rate * abs(second - first)
        passing, time_two = course_cost(curves, two, second, goal, half_life, time_one)
        lowest = min(lowest, passing + change_two)
        if time_two + change_two > min(best, lowest):
            continue
        for k in range(tried[1]):
            three[:] = two
            third = low + (high - low) * k / (tried[1] - 1)
            change = change_two + rate * abs(third - second)
            cost, time_three = course_cost(curves, three, third, goal, half_life, time_two)
            if time_three + change < min(best, lowest):
                cost = min(cost, time_three + rest_of_way(three, goal, radius, fastest))
            lowest = min(lowest, cost + change)
    return lowest


@kernel
def course_cost(curves: Any, at: Any, target: float, goal: Any, half_life: float, time: float) -> Any:
    """Move `at` by a segment: s until it passes the goal, with the penalty for missing it, and the time at its end."""
    steps, seconds = begin_segment(curves, at, target, half_life)
    best = np.inf
    for _ in range(steps):
        one_step(curves, at, target, half_life, seconds)
        time += seconds
        best = min(best, time + MISS * max(missed(at, goal) - AIM, 0.0))
    return best, time


@kernel
def dubins(start: Any, x: float, z: float, heading: float, radius: float, change: float) -> float:
    """Metres of the shortest path with a least turning radius from (x, z, heading) to another (L. Dubins 1957).

    A path that goes from a turn to one side into a turn to the other with less than `change` (m) of a straight line
    between counts for longer, by twice what is missing: characters do not change their turn at once.

    Three of the six words (left-straight-left, left-straight-right, left-right-left) on the ground and on its mirror
    image. Where the first and last circle coincide, the path is a single arc: the straight part has no direction.
    """
    dz, dx = (z - start[1]) / radius, (x - start[0]) / radius
    far, angle = math.hypot(dx, dz), math.atan2(dx, dz)
    best, change = np.inf, change / radius
    for side in (1.0, -1.0):
        a, b = side * (start[2] - angle), side * (heading - angle)
        sa, sb, ca, cb, cab = math.sin(a), math.sin(b), math.cos(a), math.cos(b), math.cos(a - b)
        p2 = 2.0 + far * far - 2.0 * cab + 2.0 * far * (sa - sb)  # squared distance of the left circles
        if p2 < COINCIDE:
            best = min(best, turned(b - a))
            continue
        course = math.atan2(cb - ca, far + sa - sb)
        best = min(best, turned(course - a) + math.sqrt(p2) + turned(b - course))
        c = 1.0 - p2 / 8.0
        if c >= -1.0:
            p = 2.0 * math.pi - math.acos(c)
            u = turned(course - a + 0.5 * p)
            best = min(best, u + p + turned(b - a - u + p) + 4.0 * change)
        p2 = far * far - 2.0 + 2.0 * cab + 2.0 * far * (sa + sb)
        if p2 >= -COINCIDE:  # else the left and the right circle overlap
            p = math.sqrt(max(p2, 0.0))
            course = math.atan2(-ca - cb, far + sa + sb) - math.atan2(-2.0, p)
            best = min(best, turned(course - a) + p + turned(course - b) + 2.0 * max(change - p, 0.0))
    return best * radius


@kernel
def turned(angle: float) -> float:
    """An angle from 0 to 2 pi; 0 for one that is less than a whole turn by rounding only."""
    out = angle % (2.0 * math.pi)
    return 0.0 if out > 2.0 * math.pi - 1e-9 else out
