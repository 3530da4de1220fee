"""Boxes of a target's parameters with which a source can continue, trimmed to exclude bad samples (HECK 6.1.1.2)."""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, FloatArray
from motionloom.methods.space.space import Space

SMALLEST = 0.05  # of a parameter's range: a part of a source that is smaller gives no edge


def sample_box(
    to_values: FloatArray, good: BoolArray, bad: BoolArray, epsilon: FloatArray, keep: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, bool] | None:
    """The box of a source sample and whether it was trimmed; None if it has none, or one without a good sample.

    `keep` (D,) stays inside, if given.
    """
    if not good.any():
        return None
    lo, hi = to_values[good].min(0), to_values[good].max(0)
    low, high = trimmed_box(lo, hi, to_values[bad], epsilon, keep)
    if (high < low).any() or not (good & ((to_values >= low) & (to_values <= high)).all(1)).any():
        return None
    return low, high, bool((low != lo).any() or (high != hi).any())


def trimmed_box(
    low: FloatArray, high: FloatArray, bad: FloatArray, epsilon: FloatArray, keep: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """The box made smaller until every bad sample (n, D) is at least epsilon outside: the least change first.

    Bad samples are taken in the order of how little a side has to move for them, so that the result does not depend
    on their order (see errata). No side goes beyond `keep` (D,), if given; where that is not possible, none is left.
    """
    low, high = low.copy(), high.copy()
    size = np.maximum(high - low, 1e-12)
    while len(bad):
        inside = ((bad > low - epsilon) & (bad < high + epsilon)).all(1)
        bad = bad[inside]
        if not len(bad):
            break
        up, down = (bad + epsilon - low) / size, (high - (bad - epsilon)) / size
        if keep is not None:
            up, down = np.where(bad + epsilon > keep, np.inf, up), np.where(bad - epsilon < keep, np.inf, down)
        cost = np.minimum(up, down)
        if np.isinf(cost.min()):
            return low, np.full_like(high, -np.inf)
        n, d = np.unravel_index(int(cost.argmin()), cost.shape)
        if up[n, d] <= down[n, d]:
            low[d] = bad[n, d] + epsilon[d]
        else:
            high[d] = bad[n, d] - epsilon[d]
        if high[d] < low[d]:
            break
        bad = np.delete(bad, n, axis=0)  # it is outside, but for rounding: low - epsilon may be below it
    return low, high


def narrowed(values: FloatArray, fails: BoolArray, a: Space, epsilon: float) -> FloatArray | None:
    """(2, D) the part of a source without its failing samples; None where that is too small.

    Of one parameter it is the longest run of samples that do not fail.
    """
    if a.size == 1:
        order = np.argsort(values[:, 0])
        runs, first = [], None
        for n, i in enumerate([*order, -1]):
            if i >= 0 and not fails[i]:
                first = n if first is None else first
            elif first is not None:
                runs.append((first, n - 1))
                first = None
        low, high = max(runs, key=lambda run: values[order[run[1]], 0] - values[order[run[0]], 0])
        box = np.stack([values[order[low]], values[order[high]]])
    else:
        kept = values[~fails]
        box = np.stack(trimmed_box(kept.min(0), kept.max(0), values[fails], epsilon * a.ranges))
    return box if (box[1] - box[0] >= SMALLEST * a.ranges).all() else None
