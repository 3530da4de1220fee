"""Random walks within the frames that a schedule allows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray
from motionloom.methods.graph.graph import Graph, Route
from motionloom.methods.graph.search.moves import GroundMoves
from motionloom.methods.schedule import Reachable


class EdgeWeights(NamedTuple):
    """Relative probabilities of the edges that leave a frame."""

    go: FloatArray  # (N,) to the next frame
    take: FloatArray  # (T,) each transition of the graph


def scheduled_walk(
    moves: GroundMoves,
    reachable: Reachable,
    first: int,
    start: int | None,
    rng: Generator,
    *,
    shortest: int,
    weights: EdgeWeights | None = None,
) -> tuple[int, tuple[int, ...]]:
    """A random route over reachable frames, from frame `first` of the result to the end: start, transitions.

    At each frame, the next frame and every reachable transition are drawn by their weights, or equally (None), once
    `shortest` frames have passed since the last transition; where only a transition leads on, it is taken at once.
    """
    frames = len(reachable.bits)
    node = int(rng.choice(np.flatnonzero(reachable.at(first)))) if start is None else start
    begun, taken, t, since = node, [], first, 0
    while t < frames - 1:
        goes_on = bool(moves.goes_on[node]) and reachable.has(t + 1, node + 1)
        out = range(int(moves.first_out[node]), int(moves.first_out[node + 1]))
        edges = [e for e in out if reachable.has(t, reachable.size + e)]
        e = -1
        if edges and (since >= shortest or not goes_on):
            if weights is None:
                e = _draw_equally(edges, goes_on, rng)
            else:
                e = _draw_weighted(edges, goes_on * float(weights.go[node]), weights.take[moves.number[edges]], rng)
        if e >= 0:
            taken.append(int(moves.number[e]))
            node, t, since = int(moves.enter[e]), t + moves.blend, 0
        else:
            node, t, since = node + 1, t + 1, since + 1
    return begun, tuple(taken)


def _draw_equally(edges: list[int], goes_on: bool, rng: Generator) -> int:
    """One of the edges, or -1 for the next frame, where there is one; all equally probable."""
    if not goes_on:
        return edges[int(rng.integers(len(edges)))]
    drawn = int(rng.integers(len(edges) + 1))
    return edges[drawn - 1] if drawn else -1


def _draw_weighted(edges: list[int], go: float, take: FloatArray, rng: Generator) -> int:
    """One of the edges by their weights `take`, or -1 for the next frame, whose weight is `go`."""
    total = np.cumsum([go, *take])
    drawn = int(np.searchsorted(total, rng.random() * total[-1], side="right"))
    return edges[drawn - 1] if drawn else -1


def continue_route(
    graph: Graph,
    moves: GroundMoves,
    route: Route,
    reachable: Reachable | None,
    frames: int,
    rng: Generator,
    *,
    shortest: int,
    weights: EdgeWeights | None = None,
) -> Route:
    """A route continued at random to `frames` frames over reachable frames (None: all), as far as that is possible."""
    node, shown = route_end(graph, route)
    on = reachable or Reachable(moves.net, frames, transitions=True)
    if shown >= frames:
        return route._replace(frames=frames)
    if not on.has(shown - 1, node):
        return route
    _, more = scheduled_walk(moves, on, shown - 1, node, rng, shortest=shortest, weights=weights)
    return Route(route.start, (*route.taken, *more), frames)


def route_end(graph: Graph, route: Route) -> tuple[int, int]:
    """The last graph frame of a route, after its last blend, and the number of frames until then."""
    at, left = route.start, route.frames
    for t in route.taken:
        left -= int(graph.leave[t]) - at + graph.blend
        at = int(graph.enter[t])
    return at + max(left - 1, 0), route.frames + max(1 - left, 0)
