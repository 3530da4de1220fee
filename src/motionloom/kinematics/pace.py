"""Pace: the speed of a body over the ground, its changes, and the acceleration of the hips."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.travel import travel

UNEVEN_RATE = 15.0  # changes of speed per minute while moving, more than which no captured clip of some length shows
MIN_PACED = 10.0  # s: the pace of shorter clips is not judged
STEP_TIME = 0.5  # s: about one step, over which the sway of the hips within a stride averages out
PACE_TIME = 1.0  # s: over which the pace is averaged
SPEED_CHANGE = 0.4  # m/s within a second: a change of speed that people notice
STANDING_SPEED = 0.2  # m/s: a slower body stands
MOVING_SPEED = 0.5  # m/s: a body that never gets slower keeps moving
ACCELERATION_TIME = 0.2  # s: over which velocities are averaged before accelerations are computed


def step_speed(clip: Clip, seconds: float = STEP_TIME) -> FloatArray:
    """(F,) m/s: net displacement of the hips over the ground in `seconds` around each frame; at the ends, beside it."""
    return speed_along(travel(clip).place, clip.fps, seconds)


def speed_along(place: FloatArray, fps: float, seconds: float = STEP_TIME) -> FloatArray:
    """(F,) m/s: `step_speed` of a body whose hips are at `place` (F, 2) m."""
    span = min(max(1, round(seconds * fps)), len(place) - 1)
    if span < 1:
        return np.zeros(len(place))
    first = np.clip(np.arange(len(place)) - span // 2, 0, len(place) - 1 - span)
    return np.asarray(np.linalg.norm(place[first + span] - place[first], axis=1) * fps / span)


def pace(clip: Clip) -> FloatArray:
    """(F,) m/s: the speed over the ground averaged over a second around each frame; at the ends, beside it."""
    return pace_along(travel(clip).place, clip.fps)


def pace_along(place: FloatArray, fps: float) -> FloatArray:
    """(F,) m/s: `pace` of a body whose hips are at `place` (F, 2) m."""
    speed = speed_along(place, fps)
    span = min(max(1, round((PACE_TIME - STEP_TIME) * fps)), len(speed))
    total = np.concatenate([[0.0], np.cumsum(speed)])
    first = np.clip(np.arange(len(speed)) - span // 2, 0, len(speed) - span)
    return np.asarray((total[first + span] - total[first]) / span)


def speed_changes(clip: Clip, limit: float = SPEED_CHANGE) -> list[tuple[int, int]]:
    """Spans [first, end) of frames from which the speed changes by more than `limit` m/s within a second."""
    return runs(changes_within_second(clip) > limit)


def changes_within_second(clip: Clip) -> FloatArray:
    """(F - 1 s,) m/s: the change of speed within a second from each frame; none for a clip of a second or less."""
    return changes_along(travel(clip).place, clip.fps)


def moving_changes(place: FloatArray, fps: float, limit: float = SPEED_CHANGE) -> list[tuple[int, int]]:
    """As `speed_changes` of a body at `place` (F, 2) m, those only in which it keeps moving, until a second after."""
    speed, second = speed_along(place, fps), round(fps)
    spans = runs(changes_along(place, fps) > limit)
    return [(a, b) for a, b in spans if speed[a : b + second].min() > MOVING_SPEED]


def change_rate(
    places: Iterable[FloatArray], fps: float, limit: float = SPEED_CHANGE, *, moving: bool = False
) -> float:
    """How often per minute bodies at `places` (F, 2) m change their speed by more than `limit` within a second.

    Minutes of frames that a second follows in the same clip: short clips would seem steadier otherwise. With `moving`,
    starts and stops do not count (`moving_changes`).
    """
    frames = count = 0
    for place in places:
        changes = changes_along(place, fps)
        frames += len(changes)
        count += len(moving_changes(place, fps, limit) if moving else runs(changes > limit))
    return 60.0 * fps * count / frames if frames else 0.0


def changes_along(place: FloatArray, fps: float) -> FloatArray:
    """(F - 1 s,) m/s: `changes_within_second` of a body whose hips are at `place` (F, 2) m."""
    speed, second = speed_along(place, fps), round(fps)
    return np.abs(speed[second:] - speed[:-second]) if len(speed) > second else np.zeros(0)


def standing(clip: Clip) -> BoolArray:
    """(F,) whether the body stands: its pace is below 0.2 m/s."""
    return np.asarray(pace(clip) < STANDING_SPEED)


def root_acceleration(clip: Clip) -> FloatArray:
    """(F,) m/s^2: acceleration of the hips over the ground, from velocities averaged over 0.2 s."""
    return acceleration_along(travel(clip).place, clip.fps)


def acceleration_along(place: FloatArray, fps: float) -> FloatArray:
    """(F,) m/s^2: `root_acceleration` of a body whose hips are at `place` (F, 2) m."""
    span = max(1, round(ACCELERATION_TIME * fps))
    out = np.zeros(len(place))
    if len(place) <= 2 * span:
        return out
    velocity = (place[span:] - place[:-span]) * fps / span
    change = (velocity[span:] - velocity[:-span]) * fps / span
    out[span : span + len(change)] = np.linalg.norm(change, axis=1)
    return out
