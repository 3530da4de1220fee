"""The lower level: probabilities as eq. 2.16, read with its errata."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hand_made import graph_of

from motionloom.constraints import Request
from motionloom.methods import learn
from motionloom.methods.graph.search.moves import ground_moves
from motionloom.methods.graph.search.scheduled_walk import scheduled_walk
from motionloom.methods.schedule import Reachable
from motionloom.methods.two_level_graph.markov import chain, edge_weights, log_probability, reading, words

E = np.exp(-0.5)  # likeness of the distance 0.5 with delta 1


def test_probabilities_of_what_leaves_a_frame_sum_to_one():
    graph = graph_of([8, 8], [(3, 10, 0.5), (3, 12, 1.0), (5, 11, 0.2)])
    made = chain(graph, 1.0)
    at_two = np.exp(-np.concatenate([made.go[2:3], made.take[:2]]))  # the first two leave at a - half = 2
    np.testing.assert_allclose(at_two, np.array([1, E, np.exp(-1)]) / (1 + E + np.exp(-1)))
    assert np.exp(-made.go[0]) == 1  # nothing else leaves there
    assert np.isinf(made.go[7])  # the last frame of the first clip
    assert np.isinf(made.go[15])


def test_going_on_is_likelier_than_any_transition():
    graph = graph_of([8, 8], [(3, 10, 1e-9)])
    made = chain(graph, 1.0)
    assert made.go[2] < made.take[0]


def test_a_small_delta_makes_unlike_transitions_rare():
    graph = graph_of([8, 8], [(3, 10, 0.5)])
    rare, common = (float(np.exp(-chain(graph, d).take[0])) for d in (0.1, 10.0))
    assert rare == pytest.approx(np.exp(-5) / (1 + np.exp(-5)))
    assert rare < 0.01 < 0.4 < common < 0.5


def test_what_leads_to_a_dead_frame_has_no_probability():
    graph = graph_of([8, 8], [(3, 10, 0.5), (5, 11, 0.5)])
    alive = np.ones(16, bool)
    alive[11] = False  # where the first transition enters
    alive[5:8] = False
    made = chain(graph, 1.0, alive)
    assert np.isinf(made.take[0])
    assert np.exp(-made.go[2]) == 1
    assert np.isinf(made.go[4])
    assert np.exp(-made.take[1]) == 1  # the only way on from frame 4


def test_the_probability_of_a_way_is_the_product_along_it():
    graph = graph_of([8, 8], [(3, 10, 0.5)])
    made = chain(graph, 1.0)
    over = E / (1 + E)
    assert log_probability(made, 0, (0,), 5) == pytest.approx(np.log(over))  # 0 1 2, blended, 11
    assert log_probability(made, 0, (0,), 3) == 0  # it stops before the transition
    assert log_probability(made, 0, (), 8) == pytest.approx(np.log(1 / (1 + E)))


def test_a_blend_reads_as_its_first_clip_up_to_a_and_its_second_from_after_b():
    graph = graph_of([12, 12], [(5, 17, 0.5)], half=2)
    assert reading(graph, 0).tolist() == [4, 5, 18, 19]


def test_words_tell_the_clusters_that_a_transition_passes_into():
    graph = graph_of([12, 12], [(5, 17, 0.5), (6, 18, 0.5)], half=2)
    of = np.array([0] * 5 + [1] * 7 + [1] * 7 + [2] * 5)  # frame 5 is 1; frame 18 is 1, 19 is 2
    first, found = words(graph, of)
    assert found[first[0] : first[1]].tolist() == [1, 2]  # leaves at 3 (cluster 0), reads 4 5 18 19
    assert found[first[1] : first[2]].tolist() == [1, 2]
    assert words(graph, np.zeros(24, int))[1].size == 0


def test_a_random_walk_samples_the_process():
    graph = graph_of([8, 8], [(3, 10, 0.5), (3, 12, 1.0), (10, 4, 0.3)])
    made, every = chain(graph, 1.0), ground_moves(graph)
    alive = Reachable(every.net, 3, transitions=True)
    rng = np.random.default_rng(0)
    taken = [scheduled_walk(every, alive, 0, 2, rng, shortest=0, weights=edge_weights(made))[1] for _ in range(4000)]
    shares = [np.mean([way[:1] == first for way in taken]) for first in ((), (0,), (1,))]
    expected = np.array([1, E, np.exp(-1)]) / (1 + E + np.exp(-1))
    np.testing.assert_allclose(shares, expected, atol=0.025)  # three standard deviations


def test_delta_decides_how_often_a_faithful_walk_takes_transitions(tiny_clips):
    model = learn("two-level-graph", tiny_clips, {"variant": "faithful"})
    asked = Request(seconds=20)

    def transitions(delta):
        own = replace(model, delta=delta * model.delta)
        return sum(len(own.plan(asked, np.random.default_rng([s, 0])).route.taken) for s in range(5))

    assert 2 * transitions(0.05) < transitions(20.0)


def test_delta_of_a_request_decides_how_often_a_walk_takes_transitions(models):
    """Also with the defaults, which avoid repeats and changes of speed on top of eq. 2.16."""
    model = models["two-level-graph"]

    def routes(delta):
        asked = Request(seconds=20, options={} if delta is None else {"delta": delta})
        return [model.plan(asked, np.random.default_rng([s, 0])).route for s in range(3)]

    counts = [sum(len(route.taken) for route in routes(delta)) for delta in (0.02, 20.0)]
    assert counts[0] < counts[1]
    assert routes(None) == routes(model.config.delta)
    assert routes(0.02) != routes(20.0)
