"""Compiled: from which frames, at which times, the rest of a way can be walked. Plain arrays in and out, no checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core._jit import kernel
from motionloom.methods.hierarchical_graph._kernels_search import allowed


@kernel
def mark_alive(m: Any, hard: Any, alive: Any) -> int:
    """Fill the bits of `alive` (F, N / 8), from the last frame back; returns the time before which none is, or -1.

    A frame is alive at a time if it may be shown then, and the next frame is alive, or a transition that leaves here
    enters an alive one 2 half frames later and all frames shown between may be. run[n] counts the frames from n on
    that may be shown from this time on. F (N + T) steps: 300 frames of 2,000 with 100,000 transitions in 50 ms; where
    nothing is hard, only until nothing changes any more. The slow version is `slow_alive` in
    tests/methods/hierarchical_graph/test_alive.py.
    """
    frames, count, half, clip, edge, first_out = len(alive), len(m.clip), m.half, m.clip, m.edge, m.first_out
    strict = len(hard.time) + len(hard.span) > 0
    ring = half + 1
    run = np.zeros(count + 1, np.int64)
    enters = np.zeros((ring, count), np.bool_)  # by time: may b be shown here for half a blend, and is then alive?
    same = 0
    for time in range(frames - 1, -1, -1):
        busy = False  # a pose must be shown purely while a blend that leaves now would be under way
        for i in range(len(hard.time)):
            busy = busy or time < hard.time[i] < time + 2 * half
        rest = min(half, frames - time)
        any_alive = False
        for n in range(count):
            last = n + 1 == clip[n, 1]
            run[n] = 0 if strict and not allowed(hard, time, n) else 1 + (0 if last else run[n + 1])
            now = run[n] > 0
            if now and time < frames - 1:
                now = not last and _bit(alive, time + 1, n + 1)
                if not now and not busy and run[n] >= rest and time + half < frames:
                    for e in range(first_out[n], first_out[n + 1]):
                        if enters[(time + half) % ring, edge[e, 1]]:
                            now = True
                            break
            if now:
                alive[time, n >> 3] |= np.uint8(1 << (n & 7))
                any_alive = True
        for n in range(count):
            fits = run[n] >= rest and n + rest <= count
            enters[time % ring, n] = fits and (time + half >= frames or _bit(alive, time + half, n + half))
        if not any_alive:
            return time + 1
        if not strict and time < frames - 1:
            same = same + 1 if np.array_equal(alive[time], alive[time + 1]) else 0
            if same > 2 * half:
                for before in range(time):
                    alive[before] = alive[time]
                return -1
    return -1


@kernel
def _bit(alive: Any, time: int, n: int) -> Any:
    return n >> 3 < alive.shape[1] and (alive[time, n >> 3] >> (n & 7)) & 1 == 1
