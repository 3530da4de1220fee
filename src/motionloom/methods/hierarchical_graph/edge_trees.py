"""Clusters of edges between clips, with a binary tree of edges below each cluster (GUAN 2.4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from motionloom.core import FloatArray, FormatError, IntArray, Progress, silent
from motionloom.core.progress import watch
from motionloom.methods.array_checks import check_array
from motionloom.methods.graph import Graph


@dataclass(frozen=True, eq=False)
class EdgeTrees:
    """The hierarchy G1 <- G2 <- ... <- G: every edge of G1 is the root of a binary tree whose leaves are edges of G.

    Nodes are in preorder: the left child of node i is i + 1, its right child comes after the left one's nodes. A node
    represents the edges `order[first:stop]` by their mean. Roots are sorted by the clips that they join.
    """

    order: IntArray  # (T,) int32: transitions, as leaves from left to right
    first: IntArray  # (M,) int32: a node's leaves
    stop: IntArray  # (M,) int32
    centre: FloatArray  # (M, 2) mean frame that is left and mean frame that is entered, counted through all clips
    cost: FloatArray  # (M,) mean cost
    medoid: IntArray  # (M,) int32: the transition nearest to the centre, which represents the node
    ends: IntArray  # (M, 2) int32: the latest frame that its edges leave, the earliest that they enter
    roots: IntArray  # (R,) int32: the edges of G1

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def depth(self) -> int:
        """The number of levels, G1 and G included."""
        nodes, levels = np.asarray(self.roots, np.int64), 0
        while len(nodes):
            nodes = nodes[self.stop[nodes] - self.first[nodes] > 1]
            nodes = np.concatenate([nodes + 1, nodes + 2 * (self.stop[nodes + 1] - self.first[nodes + 1])])
            levels += 1
        return levels

    def right(self, node: int) -> int:
        """The right child of a node with more than one leaf; the left child of node i is i + 1."""
        return node + 2 * int(self.stop[node + 1] - self.first[node + 1])

    @cached_property
    def home(self) -> IntArray:
        """(T,) the leaf node of each transition."""
        alone = np.flatnonzero(self.stop - self.first == 1)
        out = np.empty(len(self.order), np.int64)
        out[self.order[self.first[alone]]] = alone
        return out

    @cached_property
    def root(self) -> IntArray:
        """(T,) the edge of G1 above each transition."""
        roots = np.sort(np.asarray(self.roots, np.int64))  # in preorder, so their leaves are in order, too
        out = np.empty(len(self.order), np.int64)
        out[self.order] = np.repeat(roots, self.stop[roots] - self.first[roots])
        return out


def check_trees(levels: EdgeTrees, graph: Graph) -> None:
    """`FormatError` unless these are binary trees in preorder over the graph's transitions."""
    leaves, nodes = len(graph.transitions), len(levels)
    check_array(levels.order, "levels.order", "i", (leaves,), low=0, high=leaves - 1)
    check_array(levels.first, "levels.first", "i", (nodes,), low=0, high=leaves - 1)
    check_array(levels.stop, "levels.stop", "i", (nodes,), low=1, high=leaves)
    check_array(levels.medoid, "levels.medoid", "i", (nodes,), low=0, high=leaves - 1)
    check_array(levels.ends, "levels.ends", "i", (nodes, 2), low=0, high=graph.count - 1)
    check_array(levels.roots, "levels.roots", "i", (None,), low=0, high=nodes - 1)
    check_array(levels.centre, "levels.centre", "f", (nodes, 2))
    check_array(levels.cost, "levels.cost", "f", (nodes,))
    first, stop = np.asarray(levels.first, np.int64), np.asarray(levels.stop, np.int64)
    if len(np.unique(levels.order)) != leaves:
        raise FormatError("levels.order: expected every transition once")
    if (stop <= first).any():
        raise FormatError("levels: expected at least one leaf in every node")
    inner = np.flatnonzero(stop - first > 1)
    left = inner + 1
    if len(inner) and left[-1] >= nodes:
        raise FormatError("levels: the last node has no children")
    right = inner + 2 * (stop[left] - first[left])
    if (right >= nodes).any() or (right <= left).any():
        raise FormatError("levels: a node's right child lies outside its tree")
    whole = (first[left] == first[inner]) & (stop[left] == first[right]) & (stop[right] == stop[inner])
    if not whole.all():
        raise FormatError(f"levels: the children of node {int(inner[~whole][0])} do not have its leaves")
    tops = np.asarray(levels.roots, np.int64)
    ends = np.concatenate([[0], np.sort(stop[tops])])
    if not (np.array_equal(np.sort(first[tops]), ends[:-1]) and ends[-1] == leaves):
        raise FormatError("levels.roots: expected trees that partition all transitions")


