"""Coordinates of joints that turn far: a rotation at angle a about an axis is also one at a - 2 pi about it.

The logarithm takes the smaller angle, so a body that turns over jumps to the other side of its chart at pi. The
exponential map itself is smooth up to 2 pi; all that is needed is to stay on one side. Which side follows from time:
along a segment from its frames one by one, at its ends from the segment that drives it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import FloatArray, IntArray
from motionloom.kinematics.frames import Frames
from motionloom.methods.textons.dynamics import Dynamics, log_density
from motionloom.methods.textons.observe import Space
from motionloom.rotation import average, exp, inverse, log, multiply

NEAR = 0.7 * np.pi  # rad: from here on, both sides of the chart are looked at


def other_side(v: FloatArray, full: FloatArray | float = 2 * np.pi) -> FloatArray:
    """The same rotations v (..., 3), turned the other way round; `full` is the length of a full turn."""
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


def along(y: FloatArray, space: Space, within: int | None = None) -> FloatArray:
    """(F, D) coordinates of successive frames without jumps, from the frame nearest to the base (of `within`)."""
    if not len(space.wild_columns):
        return y
    columns, full = space.wild_columns, _full(space)
    v = y[:, columns]
    anchor = np.linalg.norm(v[:within], axis=-1).argmin(0)
    out = y.copy()
    out[:, columns] = unbroken(v, anchor, full)
    return out


def beside(y: FloatArray, like: FloatArray, space: Space) -> FloatArray:
    """(F, D) coordinates on the side on which those of `like` (F, D) are."""
    columns = space.wild_columns
    if not len(columns):
        return y
    v = y[:, columns]
    if (np.einsum("fjc,fjc->fj", v, v) < (np.pi / 2 * space.wild_scale) ** 2).all():  # the other side is very far
        return y
    near = like[:, columns]
    other = other_side(v, _full(space))
    farther = np.linalg.norm(v - near, axis=-1) > np.linalg.norm(other - near, axis=-1)
    out = y.copy()
    out[:, columns] = np.where(farther[..., None], other, v)
    return out


def _full(space: Space) -> FloatArray:
    return 2 * np.pi * space.wild_scale[:, None]


def own_base(parts: Sequence[Frames], space: Space) -> FloatArray:
    """A texton's base rotations (J, 4): the space's, but for wild joints the middle of their own turn.

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


def chart_volume(y: FloatArray, space: Space) -> FloatArray:
    """(F,) log volume of the chart at each frame, for the wild joints.

    Charts differ between textons, so their densities are compared per unit of rotation, not per unit of coordinate:
    dv = dq / det J with det J = 2 (1 - cos a) / a^2 at angle a. Joints that all textons chart alike cancel out.
    """
    if not len(space.wild_columns):
        return np.zeros(len(y))
    angle = np.maximum(np.linalg.norm(y[:, space.wild_columns], axis=-1) / space.wild_scale, 1e-4)
    return -np.log(2 * (1 - np.cos(angle)) / angle**2).sum(1)


def likelihood(y: FloatArray, dynamics: Dynamics, space: Space) -> FloatArray:
    """(F,) log density of each frame given the two before it, per unit of rotation; frames 0 and 1 get 0.

    Where a wild joint is farther than `NEAR` from the base, both of its sides are tried, with the frames before it on
    the same side, and the likelier one counts.
    """
    out = np.zeros(len(y))
    out[2:] = log_density(y[2:], y[1:-1], y[:-2], dynamics) + chart_volume(y[2:], space)
    if not len(space.wild_columns):
        return out
    columns = space.wild_columns
    far = np.linalg.norm(y[:, columns], axis=-1) > NEAR * space.wild_scale
    t = np.flatnonzero((far[2:] | far[1:-1] | far[:-2]).any(1)) + 2
    if not len(t):
        return out
    turned = y[t]
    turned[:, columns] = np.where(far[t][..., None], other_side(y[t][:, columns], _full(space)), y[t][:, columns])
    sides = []
    for now in (y[t], turned):
        last = beside(y[t - 1], now, space)
        before = beside(y[t - 2], last, space)
        sides.append(log_density(now, last, before, dynamics) + chart_volume(now, space))
    out[t] = np.maximum(*sides)
    return out
