"""Errors of capture that one take has alone: a mixture would have a part of them in every variant and every cycle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.methods.variation.dofs import Dofs, still_limits

LONE = 4.0  # times: a value that departs from its neighbour frames so much more than other takes do is an error
ALONG = 2.0  # times: in a frame with an error, values that depart so much more than in other takes are wrong, too
LEAST = 2.0  # times what a constant value may move: less is none
NEAR = 0.05  # s around a moment in which other takes are looked at
AROUND = 0.15  # s around it in which the take itself is


def without_lone_errors(
    clips: Sequence[Clip], sequences: Sequence[FloatArray], clock: FloatArray, dofs: Dofs
) -> list[Clip]:
    """The clips, each without values that jump as no other clip's do at that moment of the `clock` (S, U).

    A value of a sequence (F, D) is compared with the cubic through its four neighbour frames. What all takes have then
    (a heel that strikes the ground) and what the take has in most frames there stays. Values in error are replaced by
    the spline through the others. Of displacements, the sums are looked at: hips that are off in one frame jump twice.
    """
    from scipy.interpolate import CubicSpline

    if len(clips) < 2:
        return list(clips)
    places = [_summed(values, dofs.displacement) for values in sequences]
    out = list(clips)
    for k, wrong in enumerate(_wrong(places, clock, dofs)):
        change, frames = np.zeros_like(places[k]), np.arange(len(places[k]))
        for d in np.flatnonzero(wrong.any(0)):
            good, bad = ~wrong[:, d], wrong[:, d]
            change[bad, d] = CubicSpline(frames[good], places[k][good, d])(frames[bad]) - places[k][bad, d]
        moved = dofs.displacement
        change[:-1, moved] = np.diff(change[:, moved], axis=0)  # the last one is 0
        if wrong.any():
            out[k] = dofs.changed(clips[k], sequences[k] + change)
    return out


def _summed(values: FloatArray, displacement: BoolArray) -> FloatArray:
    """Values (F, D) with the sums of displacements before each frame in their place."""
    out = values.copy()
    out[:, displacement] = np.cumsum(values[:, displacement], axis=0) - values[:, displacement]
    return out


def _wrong(places: Sequence[FloatArray], clock: FloatArray, dofs: Dofs) -> list[BoolArray]:
    """(F, D) for each sequence: where it is in error; its first and last two frames never are.

    Captures make up for a wrong joint by turning others, less: with one alone repaired, limbs would be off by more.
    """
    from scipy.ndimage import maximum_filter1d, median_filter

    fps, least = dofs.layout.fps, LEAST * still_limits(dofs.layout, per_frame=False)[dofs.moving]
    near, around = (2 * max(2, round(seconds * fps)) + 1 for seconds in (NEAR, AROUND))
    off = [_off_neighbours(place) for place in places]
    usual = np.median(np.concatenate(off), axis=0)
    peaks = [maximum_filter1d(rows, near, axis=0) for rows in off]
    out = []
    for k, rows in enumerate(off):
        moments = np.interp(np.arange(len(rows)), clock[k], np.arange(clock.shape[1]))
        most = np.maximum(usual, median_filter(rows, (around, 1), mode="nearest"))
        for other, peak in enumerate(peaks):
            if other != k:
                frames = np.interp(moments, np.arange(clock.shape[1]), clock[other])
                most = np.maximum(most, peak[np.round(frames).astype(np.int64)])
        wrong = rows > np.maximum(LONE * most, least)
        out.append(wrong | (wrong.any(1, keepdims=True) & (rows > ALONG * most)))
    return out


def _off_neighbours(values: FloatArray) -> FloatArray:
    """(F, D) how far values are from the cubic through the two frames before and the two after; 0 at the ends."""
    out = np.zeros_like(values)
    if len(values) > 4:
        cubic = (4 * (values[1:-3] + values[3:-1]) - values[:-4] - values[4:]) / 6
        out[2:-2] = np.abs(values[2:-2] - cubic)
    return out
