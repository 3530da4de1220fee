"""Angles: wrapping."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionloom.rotation.quaternion import FloatArray


def wrap_angle(angle: ArrayLike) -> FloatArray:
    """The same angles (radians) in [-pi, pi).

    >>> float(wrap_angle(2 * np.pi + 0.5).round(9))
    0.5
    """
    return np.asarray((np.asarray(angle, float) + np.pi) % (2 * np.pi) - np.pi)
