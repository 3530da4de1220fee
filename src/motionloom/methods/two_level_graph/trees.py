"""Cluster trees: what can follow a frame, as sequences of clusters, each with its most probable motion (GUAN 2.4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, IntArray
from motionloom.methods.graph import Route
from motionloom.methods.two_level_graph.clusters import Clusters
from motionloom.methods.two_level_graph.markov import Chain, words

MOST = 200_000  # labels of one tree: its budget, far above what two seconds of common material need


@dataclass(frozen=True, eq=False)
class Tree:
    """The cluster tree of one frame. Node 0 is the root, the frame's own cluster; a parent comes before its children.

    A node may be passed within a blend only; it then has no frame of its own (`frame` and `after` are -1).
    """

    start: int  # the frame, counted through all clips
    cluster: IntArray  # (M,)
    parent: IntArray  # (M,) -1 for the root
    frame: IntArray  # (M,) where the most probable way enters the node's cluster
    after: IntArray  # (M,) how many frames after the start
    log_probability: FloatArray  # (M,) of that way: the log of the product along it
    taken: tuple[tuple[int, ...], ...]  # (M,) its transitions
    seen: int  # frames ahead up to which the tree is complete

    @property
    def leaves(self) -> IntArray:
        """The nodes without children; each stands for one cluster path."""
        inner = np.zeros(len(self.cluster), bool)
        inner[self.parent[1:]] = True
        return np.flatnonzero(~inner)

    def path(self, node: int) -> tuple[int, ...]:
        """The clusters from the root to a node."""
        out = []
        while node >= 0:
            out.append(int(self.cluster[node]))
            node = int(self.parent[node])
        return tuple(reversed(out))


class Words(NamedTuple):
    """The clusters that each transition passes into: `all[first[t]:first[t + 1]]`."""

    first: IntArray
    all: IntArray


def transition_words(chain: Chain, clusters: Clusters) -> Words:
    """Computed once for all trees of a graph."""
    return Words(*words(chain.graph, clusters.of))


def cluster_tree(
    chain: Chain, clusters: Clusters, start: int, reach: int, *, passed: Words | None = None, most: int = MOST
) -> Tree:
    """The cluster tree of frame `start`: every sequence of clusters that a way of at most `reach` steps can pass.

    GUAN 2.4.2: the frame's cluster is the root; a cluster that can be reached within a threshold of frames is a child
    of the one before it; and so on from there. The threshold counts from `start`. Of all ways that pass the same
    clusters the one with the largest product of probabilities is kept (errata: product, not sum); the source keeps one
    transition per child and goes on from it alone, which may miss it. A blend counts as its first clip up to a and as
    its second from b + 1 on, and is passed whole.
    """
    from motionloom.methods.two_level_graph._kernels import (
        BEFORE,
        BEST,
        CLUSTER,
        FRAME,
        PARENT,
        TIME,
        VIA,
        grow_tree,
    )

    graph = chain.graph
    word = transition_words(chain, clusters) if passed is None else passed
    label, cost, node, seen = grow_tree(
        start,
        reach,
        graph.blend,
        clusters.of,
        chain.go,
        graph.first_out,
        chain.take,
        graph.enter,
        word.first,
        word.all,
        max(most, 2 * graph.blend + 2),
    )
    best = node[:, BEST]
    there = best >= 0
    taken: list[tuple[int, ...]] = []
    for one in best:
        way = []
        at = int(one)
        while at >= 0:
            if label[at, VIA] >= 0:
                way.append(int(label[at, VIA]))
            at = int(label[at, BEFORE])
        taken.append(tuple(reversed(way)))
    return Tree(
        start=start,
        cluster=node[:, CLUSTER],
        parent=node[:, PARENT],
        frame=np.where(there, label[best, FRAME], -1),
        after=np.where(there, label[best, TIME], -1),
        log_probability=np.where(there, -cost[best], -np.inf),
        taken=tuple(taken),
        seen=int(seen),
    )


class Choice(NamedTuple):
    """One thing that can be done next: a cluster path and the most probable motion along it."""

    clusters: tuple[int, ...]  # from the present one to the last
    log_probability: float
    route: Route  # from the present frame to the first one in the last cluster
    end: int  # that frame: choices go on from there


def tree_choices(tree: Tree) -> list[Choice]:
    """The cluster paths of a tree, the most probable first; none if no other cluster is in reach."""
    out = []
    for leaf in tree.leaves:
        if leaf == 0 or tree.frame[leaf] < 0:
            continue
        route = Route(tree.start, tree.taken[leaf], int(tree.after[leaf]) + 1)
        out.append(Choice(tree.path(int(leaf)), float(tree.log_probability[leaf]), route, int(tree.frame[leaf])))
    return sorted(out, key=lambda c: (-c.log_probability, c.clusters))
