"""Gaits of a clip as labels: standing, idling, starting, stopping, walking and running."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, with_labels
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.feet.contacts import contacts, foot_parts, runs
from motionloom.kinematics.mass import GRAVITY
from motionloom.kinematics.pace import STANDING_SPEED, step_speed

GAITS = ("stand", "idle", "start", "stop", "walk", "run")
PREFIX = "gait:"  # of labels that were found; labels with a colon describe frames, they do not divide a graph
STEP_WINDOW = 0.8  # s: about a stride of a run, over which support is averaged
MOVING_SPEED = 0.4  # m/s
MAX_SUPPORT = 0.9  # share of a run's time in which a foot touches,
RUN_SPEED = 0.65  # times the root of gravity and leg length (people prefer to run from 0.7 on): at slower speeds
CERTAIN_FLIGHT = 0.75  # only with less support than this, as contacts of walks are sometimes missed
MIN_IDLE = 1.0  # s with all feet planted
MIN_STAND = 0.3  # s
CHANGE_TIME = 1.5  # s: longest start or stop
REACHED = 0.85  # of the speed that follows: a start is over


def gait_labels(clip: Clip) -> dict[str, BoolArray]:
    """(F,) for each of `GAITS`, where the clip shows it; empty for a body without feet.

    The body stands while it is slower than 0.2 m/s (over half a second), and idles while all of its feet stay planted
    for a second. A start leads from standing to 85 % of the fastest speed of the next 1.5 s; a stop is the reverse. It
    walks where a foot touches nearly all the time, and runs where it flies (at slow speeds, for a quarter of the time).
    """
    if not foot_parts(clip.skeleton) or len(clip) < 2:
        return {}
    speed, touch = step_speed(clip), np.stack([*contacts(clip, fresh=True).values()], axis=1)
    stand = _long(speed < STANDING_SPEED, MIN_STAND * clip.fps)
    feet = sorted({part.foot.name for part in foot_parts(clip.skeleton)})
    planted = [
        np.any([touch[:, k] for k, part in enumerate(foot_parts(clip.skeleton)) if part.foot.name == name], axis=0)
        for name in feet
    ]
    idle = _long(stand & np.all(planted, axis=0), MIN_IDLE * clip.fps)
    start, stop = np.zeros(len(clip), bool), np.zeros(len(clip), bool)
    most = round(CHANGE_TIME * clip.fps)
    for first, end in runs(stand):
        start[end : end + _rise(speed[end : end + most])] = True
        stop[first - _rise(speed[max(0, first - most) : first][::-1]) : first] = True
    moving = (speed > MOVING_SPEED) & ~stand
    support = _mean(np.asarray(touch.any(axis=1)), STEP_WINDOW * clip.fps)
    fast = speed > RUN_SPEED * np.sqrt(GRAVITY * leg_length(clip.skeleton))
    flies = (support < MAX_SUPPORT) & (fast | (support < CERTAIN_FLIGHT))
    found = (stand, idle, start & ~stand, stop & ~stand, moving & ~flies, moving & flies)
    return dict(zip(GAITS, found, strict=True))


def with_gait_labels(clips: Sequence[Clip]) -> list[Clip]:
    """The clips with the gaits that were found as labels `gait:walk`; none of a name that a clip carries as a label."""
    given = {name for clip in clips for name in clip.label_names}
    out = []
    for clip in clips:
        found = {PREFIX + name: on for name, on in gait_labels(clip).items() if name not in given and on.any()}
        out.append(with_labels(clip, found) if found else clip)
    return out


def labelled(clip: Clip, name: str) -> BoolArray:
    """(F,) frames that carry a label; for a gait that no label names, those in which it was found."""
    return clip.label(name if name in clip.label_names else PREFIX + name)


def _rise(speed: FloatArray) -> int:
    """Frames until the speed reaches `REACHED` of its largest value; 0 if it stays below a moving body's."""
    if not len(speed) or speed.max() < MOVING_SPEED:
        return 0
    return int(np.argmax(speed >= REACHED * speed.max())) + 1


def _long(on: BoolArray, least: float) -> BoolArray:
    """The runs of at least so many frames."""
    out = np.zeros(len(on), bool)
    for a, b in runs(on):
        out[a:b] = b - a >= least
    return out


def _mean(on: BoolArray, width: float) -> FloatArray:
    """(F,) the share of true frames around each, over `width` frames; at the ends beside it."""
    span = min(max(1, round(width)), len(on))
    total = np.concatenate([[0], np.cumsum(on)])
    first = np.clip(np.arange(len(on)) - span // 2, 0, len(on) - span)
    return np.asarray((total[first + span] - total[first]) / span)
