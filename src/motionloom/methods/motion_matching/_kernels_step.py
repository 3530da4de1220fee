"""One tick of motion matching for one character, and the step for many: plain arrays, no checks.

A row of `state` is read and written in place; `step` in `live.py` has made a copy of it. `db` is a `Database`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.core._kernels_rotation import turned_by, turned_left
from motionloom.methods._kernels_inertialize import decay, jump_hips, jump_joint
from motionloom.methods._kernels_live import ACTION, EARLY, changed, command_row, keep_tick, show_between
from motionloom.methods._kernels_tracks import commanded_trajectory, move_track, place_hips, steering_turn
from motionloom.methods.live_actions import ANY, FIRST_HALF
from motionloom.methods.motion_matching._kernels_search import distance, nearest

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
            keep_tick(state, k)
            if found >= 0:
                jump(db, before, found, tick, state.offsets[k])
            half_life = state.tuning[k, HALF_LIFE]
            show(
                db, state.frame[k], state.track[k], half_life, tick, state.offsets[k], state.root[k, 1],
                state.rotations[k, 1],
            )  # fmt: skip
            state.contacts[k, 1], state.shown[k, 1] = db.contacts[state.frame[k]], state.frame[k]
        show_between(state, k, state.time[k] / tick, root, rotations, contacts)


@kernel
def choose_frame(db: Any, one: Any, goals: Any, guided: bool, action: Any, new: bool, tick: float, query: Any) -> int:
    """Advance one character's frame and track by a tick; returns the frame that was jumped to, or -1.

    `one` holds its frame (1,), ticks to the next search (1,), track (3,) and tuning. A search is due after the
    interval, when a command has changed, or at the end of the clip. It compares the present pose and the commanded
    trajectory with all frames, and jumps if one is nearer than the next frame by the share `persistence`. At the end of
    a clip, a character without a command continues in the first half of a clip, if a frame there is similar: the last
    frames of a run that stops are nearest to themselves, and it would stand without end.
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
        if ends and not guided and action < 0:
            found, _ = nearest(
                query, -1, np.float32(db.similar), skip, FIRST_HALF, db.features, db.small, db.large, db.allowed,
                db.small_allowed, db.large_allowed,
            )  # fmt: skip
        if found < 0:
            found, _ = nearest(
                query, -1, best, skip, bit, db.features, db.small, db.large, db.allowed, db.small_allowed,
                db.large_allowed,
            )  # fmt: skip
        if found < 0 and ends:  # only the surrounding frames are left
            found, _ = nearest(
                query, -1, best, (-1, -1), bit, db.features, db.small, db.large, db.allowed, db.small_allowed,
                db.large_allowed,
            )  # fmt: skip
        if found >= 0:
            frame = found
    x, z = db.step[frame, 0], db.step[frame, 1]
    turn = steering_turn(goals, guided, x, z, tuning[STEERING], tuning[RESPONSE], tick)
    move_track(track, x, z, db.step[frame, 2] + turn)
    at[0] = frame + 1
    return found


@kernel
def jump(db: Any, source: int, target: int, tick: float, offsets: Any) -> None:
    """Offsets (J + 1, 2, 3), values and velocities, that keep the pose continuous at a jump.

    Row 0 is the position of the hips relative to the track; row 1 + j the rotation vector of joint j. They are added to
    the remaining offsets of earlier jumps.
    """
    jump_hips(db, source, target, offsets[0])
    for j in range(db.rotations.shape[1]):
        jump_joint(db, source, target, j, tick, offsets[1 + j])


@kernel
def show(
    db: Any, frame: int, track: Any, half_life: float, tick: float, offsets: Any, root: Any, rotations: Any
) -> None:
    """The pose of a frame on its track, with offsets that decay by a tick."""
    decay(offsets, half_life, tick)
    place_hips(db, frame, track, offsets[0, 0], root)
    for j in range(len(rotations)):
        turned_by(offsets[1 + j, 0], db.rotations[frame, j], rotations[j])
    turned_left(track[2], rotations[0], rotations[0])


@kernel
def show_first(db: Any, state: Any) -> None:
    """The poses of the first frames, as those of both ticks."""
    for k in range(len(state.time)):
        show(db, state.frame[k], state.track[k], 1.0, 0.0, state.offsets[k], state.root[k, 1], state.rotations[k, 1])
        state.contacts[k, 1], state.shown[k, 1] = db.contacts[state.frame[k]], state.frame[k]
        keep_tick(state, k)


@kernel
def render(
    db: Any,
    shown: Any,
    track: Any,
    half_life: float,
    tick: float,
    begin: int,
    end: int,
    offsets: Any,
    root: Any,
    rotations: Any,
) -> None:
    """Some of the poses (F) of frames `shown` on a track (F, 3), with offsets wherever a frame is not the next one.

    `offsets` (J + 1, 2, 3) are those after the frame before; they are changed.
    """
    for f in range(begin, end):
        if f and shown[f] != shown[f - 1] + 1:
            jump(db, shown[f - 1], shown[f] - 1, tick, offsets)
        show(db, shown[f], track[f], half_life, tick, offsets, root[f], rotations[f])
