"""Compiled least future cost of the frames of a graph: plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel

PRECISION = 1e-3  # of the costs
MAX_SWEEPS = 500
DEAD_END = 100.0  # cost of a frame that nothing follows


@kernel
def future_costs(
    stay: Any, going: Any, first_out: Any, enter: Any, cost: Any, use: Any, keep: float, over: float
) -> Any:
    """(N,) V(n) = min(going_n + keep V(n + 1) where `stay`, cost_t + over V(enter_t) where `use`), or `DEAD_END`.

    Sweeps from the last frame to the first until V changes by less than `PRECISION`: from 0 it only grows. Cost: about
    50 sweeps of N + T steps. The slow version is `future_slow` in tests/methods/graph/test_steadiness.py.
    """
    out = np.zeros(len(stay))
    for _ in range(MAX_SWEEPS):
        change = 0.0
        for n in range(len(stay) - 1, -1, -1):
            best = going[n] + keep * out[n + 1] if stay[n] else np.inf
            for t in range(first_out[n], first_out[n + 1]):
                if use[t]:
                    best = min(best, cost[t] + over * out[enter[t]])
            best = min(best, DEAD_END)
            change = max(change, abs(best - out[n]))
            out[n] = best
        if change < PRECISION:
            break
    return out
