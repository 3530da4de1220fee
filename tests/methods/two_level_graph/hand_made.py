"""Graphs made by hand: no clip is compared, so every probability and every way can be worked out on paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip, Skeleton
from motionloom.methods.graph import Graph, Transitions

POLE = Skeleton(("Hips",), np.array([-1]), np.zeros((1, 3)), ("hips",))


def still(frames: int) -> Clip:
    """One joint that rests."""
    rotations = np.zeros((frames, 1, 4))
    rotations[..., 0] = 1
    return Clip(POLE, np.zeros((frames, 3)), rotations, 30.0)


def graph_of(lengths: Sequence[int], pairs: Sequence[tuple[int, int, float]], half: int = 1) -> Graph:
    """Clips of these lengths and transitions (a, b, distance), frames counted through all clips."""
    rows = sorted(pairs)
    a, b = (np.array([r[k] for r in rows], np.int64) for k in (0, 1))
    distance = np.array([r[2] for r in rows], float)
    none = np.zeros(len(rows))
    return Graph(tuple(still(n) for n in lengths), Transitions(a, b, distance, none, np.zeros((len(rows), 2))), half)
