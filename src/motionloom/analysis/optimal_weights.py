"""Attribute weights that make a measure choose the best pairs, found by D_p, coarse to fine (GUAN 4.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np

from motionloom.analysis.judge import Judge
from motionloom.core import BadRequest, Clip, FloatArray, Progress, silent
from motionloom.core.progress import each, parts


class Attributed(Protocol):
    """A measure that is a weighted sum of terms: JointAngles, JointPositions."""

    @property
    def terms_of(self) -> tuple[str, ...]: ...
    def terms(self, a: Clip, b: Clip) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class WeightSearch:
    """What a search found. The largest weight is 1: only ratios matter."""

    names: tuple[str, ...]
    weights: tuple[float, ...]
    score: float  # m^2: D_p, mean over the chosen pairs
    sets: FloatArray  # (S, T) every set tried
    scores: FloatArray  # (S,) its D_p
    best_possible: float  # m^2: D_p of the pairs that D_p itself would choose


def even_grid(values: int = 10) -> FloatArray:
    """GUAN's first grid: `values` weights evenly spaced in (0, 1]."""
    return np.arange(1, values + 1) / values


def uneven_grid(values: int = 10, smallest: float = 0.001) -> FloatArray:
    """Weights in equal ratios from `smallest` to 1: as many below 0.1 as the even grid has above it."""
    return np.geomspace(smallest, 1.0, values)


def optimal_attributes(
    measure: Attributed,
    pairs_of_clips: Sequence[tuple[Clip, Clip]],
    *,
    share: float = 0.01,
    grid: FloatArray | None = None,
    rounds: int = 2,
    by: Judge | None = None,
    progress: Progress | None = None,
) -> WeightSearch:
    """The attribute weights whose best `share` of pairs has the smallest D_p over all these pairs of clips.

    GUAN 4.2.2: every set out of `grid` for each attribute is tried (10 x 10 x 10 by default), then `rounds` - 1 times a
    finer grid around the best (each weight from the grid value below it to the one above). The terms and D_p are
    computed once, as matrices; a set then costs one weighted sum and one selection. Sets that are multiples of one
    another choose the same pairs and are tried once. GUAN needed four hours for two clips of 150 frames.
    """
    if not pairs_of_clips:
        raise BadRequest("optimal weights: expected at least one pair of clips, found none")
    values = even_grid() if grid is None else np.asarray(grid, float)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all() or (values <= 0).any():
        raise BadRequest(f"optimal weights: expected a grid of numbers above 0, found {values}")
    by = by or Judge()
    tables = [_tables(measure, a, b, by) for a, b in pairs_of_clips]
    axes = [values] * len(measure.terms_of)
    tried: list[FloatArray] = []
    scored: list[FloatArray] = []
    report = progress or silent()
    for step in parts(report, [1] * max(1, rounds)):
        sets = _ratios(axes)
        own = zip(tables, parts(step, [truth.size for _, truth in tables]), strict=True)
        scores = np.mean([_scores(terms, truth, sets, share, part) for (terms, truth), part in own], axis=0)
        tried.append(sets)
        scored.append(scores)
        axes = _finer(axes, sets[scores.argmin()])
    sets, scores = np.concatenate(tried), np.concatenate(scored)
    best = sets[scores.argmin()]
    report(1.0, "trying weights")
    ideal = float(np.mean([np.sort(truth)[: _count(truth, share)].mean() for _, truth in tables]))
    return WeightSearch(measure.terms_of, tuple(float(x) for x in best), float(scores.min()), sets, scores, ideal)


def _tables(measure: Attributed, a: Clip, b: Clip, by: Judge) -> tuple[FloatArray, FloatArray]:
    """Terms (T, N) and D_p (N,) of every pair of frames that the judge can see."""
    truth = by.matrix(a, b)
    r = by.radius
    terms = measure.terms(a, b)[:, r : len(a) - r, r : len(b) - r]
    return terms.reshape(len(terms), -1), truth.ravel()


def _ratios(axes: Sequence[FloatArray]) -> FloatArray:
    """All combinations (S, T), each divided by its largest, without repeats."""
    sets = np.array(list(product(*axes)))
    return np.unique(np.round(sets / sets.max(1, keepdims=True), 12), axis=0)


def _count(cells: FloatArray, share: float) -> int:
    return max(1, round(share * cells.size))


def _scores(terms: FloatArray, truth: FloatArray, sets: FloatArray, share: float, progress: Progress) -> FloatArray:
    """Mean D_p of the best `share` of pairs under each weight set: one sum and one selection a set."""
    if not 0 < share <= 1:
        raise BadRequest(f"share of pairs: expected more than 0 and at most 1 (0.01 is 1 %), found {share}")
    count = _count(truth, share)
    weights = sets.astype(terms.dtype)
    out = np.empty(len(sets))
    for s, w in enumerate(each(list(weights), progress, "trying weights")):
        total = w @ terms
        chosen = np.argpartition(total, count - 1)[:count] if count < total.size else slice(None)
        out[s] = truth[chosen].mean()
    return out


def _finer(axes: Sequence[FloatArray], best: FloatArray) -> list[FloatArray]:
    """Around the best set: each weight from the grid value below it to the one above, spaced as the grid is.

    Below the smallest value of an evenly spaced grid is 0, which is left out.
    """
    out = []
    for values, middle in zip(axes, best, strict=True):
        count = len(values)
        if count < 2:
            out.append(np.array([middle]))
            continue
        steps = np.diff(values)
        if np.allclose(steps, steps[0]):
            low, high = middle - steps[0], middle + steps[0]
            out.append(np.linspace(low, high, count) if low > 1e-12 else np.linspace(0.0, high, count + 1)[1:])
            continue
        at = int(np.abs(np.log(values / middle)).argmin())
        below = values[max(at, 1)] / values[max(at, 1) - 1]
        above = values[min(at, count - 2) + 1] / values[min(at, count - 2)]
        out.append(np.geomspace(middle / below, middle * above, count))
    return out
