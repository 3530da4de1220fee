"""Kernel regression over the k nearest instances (LAU eq 5 and 6), compiled: plain arrays, no checks.

Distances are shifted by the smallest one before the exponential, which leaves all ratios as they are. Of instances at
equal distance the first ones count. The slow version that tests these is in tests/methods/variation/slow.py.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel

LOG_2_PI = math.log(2.0 * math.pi)
SAMPLED = 64  # instances that an estimate of the distance of the k-th nearest looks at, about
SPARE = 1.3  # times k instances should be within it


@kernel
def kth_smallest(values: Any, count: int, k: int, room: Any) -> float:
    """The k-th smallest (from 1) of the first `count` values; `room` is as long."""
    for m in range(count):
        room[m] = values[m]
    return _select(room, count, k)


@kernel
def _select(room: Any, count: int, k: int) -> float:
    """The k-th smallest (from 1) of the first `count` numbers, which change places. Hoare's selection, O(count)."""
    low, high, want = 0, count - 1, k - 1
    while low < high:
        pivot = room[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while room[i] < pivot:
                i += 1
            while room[j] > pivot:
                j -= 1
            if i <= j:
                room[i], room[j] = room[j], room[i]
                i += 1
                j -= 1
        if want <= j:
            high = j
        elif want >= i:
            low = i
        else:
            break
    return room[want]


@kernel
def nearest(squared: Any, count: int, k: int, room: Any, chosen: Any) -> int:
    """chosen[:n]: the k nearest of `count` instances, in order; returns n, less than k where fewer are at hand.

    Instances at infinite distance are left out. Of those as far as the k-th, the first ones count. A distance that a
    few more than k should be within is estimated from every so many instances, so that only those few are sorted out;
    all are, where the estimate was too small.
    """
    limit = math.inf
    stride = count // SAMPLED
    if stride > 1 and count > 3 * k:
        n = 0
        for m in range(0, count, stride):
            if not math.isinf(squared[m]):
                room[n] = squared[m]
                n += 1
        rank = int(SPARE * k / stride) + 3
        if rank < n:
            limit = _select(room, n, rank)
    n = _within(squared, count, limit, room, chosen)
    if n < k and not math.isinf(limit):
        n = _within(squared, count, math.inf, room, chosen)
    if n <= k:
        return n
    limit = _select(room, n, k)
    below = 0
    for m in range(n):
        if squared[chosen[m]] < limit:
            below += 1
    ties, kept = k - below, 0
    for m in range(n):
        d = squared[chosen[m]]
        if d > limit:
            continue
        if d == limit:
            if ties == 0:
                continue
            ties -= 1
        chosen[kept] = chosen[m]
        kept += 1
    return kept


@kernel
def _within(squared: Any, count: int, limit: float, room: Any, chosen: Any) -> int:
    """Instances at finite distances up to `limit`: their numbers, and in `room` their distances; returns how many."""
    n = 0
    for m in range(count):
        d = squared[m]
        if d <= limit and d < math.inf:
            room[n], chosen[n] = d, m
            n += 1
    return n


@kernel
def regress(
    squared: Any, count: int, targets: Any, floor: float, rules: Any, room: Any, chosen: Any
) -> tuple[float, float]:  # fmt: skip
    """Mean and variance (eq 6) of the targets of the k nearest of `count` instances at squared distances.

    Instances at infinite distance are left out. `room` (count,) and the whole numbers `chosen` (count,) are space.
    """
    n = nearest(squared, count, rules.neighbours, room, chosen)
    least = math.inf
    for m in range(n):
        least = min(least, squared[chosen[m]])
    total, total_squared, mean, used = 0.0, 0.0, 0.0, 0
    for m in range(n):
        w = math.exp(-(squared[chosen[m]] - least) / rules.width)
        if w > 0.0:
            used += 1
        room[m] = w
        total += w
        total_squared += w * w
        mean += w * targets[chosen[m]]
    mean /= total
    effective = total * total / total_squared if rules.effective else float(used)
    if effective <= 1.0 + 1e-9:
        return mean, floor
    spread = 0.0
    for m in range(n):
        spread += room[m] * (targets[chosen[m]] - mean) ** 2
    return mean, max(spread / total * effective / (effective - 1.0), floor)


@kernel
def log_normal(x: float, mean: float, variance: float) -> float:
    """The logarithm of the normal density."""
    return -0.5 * (LOG_2_PI + math.log(variance) + (x - mean) ** 2 / variance)


@kernel
def add_squares(value: float, row: Any, shift: int, scale: float, squared: Any, count: int) -> None:
    """squared[m] += scale (value - row[m + shift])^2 for the first `count` instances."""
    for m in range(count):
        d = value - row[m + shift]
        squared[m] += scale * d * d


@kernel
def exclude(starts: Any, held_out: int, squared: Any, count: int) -> None:
    """Infinite distance for what is no instance: the last two frames of each sequence, and sequence `held_out`."""
    for s in range(len(starts) - 1):
        first = starts[s] if s == held_out else starts[s + 1] - 2
        for m in range(first, min(starts[s + 1], count)):
            squared[m] = np.inf
