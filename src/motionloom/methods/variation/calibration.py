"""How much variation and which lengths variants have, so that both are those of the takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.random import Generator

from motionloom.analysis.dtw import dtw_path
from motionloom.core import FloatArray
from motionloom.core.numbers import squared_distances
from motionloom.methods.variation.timing import SLOPE

TAKES = 8  # that are compared with each other, at most
VARIANTS = 32  # that are compared: by eight, distances were off by up to 0.1 of the takes'
FRAMES = 150  # frames of a sequence that are compared, at most
ROUNDS = 3  # of measuring variants: their distance grows less than in proportion, within the limits of the body
MEASURED = ROUNDS * VARIANTS  # variants in all
MOST = 1.6  # times: the most that the amount of variation is multiplied by
LIMIT = 2.5  # standard deviations of a random number, at most
MARGIN = 0.3  # of the range of the takes' lengths: by so much a variant may be longer or shorter than any


def gain(takes: Sequence[FloatArray], variant: Callable[[int, float], FloatArray]) -> float:
    """What the amount of variation is multiplied by so that variants are as far from each other as further takes are.

    The mean of S takes (F, D) is off by 1/S of their variance, so further takes lie about it with 1 + 1/S times that
    variance. Random weights that change over time, and limits on degrees of freedom, bring variants nearer to each
    other than the covariance of the weights promises. The ratio of the median distances along time-warping paths is
    measured on some variants, `variant(k, gain)` (F, D).
    """
    out = 1.0
    if len(takes) < 2:
        return out
    wanted = _median_distance(takes[:TAKES]) * np.sqrt(1.0 + 1.0 / len(takes))
    for _ in range(ROUNDS):
        found = _median_distance([variant(k, out) for k in range(VARIANTS)])
        out = float(np.clip(out * wanted / max(found, 1e-9), 1.0, MOST))
    return out


def _median_distance(sequences: Sequence[FloatArray]) -> float:
    """The median over pairs of the root mean square distance along the time-warping path."""
    out = []
    for a, b in combinations([rows[:: -(-len(rows) // FRAMES)] for rows in sequences], 2):
        cost = squared_distances(a, b)
        path = dtw_path(cost, limit=max(SLOPE, -(-max(len(a), len(b)) // min(len(a), len(b))) + 1))
        out.append(np.sqrt(cost[path[:, 0], path[:, 1]].mean()))
    return float(np.median(out))


def drawn_length(lengths: Sequence[int], amount: float, rng: Generator) -> int:
    """A length as random as those of the takes: mixed with weights about 1/S, like poses (`_kernels_mix`).

    >>> drawn_length([60, 60, 60], 1.0, np.random.default_rng(0))
    60
    """
    known = np.asarray(lengths, float)
    z = np.clip(rng.standard_normal(len(known)), -LIMIT, LIMIT)
    weights = 1.0 / len(known) + amount * (z - z.mean()) / np.sqrt(max(len(known) - 1, 1))
    room = MARGIN * np.ptp(known)
    return round(float(np.clip(weights @ known, known.min() - room, known.max() + room)))
