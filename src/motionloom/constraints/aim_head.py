"""Turning neck and head towards the target of a `look_at`."""

from __future__ import annotations

import numpy as np

from motionloom.constraints.gaze import LookAt, eyes, gaze
from motionloom.core import Clip, FloatArray, IntArray, replace
from motionloom.core.numbers import smootherstep
from motionloom.kinematics.fk import fk_rotations
from motionloom.rotation import between, exp, inverse, log, multiply, normalize


def look(clip: Clip, asked: LookAt, held: IntArray, width: float, *, rounds: int = 8) -> Clip:
    """The clip looking at the target of `asked` during its span, easing in and out over `width` frames.

    All joints from the top of the spine to the head turn about one world axis, in equal parts; parts about one axis
    add up, so the head turns by the whole angle. Its place changes a little with that, hence a few rounds. `held`
    frames do not change.
    """
    skeleton = clip.skeleton
    tip = skeleton.joint("head") if skeleton.find("head") is not None else eyes(skeleton)[0]
    chain = [j for j in skeleton.chain(tip)[1:] if skeleton.roles[j].startswith(("neck", "head"))] or [tip]
    span = asked.frames(len(clip), clip.fps)
    weight = easing(span, held, len(clip), width)
    for _ in range(rounds):
        start, direction = gaze(clip)
        turn = log(between(direction, asked.directions(clip, start))) * weight[:, None]
        if np.abs(turn[span.start : span.stop]).max() < 1e-10:
            break
        clip = _turn_chain(clip, chain, turn / len(chain))
    return clip


def easing(span: range, held: IntArray, frames: int, width: float) -> FloatArray:
    """(F,): 1 in the span, fading to 0 within `width` frames outside, and 0 at and beyond held frames outside."""
    t = np.arange(frames)
    back, ahead = width, width
    for frame in held:
        if frame < span.start:
            back = min(back, float(span.start - frame))
        elif frame >= span.stop:
            ahead = min(ahead, float(frame - span.stop + 1))
    away = np.where(t < span.start, (span.start - t) / back, np.where(t >= span.stop, (t - span.stop + 1) / ahead, 0.0))
    weight = 1.0 - smootherstep(away)
    weight[[f for f in held if span.start <= f < span.stop]] = 0.0
    return weight


def _turn_chain(clip: Clip, chain: list[int], part: FloatArray) -> Clip:
    """Every joint of the chain turned by the world turn vectors `part` (F, 3), one after the other."""
    rotations = clip.rotations.copy()
    for joint in chain:
        _, turns = fk_rotations(replace(clip, rotations=rotations))
        above = turns[:, clip.skeleton.parents[joint]] if joint else np.array([1.0, 0.0, 0.0, 0.0])
        local = multiply(inverse(above), multiply(exp(part), above))
        rotations[:, joint] = normalize(multiply(local, rotations[:, joint]))
    return replace(clip, rotations=rotations)
