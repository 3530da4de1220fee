"""The lower level as a Markov process: how probable it is to go on, and to take each transition (GUAN eq. 2.16)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.methods.graph import Graph
from motionloom.methods.graph.search.scheduled_walk import Weights


@dataclass(frozen=True, eq=False)
class Chain:
    """A graph with the probability of every edge, as costs: -log of it, so that the most probable way costs least."""

    graph: Graph
    delta: float  # of eq. 2.16, in the unit of the graph's distances
    go: FloatArray  # (N,) to the next frame; infinite where there is none
    take: FloatArray  # (T,) over each transition, seen from the frame where it leaves; infinite if it leads nowhere


def likeness(distance: FloatArray, delta: float) -> FloatArray:
    """exp(-D / delta): what the probability of going from i to j is proportional to, with D = D_{i, j-1}.

    Errata to GUAN 2.16: j may follow i as far as the frame before j resembles i, so the next frame of the clip, for
    which D = 0, is the likeliest. The chain's step from i to j is the transition (a = i, b = j - 1) of the graph.
    """
    return np.asarray(np.exp(-np.asarray(distance, float) / delta))


def chain(graph: Graph, delta: float, alive: BoolArray | None = None) -> Chain:
    """Probabilities of all edges: at every frame, going on has the weight 1 and a transition exp(-D/delta).

    They are made to sum to 1 over the edges that leave a frame and lead to frames that are `alive` (N,), by default
    all: a graph has dead ends, and nobody should walk into one.
    """
    count = graph.count
    alive = np.ones(count, bool) if alive is None else alive
    on = np.zeros(count, bool)
    on[:-1] = (graph.clip_of[1:] == graph.clip_of[:-1]) & alive[1:]
    leave, enter = graph.leave, graph.enter
    weight = likeness(graph.transitions.distance, delta) * alive[enter]
    total = on + np.bincount(leave, weights=weight, minlength=count)
    with np.errstate(divide="ignore"):
        whole = np.log(np.maximum(total, 1e-300))
        go = np.where(on, whole, np.inf)
        take = np.where(weight > 0, whole[leave] - np.log(weight), np.inf)
    return Chain(graph, delta, go, take)


def edge_weights(chain: Chain) -> Weights:
    """The probability P_ij of every edge, for random walks that sample the process."""
    return Weights(np.exp(-chain.go), np.exp(-chain.take))


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
    """(2 half,) frames that stand for a transition's blend and the frame it enters: a's clip up to a, then b's from
    b + 1. Nothing is skipped: the chain goes from frame a straight to frame b + 1."""
    a, b, half = int(graph.transitions.a[t]), int(graph.transitions.b[t]), graph.half
    return np.concatenate([np.arange(a - half + 1, a + 1), np.arange(b + 1, b + half + 1)])


def words(graph: Graph, of: IntArray) -> tuple[IntArray, IntArray]:
    """The clusters that each transition passes into, one after the other: their first places (T + 1,) and all of them.

    The cluster of the frame where it leaves is not among them, unless it is come back to.
    """
    steps = np.arange(1, graph.half + 1)
    a = graph.transitions.a[:, None] - graph.half + steps
    b = graph.transitions.b[:, None] + steps
    seen = np.concatenate([of[graph.leave][:, None], of[a], of[b]], 1)
    new = np.diff(seen, axis=1) != 0
    first = np.concatenate([[0], np.cumsum(new.sum(1))])
    return first.astype(np.int64), seen[:, 1:][new].astype(np.int64)
