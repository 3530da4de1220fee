"""Bending the path of a body so that it passes through given positions and headings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.core.numbers import smootherstep
from motionloom.kinematics.travel import Travel, along, ground_turn, travel
from motionloom.rotation import wrap_angle


class Key(NamedTuple):
    """Where the hips should be at a frame; None leaves it open."""

    place: tuple[float, float] | None = None
    heading: float | None = None


def steer(clip: Clip, keys: Mapping[int, Key]) -> Clip:
    """The clip with its path bent so that it goes through `keys` (by frame).

    Between two keys each step is turned by an angle that grows smoothly from one key's to the other's, and steps are
    added up again: the body turns with its path instead of being dragged sideways. What is still missing at the end is
    spread over the leg in proportion to the distance walked, so that standing feet stay. A key without a heading takes
    the turn that leaves least to spread. After the last key, and before the first, everything moves rigidly.
    """
    now = travel(clip)
    place, heading = now.place.copy(), now.heading.copy()
    frames = sorted(keys)
    turn = 0.0  # by how much the path is turned at the key before
    for i, frame in enumerate(frames):
        start = frames[i - 1] if i else None
        if start is None:
            turn = _rigid(now, place, heading, frame, keys[frame])
            continue
        turn = _leg(now, place, heading, start, frame, keys[frame], turn)
    return along(clip, Travel(place, heading))


def _rigid(now: Travel, place: FloatArray, heading: FloatArray, frame: int, key: Key) -> float:
    """Move everything so that one frame is where it should be; the turn that it took."""
    turn = 0.0 if key.heading is None else float(wrap_angle(key.heading - now.heading[frame]))
    target = now.place[frame] if key.place is None else np.array(key.place)
    place[:] = ground_turn(turn, now.place - now.place[frame]) + target
    heading[:] = now.heading + turn
    return turn


def _leg(now: Travel, place: FloatArray, heading: FloatArray, start: int, end: int, key: Key, before: float) -> float:
    """Bend the leg from one key to the next, carry the rest along, and give back the turn at its end."""
    steps = np.diff(now.place[start : end + 1], axis=0)
    walked = np.concatenate([[0.0], np.cumsum(np.linalg.norm(steps, axis=1))])
    ramp = smootherstep(np.linspace(0.0, 1.0, end - start + 1))
    if key.heading is not None:
        turn = before + float(wrap_angle(key.heading - now.heading[end] - before))
    elif key.place is not None and walked[-1] > 1e-6:
        turn = _best_turn(steps, ramp, before, np.array(key.place) - place[start])
    else:
        turn = before
    turns = before + (turn - before) * ramp
    line = _integrate(place[start], steps, turns)
    if key.place is not None:
        share = walked / walked[-1] if walked[-1] > 1e-3 else ramp
        line = line + share[:, None] * (np.array(key.place) - line[-1])
    place[start : end + 1] = line
    heading[start : end + 1] = now.heading[start : end + 1] + turns
    place[end:] = ground_turn(turn, now.place[end:] - now.place[end]) + line[-1]
    heading[end:] = now.heading[end:] + turn
    return turn


def _integrate(start: FloatArray, steps: FloatArray, turns: FloatArray) -> FloatArray:
    middle = (turns[1:] + turns[:-1]) / 2
    return start + np.concatenate([np.zeros((1, 2)), np.cumsum(ground_turn(middle, steps), axis=0)])


def _best_turn(steps: FloatArray, ramp: FloatArray, before: float, wanted: FloatArray) -> float:
    """The final turn whose leg ends nearest to `wanted`, a small turn where several are alike."""
    tried = before + np.linspace(-np.pi, np.pi, 181)
    missing = np.empty(len(tried))
    size = np.linalg.norm(steps, axis=1).sum()
    for i, turn in enumerate(tried):
        end = _integrate(np.zeros(2), steps, before + (turn - before) * ramp)[-1]
        missing[i] = np.linalg.norm(end - wanted) + 0.02 * size * abs(turn - before)
    return float(tried[missing.argmin()])
