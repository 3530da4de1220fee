"""Chance in the search of a path: each take starts elsewhere in the clips and prefers other transitions.

Branch and bound, and a search of clusters, vary the start only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, FloatArray, IntArray

BLOCK = 1.0  # s of the clips that a take may start in, or may not
KEPT = 0.25  # of these blocks
MEAN_COST = 0.005  # m^2 along a metre: cost of a transition that chance adds, for variety 1
TRIES = 3  # variations of a take whose result may miss its path, before the best path is taken


class Variation(NamedTuple):
    """What chance changes in one search; without it, the best path found is the same for every seed."""

    starts: BoolArray  # (N,) graph frames that the route may start with
    costs: FloatArray  # (T,) added for each transition of the graph

    def of_starts(self, starts: IntArray) -> IntArray:
        """Those of the starts that are left; all of them if none is, or if there is no choice."""
        left = starts[self.starts[starts]]
        return left if len(left) else starts


def draw_variation(frames: int, transitions: int, fps: float, variety: float, rng: Generator) -> Variation:
    """A variation of a graph's search; `variety` multiplies the costs."""
    block = max(1, round(BLOCK * fps))
    kept = rng.random(-(-frames // block)) < KEPT
    return Variation(np.repeat(kept, block)[:frames], rng.exponential(variety * MEAN_COST, transitions))
