"""Places and headings that a course reaches within a time: a search over cells of the ground. No checks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods.parametric_graph._kernels_course import begin_segment, one_step

TARGETS = 7  # turns that are tried from each cell
STRIDE = 2  # steps from one choice of a turn to the next, where turns are followed within a clip


@kernel
def spread(
    curves: Any, half_life: float, seconds: float, cell: float, seen: Any, todo: Any, soonest: Any, stop: Any
) -> int:  # fmt: skip
    """soonest (X, X, H) s: when each cell of place and heading is first reached; returns how many courses were tried.

    Cells are centred on multiples of `cell`, so that the picture does not prefer a side. From each cell of seen
    (2X - 1, 2X - 1, 2H, T: half as large, and by the turn), the first course that arrives there continues.
    todo (n, 6): courses and their times, in the order in which they were found.
    """
    size, headings, turns = soonest.shape[0], soonest.shape[2], seen.shape[3]
    half = size // 2
    low, high = curves[0, 0], curves[len(curves) - 1, 0]
    todo[0] = 0.0
    first, count, tried = 0, 1, 0
    at = np.empty(5)
    while first < count:
        if first % 1024 == 0 and stop[0]:
            return -1
        for i in range(TARGETS):
            step_of = (i + 1) // 2 * (1 if i % 2 == 1 else -1)  # from the middle outwards
            target = low + (high - low) * (TARGETS // 2 + step_of) / (TARGETS - 1)
            at[:] = todo[first, :5]
            time = todo[first, 5]
            steps, step = begin_segment(curves, at, target, half_life)
            if half_life > 0.0:
                steps = STRIDE
            inside = True
            for _ in range(steps):
                one_step(curves, at, target, half_life, step)
                time += step
                x, z = half + round(at[0] / cell), half + round(at[1] / cell)
                inside = time <= seconds + 1e-9 and 0 <= x < size and 0 <= z < size
                if not inside:
                    break
                h = round(at[2] / (2.0 * math.pi) * headings) % headings
                soonest[x, z, h] = min(soonest[x, z, h], time)
            tried += 1
            if not inside or count >= len(todo):
                continue
            x, z = size - 1 + round(at[0] / (0.5 * cell)), size - 1 + round(at[1] / (0.5 * cell))
            h = round(at[2] / math.pi * headings) % (2 * headings)
            b = round((at[3] - low) / max(high - low, 1e-9) * (turns - 1))
            if not seen[x, z, h, b]:
                seen[x, z, h, b] = True
                todo[count, :5] = at
                todo[count, 5] = time
                count += 1
        first += 1
    return tried
