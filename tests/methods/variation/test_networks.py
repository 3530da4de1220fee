"""Conditional distributions, scores and structure learning: against hand-worked numbers and slow versions."""

from __future__ import annotations

import numpy as np
import pytest
import slow

from motionloom.core import FormatError, silent
from motionloom.methods.variation import learn_prior, learn_transition
from motionloom.methods.variation._kernels_regression import regress
from motionloom.methods.variation.learn_prior import prior_data
from motionloom.methods.variation.networks import Networks, ancestors, own_edges, reversible, sorted_nodes
from motionloom.methods.variation.regression import Rules, material_of

RULES = Rules(neighbours=5, width=0.5, velocity=0.7, effective=True, delta=True)


def regressed(squared, values, floor, rules):
    """The compiled regression."""
    return regress(
        squared.copy(), len(squared), values, floor, rules, *(np.empty(len(squared), t) for t in (float, np.int64))
    )


def network_score(data, rules, edges):
    """Eq 3 of a whole network."""
    return learn_prior.score_nodes(data, rules, np.arange(len(edges)), edges, silent()).sum()


def test_the_mean_and_variance_of_a_worked_example():
    """Distances 0, ln 2 and 2 ln 2 with K_W = 1 give weights 1, 1/2 and 1/4 (eq 5); a fourth instance is too far."""
    rules = Rules(3, 1.0, 0.0, effective=False, delta=True)
    squared, values = np.log([1.0, 2.0, 4.0, 8.0]), np.array([4.0, 8.0, 0.0, 100.0])
    mean = (4 + 4) / 1.75
    spread = ((4 - mean) ** 2 + 0.5 * (8 - mean) ** 2 + 0.25 * mean**2) / 1.75
    np.testing.assert_allclose(regressed(squared, values, 1e-9, rules), (mean, 3 / 2 * spread))
    count = 1.75**2 / (1 + 1 / 4 + 1 / 16)
    effective = rules._replace(effective=True)
    np.testing.assert_allclose(regressed(squared, values, 1e-9, effective), (mean, count / (count - 1) * spread))
    one = rules._replace(neighbours=1)
    assert regressed(squared, values, 0.3, one) == (4.0, 0.3)  # one neighbour has no variance


def test_the_compiled_regression_is_the_plain_one(rng):
    for count in (1, 2, 7, 40, 200, 1000):
        squared, values = rng.integers(0, 9, count) / 4.0, rng.normal(size=count)  # ties too
        found = regressed(squared, values, 1e-6, RULES)
        np.testing.assert_allclose(found, slow.regression(squared, values, 5, 0.5, 1e-6, True), rtol=1e-12)


@pytest.fixture
def sequences(rng):
    """Three takes of three degrees of freedom; the last is a displacement."""
    out = []
    for k in range(3):
        t = np.arange(9 + k) / (8 + k)
        out.append(np.stack([np.sin(3 * t), np.cos(2 * t + 0.1 * k), 0.1 * t], 1) + 0.02 * rng.normal(size=(9 + k, 3)))
    return out


def test_the_score_of_a_prior_network_is_equation_3(sequences, rng):
    scales = np.array([1.0, 2.0, 0.5])
    data = prior_data(sequences, 4, scales, 0.01)
    assert data.instances.shape == (6, 12)
    for _ in range(3):
        edges = learn_prior.random_edges(6, rng, 2.0)
        found = network_score(data, RULES, edges)
        assert found == pytest.approx(slow.prior_score(data.instances, edges, data.scales, data.floors, RULES))


@pytest.mark.parametrize(("kind", "growing"), [(1, False), (2, True)])
def test_the_score_of_a_transition_network_is_equation_4(sequences, rng, kind, growing):
    absolute = np.array([False, False, True])
    material = material_of(sequences, absolute, np.array([1.0, 2.0, 0.5]), delta=True, floor=0.01)
    for _ in range(3):
        edges = learn_transition.random_start(3, rng, 2.0)
        made, parts = learn_transition.resynthesised(material, RULES, edges, kind, silent())
        order = sorted_nodes(edges[:, 6:])
        expected, frames = slow.transition_score(
            sequences, edges, order, material.scales, material.floors, RULES, absolute, growing
        )
        assert parts.sum() == pytest.approx(expected)
        np.testing.assert_allclose(made.T, np.concatenate(frames), atol=1e-9)


def test_the_ranking_of_an_update_is_the_score_with_the_other_trajectories_held(sequences):
    material = material_of(sequences, np.zeros(3, bool), np.ones(3), delta=True, floor=0.01)
    edges = own_edges(3)
    made, parts = learn_transition.resynthesised(material, RULES, edges, 1, silent())
    held = learn_transition._scored(material, RULES, 1, np.arange(3), edges, made, silent())
    np.testing.assert_allclose(held, parts.sum(0))  # without edges between nodes, nothing depends on the others


