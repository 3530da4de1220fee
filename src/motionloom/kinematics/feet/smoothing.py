"""Smooth curves of corrections over time: nowhere less than needed, and nothing where frames must stay."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray, IntArray
from motionloom.core.numbers import smoothstep


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
