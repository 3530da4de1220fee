"""Compiled search for the nearest frame by its features: plain arrays, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods.motion_matching.database import LANES, LARGE_BOX, SMALL_BOX


@kernel(fastmath={"reassoc", "contract", "nsz"})
def distance(query: Any, row: Any) -> Any:
    """|query - row|^2."""
    total = np.float32(0.0)
    for d in range(len(query)):
        off = query[d] - row[d]
        total += off * off
    return total


@kernel(fastmath={"reassoc", "contract", "nsz"})
def _below(query: Any, low: Any, high: Any, best: float) -> bool:
    """Whether a frame within the box low .. high can be nearer than `best`; eight columns at a time."""
    total = np.float32(0.0)
    for first in range(0, len(query), LANES):
        part = np.float32(0.0)
        for d in range(first, first + LANES):
            off = max(max(low[d] - query[d], query[d] - high[d]), np.float32(0.0))
            part += off * off
        total += part
        if total >= best:
            return False
    return True


@kernel(fastmath={"reassoc", "contract", "nsz"})
def nearest(
    query: Any,
    found: int,
    best: Any,
    skip: tuple[int, int],
    wanted: Any,
    features: Any,
    small: Any,
    large: Any,
    allowed: Any,
    small_allowed: Any,
    large_allowed: Any,
) -> tuple[Any, Any]:
    """The frame with the least |query - features[f]|^2 below `best`, else `found`; the first of equal ones.

    Frames skip[0] .. skip[1] and those without a bit of `wanted` are left out. Boxes of 64 and then of 16 frames that
    lie farther away than the best frame so far are skipped; the result is exact. Cost: all boxes of 64
    frames and few of the rest, 5 to 15 us of 20,000 frames. Slow version: `nearest_slow` in
    tests/methods/motion_matching/test_search.py.
    """
    count = len(features)
    for c in range(len(large_allowed)):
        if not large_allowed[c] & wanted or not _below(query, large[c, 0], large[c, 1], best):
            continue
        for b in range(c * (LARGE_BOX // SMALL_BOX), min((c + 1) * (LARGE_BOX // SMALL_BOX), len(small_allowed))):
            if not small_allowed[b] & wanted or not _below(query, small[b, 0], small[b, 1], best):
                continue
            for f in range(b * SMALL_BOX, min((b + 1) * SMALL_BOX, count)):
                if not allowed[f] & wanted or skip[0] <= f <= skip[1]:
                    continue
                off = distance(query, features[f])
                if off < best:
                    best = off
                    found = f
    return found, best
