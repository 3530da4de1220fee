"""A random way through frames and cuts that ends in time and keeps what is asked of each frame."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, IntArray
from motionloom.methods.cuts.cut_points import Cuts
from motionloom.methods.schedule import Net, Reachable


@dataclass(frozen=True, eq=False)
class Graph:
    """All frames of all clips as nodes in a row; a node leads to the next one of its clip, and over its cuts."""

    lengths: tuple[int, ...]  # of the clips
    cuts: Cuts

    @property
    def size(self) -> int:
        return sum(self.lengths)

    @property
    def last(self) -> BoolArray:
        """(N,) is it the last frame of its clip?"""
        out = np.zeros(self.size, bool)
        out[np.cumsum(self.lengths) - 1] = True
        return out

    @property
    def net(self) -> Net:
        """The nodes and where they lead; a cut takes one frame."""
        return Net(~self.last, np.searchsorted(self.cuts.leave, np.arange(self.size + 1)), self.cuts.enter, 1)


def wander(graph: Graph, alive: Reachable, frames: int, *, shortest: int, eagerness: float, rng: Generator) -> IntArray:
    """(F,) nodes of a random way. After `shortest` frames in a piece, each cut that comes by is taken with the
    probability `eagerness`; where only a cut leads on, it is taken at once.
    """
    out = np.empty(frames, np.int64)
    node = int(rng.choice(np.flatnonzero(alive.at(0))))
    last, leave = graph.last, graph.cuts.leave
    since = 0
    for t in range(frames):
        out[t] = node
        if t == frames - 1:
            break
        goes_on = not last[node] and alive.has(t + 1, node + 1)
        first, stop = np.searchsorted(leave, [node, node + 1])
        ways = [int(e) for e in graph.cuts.enter[first:stop] if alive.has(t + 1, int(e))]
        since += 1
        if ways and (not goes_on or (since >= shortest and rng.random() < eagerness)):
            node, since = ways[int(rng.integers(len(ways)))], 0
        else:
            node += 1
    return out


def pieces(nodes: IntArray, lengths: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """The way as stretches of clips: (clip, first frame, end frame), end excluded."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    which = np.searchsorted(starts, nodes, side="right") - 1
    breaks = np.flatnonzero((np.diff(nodes) != 1) | (np.diff(which) != 0)) + 1
    edges = [0, *breaks.tolist(), len(nodes)]
    out = []
    for a, b in pairwise(edges):
        first = int(nodes[a] - starts[which[a]])
        out.append((int(which[a]), first, first + b - a))
    return out
