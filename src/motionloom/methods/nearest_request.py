"""The nearest request that clips can meet, for messages about one that they cannot."""

from __future__ import annotations

import numpy as np

from motionloom.constraints import Pace


def nearest_pace(pace: Pace, slowest: float, fastest: float) -> str:
    """The speed nearest to a pace among those from `slowest` to `fastest`, m/s.

    >>> nearest_pace(Pace(speed=(1.8, 2.0)), 1.0, 1.5)
    '1.00 to 1.50 m/s (the nearest request: `pace: {speed: 1.50}`)'
    """
    low, high = pace.speed
    nearest = float(np.clip(low if low > fastest else high, slowest, fastest))
    return f"{slowest:.2f} to {fastest:.2f} m/s (the nearest request: `pace: {{speed: {nearest:.2f}}}`)"


def nearest_path(length: float, seconds: float, speed: float) -> str:
    """The time for a path of `length` metres at a speed that can be kept, or the path for its time.

    >>> nearest_path(4.0, 6.0, 1.0)
    '`seconds: 4.0`, or a path of 6.0 m'
    """
    return f"`seconds: {length / speed:.1f}`, or a path of {speed * seconds:.1f} m"