def test_a_prior_network_of_four_nodes_is_recovered(rng):
    """Nodes 2 and 3 follow from 0 and 1; each frame is two nodes, so that there are four."""
    x = rng.uniform(-1, 1, size=(80, 2))
    y = np.stack([np.sin(3 * x[:, 0]), x[:, 1] ** 2], 1) + 0.01 * rng.normal(size=(80, 2))
    pairs = [np.stack([a, b]) for a, b in zip(x, y, strict=True)]
    data = prior_data(pairs, 1, np.ones(2), 1e-4)
    rules = Rules(8, 0.01, 0.0, effective=True, delta=True)
    found = learn_prior.learn_prior(data, rules, learn_prior.PriorBudget(15, 0.05, 1), rng=rng)
    links = found.edges | found.edges.T
    assert np.array_equal(np.argwhere(np.triu(links)), [[0, 2], [1, 3]])
    assert found.score == pytest.approx(network_score(data, rules, found.edges))
    assert found.score > network_score(data, rules, np.zeros((4, 4), bool)) + 80


def test_the_share_of_a_search_of_a_prior_network_is_that_of_the_nodes_scored(rng, monkeypatch):
    sequences = [rng.normal(size=(12, 8)).cumsum(0) for _ in range(4)]
    data = prior_data(sequences, 10, np.ones(8), 0.01)
    work, shown = [0], []
    whole = learn_prior._toggled

    def counted(given, rules, edges, nodes, progress):
        work[0] += len(nodes)
        return whole(given, rules, edges, nodes, progress)

    class Recorded(type(silent())):
        def __call__(self, share, stage):
            if share is not None:
                shown.append((share, work[0]))

    monkeypatch.setattr(learn_prior, "_toggled", counted)
    learn_prior.learn_prior(data, RULES, learn_prior.PriorBudget(15, 0.0, 2), rng=rng, progress=Recorded())
    shares, done = np.array(shown).T
    assert (np.diff(shares) >= 0).all()
    assert shares[-1] == 1.0
    assert np.abs(shares - done / done[-1]).max() < 0.2


def test_the_search_of_a_prior_network_makes_the_best_of_all_updates(sequences, rng):
    """Kept parts and tables change nothing: the same as scoring the whole network for every update of one edge."""
    data, kinds = prior_data(sequences, 4, np.ones(3), 0.01), set()
    for _ in range(4):
        edges = learn_prior.random_edges(6, rng, 1.5)
        found = learn_prior.climb(data, RULES, learn_prior.PriorBudget(3, 0.0, 0), edges, silent())
        score = network_score(data, RULES, edges)
        while updates := [(network_score(data, RULES, new), kind, new) for kind, new in all_updates(edges, 3)]:
            best, kind, new = max(updates, key=lambda update: update[0])
            if best <= score + learn_prior.GAIN:
                break
            score, edges = best, new
            kinds.add(kind)
        assert np.array_equal(found.edges, edges)
    assert kinds == {"add", "delete", "reverse"}


def all_updates(edges, most):
    """Every acyclic network with one edge added, deleted or reversed, and no more than `most` parents added to."""
    for i, j in np.argwhere(~np.eye(len(edges), dtype=bool)):
        for kind, possible in (("delete", edges[i, j]), ("reverse", edges[i, j]), ("add", not edges[i, j])):
            new = edges.copy()
            new[i, j] = kind == "add"
            new[j, i] |= kind == "reverse"
            grown = new.sum(1) > edges.sum(1)
            if possible and sorted_nodes(new) is not None and (new.sum(1)[grown] <= most).all():
                yield kind, new


def test_no_update_of_a_transition_network_gives_a_node_more_parents_than_allowed(sequences, rng):
    material = material_of(sequences, np.zeros(3, bool), np.ones(3), delta=True, floor=0.01)
    search, reversals = learn_transition.TransitionBudget(1, 9, 9, 2, 0, 2), 0
    for _ in range(20):
        edges = learn_transition.random_start(3, rng, 2.0)
        made, parts = learn_transition.resynthesised(material, RULES, edges, 2, silent())
        for update in learn_transition.rank_updates(material, RULES, search, edges, made, parts, silent()):
            reversals += len(update.nodes) == 2
            for node, row in zip(update.nodes, update.rows, strict=True):
                assert row.sum() - 2 <= max(2, edges[node].sum() - 3)
    assert reversals


