"""Displacement maps: changes that are exact at some frames and fade smoothly into the motion around them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray, replace
from motionloom.core.numbers import smootherstep
from motionloom.kinematics.travel import headings
from motionloom.rotation import exp, inverse, log, multiply, normalize, yaw


def spread(keys: IntArray, values: FloatArray, frames: int, width: float) -> FloatArray:
    """(frames, ...): `values` (K, ...) at the increasing frames `keys`, fading to zero within `width` frames of each.

    Between keys that lie closer, one value passes into the next. The map has no slope at a key, so the motion keeps its
    own velocity there. A key with value zero holds its frame as it is.
    """
    out = np.zeros((frames, *values.shape[1:]))
    t = np.arange(frames, dtype=float)
    shape = (-1,) + (1,) * (values.ndim - 1)
    for i, (key, value) in enumerate(zip(keys, values, strict=True)):
        back = width if i == 0 else min(width, float(key - keys[i - 1]))
        ahead = width if i == len(keys) - 1 else min(width, float(keys[i + 1] - key))
        away = np.where(t < key, (key - t) / max(back, 1e-9), (t - key) / max(ahead, 1e-9))
        out += (1.0 - smootherstep(away)).reshape(shape) * value
    return out


def displaced_rotations(
    clip: Clip, joint: int, wanted: Mapping[int, FloatArray], held: IntArray, width: float
) -> FloatArray:
    """(F, 4): local rotations of a joint that are `wanted` at some frames, unchanged at `held` ones.

    q'(t) = q(t) exp(d(t)) with d = log(q^-1 q_wanted) at the keys (displacement mapping in the rotations' log space).
    """
    keys = np.array(sorted({*wanted, *held.tolist()}), np.int64)
    values = np.zeros((len(keys), 3))
    for i, key in enumerate(keys):
        if int(key) in wanted:
            values[i] = log(multiply(inverse(clip.rotations[key, joint]), wanted[int(key)]))
    moved = normalize(multiply(clip.rotations[:, joint], exp(spread(keys, values, len(clip), width))))
    for key, value in wanted.items():  # to the last bit, not only to rounding
        moved[key] = value
    return moved


def with_heading(clip: Clip, frame: int, tilt: FloatArray) -> FloatArray:
    """The rotation (4,) with the tilt of `tilt` (a root rotation of this skeleton) and the clip's heading there."""
    one = replace(clip[frame : frame + 1], rotations=_with_root(clip, frame, tilt))
    return normalize(multiply(yaw(headings(clip[frame : frame + 1])[0] - headings(one)[0]), tilt))


def _with_root(clip: Clip, frame: int, turn: FloatArray) -> FloatArray:
    rotations = clip.rotations[frame : frame + 1].copy()
    rotations[0, 0] = turn
    return rotations
