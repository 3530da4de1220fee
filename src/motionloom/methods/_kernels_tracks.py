"""Bodies on a track: the trajectory that commands ask for, and steering towards it.

A track is the smoothed place and heading of a body on the ground. `db` is any named tuple with the arrays of
`methods.tracks.TrackFrames` and, where a docstring names them, more. Plain arrays, no checks.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.methods._kernels_live import ACTION, FACING, HEADING, PLACE_X, PLACE_Z, SPEED

ARRIVAL_RADIUS = 0.15  # m: a place within this distance has been reached
SLOWING_TIME = 0.6  # s: a character slows down to arrive in no less time
STANDING_SPEED = 0.1  # m/s: below this there is no direction of travel


@kernel
def commanded_trajectory(db: Any, given: Any, frame: int, track: Any, response: float, tick: float, goals: Any) -> bool:
    """goals (POINTS, 4): x, z and direction x, z of the commanded trajectory, relative to the track; False: no command.

    The velocity changes to the commanded one, and the heading to the direction of travel, as a critically damped spring
    with this half-life (Holden 2021). `db` also has `times` (POINTS,) and `speeds` (A + 1, 3).
    """
    speeds = db.speeds[np.int64(given[ACTION])]  # -1 is the last row: all frames
    pace = speeds[1] if math.isnan(given[SPEED]) else min(max(given[SPEED], speeds[0]), speeds[2])
    now_x, now_z, turning = db.step[frame, 0] / tick, db.step[frame, 1] / tick, db.step[frame, 2] / tick
    course, facing = given[HEADING] - track[2], math.nan
    if not math.isnan(given[PLACE_X]) and not math.isnan(given[PLACE_Z]):
        x, z = given[PLACE_X] - track[0], given[PLACE_Z] - track[1]
        far = math.hypot(x, z)
        course = math.atan2(x, z) - track[2]
        pace = min(pace, far / SLOWING_TIME)
        if far < ARRIVAL_RADIUS:
            pace = 0.0
            facing = 0.0 if math.isnan(given[FACING]) else given[FACING] - track[2]
    elif math.isnan(course):
        if math.isnan(given[SPEED]):
            return False
        course = math.atan2(now_x, now_z) if math.hypot(now_x, now_z) > STANDING_SPEED else 0.0
    course = wrap_angle(course)
    if math.isnan(facing):
        facing = course if pace > STANDING_SPEED else 0.0
    facing = wrap_angle(facing)
    y = 2.0 * math.log(2.0) / response
    goal_x, goal_z = pace * math.sin(course), pace * math.cos(course)
    for i in range(len(db.times)):
        t = db.times[i]
        fade = math.exp(-y * t)
        goals[i, 0] = _spring_place(now_x, goal_x, y, t, fade)
        goals[i, 1] = _spring_place(now_z, goal_z, y, t, fade)
        angle = fade * (-facing + (turning - facing * y) * t) + facing
        goals[i, 2], goals[i, 3] = math.sin(angle), math.cos(angle)
    return True


@kernel
def _spring_place(velocity: float, goal: float, y: float, t: float, fade: float) -> float:
    """Displacement in t seconds by a velocity that changes to `goal`: a critically damped spring, integrated."""
    j0 = velocity - goal
    j1 = j0 * y
    return fade * (-j1 / (y * y) + (-j0 - j1 * t) / y) + j1 / (y * y) + j0 / y + goal * t


@kernel
def move_track(track: Any, x: float, z: float, turn: float) -> None:
    """The track after a step to the left and forward, and a turn."""
    c, s = math.cos(track[2]), math.sin(track[2])
    track[0] += c * x + s * z
    track[1] += c * z - s * x
    track[2] = wrap_angle(track[2] + turn)


@kernel
def steering_turn(goals: Any, guided: bool, x: float, z: float, steering: float, response: float, tick: float) -> float:
    """The turn added in a tick: towards the commanded direction, at most `steering`, and none while standing."""
    last = len(goals) - 1
    if (
        not guided
        or math.hypot(x, z) < STANDING_SPEED * tick
        or math.hypot(goals[last, 0], goals[last, 1]) < STANDING_SPEED
    ):
        return 0.0
    off = wrap_angle(math.atan2(goals[0, 0], goals[0, 1]) - math.atan2(x, z))
    most = steering * tick
    return min(max(off * tick / response, -most), most)


@kernel
def place_hips(db: Any, frame: int, track: Any, offset: Any, root: Any) -> None:
    """root (3,) is where the hips of a frame are, on its track and with an offset (3,)."""
    x, z = db.hips[frame, 0] + offset[0], db.hips[frame, 2] + offset[2]
    c, s = math.cos(track[2]), math.sin(track[2])
    root[0] = track[0] + c * x + s * z
    root[1] = db.hips[frame, 1] + offset[1]
    root[2] = track[1] + c * z - s * x