def spacing(graph: Graph) -> int:
    """The distance of neighbouring edges, in frames: 1, or the side of the squares to which a graph was thinned.

    It is the largest power of two for which no square of that side holds two edges (those to a later frame: their
    opposites may share a square with them).
    """
    moves = graph.transitions
    ahead = moves.a < moves.b
    a, b = moves.a[ahead], moves.b[ahead]
    clip_a, clip_b = graph.clip_of[a], graph.clip_of[b]
    pair = clip_a * len(graph.clips) + clip_b
    x, y = a - graph.starts[clip_a], b - graph.starts[clip_b]
    side = 1
    while 2 * side < graph.count:
        width = graph.count // (2 * side) + 1
        key = (pair * width + x // (2 * side)) * width + y // (2 * side)
        if len(np.unique(key)) < len(key):
            break
        side *= 2
    return side


def groups(graph: Graph, cell: int) -> IntArray:
    """(T,) the group of each edge: edges of one P_st that touch as squares of `cell` frames, diagonally too.

    Similar frames have similar neighbours, so the edges of a matrix form islands (GUAN fig. 2.12). Groups are numbered
    by the pair of clips, then in the order of their first edge.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b = graph.transitions.a, graph.transitions.b
    clip_a, clip_b = graph.clip_of[a], graph.clip_of[b]
    pair = clip_a * len(graph.clips) + clip_b
    width = graph.count // cell + 3
    x, y = (a - graph.starts[clip_a]) // cell + 1, (b - graph.starts[clip_b]) // cell + 1
    key = (pair * width + x) * width + y
    by_key = np.argsort(key, kind="stable")
    ordered = key[by_key]
    links: list[tuple[IntArray, IntArray]] = []
    for step in (0, 1, width - 1, width, width + 1):  # itself (cells may hold several), right, and the row below
        at = np.searchsorted(ordered, key + step)
        at = np.minimum(at, len(ordered) - 1)
        near = ordered[at] == key + step
        links.append((np.flatnonzero(near), by_key[at[near]]))
    i, j = (np.concatenate(part) for part in zip(*links, strict=True))
    joined = coo_array((np.ones(len(i), bool), (i, j)), shape=(len(a), len(a)))
    _, label = connected_components(joined, directed=False)
    by_pair = np.lexsort((y, x, pair))
    _, first = np.unique(label[by_pair], return_index=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[label], np.int64)


def grow_trees(graph: Graph, *, widest: float, progress: Progress | None = None) -> EdgeTrees:
    """All edges of a graph in clusters, and a tree by 2-means below each cluster.

    A cluster is a group of edges that touch (see `groups`); one that spans more than `widest` frames, as along the
    diagonal of two walks, is split by 2-means until none does. The centres of the clusters are the edges of G1.
    """
    from motionloom.methods.hierarchical_graph._kernels_tree import grow

    moves = graph.transitions
    group = groups(graph, spacing(graph)) if len(moves) else np.zeros(0, np.int64)
    by_group = np.lexsort((moves.b, moves.a, group))
    points = np.stack([moves.a, moves.b], 1)[by_group].astype(np.float64)
    report, done = progress or silent(), np.zeros(1, np.int64)
    task = (points, moves.distance[by_group], group[by_group], float(widest), report.stop, done)
    order, first, stop, centre, cost, medoid, ends, roots = watch(
        report, "growing trees of transitions", grow, *task, units=2 * len(moves), done=done
    )
    narrow = by_group.astype(np.int32)
    return EdgeTrees(narrow[order], first, stop, centre, cost, narrow[medoid], ends, roots)
