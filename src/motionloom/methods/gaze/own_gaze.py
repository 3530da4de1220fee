"""A motion's own gaze: whether it looks around, its smoothed direction, and the motion without its own looking."""

from __future__ import annotations

import math

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, replace
from motionloom.core.numbers import gaussian_smoothed
from motionloom.kinematics.travel import travel
from motionloom.methods.gaze.gaze_shifts import GazeBody, base_gaze
from motionloom.rotation import average, continuous, inverse, multiply, normalize, slerp, wrap_angle

SMOOTH = 0.4  # s: standard deviation of the smoothing that leaves a step's bob out
QUICK = (0.15, 0.05)  # s: standard deviation of the smoothing that separates looking from quick movements
AROUND = math.radians(30.0)  # range of the smoothed gaze against the hips' heading above which a motion looks around
TAKEN_OUT = 0.5  # of its spread is left at most where a motion's own looking is taken out
FADE = 0.6  # s over which a motion's own looking is taken out and given back


def _smoothed(values: FloatArray, fps: float, seconds: float = SMOOTH) -> FloatArray:
    """Values (F, ...) smoothed in time by a Gaussian; the ends repeat."""
    return gaussian_smoothed(values, seconds * fps)


def smoothed_gaze(body: GazeBody, root: FloatArray, rotations: FloatArray, fps: float) -> FloatArray:
    """(F, 3) the direction of the gaze without the bob of steps."""
    line = _smoothed(base_gaze(body, root, rotations).gaze, fps)
    return line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-9)


def own_looking(body: GazeBody, clip: Clip) -> FloatArray:
    """(F, 2) yaw and pitch of the gaze against the heading of the hips, without the bob of steps."""
    base = base_gaze(body, clip.root, clip.rotations)
    turn = wrap_angle(base.yaw - travel(clip).heading)
    return _smoothed(np.stack([np.unwrap(turn), base.pitch], 1), clip.fps)


def looks_around(body: GazeBody, clip: Clip) -> bool:
    """Does the motion look around itself, rather than ahead or in one direction, so that it can be taken out?

    A body that bends and turns its whole trunk, as a dog that sniffs, would look about all the more.
    """
    own = own_looking(body, clip)
    if np.ptp(own[:, 0]) <= AROUND:
        return False
    still = own_looking(body, replace(clip, rotations=straightened(body, clip, np.ones(len(clip), bool))))
    return bool(np.hypot(*still.std(0)) < TAKEN_OUT * np.hypot(*own.std(0)))


def straightened(body: GazeBody, clip: Clip, where: BoolArray) -> FloatArray:
    """(F, J, 4) rotations without the motion's own looking in the frames `where`; before and after it fades.

    Each joint that looks turns as on average over the clip, with its own quick movements on top: a step's bob in the
    spine, hardly any in neck and head, whose looks are as quick as steps.
    """
    weight, out = _faded(where, clip.fps), np.array(clip.rotations)
    some = weight > 0
    for j in body.turned:
        own = continuous(clip.rotations[:, j])
        quick = QUICK[0] if clip.skeleton.roles[j].startswith("spine") else QUICK[1]
        slow = normalize(_smoothed(own, clip.fps, quick))
        straight = multiply(average(own), multiply(inverse(slow), own))
        out[some, j] = slerp(own[some], straight[some], weight[some])
    return out


def _faded(where: BoolArray, fps: float) -> FloatArray:
    """(F,) 1 in the frames `where`, easing to 0 within `FADE` before and after them."""
    if not where.any():
        return np.zeros(len(where))
    at, marks = np.arange(len(where)), np.flatnonzero(where)
    away = np.abs(at[:, None] - marks[np.clip(np.searchsorted(marks, at)[:, None] + [-1, 0], 0, len(marks) - 1)]).min(1)
    x = np.clip(1 - away / (FADE * fps), 0.0, 1.0)
    return np.asarray(x**3 * (10.0 + x * (6.0 * x - 15.0)))