def test_a_transition_network_of_four_degrees_of_freedom_is_recovered():
    """Degree 1 moves as degree 0 did before, 3 as 2: what they do next shows in no frames of their own."""
    sequences = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        drive = rng.normal(size=(80, 2)) * 0.3
        x = np.zeros((80, 4))
        for t in range(1, 80):
            x[t, [0, 2]] = 0.9 * x[t - 1, [0, 2]] + drive[t]
            x[t, [1, 3]] = np.tanh(2 * x[t - 1, [0, 2]]) + 0.02 * rng.normal(size=2)
        sequences.append(x)
    material = material_of(sequences, np.zeros(4, bool), np.ones(4), delta=True, floor=1e-3)
    rules = Rules(12, 0.02, 0.1, effective=True, delta=True)
    search = learn_transition.TransitionBudget(rounds=4, candidates=12, tries=4, most=3, restarts=0, kind=0)
    found = learn_transition.learn_transition(material, rules, search, rng=np.random.default_rng(0))
    between = found.edges.reshape(4, 3, 4).any(1)
    assert between[1, 0]
    assert between[3, 2]
    assert not between[:2, 2:].any()  # the two pairs are independent
    assert not between[2:, :2].any()


@pytest.mark.parametrize(("kind", "floor"), [(1, 0.2), (2, 1e-3), (3, 1e-3)])
def test_a_transition_network_is_recovered_by_re_synthesised_sequences(kind, floor):
    """Eq 4 from the first two frames, with a growing variance, by squared error: 1 follows from 0, and 3 from 2.

    Eq 4 needs a large floor: with small ones, narrow variances of the next frame judge errors of many frames, and an
    edge that is not there (3 to 1) widens them.
    """
    found = learned_pairs(kind, floor)
    assert np.array_equal(np.argwhere(found & ~np.eye(4, dtype=bool)), [[1, 0], [3, 2]])
    if kind == 1:
        assert learned_pairs(kind, 1e-3).sum() > found.sum()


def learned_pairs(kind, floor):
    """(4, 4) what depends on what: 0 and 2 swing on their own, from another phase in each sequence."""
    sequences, t = [], np.arange(60)
    for seed in range(8):
        begin = np.random.default_rng(seed).uniform(0, 2 * np.pi, 2)
        x = np.zeros((60, 4))
        x[:, [0, 2]] = 0.99 ** t[:, None] * np.cos(np.outer(t, (0.23, 0.31)) + begin)
        x[1:, [1, 3]] = np.cos(4 * x[:-1, [0, 2]])  # many to one: what comes next shows in no frames of their own
        x[0, [1, 3]] = x[1, [1, 3]]
        sequences.append(x)
    material = material_of(sequences, np.zeros(4, bool), np.ones(4), delta=True, floor=floor)
    search = learn_transition.TransitionBudget(rounds=4, candidates=12, tries=6, most=3, restarts=0, kind=kind)
    rules = Rules(8, 0.05, 1.0, effective=True, delta=True)
    found = learn_transition.learn_transition(material, rules, search, rng=np.random.default_rng(0))
    return found.edges.reshape(4, 3, 4).any(1)


def test_an_update_is_kept_only_if_the_full_score_rises(sequences):
    material = material_of(sequences, np.zeros(3, bool), np.ones(3), delta=True, floor=0.01)
    search = learn_transition.TransitionBudget(rounds=3, candidates=9, tries=9, most=5, restarts=1, kind=2)
    _, parts = learn_transition.resynthesised(material, RULES, own_edges(3), 2, silent())
    found = learn_transition.learn_transition(material, RULES, search, rng=np.random.default_rng(0))
    assert found.score >= parts.sum()
    again = learn_transition.resynthesised(material, RULES, found.edges, 2, silent())[1]
    assert found.score == pytest.approx(again.sum())
    assert sorted_nodes(found.edges[:, 6:]) is not None


def test_graphs_know_their_order_and_what_closes_a_cycle():
    edges = np.zeros((4, 4), bool)
    edges[1, 0] = edges[2, 1] = edges[2, 0] = True  # 0 -> 1 -> 2, 0 -> 2
    assert sorted_nodes(edges).tolist() == [0, 1, 2, 3]
    assert np.argwhere(ancestors(edges)).tolist() == [[1, 0], [2, 0], [2, 1]]
    assert np.argwhere(reversible(edges)).tolist() == [[1, 0], [2, 1]]  # 2 -> 0 would close a cycle over 1
    edges[0, 2] = True
    assert sorted_nodes(edges) is None


def test_a_network_with_a_cycle_is_rejected():
    transition = own_edges(2)
    transition[0, 5] = transition[1, 4] = True
    with pytest.raises(FormatError, match="no cycles within a frame"):
        Networks(np.zeros((4, 4), bool), transition, 0.0, 0.0).check(2)
