"""Random walks that keep to what a schedule allows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray
from motionloom.methods.graph.graph import Graph, Route
from motionloom.methods.graph.search.moves import Steps
from motionloom.methods.schedule import Reachable


class Weights(NamedTuple):
    """How probable the edges that leave a frame are, beside each other."""

    go: FloatArray  # (N,) to the next frame
    take: FloatArray  # (T,) each transition of the graph


def wander(
    steps: Steps,
    alive: Reachable,
    first: int,
    start: int | None,
    rng: Generator,
    *,
    shortest: int,
    weights: Weights | None = None,
) -> tuple[int, tuple[int, ...]]:
    """A random way over frames that are alive, from frame `first` of the result to the end: start, transitions.

    At each frame, going on and every transition that leads on are as likely as their weights say, or equally (None),
    once `shortest` frames have passed since the last one; where only a transition leads on, it is taken at once.
    """
    frames = len(alive.bits)
    node = int(rng.choice(np.flatnonzero(alive.at(first)))) if start is None else start
    begun, taken, t, since = node, [], first, 0
    while t < frames - 1:
        goes_on = bool(steps.goes_on[node]) and alive.has(t + 1, node + 1)
        out = range(int(steps.first_out[node]), int(steps.first_out[node + 1]))
        ways = [e for e in out if alive.has(t, alive.size + e)]
        e = -1
        if ways and (since >= shortest or not goes_on):
            if weights is None:
                e = _chosen(ways, goes_on, rng)
            else:
                e = _drawn(ways, goes_on * float(weights.go[node]), weights.take[steps.number[ways]], rng)
        if e >= 0:
            taken.append(int(steps.number[e]))
            node, t, since = int(steps.enter[e]), t + steps.blend, 0
        else:
            node, t, since = node + 1, t + 1, since + 1
    return begun, tuple(taken)


def _chosen(ways: list[int], goes_on: bool, rng: Generator) -> int:
    """One of the edges, or -1: the next frame, where there is one. All are equally likely."""
    if not goes_on:
        return ways[int(rng.integers(len(ways)))]
    pick = int(rng.integers(len(ways) + 1))
    return ways[pick - 1] if pick else -1


def _drawn(ways: list[int], go: float, take: FloatArray, rng: Generator) -> int:
    """One of the edges by their weights `take`, or -1: the next frame, whose weight is `go`."""
    total = np.cumsum([go, *take])
    pick = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
    return ways[pick - 1] if pick else -1


def gone_on(
    graph: Graph,
    steps: Steps,
    route: Route,
    alive: Reachable | None,
    frames: int,
    rng: Generator,
    *,
    shortest: int,
    weights: Weights | None = None,
) -> Route:
    """A route made `frames` long by a random way over frames that are alive (all, if None), as far as there is one."""
    node, shown = route_end(graph, route)
    on = alive or Reachable(steps.net, frames, transitions=True)
    if shown >= frames:
        return route._replace(frames=frames)
    if not on.has(shown - 1, node):
        return route
    _, more = wander(steps, on, shown - 1, node, rng, shortest=shortest, weights=weights)
    return Route(route.start, (*route.taken, *more), frames)


def route_end(graph: Graph, route: Route) -> tuple[int, int]:
    """The frame that a route comes to last, when its last blend is over, and how many frames that takes."""
    at, left = route.start, route.frames
    for t in route.taken:
        left -= int(graph.leave[t]) - at + graph.blend
        at = int(graph.enter[t])
    return at + max(left - 1, 0), route.frames + max(1 - left, 0)
