"""Kernel regression over the k nearest instances (LAU eq 5 and 6), compiled: plain arrays, no checks.

`regression.nearest_weights` and `regression.moments` are the slow versions that test these.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel

LOG_2_PI = math.log(2.0 * math.pi)


@kernel
def kth_smallest(values: Any, count: int, k: int, room: Any) -> float:
    """The k-th smallest (from 1) of the first `count` values; `room` is as long. Hoare's selection, O(count)."""
    for m in range(count):
        room[m] = values[m]
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
def regress(squared: Any, count: int, targets: Any, floor: float, rules: Any, room: Any) -> tuple[float, float]:
    """Mean and variance (eq 6) of the targets of the k nearest of `count` instances at squared distances.

    Instances at infinite distance are left out. Of those as far as the k-th, the first ones count.
    """
    k = min(rules.neighbours, count)
    limit = kth_smallest(squared, count, k, room)
    if math.isinf(limit):
        k = 0
        for m in range(count):
            if not math.isinf(squared[m]):
                k += 1
        limit = kth_smallest(squared, count, k, room)
    least, below = math.inf, 0
    for m in range(count):
        least = min(least, squared[m])
        if squared[m] < limit:
            below += 1
    ties = k - below
    total, total_squared, mean, used = 0.0, 0.0, 0.0, 0
    for m in range(count):
        if squared[m] > limit:
            continue
        if squared[m] == limit:
            if ties == 0:
                continue
            ties -= 1
        w = math.exp(-(squared[m] - least) / rules.width)
        if w > 0.0:
            used += 1
        room[m] = w
        total += w
        total_squared += w * w
        mean += w * targets[m]
    mean /= total
    n = total * total / total_squared if rules.effective else float(used)
    if n <= 1.0 + 1e-9:
        return mean, floor
    ties = k - below
    spread = 0.0
    for m in range(count):
        if squared[m] > limit:
            continue
        if squared[m] == limit:
            if ties == 0:
                continue
            ties -= 1
        spread += room[m] * (targets[m] - mean) ** 2
    return mean, max(spread / total * n / (n - 1.0), floor)


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
