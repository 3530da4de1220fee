"""The graph seen from above, and which frames lead on in time."""

from __future__ import annotations

import numpy as np
import pytest
from small_graphs import every_way, graph_of, labels_shown, random_graph, walker

from motionloom.methods.graph.graph import Route
from motionloom.methods.graph.render.root_tracks import track
from motionloom.methods.graph.search.moves import compose_moves, ground_moves, outlook, positions_ahead
from motionloom.methods.graph.search.scheduled_walk import scheduled_walk
from motionloom.methods.schedule import Allowed, Reachable


@pytest.mark.parametrize("seed", range(4))
def test_moves_added_up_are_the_track_of_a_route(arm, seed):
    graph = random_graph(arm, np.random.default_rng(seed))
    found = ground_moves(graph)
    for route in list(every_way(graph, 1, 8))[::3]:
        node, at, way = route.start, np.zeros((1, 3)), [np.zeros(3)]
        for t in route.taken:
            while node < graph.leave[t]:
                at, node = compose_moves(at, found.step[node : node + 1]), node + 1
                way.append(at[0])
            way += [compose_moves(at, move[None])[0] for move in found.over[t]]
            at, node = way[-1][None], int(graph.enter[t])
        while len(way) < route.frames:
            at, node = compose_moves(at, found.step[node : node + 1]), node + 1
            way.append(at[0])
        way = np.array(way[: route.frames])
        want = track(graph, route)
        turn = want.heading - want.heading[0]
        np.testing.assert_allclose(np.unwrap(way[:, 2]), turn, atol=1e-9)
        step = np.linalg.norm(np.diff(want.place, axis=0), axis=1)
        np.testing.assert_allclose(np.linalg.norm(np.diff(way[:, :2], axis=0), axis=1), step, atol=1e-9)
        np.testing.assert_allclose(
            np.linalg.norm(way[-1, :2]), np.linalg.norm(want.place[-1] - want.place[0]), atol=1e-9
        )


def test_a_look_ahead_ends_with_the_clip(arm):
    graph = graph_of([walker(arm, np.full(9, 0.1), np.full(9, 0.2))], [])
    way = positions_ahead(ground_moves(graph), 4)
    np.testing.assert_allclose(way[0, 1], [0, 0.1, 0.2], atol=1e-12)
    assert np.isfinite(way[5, 4]).all()
    assert np.isnan(way[6, 4]).all()
    near = outlook(ground_moves(graph), 4)
    np.testing.assert_allclose(near[:, 2], [0.4] * 6 + [0.3, 0.2, 0.1, 0.0], atol=1e-12)
    assert near[0, 3] == pytest.approx(0.6)  # the last step of four: turned by three times 0.2


def test_within_keeps_only_what_stays_inside(arm):
    graph = random_graph(arm, np.random.default_rng(0))
    allowed = np.ones(graph.count, bool)
    allowed[20:25] = False
    inside = ground_moves(graph).within(allowed, np.ones(len(graph.transitions), bool))
    assert not inside.goes_on[19]
    assert inside.goes_on[18]
    kept = allowed[graph.leave] & allowed[graph.enter]
    np.testing.assert_array_equal(inside.number, np.flatnonzero(kept))
    np.testing.assert_array_equal(inside.first_out[-1], kept.sum())


@pytest.mark.parametrize("seed", range(5))
def test_a_frame_is_alive_exactly_where_some_way_leads_on_to_the_end(arm, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(arm, rng, frames=10, half=1 + seed % 2)
    masks = rng.random((7, graph.count)) < 0.8
    alive = Reachable(ground_moves(graph).net, 7, Allowed.of(masks))
    for start in range(0, graph.count, 3):
        for t in (0, 3, 5):
            good = any(
                masks[t + np.arange(7 - t), labels_shown(graph, r)].all() for r in every_way(graph, start, 6 - t)
            )
            assert alive.has(t, start) == good
            assert alive.at(t)[start] == good


def test_a_random_way_keeps_to_what_is_alive(arm):
    rng = np.random.default_rng(2)
    graph = random_graph(arm, rng, clips=4, frames=20)
    masks = rng.random((30, graph.count)) < 0.97
    found = ground_moves(graph)
    alive = Reachable(found.net, 30, Allowed.of(masks), transitions=True)
    assert alive.first_dead < 0
    ways = {scheduled_walk(found, alive, 0, None, np.random.default_rng(s), shortest=2) for s in range(20)}
    assert len(ways) > 5
    for start, taken in ways:
        assert masks[np.arange(30), labels_shown(graph, Route(start, taken, 30))].all()


def test_where_nothing_leads_on_it_is_said_when(arm):
    graph = graph_of([walker(arm, np.full(9, 0.1), np.zeros(9))], [])
    assert Reachable(ground_moves(graph).net, 8).first_dead < 0
    assert Reachable(ground_moves(graph).net, 14).first_dead == 3  # ten frames are left
