"""Joints that turn far: their coordinates without jumps, and the base rotations of their charts.

A rotation by angle a about an axis is also one by a - 2 pi about it. The logarithm takes the smaller angle, so a body
that turns over jumps to the other side of its chart at pi. The exponential map itself is smooth up to 2 pi; it is
enough to stay on one side. The side follows from time: along a segment from its frames one by one, at its ends from
the segment that drives it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import FloatArray, IntArray
from motionloom.kinematics.channels.metric import MetricSpace
from motionloom.kinematics.local_frames import Frames
from motionloom.rotation import average, exp, inverse, log, multiply


def other_side(v: FloatArray, full: FloatArray | float = 2 * np.pi) -> FloatArray:
    """The same rotations v (..., 3), by the opposite turn; `full` is the length of a full turn."""
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v - full * v / np.maximum(length, 1e-9))


def unbroken(v: FloatArray, anchor: IntArray, full: FloatArray | float = 2 * np.pi) -> FloatArray:
    """(F, W, 3) logarithms of W joints along time, without jumps; frame `anchor` of each joint keeps its side."""
    other = other_side(v, full)
    direct, round_ = (np.linalg.norm(x[1:] - v[:-1], axis=-1) for x in (v, other))
    crossed = np.zeros(v.shape[:2], int)
    crossed[1:] = np.cumsum(direct > round_, axis=0)
    crossed -= crossed[anchor, np.arange(v.shape[1])]
    return np.where((crossed % 2 == 1)[..., None], other, v)


def continuous(y: FloatArray, space: MetricSpace, within: int | None = None) -> FloatArray:
    """(F, D) coordinates of successive frames without jumps, from the frame nearest to the base (of `within`)."""
    if not len(space.wild_columns):
        return y
    columns, full = space.wild_columns, full_turn(space)
    v = y[:, columns]
    anchor = np.linalg.norm(v[:within], axis=-1).argmin(0)
    out = y.copy()
    out[:, columns] = unbroken(v, anchor, full)
    return out


def on_side_of(y: FloatArray, like: FloatArray, space: MetricSpace) -> FloatArray:
    """(F, D) coordinates on the side on which those of `like` (F, D) are."""
    columns = space.wild_columns
    if not len(columns):
        return y
    v = y[:, columns]
    if (np.einsum("fjc,fjc->fj", v, v) < (np.pi / 2 * space.wild_scale) ** 2).all():  # the other side is very far
        return y
    near = like[:, columns]
    other = other_side(v, full_turn(space))
    farther = np.linalg.norm(v - near, axis=-1) > np.linalg.norm(other - near, axis=-1)
    out = y.copy()
    out[:, columns] = np.where(farther[..., None], other, v)
    return out


def full_turn(space: MetricSpace) -> FloatArray:
    """(W, 1) the length of a full turn of each wild joint, in coordinates."""
    return 2 * np.pi * space.wild_scale[:, None]


def segment_base(parts: Sequence[Frames], space: MetricSpace) -> FloatArray:
    """The base rotations (J, 4) of one kind of segment: the space's, but for wild joints the middle of their own turn.

    The middle of how far each segment turns, averaged over its segments: so a turn of up to two pi stays within pi.
    """
    base = space.base.copy()
    if len(space.wild_columns):
        middles = [_middle(frames.turns[:, space.wild]) for frames in parts]
        base[space.wild] = average(np.stack(middles))
    return base


def _middle(turns: FloatArray) -> FloatArray:
    """(W, 4) the middle of how far W joints (F, W, 4) turn: seen from the middle frame, and once more from there."""
    middle = turns[len(turns) // 2]
    for _ in range(2):
        v = log(multiply(inverse(middle), turns))
        v = unbroken(v, np.linalg.norm(v, axis=-1).argmin(0))
        middle = multiply(middle, exp((v.max(0) + v.min(0)) / 2))
    return middle


def chart_volume(y: FloatArray, space: MetricSpace) -> FloatArray:
    """(F,) log volume of the chart at each frame, for the wild joints.

    Charts differ between kinds of segments, so their densities are compared per unit of rotation, not of coordinate:
    dv = dq / det J with det J = 2 (1 - cos a) / a^2 at angle a. Joints that all chart alike cancel out.
    """
    if not len(space.wild_columns):
        return np.zeros(len(y))
    angle = np.maximum(np.linalg.norm(y[:, space.wild_columns], axis=-1) / space.wild_scale, 1e-4)
    return -np.log(2 * (1 - np.cos(angle)) / angle**2).sum(1)
