"""Which frames of a graph may be shown when: labels and poses asked for at times, and walks that keep to them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray
from motionloom.methods.graph.core import Graph, Route
from motionloom.methods.graph.steps import Steps

Allowed = Callable[[int], BoolArray | None]
"""The graph frames (N,) that frame t of the result may show; None: any."""


class Alive:
    """For each frame of the result, the graph frames and transitions from which the rest can still be walked.

    `bits` are packed, (F, (N + T) / 8): graph frames, then transitions by the frame they are left at.
    """

    def __init__(self, steps: Steps, frames: int, allowed: Allowed) -> None:
        """From the last frame back: a graph frame is alive at t if it is allowed and the next one is alive at t + 1, or
        a transition from it is. A transition is alive if the frame it enters is alive when it is over, and the frames
        whose labels it shows meanwhile are allowed: the first clip's up to its middle, then the second's. The end may
        cut it off.
        """
        self.size, half = len(steps.goes_on), steps.blend // 2
        leave = np.repeat(np.arange(self.size), np.diff(steps.first_out))
        self.bits = np.zeros((frames, (self.size + len(leave) + 7) // 8), np.uint8)
        self.first_dead = -1  # the last frame of the result at which nothing is alive, -1 if none
        held = [np.ones(self.size, bool)] * steps.blend  # what is alive at t + 1, t + 2, ... t + blend
        runs = [np.full(self.size, steps.blend + 1)] * half  # how many frames of the clip in a row are allowed then
        for t in range(frames - 1, -1, -1):
            mask = allowed(t)
            run = np.append(np.minimum(runs[0][1:] + 1, steps.blend + 1), 1)
            if mask is not None:
                run = run * mask
            over = held[-1][steps.enter] & (run[leave] >= half) & (runs[-1][steps.enter - half] > half)
            now = np.ones(self.size, bool)
            if t < frames - 1:
                now[:-1] = held[0][1:]
                now &= steps.goes_on
                now[leave[over]] = True
            if mask is not None:
                now &= mask
            self.bits[t] = np.packbits(np.concatenate([now, over]))
            held, runs = [now, *held[:-1]], [run, *runs[:-1]]
            if not now.any():
                self.first_dead = t
                return

    def at(self, t: int) -> BoolArray:
        """(N,) the graph frames alive at frame t."""
        return np.unpackbits(self.bits[t], count=self.size).astype(bool)

    def has(self, t: int, node: int) -> bool:
        """Is a graph frame, or transition number node - N, alive at frame t?"""
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
        out = range(int(steps.first_out[node]), int(steps.first_out[node + 1]))
        ways = [e for e in out if alive.has(t, alive.size + e)]
        pick = int(rng.integers(len(ways) + 1)) if ways and goes_on and since >= shortest else 0
        if ways and (pick or not goes_on):
            e = ways[pick - 1 if pick else int(rng.integers(len(ways)))]
            taken.append(int(steps.number[e]))
            node, t, since = int(steps.enter[e]), t + steps.blend, 0
        else:
            node, t, since = node + 1, t + 1, since + 1
    return begun, tuple(taken)


def gone_on(
    graph: Graph, steps: Steps, route: Route, alive: Alive | None, frames: int, rng: Generator, *, shortest: int
) -> Route:
    """A route made `frames` long by a random way over frames that are alive (all, if None), as far as there is one."""
    node, shown = route_end(graph, route)
    on = alive or Alive(steps, frames, lambda t: None)
    if shown >= frames:
        return route._replace(frames=frames)
    if not on.has(shown - 1, node):
        return route
    _, more = wander(steps, on, shown - 1, node, rng, shortest=shortest)
    return Route(route.start, (*route.taken, *more), frames)


def route_end(graph: Graph, route: Route) -> tuple[int, int]:
    """The frame that a route comes to last, when its last blend is over, and how many frames that takes."""
    at, left = route.start, route.frames
    for t in route.taken:
        left -= int(graph.leave[t]) - at + graph.blend
        at = int(graph.enter[t])
    return at + max(left - 1, 0), route.frames + max(1 - left, 0)
