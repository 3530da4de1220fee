"""Compiled weights of the nearest samples of a space (HECK eqs 6.1-6.2). Plain arrays, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel


@kernel
def nearest_shares(values: Any, request: Any, size: int, near: Any, shares: Any) -> None:
    """HECK eqs 6.1-6.2: near (k,) the nearest rows of values (S, D), and their shares (k,), which sum to 1.

    Shares follow 1/distance minus that of the farthest; an exact hit is that row. The first `size` columns count.
    """
    k, found = len(near), 0
    for s in range(len(values)):
        d = 0.0
        for c in range(size):
            d += (values[s, c] - request[c]) ** 2
        if found < k:
            at = found
            found += 1
        elif d < shares[k - 1]:
            at = k - 1
        else:
            continue
        while at > 0 and shares[at - 1] > d:
            near[at], shares[at] = near[at - 1], shares[at - 1]
            at -= 1
        near[at], shares[at] = s, d
    total, last = 0.0, 1.0 / np.sqrt(max(shares[k - 1], 1e-24))
    for i in range(k):
        shares[i] = 1.0 / np.sqrt(max(shares[i], 1e-24)) - last
        total += shares[i]
    for i in range(k):
        shares[i] = shares[i] / total if total > 0.0 else 1.0 / k


@kernel
def nearest_weights(values: Any, samples: Any, requests: Any, k: int, weights: Any, used: Any) -> None:
    """Weights (N, K) of the k nearest samples (see `nearest_shares`), and the parameters that they reach, used (N, D).

    values (S, D) parameters of the samples, samples (S, K) their weights.
    """
    near, shares = np.empty(k, np.int64), np.empty(k)
    for n in range(len(requests)):
        nearest_shares(values, requests[n], values.shape[1], near, shares)
        weights[n] = 0.0
        used[n] = 0.0
        for i in range(k):
            weights[n] += shares[i] * samples[near[i]]
            used[n] += shares[i] * values[near[i]]
