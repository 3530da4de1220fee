"""A random path through frames and cuts, within the nodes that are reachable at each time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.methods.cuts.cut_points import Cuts
from motionloom.methods.schedule import FrameNet, Reachable

PACE_UNIT = 0.1  # m/s: a cut that changes the pace by this much is e times less probable
LEAST_LIKELY = 1e-6  # improbable, but never impossible


@dataclass(frozen=True, eq=False)
class CutGraph:
    """All frames of all clips as nodes in a row; a node leads to the next one of its clip, and over its cuts."""

    lengths: tuple[int, ...]  # of the clips
    cuts: Cuts

    @property
    def size(self) -> int:
        return sum(self.lengths)

    @property
    def last(self) -> BoolArray:
        """(N,) whether each frame is the last of its clip."""
        out = np.zeros(self.size, bool)
        out[np.cumsum(self.lengths) - 1] = True
        return out

    @property
    def net(self) -> FrameNet:
        """The nodes and their successors; a cut takes one frame."""
        return FrameNet(~self.last, np.searchsorted(self.cuts.leave, np.arange(self.size + 1)), self.cuts.enter, 1)


def random_nodes(
    graph: CutGraph,
    reachable: Reachable,
    paces: FloatArray,
    frames: int,
    *,
    shortest: int,
    eagerness: float,
    rng: Generator,
) -> IntArray:
    """(F,) nodes of a random path.

    After `shortest` frames of a piece, each possible cut is taken with the probability `eagerness`; where only a cut
    leads on, it is taken at once. Cuts that change the pace (`paces` (N,) m/s) are less probable.
    """
    out = np.empty(frames, np.int64)
    node = int(rng.choice(np.flatnonzero(reachable.at(0))))
    last, leave = graph.last, graph.cuts.leave
    since = 0
    for t in range(frames):
        out[t] = node
        if t == frames - 1:
            break
        goes_on = not last[node] and reachable.has(t + 1, node + 1)
        first, stop = np.searchsorted(leave, [node, node + 1])
        targets = np.array([e for e in graph.cuts.enter[first:stop] if reachable.has(t + 1, int(e))], np.int64)
        since += 1
        if len(targets) and (not goes_on or since >= shortest):
            likely = np.exp(-(((paces[targets] - paces[node]) / PACE_UNIT) ** 2)) + LEAST_LIKELY
            if not goes_on or rng.random() < eagerness * min(1.0, float(likely.max())):
                node, since = int(rng.choice(targets, p=likely / likely.sum())), 0
                continue
        node += 1
    return out


def pieces(nodes: IntArray, lengths: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """The path as pieces of clips: (clip, first frame, end frame), end excluded."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    which = np.searchsorted(starts, nodes, side="right") - 1
    breaks = np.flatnonzero((np.diff(nodes) != 1) | (np.diff(which) != 0)) + 1
    edges = [0, *breaks.tolist(), len(nodes)]
    out = []
    for a, b in pairwise(edges):
        first = int(nodes[a] - starts[which[a]])
        out.append((int(which[a]), first, first + b - a))
    return out
