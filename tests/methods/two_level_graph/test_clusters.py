"""Clusters: the same groups whatever the order, no flicker, and a frame that shows each."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import BadRequest
from motionloom.kinematics.travel import placed
from motionloom.methods.two_level_graph.clusters import cluster_features, find_clusters, k_means, merge_short_stays
from motionloom.samples import make


def test_k_means_finds_groups_that_lie_apart(rng):
    centres = np.array([[0.0, 0], [5, 0], [0, 5], [5, 5]])
    truth = rng.integers(4, size=200)
    rows = centres[truth] + 0.1 * rng.normal(size=(200, 2))
    of, means = k_means(rows, 4, np.random.default_rng(0))
    assert len({(int(a), int(b)) for a, b in zip(truth, of, strict=True)}) == 4  # one group for each centre
    np.testing.assert_allclose(np.sort(means.sum(1)), [0, 5, 5, 10], atol=0.1)


def test_every_row_is_nearest_to_its_own_mean(rng):
    rows = rng.normal(size=(300, 5))
    of, means = k_means(rows, 7, np.random.default_rng(1))
    away = np.linalg.norm(rows[:, None] - means, axis=-1)
    assert (away.argmin(1) == of).all()
    for k in range(7):
        np.testing.assert_allclose(means[k], rows[of == k].mean(0), atol=1e-12)


def test_there_are_no_more_groups_than_different_rows():
    rows = np.repeat(np.eye(3), 5, axis=0)
    of, means = k_means(rows, 10, np.random.default_rng(0))
    assert len(means) == 3
    assert len(np.unique(of)) == 3


def test_short_stays_join_the_nearer_neighbour():
    means = np.array([[0.0], [1.0], [5.0]])
    of = np.array([0, 0, 0, 2, 1, 1, 1, 1])
    rows = np.array([[0.0], [0], [0], [2.0], [1], [1], [1], [1]])
    assert merge_short_stays(of, rows, means, 2).tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert merge_short_stays(of, rows, means, 1).tolist() == of.tolist()
    assert len(set(merge_short_stays(np.array([0, 1, 0, 1]), rows[:4], means, 5).tolist())) == 1


@pytest.fixture(scope="module")
def clips():
    return [make("walk", seed=0, seconds=3), make("walk", seed=1, turn=0.6, seconds=3), make("run", seed=2, seconds=3)]


def test_stays_are_as_long_as_asked_and_examples_belong_to_their_cluster(clips):
    found = find_clusters(clips, 8, shortest=4, rng=np.random.default_rng(0))
    assert len(found.of) == sum(len(c) for c in clips)
    for part in np.split(found.of, np.cumsum([len(c) for c in clips])[:-1]):
        cuts = np.concatenate([[0], np.flatnonzero(np.diff(part)) + 1, [len(part)]])
        assert np.diff(cuts).min() >= 4
    assert (found.of[found.example] == np.arange(found.count)).all()
    sizes = np.bincount(found.of)
    assert (np.diff(sizes) <= 0).all()
    assert sizes.min() > 0


def test_clusters_do_not_depend_on_where_a_clip_stands(clips):
    moved = [placed(c, (3.0, -2.0), 1.2) for c in clips]
    one, other = (find_clusters(c, 8, shortest=4, rng=np.random.default_rng(0)) for c in (clips, moved))
    np.testing.assert_allclose(cluster_features(clips), cluster_features(moved), atol=1e-9)
    assert np.array_equal(one.of, other.of)


def test_running_and_walking_lie_in_different_clusters(clips):
    found = find_clusters(clips, 8, shortest=4, rng=np.random.default_rng(0))
    walks, runs = found.of[: len(clips[0]) + len(clips[1])], found.of[len(clips[0]) + len(clips[1]) :]
    assert not set(walks.tolist()) & set(runs.tolist())


def test_no_clusters_are_refused(clips):
    with pytest.raises(BadRequest, match="clusters: expected 1 or more, found 0"):
        find_clusters(clips, 0, shortest=4, rng=np.random.default_rng(0))
