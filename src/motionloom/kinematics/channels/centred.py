"""Rotations as rotation vectors about a centre, and back: the chart of joints that every statistical method uses."""

from __future__ import annotations

from motionloom.core import FloatArray
from motionloom.rotation import exp, inverse, log, multiply


def centred_angles(turns: FloatArray, centre: FloatArray) -> FloatArray:
    """(..., J, 3) rad: the rotation vectors that turn the centre (J, 4) into rotations (..., J, 4)."""
    return log(multiply(inverse(centre), turns))


def from_centred_angles(angles: FloatArray, centre: FloatArray) -> FloatArray:
    """(..., J, 4) rotations from their rotation vectors (..., J, 3) about the centre (J, 4)."""
    return multiply(centre, exp(angles))
