"""Cluster trees against all ways, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hand_made import graph_of

from motionloom.methods.two_level_graph.cluster_trees import cluster_tree, tree_choices
from motionloom.methods.two_level_graph.clusters import Clusters
from motionloom.methods.two_level_graph.markov import Chain, chain, log_probability, reading


def every_way(made: Chain, of: np.ndarray, start: int, reach: int) -> dict[tuple[int, ...], float]:
    """Each sequence of clusters that some way of at most `reach` steps passes, with the largest product. Very slow.

    A sequence counts from a frame that is shown purely: a blend is passed whole.
    """
    graph = made.graph
    best: dict[tuple[int, ...], float] = {}

    def walk(at: int, time: int, path: tuple[int, ...], log_p: float) -> None:
        if log_p > best.get(path, -np.inf):
            best[path] = log_p
        if time < reach and np.isfinite(made.go[at]):
            new = int(of[at + 1])
            walk(at + 1, time + 1, path if new == path[-1] else (*path, new), log_p - made.go[at])
        for t in np.flatnonzero(graph.leave == at):
            if time + graph.blend <= reach and np.isfinite(made.take[t]):
                longer = path
                for frame in reading(graph, int(t)):
                    if of[frame] != longer[-1]:
                        longer = (*longer, int(of[frame]))
                walk(int(graph.enter[t]), time + graph.blend, longer, log_p - made.take[t])

    walk(start, 0, (int(of[start]),), 0.0)
    return best


def tree_paths(tree) -> dict[tuple[int, ...], float]:
    return {tree.path(k): float(tree.log_probability[k]) for k in range(len(tree.cluster)) if tree.frame[k] >= 0}


@pytest.mark.parametrize("seed", range(12))
def test_a_tree_holds_every_cluster_path_with_its_largest_product(seed):
    rng = np.random.default_rng(seed)
    half = 1 + seed % 2
    frames = 24
    pairs = []
    for _ in range(14):
        a, b = (int(c * frames + rng.integers(half, frames - half)) for c in rng.integers(2, size=2))
        if abs(a - b) > 3:
            pairs.append((a, b, float(rng.uniform(0, 2))))
    graph = graph_of([frames, frames], sorted({p[:2]: p for p in pairs}.values()), half)
    of = np.repeat(rng.integers(4, size=16), 3)  # stays of 3 frames or more
    made = chain(graph, 1.0)
    start = int(rng.integers(frames))
    reach = 16
    tree = cluster_tree(made, Clusters(of, np.zeros(4, int)), start, reach)
    slow = every_way(made, of, start, reach)
    found = tree_paths(tree)
    assert found.keys() == slow.keys()
    for path, log_p in slow.items():
        assert found[path] == pytest.approx(log_p, abs=1e-9)
    assert tree.seen == reach


def test_the_motion_of_a_choice_has_the_probability_and_ends_that_it_says():
    rng = np.random.default_rng(3)
    graph = graph_of([20, 20], [(5, 28, 0.3), (12, 33, 0.1), (30, 7, 0.2)])
    of = np.repeat(rng.integers(5, size=10), 4)
    made = chain(graph, 0.5)
    tree = cluster_tree(made, Clusters(of, np.zeros(5, int)), 2, 20)
    choices = tree_choices(tree, made, 20)
    assert len(choices) == len([k for k in tree.leaves if k])
    assert [c.log_probability for c in choices] == sorted((c.log_probability for c in choices), reverse=True)
    for c in choices:
        assert log_probability(made, *c.route) == pytest.approx(c.log_probability)
        assert of[c.end] == c.clusters[-1]
        assert c.clusters[0] == of[2]
        assert all(a != b for a, b in zip(c.clusters, c.clusters[1:], strict=False))


def test_the_product_decides_and_not_the_sum():
    # Two ways from cluster 0 to cluster 1: on for 6 frames past three unlikely exits, or at once over a likely one.
    # Errata to 2.4.2: more frames would make any sum of probabilities larger.
    pairs = [(1, 21, 0.0)] + [(k, 40, 0.0) for k in (2, 3, 4, 5)]
    graph = graph_of([20, 15, 15], pairs)
    of = np.array([0] * 7 + [1] * 13 + [0] * 2 + [1] * 13 + [2] * 15)
    made = chain(graph, 1.0)
    tree = cluster_tree(made, Clusters(of, np.zeros(3, int)), 0, 9)
    [choice] = [c for c in tree_choices(tree, made, 9) if c.clusters == (0, 1)]
    assert len(choice.route.taken) == 1
    assert choice.log_probability == pytest.approx(np.log(0.5))


def test_a_tree_that_is_too_large_says_how_far_it_looked():
    pairs = [(a, b, 0.1) for a in range(4, 30) for b in range(44, 70, 2)] + [(50, 6, 0.1), (60, 9, 0.1)]
    graph = graph_of([40, 40], pairs)
    of = np.arange(80) // 4
    tree = cluster_tree(chain(graph, 1.0), Clusters(of, np.zeros(20, int)), 0, 60, most=200)
    assert 0 < tree.seen < 60
    assert len(tree.cluster) <= 200


def test_where_no_other_cluster_is_in_reach_going_on_is_the_one_choice():
    graph = graph_of([20, 20], [(17, 25, 0.3), (18, 30, 0.1)])
    alive = np.ones(40, bool)
    alive[18:20] = False
    made = chain(graph, 1.0, alive)
    tree = cluster_tree(made, Clusters(np.zeros(40, int), np.zeros(1, int)), 14, 10)
    assert tree.leaves.tolist() == [0]
    [only] = tree_choices(tree, made, 10)
    assert only.clusters == (0,)
    assert only.route == (14, (1,), 11)  # 14 15 16 17, over the only transition that leaves there, and on
    assert only.end == 36
