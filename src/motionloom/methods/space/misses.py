"""What the map of a space of several parameters misses, as a smooth function of the request.

Weights follow from the request alone, so what is measured on them differs from the map by a function of the request. It
is measured at random requests and interpolated (see `radial`).
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray, Progress
from motionloom.methods.space.radial import solve_misses
from motionloom.methods.space.sampling import Measure
from motionloom.methods.space.space import Space

REQUESTS = 800  # at which the map is compared with what is measured
APART = 0.01  # of the range: requests nearer to another one are left out


def measure_misses(space: Space, measure: Measure, rng: Generator, progress: Progress) -> tuple[FloatArray, FloatArray]:
    """(R, D) requests, and (R + 1, D) coefficients of what is missed at them; in units of the range."""
    known = (np.concatenate([space.values, space.sample_values]) - space.middle) / space.ranges
    a, b = known[rng.integers(len(known), size=(2, REQUESTS))]
    share = rng.random((REQUESTS, 1))
    asked = ((1 - share) * a + share * b) * space.ranges + space.middle
    found = space.weights(asked)
    at: list[FloatArray] = []
    off: list[FloatArray] = []
    for n in np.flatnonzero(~found.outside):
        progress(n / REQUESTS, "comparing parameters")
        x = (found.used[n] - space.middle) / space.ranges
        if all(np.abs(x - y).max() > APART for y in at):
            at.append(x)
            off.append((measure(found.weights[n]) - found.used[n]) / space.ranges)
    progress(1.0, "comparing parameters")
    if len(at) <= 2 * (space.size + 1):
        return np.zeros((0, space.size)), np.zeros((0, space.size))
    return np.stack(at), solve_misses(np.stack(at), np.stack(off))
