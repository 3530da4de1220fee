"""Likelihood of frames under a texton; joints that turn far are charted on their likelier side."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray
from motionloom.kinematics.channels.metric import MetricSpace
from motionloom.kinematics.channels.sides import chart_volume, full_turn, on_side_of, other_side
from motionloom.methods.textons.learn.lds import Dynamics, log_density

TWO_SIDED_FROM = 0.7 * np.pi  # rad: from here on, both sides of the chart are compared


def likelihood(y: FloatArray, dynamics: Dynamics, space: MetricSpace) -> FloatArray:
    """(F,) log density of each frame given the two before it, per unit of rotation; frames 0 and 1 get 0.

    Where a wild joint is farther than `TWO_SIDED_FROM` from the base, both of its sides are tried, with the frames
    before it on the same side, and the likelier one counts.
    """
    out = np.zeros(len(y))
    out[2:] = log_density(y[2:], y[1:-1], y[:-2], dynamics) + chart_volume(y[2:], space)
    if not len(space.wild_columns):
        return out
    columns = space.wild_columns
    far = np.linalg.norm(y[:, columns], axis=-1) > TWO_SIDED_FROM * space.wild_scale
    t = np.flatnonzero((far[2:] | far[1:-1] | far[:-2]).any(1)) + 2
    if not len(t):
        return out
    turned = y[t]
    turned[:, columns] = np.where(far[t][..., None], other_side(y[t][:, columns], full_turn(space)), y[t][:, columns])
    sides = []
    for now in (y[t], turned):
        last = on_side_of(y[t - 1], now, space)
        before = on_side_of(y[t - 2], last, space)
        sides.append(log_density(now, last, before, dynamics) + chart_volume(now, space))
    out[t] = np.maximum(*sides)
    return out
