"""The lower level as a Markov process: the probabilities of all edges (GUAN eq. 2.16)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.methods.graph import Graph
from motionloom.methods.graph.search.scheduled_walk import EdgeWeights


@dataclass(frozen=True, eq=False)
class Chain:
    """A graph with costs of its edges: -log of their probabilities, so that the most probable path is the cheapest."""

    graph: Graph
    delta: float  # of eq. 2.16, in the unit of the graph's distances
    go: FloatArray  # (N,) to the next frame; infinite where there is none
    take: FloatArray  # (T,) of each transition at the frame where it leaves; infinite into a dead end


def likeness(distance: FloatArray, delta: float) -> FloatArray:
    """exp(-D / delta), to which the probability of the step from i to j is proportional, with D = D_{i, j-1}.

    Errata to GUAN 2.16: j can follow i if the frame before j is similar to i, so the next frame of the clip, for which
    D = 0, is the most probable. The chain's step from i to j is the transition (a = i, b = j - 1) of the graph.
    """
    return np.asarray(np.exp(-np.asarray(distance, float) / delta))


def chain(graph: Graph, delta: float, walkable: BoolArray | None = None) -> Chain:
    """Probabilities of all edges: at every frame, the next frame has weight 1 and a transition exp(-D/delta).

    They are normalised over the edges that leave a frame and lead to `walkable` frames (N,), by default all: this
    excludes dead ends.
    """
    count = graph.count
    walkable = np.ones(count, bool) if walkable is None else walkable
    on = np.zeros(count, bool)
    on[:-1] = (graph.clip_of[1:] == graph.clip_of[:-1]) & walkable[1:]
    leave, enter = graph.leave, graph.enter
    weight = likeness(graph.transitions.distance, delta) * walkable[enter]
    total = on + np.bincount(leave, weights=weight, minlength=count)
    with np.errstate(divide="ignore"):
        whole = np.log(np.maximum(total, 1e-300))
        go = np.where(on, whole, np.inf)
        take = np.where(weight > 0, whole[leave] - np.log(weight), np.inf)
    return Chain(graph, delta, go, take)


def edge_weights(chain: Chain) -> EdgeWeights:
    """The probability P_ij of every edge, for random walks that sample the process."""
    return EdgeWeights(np.exp(-chain.go), np.exp(-chain.take))


def log_probability(chain: Chain, start: int, taken: tuple[int, ...], frames: int) -> float:
    """log of the product of probabilities along a route (errata to 2.4.2: the product, not the sum)."""
    graph, total, at, left = chain.graph, 0.0, start, frames - 1
    for t in (*taken, -1):
        stop = at + left if t < 0 else int(graph.leave[t])
        total -= float(chain.go[at : min(stop, at + left)].sum())
        left -= stop - at
        if t < 0 or left <= 0:
            break
        total -= float(chain.take[t])
        left -= graph.blend
        at = int(graph.enter[t])
        if left <= 0:
            break
    return total


def reading(graph: Graph, t: int) -> IntArray:
    """(2 half,) frames of the chain during a transition's blend and at the frame that it enters.

    These are a's clip up to a, then b's from b + 1: the chain goes from frame a directly to frame b + 1.
    """
    a, b, half = int(graph.transitions.a[t]), int(graph.transitions.b[t]), graph.half
    return np.concatenate([np.arange(a - half + 1, a + 1), np.arange(b + 1, b + half + 1)])


def words(graph: Graph, of: IntArray) -> tuple[IntArray, IntArray]:
    """The clusters that each transition passes, in order: offsets (T + 1,) and all of them.

    The cluster of the frame where it leaves is not included, unless it is entered again.
    """
    steps = np.arange(1, graph.half + 1)
    a = graph.transitions.a[:, None] - graph.half + steps
    b = graph.transitions.b[:, None] + steps
    seen = np.concatenate([of[graph.leave][:, None], of[a], of[b]], 1)
    new = np.diff(seen, axis=1) != 0
    first = np.concatenate([[0], np.cumsum(new.sum(1))])
    return first.astype(np.int64), seen[:, 1:][new].astype(np.int64)
