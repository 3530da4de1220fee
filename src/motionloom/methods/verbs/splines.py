"""Registered clips as B-splines of their degrees of freedom over generic time, and back (GUAN eq 2.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from motionloom.blend.registered_clips import Registered
from motionloom.core import FloatArray
from motionloom.kinematics.channels.centred import centred_angles, from_centred_angles
from motionloom.rotation import average, continuous

MOST_TEMPO = np.log(4.0)  # gaps are extrapolated to a quarter of the shortest and four times the longest one


@dataclass(frozen=True, eq=False)
class Splines:
    """K examples: control points of all degrees of freedom, and the gaps between key times."""

    centre: FloatArray  # (J, 4) the mean rotation of each joint: angles are exponential maps from it
    control: FloatArray  # (K, C, 3 J + 4) angles, height of the hips, steps to the left, forward, and turn
    gaps: FloatArray  # (K, M) logarithms of the seconds between key times, which are evenly spaced in generic time


def basis(rows: Registered, count: int) -> FloatArray:
    """(R, C) uniform cubic B-splines at every row: periodic where clips are cyclic, else over all rows."""
    from scipy.interpolate import BSpline

    total = len(rows.levels)
    if rows.cyclic:
        at = ((np.arange(total) - rows.lead) % rows.count) / rows.count * count
        knots = np.arange(-3, count + 4, dtype=float)
        whole = BSpline.design_matrix(at, knots, 3).toarray()
        out = whole[:, :count].copy()
        out[:, :3] += whole[:, count:]
        return out
    knots = np.arange(-3, count + 1, dtype=float)  # count control points, count - 3 intervals
    at = np.linspace(0.0, count - 3 - 1e-9, total)
    return np.asarray(BSpline.design_matrix(at, knots, 3).toarray())


def fit_splines(rows: Registered, count: int, gaps: int) -> Splines:
    """The splines with `count` control points nearest to registered clips, and `gaps` gaps between key times."""
    total, clips, joints, _ = rows.turns.shape
    centre = average(rows.turns.reshape(-1, joints, 4))
    angles = centred_angles(rows.turns, centre)
    dofs = np.concatenate(
        [angles.reshape(total, clips, -1), rows.levels[..., None], rows.steps], axis=-1
    )  # (R, K, 3 J + 4)
    matrix = basis(rows, count)
    inside = slice(rows.lead, rows.lead + rows.count) if rows.cyclic else slice(None)
    solved = np.linalg.lstsq(matrix[inside], dofs[inside].reshape(matrix[inside].shape[0], -1), rcond=None)[0]
    control = solved.reshape(count, clips, -1).swapaxes(0, 1)
    times = np.concatenate([np.zeros((1, clips)), np.cumsum(rows.paces[rows.lead : rows.lead + rows.count], 0)])
    at = np.linspace(0, 1, gaps + 1)
    keys = np.stack([np.interp(at, np.linspace(0, 1, len(times)), column) for column in times.T])
    return Splines(centre, control, np.log(np.diff(keys, axis=1)))


def motion_of(splines: Splines, rows: Registered, weights: FloatArray) -> Registered:
    """One clip with the rows of `rows`: control points and logarithms of gaps interpolated with weights (K,)."""
    joints, count = len(splines.centre), splines.control.shape[1]
    dofs = basis(rows, count) @ np.tensordot(weights, splines.control, axes=1)
    turns = from_centred_angles(dofs[:, : 3 * joints].reshape(len(dofs), joints, 3), splines.centre)
    gaps = np.clip(weights @ splines.gaps, splines.gaps.min() - MOST_TEMPO, splines.gaps.max() + MOST_TEMPO)
    gaps = np.exp(gaps)
    keys = np.concatenate([[0.0], np.cumsum(gaps)])
    times = np.interp(np.linspace(0, 1, rows.count + 1), np.linspace(0, 1, len(keys)), keys)
    inside = np.diff(times)
    at = np.arange(len(dofs)) - rows.lead
    paces = inside[at % rows.count] if rows.cyclic else inside[np.clip(at, 0, rows.count - 1)]
    touches = np.clip(np.einsum("k,rkp->rp", weights, rows.touches), 0.0, 1.0)
    return replace(
        rows,
        turns=continuous(turns)[:, None],
        levels=dofs[:, 3 * joints, None],
        steps=dofs[:, None, 3 * joints + 1 :],
        paces=paces[:, None],
        touches=touches[:, None],
        times=(rows.times @ weights)[:, None],
    )
