"""The prior that textons share: the second moments of all clips together, towards which each texton is pulled.

Most textons of a dance are seen once or twice. Fitted to that alone, they describe it well and any other take badly:
worse than one linear system fitted to everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.core import FloatArray


@dataclass(frozen=True, eq=False)
class PooledMoments:
    """Moments of a frame and the two before it, over all clips.

    The prior of a texton is exp(common * E[log p(y[t] | y[t-1], y[t-2])]) over these (a power prior): it counts as if
    `common` frames of all clips had been among its own. The moments of both add up, so fits stay closed forms, and
    mean, basis, A1, A2, D, B and s2 are all pulled; with much weight a texton becomes the linear system of all clips.
    """

    mean: FloatArray  # (3, D) of y[t], y[t-1], y[t-2]
    spread: FloatArray  # (3, D, 3, D) their covariance


def pool_of(clips: Sequence[FloatArray]) -> PooledMoments:
    """The pooled moments of some clips, each (n, D)."""
    lags = np.concatenate([np.stack([y[2:], y[1:-1], y[:-2]], 1) for y in clips if len(y) > 2])
    mean = lags.mean(0)
    flat = (lags - mean).reshape(len(lags), -1)
    return PooledMoments(mean, (flat.T @ flat / len(flat)).reshape(*mean.shape, *mean.shape))


def projected(pool: PooledMoments, mean: FloatArray, basis: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """The pool's states: mean (3 d,) and covariance (3 d, 3 d); and the mean square (m^2) outside the basis."""
    off = pool.mean - mean
    middle = off @ basis
    spread = np.tensordot(np.tensordot(pool.spread, basis, (3, 0)), basis, (1, 0))  # (3, 3, d, d): i, j, state, state
    inside = np.trace(spread[0, 0]) + middle[0] @ middle[0]
    beyond = float(np.trace(pool.spread[0, :, 0]) + off[0] @ off[0] - inside)
    return middle.ravel(), spread.transpose(0, 3, 1, 2).reshape(middle.size, middle.size), max(beyond, 0.0)
