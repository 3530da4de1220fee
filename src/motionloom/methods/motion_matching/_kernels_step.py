"""One tick of motion matching for one character, and the step for many: plain arrays, no checks.

A row of `state` is read and written in place; `step` in `live.py` has made a copy of it. `db` is a `Database`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_numbers import wrap_angle
from motionloom.methods._kernels_live import (
    ACTION,
    EARLY,
    FACING,
    HEADING,
    PLACE_X,
    PLACE_Z,
    SPEED,
    between,
    changed,
    command_row,
    difference,
    turned_by,
    turned_left,
)
from motionloom.methods.actions import ANY
from motionloom.methods.motion_matching._kernels_search import distance, nearest

ARRIVAL_RADIUS = 0.15  # m: a place within this distance has been reached
SLOWING_TIME = 0.6  # s: a character slows down to arrive in no less time
STANDING_SPEED = 0.1  # m/s: below this there is no direction of travel
INTERVAL, HALF_LIFE, RESPONSE, STEERING, PERSISTENCE = range(5)  # columns of `tuning`


@kernel
def advance(db: Any, commands: Any, state: Any, dt: float, root: Any, rotations: Any, contacts: Any) -> None:
    """All characters by `dt`, each by as many ticks as fall into it; then the poses between their last two ticks."""
    tick = db.times[0] / db.ticks
    goals = np.empty((len(db.times), 4))
    query = np.empty(db.features.shape[1], np.float32)
    given = np.empty(6)
    for k in range(len(state.time)):
        command_row(commands, k, given)
        state.time[k] += dt
        while state.time[k] >= tick - EARLY:
            state.time[k] = max(0.0, state.time[k] - tick)
            new = changed(given, state.commanded[k])
            state.commanded[k] = given
            guided = commanded_trajectory(
                db, given, state.frame[k], state.track[k], state.tuning[k, RESPONSE], tick, goals
            )
            one = state.frame[k : k + 1], state.wait[k : k + 1], state.track[k], state.tuning[k]
            before = state.frame[k]
            found = choose_frame(db, one, goals, guided, np.int64(given[ACTION]), new, tick, query)
            state.root[k, 0] = state.root[k, 1]
            state.rotations[k, 0] = state.rotations[k, 1]
            if found >= 0:
                jump(db, before, found, tick, state.offsets[k])
            half_life = state.tuning[k, HALF_LIFE]
            show(
                db, state.frame[k], state.track[k], half_life, tick, state.offsets[k], state.root[k, 1],
                state.rotations[k, 1],
            )  # fmt: skip
        between(state.root[k], state.rotations[k], state.time[k] / tick, root[k], rotations[k])
        contacts[k] = db.contacts[state.frame[k]]


@kernel
def commanded_trajectory(db: Any, given: Any, frame: int, track: Any, response: float, tick: float, goals: Any) -> bool:
    """goals (POINTS, 4): x, z and direction x, z of the commanded trajectory, relative to the track; False: no command.

    The velocity changes to the commanded one, and the heading to the direction of travel, as a critically damped spring
    with this half-life (Holden 2021).
    """
    speeds = db.speeds[np.int64(given[ACTION])]  # -1 is the last row: all frames
    pace = speeds[1] if math.isnan(given[SPEED]) else min(given[SPEED], speeds[2])
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
def choose_frame(db: Any, one: Any, goals: Any, guided: bool, action: Any, new: bool, tick: float, query: Any) -> int:
    """Advance one character's frame and track by a tick; returns the frame that was jumped to, or -1.

    `one` holds its frame (1,), ticks to the next search (1,), track (3,) and tuning. A search is due after the
    interval, when a command has changed, or at the end of the clip. It compares the present pose and the commanded
    trajectory with all frames, and jumps if one is nearer than the next frame by the share `persistence`.
    """
    at, wait, track, tuning = one
    frame = at[0]
    found: Any = -1
    wait[0] -= 1
    ends = frame >= db.last[frame]
    if ends or new or wait[0] <= 0:
        wait[0] = max(1, np.int64(round(tuning[INTERVAL] / tick)))
        query[:] = db.features[frame]
        count = len(db.times)
        if guided:
            for i in range(count):
                for axis in range(2):
                    p, d = 2 * i + axis, 2 * (count + i) + axis
                    query[p] = (goals[i, axis] - db.mean[p]) * db.gain[p]
                    query[d] = (goals[i, 2 + axis] - db.mean[d]) * db.gain[d]
        bit = ANY if action < 0 else np.uint64(1) << np.uint64(action)
        best: Any = np.float32(np.inf)
        if not ends and db.labels[frame] & bit:
            best = np.float32(distance(query, db.features[frame]) * (1.0 - tuning[PERSISTENCE]))
        around = 2 * db.ticks // len(db.times)
        skip = (frame - around, min(frame + around, db.last[frame]))
        found, _ = nearest(
            query, -1, best, skip, bit, db.features, db.small, db.large, db.allowed, db.small_allowed, db.large_allowed
        )
        if found < 0 and ends:  # only the surrounding frames are left
            found, _ = nearest(
                query, -1, best, (-1, -1), bit, db.features, db.small, db.large, db.allowed, db.small_allowed,
                db.large_allowed,
            )  # fmt: skip
        if found >= 0:
            frame = found
    x, z = db.step[frame, 0], db.step[frame, 1]
    c, s = math.cos(track[2]), math.sin(track[2])
    track[0] += c * x + s * z
    track[1] += c * z - s * x
    track[2] = wrap_angle(track[2] + db.step[frame, 2] + _steering_turn(goals, guided, x, z, tuning, tick))
    at[0] = frame + 1
    return found


@kernel
def _steering_turn(goals: Any, guided: bool, x: float, z: float, tuning: Any, tick: float) -> float:
    """The turn added in a tick: towards the commanded direction, at most `steering`, and none while standing."""
    last = len(goals) - 1
    if (
        not guided
        or math.hypot(x, z) < STANDING_SPEED * tick
        or math.hypot(goals[last, 0], goals[last, 1]) < STANDING_SPEED
    ):
        return 0.0
    off = wrap_angle(math.atan2(goals[0, 0], goals[0, 1]) - math.atan2(x, z))
    most = tuning[STEERING] * tick
    return min(max(off * tick / tuning[RESPONSE], -most), most)


@kernel
def jump(db: Any, source: int, target: int, tick: float, offsets: Any) -> None:
    """Offsets (J + 1, 2, 3), values and velocities, that keep the pose continuous at a jump (Bollo 2018).

    Row 0 is the position of the hips relative to the track; row 1 + j the rotation vector of joint j. They are added to
    the remaining offsets of earlier jumps.
    """
    for i in range(3):
        offsets[0, 0, i] += db.hips[source, i] - db.hips[target, i]
        offsets[0, 1, i] += db.hips_velocity[source, i] - db.hips_velocity[target, i]
    here, there, rate, other = np.empty(4), np.empty(4), np.empty(3), np.empty(3)
    for j in range(db.rotations.shape[1]):
        _rate(db, source, j, tick, rate, there)
        _rate(db, target, j, tick, other, there)
        turned_by(offsets[1 + j, 0], db.rotations[source, j], here)
        difference(here, db.rotations[target, j], offsets[1 + j, 0])
        for i in range(3):
            offsets[1 + j, 1, i] += rate[i] - other[i]


@kernel
def _rate(db: Any, frame: int, j: int, tick: float, out: Any, room: Any) -> None:
    """rad/s: angular velocity of a joint from a frame to the next; at the end of a clip, from the previous one."""
    frame = min(frame, db.last[frame] - 1)
    room[:] = db.rotations[frame + 1, j]
    if j == 0:
        turned_left(db.step[frame, 2], room, room)
    difference(room, db.rotations[frame, j], out)
    for i in range(3):
        out[i] /= tick


@kernel
def show(
    db: Any, frame: int, track: Any, half_life: float, tick: float, offsets: Any, root: Any, rotations: Any
) -> None:
    """The pose of a frame on its track, with offsets that decay by a tick."""
    y = 2.0 * math.log(2.0) / half_life
    fade = math.exp(-y * tick)
    for r in range(len(offsets)):
        for i in range(3):
            j1 = offsets[r, 1, i] + offsets[r, 0, i] * y
            offsets[r, 0, i] = fade * (offsets[r, 0, i] + j1 * tick)
            offsets[r, 1, i] = fade * (offsets[r, 1, i] - j1 * y * tick)
    x, z = db.hips[frame, 0] + offsets[0, 0, 0], db.hips[frame, 2] + offsets[0, 0, 2]
    c, s = math.cos(track[2]), math.sin(track[2])
    root[0] = track[0] + c * x + s * z
    root[1] = db.hips[frame, 1] + offsets[0, 0, 1]
    root[2] = track[1] + c * z - s * x
    for j in range(len(rotations)):
        turned_by(offsets[1 + j, 0], db.rotations[frame, j], rotations[j])
    turned_left(track[2], rotations[0], rotations[0])


@kernel
def show_first(db: Any, state: Any) -> None:
    """The poses of the first frames, as those of both ticks."""
    for k in range(len(state.time)):
        show(db, state.frame[k], state.track[k], 1.0, 0.0, state.offsets[k], state.root[k, 1], state.rotations[k, 1])
        state.root[k, 0] = state.root[k, 1]
        state.rotations[k, 0] = state.rotations[k, 1]


@kernel
def render(db: Any, shown: Any, track: Any, half_life: float, tick: float, root: Any, rotations: Any) -> None:
    """The poses (F) of frames `shown` on a track (F, 3), with offsets wherever a frame is not the next one."""
    offsets = np.zeros((rotations.shape[1] + 1, 2, 3))
    for f in range(len(shown)):
        if f and shown[f] != shown[f - 1] + 1:
            jump(db, shown[f - 1], shown[f] - 1, tick, offsets)
        show(db, shown[f], track[f], half_life, tick, offsets, root[f], rotations[f])
