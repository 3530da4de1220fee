"""Clusters of edges and the trees below them: their laws, and a slow version."""

from __future__ import annotations

import numpy as np
import pytest
from edges_by_hand import make_graph

from motionloom.methods.hierarchical_graph.edge_trees import groups, grow_trees, spacing


def below(levels, node):
    return sorted(levels.order[levels.first[node] : levels.stop[node]].tolist())


def points(graph):
    return np.stack([graph.transitions.a, graph.transitions.b], 1).astype(float)


@pytest.fixture(scope="module", params=[3.0, 8.0, 100.0])
def levels(request, graph):
    return grow_trees(graph, widest=request.param)


def test_every_edge_is_a_leaf_just_once(graph, levels):
    assert sorted(levels.order.tolist()) == list(range(len(graph.transitions)))
    leaves = [e for node in range(len(levels)) if len(below(levels, node)) == 1 for e in below(levels, node)]
    assert sorted(leaves) == list(range(len(graph.transitions)))
    assert all(below(levels, levels.home[e]) == [e] for e in range(len(graph.transitions)))
    assert sorted(e for r in levels.roots for e in below(levels, r)) == list(range(len(graph.transitions)))
    assert all(e in below(levels, levels.root[e]) for e in range(len(graph.transitions)))
    assert set(levels.root) == set(levels.roots)


def test_children_share_out_their_parent(levels):
    for node in range(len(levels)):
        if len(below(levels, node)) > 1:
            left, right = below(levels, node + 1), below(levels, levels.right(node))
            assert left
            assert right
            assert sorted(left + right) == below(levels, node)


def test_a_node_carries_the_mean_of_its_edges_and_the_edge_nearest_to_it(graph, levels):
    p = points(graph)
    for node in range(len(levels)):
        mine = below(levels, node)
        np.testing.assert_allclose(levels.centre[node], p[mine].mean(0), atol=1e-9)
        np.testing.assert_allclose(levels.cost[node], graph.transitions.distance[mine].mean(), atol=1e-12)
        apart = ((p[mine] - p[mine].mean(0)) ** 2).sum(1)
        assert ((p[levels.medoid[node]] - p[mine].mean(0)) ** 2).sum() <= apart.min() + 1e-9


def slow_tree(p, edges):
    """2-means in plain numpy, from the two sides of the mean along the longest axis, down to single edges."""
    if len(edges) == 1:
        return edges[0]
    q = p[edges]
    axis = np.linalg.eigh(np.cov(q.T, bias=True))[1][:, -1]
    axis = axis * (1 if axis[0] > 1e-12 or (abs(axis[0]) <= 1e-12 and axis[1] > 0) else -1)
    centres = np.stack([q.mean(0) - axis, q.mean(0) + axis])
    while True:
        near = ((q[:, None] - centres) ** 2).sum(-1)
        second = near[:, 0] > near[:, 1]
        means = np.stack([q[~second].mean(0), q[second].mean(0)])
        if np.allclose(means, centres):
            return slow_tree(p, edges[~second]), slow_tree(p, edges[second])
        centres = means


def tree(levels, node):
    mine = below(levels, node)
    return mine[0] if len(mine) == 1 else (tree(levels, node + 1), tree(levels, levels.right(node)))


def test_trees_are_those_of_two_means(graph):
    rng = np.random.default_rng(3)
    p = points(graph) + rng.normal(0, 0.01, (len(graph.transitions), 2))  # no ties, in which either side would do
    from motionloom.methods.hierarchical_graph._kernels_tree import grow

    order, first, stop, *_, roots = grow(
        p, np.zeros(len(p)), np.zeros(len(p), np.int64), 1e9, np.zeros(1, np.uint8), np.zeros(1, np.int64)
    )
    assert len(roots) == 1

    def fast(node):
        if stop[node] - first[node] == 1:
            return order[first[node]]
        return fast(node + 1), fast(node + 2 * (stop[node + 1] - first[node + 1]))

    assert fast(0) == slow_tree(p, np.arange(len(p)))


def test_clusters_join_two_clips_each_and_are_sorted_by_them(graph, levels):
    a, b = graph.clip_of[graph.transitions.a], graph.clip_of[graph.transitions.b]
    pairs = []
    for r in levels.roots:
        mine = below(levels, r)
        assert len(set(zip(a[mine].tolist(), b[mine].tolist(), strict=True))) == 1
        pairs.append((int(a[mine[0]]), int(b[mine[0]])))
    assert pairs == sorted(pairs)


def test_no_cluster_is_wider_than_asked(graph):
    p = points(graph)
    for widest in (0.0, 2.0, 5.0):
        levels = grow_trees(graph, widest=widest)
        assert all(np.ptp(p[below(levels, r)], axis=0).max() <= widest for r in levels.roots)
    assert len(grow_trees(graph, widest=0.0).roots) == len(graph.transitions)


def edge_matrix(graph, s, t):
    """P_st: the cost of the edge from each frame of clip s to each frame of clip t; infinity where there is none.

    GUAN eq. 2.17 as corrected: there is an edge where the distance is below the threshold. Rows are from-frames.
    """
    out = np.full((len(graph.clips[s]), len(graph.clips[t])), np.inf)
    a, b = graph.transitions.a, graph.transitions.b
    here = (graph.clip_of[a] == s) & (graph.clip_of[b] == t)
    out[a[here] - graph.starts[s], b[here] - graph.starts[t]] = graph.transitions.distance[here]
    return out


def test_groups_are_the_islands_of_the_matrix(graph):
    from scipy.ndimage import label

    wide = grow_trees(graph, widest=1e9)
    found = groups(graph, 1)
    for s in range(3):
        for t in range(3):
            islands, count = label(np.isfinite(edge_matrix(graph, s, t)), structure=np.ones((3, 3)))
            here = (graph.clip_of[graph.transitions.a] == s) & (graph.clip_of[graph.transitions.b] == t)
            x, y = graph.transitions.a - graph.starts[s], graph.transitions.b - graph.starts[t]
            mine = islands[x[here], y[here]]
            assert len(set(zip(mine.tolist(), found[here].tolist(), strict=True))) == count == len(set(mine.tolist()))
    assert len(wide.roots) == found.max() + 1


def test_the_spacing_of_a_thinned_graph_is_found(arms):
    edges = [(x, y, 0.1) for x in range(2, 38, 4) for y in range(42, 68, 4)]
    assert spacing(make_graph(arms, edges)) == 4
    assert len(grow_trees(make_graph(arms, edges), widest=100).roots) == 1
    assert spacing(make_graph(arms, [*edges, (3, 43, 0.1)])) == 1


def test_a_graph_without_edges_has_no_clusters(arms):
    levels = grow_trees(make_graph(arms, []), widest=5)
    assert (len(levels), len(levels.roots), levels.depth) == (0, 0, 0)


def test_depth_counts_levels(arms):
    graph = make_graph(arms, [(5, 50, 0.1), (6, 50, 0.1), (7, 50, 0.1)])
    levels = grow_trees(graph, widest=100)
    assert levels.depth == 3
    assert grow_trees(graph, widest=0).depth == 1
