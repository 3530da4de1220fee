"""Which frames of a graph may be shown when: labels and poses asked for at times, and walks that keep to them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray
from motionloom.methods.motion_graph.steps import Steps

Allowed = Callable[[int], BoolArray | None]
"""The graph frames (N,) that frame t of the result may show; None: any."""


class Alive:
    """For each frame of the result, the graph frames from which the rest can still be walked: packed bits (F, N/8)."""

    def __init__(self, steps: Steps, frames: int, allowed: Allowed) -> None:
        """From the last frame back: alive[t] = allowed[t] and (the next frame is alive at t + 1, or a transition leads
        to a frame that is alive when it is over; a blend may be cut off by the end).
        """
        self.size = len(steps.goes_on)
        self.bits = np.zeros((frames, (self.size + 7) // 8), np.uint8)
        self.first_dead = -1  # the last frame of the result at which nothing is alive, -1 if none
        leave = np.repeat(np.arange(self.size), np.diff(steps.first_out))
        held = [np.ones(self.size, bool)] * steps.blend  # alive at t + 1, t + 2, ... t + blend
        for t in range(frames - 1, -1, -1):
            now = np.ones(self.size, bool)
            if t < frames - 1:
                now[:-1] = held[0][1:]
                now &= steps.goes_on
                now[leave[held[-1][steps.enter]]] = True
            mask = allowed(t)
            if mask is not None:
                now &= mask
            self.bits[t] = np.packbits(now)
            held = [now, *held[:-1]]
            if not now.any():
                self.first_dead = t
                return

    def at(self, t: int) -> BoolArray:
        """(N,) the graph frames alive at frame t."""
        return np.unpackbits(self.bits[t], count=self.size).astype(bool)

    def has(self, t: int, node: int) -> bool:
        return bool(self.bits[t, node >> 3] >> (7 - (node & 7)) & 1)


def wander(
    steps: Steps, alive: Alive, first: int, start: int | None, rng: Generator, *, shortest: int
) -> tuple[int, tuple[int, ...]]:
    """A random way over frames that are alive, from frame `first` of the result to the end: start, transitions.

    At each frame, going on and every transition that leads on are equally likely, once `shortest` frames have passed
    since the last one; where only a transition leads on, it is taken at once.
    """
    frames = len(alive.bits)
    node = int(rng.choice(np.flatnonzero(alive.at(first)))) if start is None else start
    begun, taken, t, since = node, [], first, 0
    while t < frames - 1:
        goes_on = bool(steps.goes_on[node]) and alive.has(t + 1, node + 1)
        ways = [
            e
            for e in range(int(steps.first_out[node]), int(steps.first_out[node + 1]))
            if t + steps.blend >= frames or alive.has(t + steps.blend, int(steps.enter[e]))
        ]
        pick = int(rng.integers(len(ways) + 1)) if ways and goes_on and since >= shortest else 0
        if ways and (pick or not goes_on):
            e = ways[pick - 1 if pick else int(rng.integers(len(ways)))]
            taken.append(int(steps.number[e]))
            node, t, since = int(steps.enter[e]), t + steps.blend, 0
        else:
            node, t, since = node + 1, t + 1, since + 1
    return begun, tuple(taken)
