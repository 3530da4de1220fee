"""Smooth curves of corrections over time: nowhere less than needed, and nothing where frames must stay."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.feet.contacts import runs

GAUSSIAN_REACH = 3  # deviations after which the Gaussian ends


def gaussian(values: FloatArray, deviation: float) -> FloatArray:
    """(F, D) smoothed along axis 0 with a Gaussian of so many frames, ends repeated."""
    reach = max(1, int(np.ceil(GAUSSIAN_REACH * deviation)))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(deviation, 1e-6)) ** 2)
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    return np.stack([np.convolve(column, kernel / kernel.sum(), mode="valid") for column in padded.T], 1)


def envelope(need: FloatArray, width: int) -> FloatArray:
    """A smooth curve that is nowhere below `need`: its largest value within `width` frames, averaged over as many."""
    if not need.any():
        return need
    padded = np.pad(need, 2 * width, mode="edge")
    wide = np.lib.stride_tricks.sliding_window_view(padded, 2 * width + 1).max(1)
    kernel = np.hanning(2 * width + 3)[1:-1]
    return np.convolve(wide, kernel / kernel.sum(), mode="valid")


def away_from(at: IntArray, frames: int, width: int) -> FloatArray:
    """(frames,) from 0 at these frames, in order of time, to 1 at `width` frames from the nearest of them."""
    if not len(at):
        return np.ones(frames)
    each = np.arange(frames)
    after = np.searchsorted(at, each)
    left, right = at[np.maximum(after - 1, 0)], at[np.minimum(after, len(at) - 1)]
    return smoothstep(np.minimum(np.abs(each - left), np.abs(each - right)) / width)


def fade_between(values: FloatArray, known: BoolArray, fixed: BoolArray, width: int, slope: int) -> FloatArray:
    """Fill the frames between known ones; fixed frames are knots of value zero.

    Quintic Hermite pieces with the value and the velocity (over `slope` frames) of the known side, no acceleration:
    from knot to knot where these are within twice `width` frames, else to nothing within `width`.
    """
    out = np.where(known[:, None], values, 0.0)
    knots = known | fixed
    spans = np.array(runs(knots)).reshape(-1, 2)
    if not len(spans):
        return out
    first, last = spans[:, 0], spans[:, 1] - 1
    short = (last - first < slope)[:, None]  # too short to distinguish a speed from noise
    rate_in = np.where(short, 0.0, (out[np.minimum(first + slope, last)] - out[first]) / slope)
    rate_out = np.where(short, 0.0, (out[last] - out[np.maximum(last - slope, first)]) / slope)
    at = np.flatnonzero(~knots)
    after = np.searchsorted(first, at)  # the next span; the one before it lies to the left
    some_left, some_right = after > 0, after < len(spans)
    before, after = np.maximum(after - 1, 0), np.minimum(after, len(spans) - 1)
    left, right = at - last[before], first[after] - at
    bridged = some_left & some_right & (left + right <= 2 * width)
    reach = np.where(bridged, left + right, width)
    fading = [(some_left, left, last[before], rate_out[before]), (some_right, right, first[after], -rate_in[after])]
    total = np.zeros((len(at), out.shape[1]))
    for some, far, knot, rate in fading:
        near = some & (bridged | (far <= width))
        value, speed = _quintic((far / reach)[:, None])
        total += np.where(near[:, None], value * out[knot] + speed * reach[:, None] * rate, 0.0)
    out[at] = total
    return out


def _quintic(u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """From value 1 (or slope 1) at u = 0 to nothing at u = 1, without acceleration at either end."""
    return 1 - u**3 * (10 - u * (15 - 6 * u)), u * (1 - u**2 * (6 - u * (8 - 3 * u)))
