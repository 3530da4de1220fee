"""Pairs of frames that similarity measures find most alike, for graphs that are built on each measure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.analysis import Judge
from motionloom.analysis.pairs import Pairs
from motionloom.core import Clip, FloatArray, IntArray
from motionloom.evaluate.measures.smoothness import peak_acceleration
from motionloom.kinematics import fk
from motionloom.methods.graph.build.transitions import similar_pairs


class Chosen(NamedTuple):
    """The pairs of frames that a measure finds most alike, best first."""

    frames: IntArray  # (n, 2) a < b
    values: FloatArray  # (n,) in the measure's unit


def best_pairs(clips: tuple[Clip, ...], measure: str, count: int, *, minima: bool = True) -> Chosen:
    """The `count` most alike pairs: the limit is doubled until there are as many (or hardly more come).

    With `minima`, only local minima, each the best within 0.1 s.
    """
    limit, found, before = None, Chosen(np.empty((0, 2), np.int64), np.empty(0)), -1
    while len(found.values) < count and len(found.values) > 1.01 * before:
        before = len(found.values)
        larger = None if limit is None else 2 * limit
        limit, tiles = similar_pairs(clips, measure=measure, limit=larger, minima=minima)
        parts = list(tiles)
        found = Chosen(np.concatenate([p for p, _ in parts]), np.concatenate([v for _, v in parts]).astype(float))
    order = np.argsort(found.values, kind="stable")[:count]
    return Chosen(found.frames[order], found.values[order])


def apart(row: Clip, frames: IntArray) -> float:
    """cm: D_p (GUAN eq 4.3, root mean square) of pairs of frames, counted through all clips."""
    return 100 * Judge().pairs(row, row, Pairs(frames, np.zeros(len(frames)))).position_rms


def accelerations(clip: Clip) -> FloatArray:
    """(F - 2,) m/s^2: of each frame but the first and last, as `evaluate` takes it (its largest is the peak)."""
    points = fk(clip)
    return np.array([peak_acceleration(points[f - 1 : f + 2], clip.fps) for f in range(1, len(points) - 1)])
