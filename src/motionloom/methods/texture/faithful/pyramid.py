"""Blurred and halved tracks: the levels of a motion, of its keys, and of its styles (EDEN 3.6.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.rotation import nearest_sign, normalize

Array = TypeVar("Array", FloatArray, BoolArray)
Average = Callable[[FloatArray, FloatArray], FloatArray]


def mean(a: FloatArray, b: FloatArray) -> FloatArray:
    """Half-way between numbers or points."""
    return (a + b) / 2


def mean_turn(a: FloatArray, b: FloatArray) -> FloatArray:
    """Half-way between rotations (..., 4), along the shorter arc."""
    return normalize(a + nearest_sign(b, a))


def coarser(values: FloatArray, given: BoolArray, average: Average) -> tuple[FloatArray, BoolArray]:
    """Values (F, ..., d) of F frames at half the rate: ceil(F / 2) frames, and where they are given.

    Each frame becomes the average of itself and its two neighbours (the outer two are averaged first), and the average
    of frames 2 i and 2 i + 1 is frame i: away from the ends the kernel (1, 3, 3, 1) / 8. Values that are not given, or
    beyond the ends, are left out of an average.
    """
    before, has_before = _shifted(values, 1), _shifted(given, 1)
    after, has_after = _shifted(values, -1), _shifted(given, -1)
    outer, has_outer = _average(before, has_before, after, has_after, average)
    smooth, has = _average(values, given, outer, has_outer, average)
    if len(smooth) % 2:
        smooth, has = np.concatenate([smooth, smooth[-1:]]), np.concatenate([has, np.zeros_like(has[-1:])])
    return _average(smooth[0::2], has[0::2], smooth[1::2], has[1::2], average)


def _shifted(values: Array, by: int) -> Array:
    """Values of the frame before (1) or after (-1); zeros beyond the ends."""
    out = np.zeros_like(values)
    if by > 0:
        out[1:] = values[:-1]
    else:
        out[:-1] = values[1:]
    return out


def _average(
    a: FloatArray, has_a: BoolArray, b: FloatArray, has_b: BoolArray, average: Average
) -> tuple[FloatArray, BoolArray]:
    """The average where both are given, else the one that is."""
    both, only_b = (mask.reshape(*mask.shape, *[1] * (a.ndim - mask.ndim)) for mask in (has_a & has_b, has_b & ~has_a))
    return np.where(both, average(a, b), np.where(only_b, b, a)), has_a | has_b
