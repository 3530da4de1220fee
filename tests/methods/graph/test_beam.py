"""The beam's costs are what they are said to be, and with room for all bodies it finds the best way."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from small_graphs import every_way, graph_of, labels_shown, placed_track, random_graph, walker

from motionloom.constraints import Start
from motionloom.methods.graph import Graph
from motionloom.methods.graph.query.goal import GroundGoal
from motionloom.methods.graph.query.polyline import line_through
from motionloom.methods.graph.render.root_tracks import track
from motionloom.methods.graph.search import beam as search_module
from motionloom.methods.graph.search.beam import search_beam
from motionloom.methods.graph.search.moves import ground_moves

FREE = np.zeros((0, 0), np.uint8)
LEAST = 0.01


FREE_ANGLE = 0.2  # rad


def found_by(graph, goal, starts, *, width=5000, bits=FREE, budget=10**9):
    own = {
        "free_angle": FREE_ANGLE,
        "width": width,
        "least": LEAST,
        "transition_cost": 1.0,
        "look": 5,
        "budget": budget,
    }
    return search_beam(ground_moves(graph), goal, Start(), np.array(starts), bits, **own)


def along(corners, **more):
    line = line_through(corners)
    return GroundGoal(line, np.ones(len(line.points)), 200, False, **more)


def slow_cost(graph, route, goal):
    """What a route costs, frame by frame; None if it does not end just where the line does."""
    line, place = goal.line, placed_track(graph, route, (0, 0, 0))
    labelled = labels_shown(graph, route)
    heading = track(graph, route).heading - track(graph, route).heading[0]
    s = total = 0.0
    for f, (a, b) in enumerate(pairwise(place), 1):
        if not goal.timed and s >= line.length - 1e-9:
            return None
        walked = float(np.linalg.norm(b - a))
        low, high = (min(s + max(LEAST, k * walked), line.length) for k in (0.6, 1.6))
        inner = np.arange(np.floor(low / line.spacing) + 1, np.floor(high / line.spacing + 1e-9) + 1) * line.spacing
        offs = [(float(((b - line.at(at)) ** 2).sum()), at) for at in (low, *inner)]
        off, now = min(offs, key=lambda pair: pair[0])
        passed = max(now - s, 0.5 * walked, LEAST)
        aside = abs((heading[f] - line.heading[int(now / line.spacing + 1e-9)] + np.pi) % (2 * np.pi) - np.pi)
        total += (off * (1 + 8 * off) + 0.1 * min(max(0.0, aside - FREE_ANGLE), 1.0) ** 2) * passed
        if len(goal.due):
            total += goal.pace_weight * (now - goal.due[f]) ** 2 * passed
        if len(goal.keys):
            x, z, h, place_weight, turn_weight = goal.keys[f]
            total += place_weight * float(((b - [x, z]) ** 2).sum())
            total += turn_weight * float((heading[f] - h + np.pi) % (2 * np.pi) - np.pi) ** 2
        for x, z, radius in goal.circles:
            deep = radius - float(np.linalg.norm(b - [x, z]))
            total += (20 * deep**2 + 0.5 * deep) * passed if deep > 0 else 0.0
        if len(goal.parts) and (row := goal.parts[min(int(now / line.spacing), len(goal.parts) - 1)]) >= 0:
            total += goal.frame_costs[row, labelled[f]] * max(passed, goal.usual_step)
        s = now
    if not goal.timed and s < line.length - 1e-9:
        return None
    turn, weight, end = goal.last
    total += end * (float(((place[-1] - line.points[-1]) ** 2).sum()) + (line.length - s) ** 2)
    total += weight * ((heading[-1] - turn + np.pi) % (2 * np.pi) - np.pi) ** 2
    d = graph.transitions.distance / graph.transitions.distance.max()
    return total + sum(search_module.TRANSITION_COST + search_module.DISTANCE_COST * d[t] ** 2 for t in route.taken)


def best_of_all(graph, goal, starts, frames):
    costs = [
        cost
        for start in starts
        for n in frames
        for route in every_way(graph, start, n)
        if (cost := slow_cost(graph, route, goal)) is not None
    ]
    return min(costs)


@pytest.mark.parametrize("seed", range(6))
def test_with_room_for_all_it_finds_the_best_of_all_ways(arm, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(arm, rng)
    goal = along(np.cumsum([[0.0, 0], rng.normal(0, 0.1, 2) + [0, 0.5], rng.normal(0, 0.2, 2) + [0, 0.3]], axis=0))
    found = found_by(graph, goal, [1, 16])
    assert found.arrived
    assert found.cost == pytest.approx(slow_cost(graph, found.route, goal), rel=1e-6)
    best = best_of_all(graph, goal, [1, 16], range(1, 13))
    assert best - 1e-9 <= found.cost <= 1.02 * best  # of bodies in one cell only the cheapest goes on


@pytest.mark.parametrize("seed", range(4))
def test_timed_ways_are_the_best_of_their_length(arm, seed):
    rng = np.random.default_rng(10 + seed)
    graph = random_graph(arm, rng)
    line = line_through([[0, 0], [0.1, 0.8]])
    keys = np.zeros((10, 5))
    keys[9] = 0.1, 0.7, 0.3, 2.0, 0.5
    goal = GroundGoal(
        line,
        np.ones(len(line.points)),
        10,
        True,
        np.linspace(0, line.length, 10),
        0.3,
        keys,
        np.array([[0.3, 0.4, 0.2]]),
        (0.2, 0.1, 1.0),
    )
    found = found_by(graph, goal, [1, 16])
    assert (found.arrived, found.route.frames) == (True, 10)
    assert found.cost == pytest.approx(slow_cost(graph, found.route, goal), rel=1e-6)
    best = best_of_all(graph, goal, [1, 16], [9])
    assert best - 1e-9 <= found.cost <= 1.02 * best


@pytest.mark.parametrize("seed", range(3))
def test_what_a_part_of_the_line_asks_of_its_frames_counts(arm, seed):
    rng = np.random.default_rng(20 + seed)
    graph = random_graph(arm, rng, half=2)
    free = along([[0.0, 0.0], [0.1, 0.5], [0.0, 0.9]])
    metres = np.arange(len(free.line.points)) * free.line.spacing
    goal = replace(free, parts=np.where(metres < 0.4, -1, 0), frame_costs=rng.uniform(0, 0.5, (1, graph.count)))
    goal = replace(goal, usual_step=0.05)
    found = found_by(graph, goal, [1, 16])
    assert found.cost == pytest.approx(slow_cost(graph, found.route, goal), rel=1e-6)
    best = best_of_all(graph, goal, [1, 16], range(1, 13))
    assert best - 1e-9 <= found.cost <= 1.02 * best


def two_ways(arm):
    """Straight on, or left from every fifth frame on."""
    clips = [walker(arm, np.full(80, 0.1), np.zeros(80)), walker(arm, np.full(80, 0.1), np.full(80, 0.1))]
    return graph_of(clips, [(a + p, 5 + q) for a in range(10, 80, 5) for p in (0, 81) for q in (0, 81)])


def test_a_corner_is_taken_where_the_material_has_one(arm):
    graph = two_ways(arm)
    found = found_by(graph, along([[0, 0], [0, 2.5], [2.5, 4]]), range(20))
    place = placed_track(graph, found.route, (0, 0, 0))
    assert found.arrived
    assert np.linalg.norm(place[-1] - [2.5, 4]) < 0.5
    assert {0, 81} == {81 * (frame > 81) for frame in graph.enter[list(found.route.taken)]}


def test_only_frames_that_may_be_shown_are_shown(arm):
    graph, goal = two_ways(arm), along([[0, 0], [0, 2.5], [2.5, 4]])
    allowed = np.ones((200, graph.count + len(graph.transitions)), bool)
    allowed[:, 81 : graph.count] = False
    allowed[:, graph.count :] = graph.enter < 81
    found = found_by(graph, goal, range(20), bits=np.packbits(allowed, axis=1))
    assert (graph.enter[list(found.route.taken)] < 81).all()


def test_where_all_ways_end_too_soon_the_farthest_is_given(arm):
    graph = graph_of([walker(arm, np.full(30, 0.1), np.zeros(30))], [])
    found = found_by(graph, along([[0, 0], [0, 9.0]]), [0])
    assert not found.arrived
    assert 2.7 <= found.along <= 3.0
    assert found.route.frames <= 31


def test_a_spent_budget_still_comes_to_an_end(arm):
    graph, goal = two_ways(arm), along([[0, 0], [0, 2.5], [2.5, 4], [0, 6], [-2, 4]])
    whole, short = (found_by(graph, goal, range(80), budget=n) for n in (10**9, 2000))
    assert not whole.spent
    assert short.spent
    assert short.arrived
    assert short.expanded < whole.expanded
    assert short.cost >= whole.cost


def test_a_narrow_beam_is_no_better_than_a_wide_one(arm):
    graph, goal = two_ways(arm), along([[0, 0], [0, 3], [3, 3], [3, 0]])
    costs = [found_by(graph, goal, range(80), width=w).cost for w in (1, 2000)]
    assert costs[1] <= costs[0] + 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_more_clips_never_make_the_best_way_worse(arm, seed):
    """The smaller graph's ways are all in the larger one."""
    rng = np.random.default_rng(30 + seed)
    large = random_graph(arm, rng, clips=12, frames=30)
    size = 4 * 30  # the first four clips, and what joins them
    inside = (large.transitions.a < size) & (large.transitions.b < size)
    small = Graph(large.clips[:4], large.transitions[inside], large.half)
    small_steps, large_steps = ground_moves(small), ground_moves(large)
    share = large.transitions.distance[inside].max() / large.transitions.distance.max()
    small_steps = replace(small_steps, distance=small_steps.distance * share)  # so that transitions cost the same
    goals = [along(np.cumsum(rng.normal(0, 0.4, (4, 2)) + [0, 0.6], axis=0)), timed_goal()]
    for goal in goals:
        own = {"width": 3000, "least": LEAST, "look": 5, "budget": 10**9}
        starts = np.arange(0, size, 3)
        a, b = (search_beam(s, goal, Start(), starts, FREE, **own) for s in (small_steps, large_steps))
        assert b.cost <= 1.01 * a.cost  # of bodies in one cell only the cheapest goes on


def timed_goal():
    line = line_through([[0, 0], [0.3, 0.8], [0, 1.6]])
    keys = np.zeros((25, 5))
    keys[24] = 0.1, 1.5, 0.3, 2.0, 0.5
    return GroundGoal(line, np.ones(len(line.points)), 25, True, np.linspace(0, line.length, 25), 0.3, keys)


@pytest.mark.parametrize("timed", [False, True])
def test_the_budget_is_kept(arm, timed):
    graph = two_ways(arm)
    goal = along([[0, 0], [0, 2.5], [2.5, 4], [0, 6], [-2, 4]])
    if timed:
        goal = replace(goal, frames=100, timed=True, due=np.linspace(0, goal.line.length, 100), pace_weight=0.1)
    everything = found_by(graph, goal, range(80)).expanded
    for share in (0.5, 0.2, 0.05):
        found = found_by(graph, goal, range(80), budget=int(share * everything))
        assert found.spent
        assert 0.5 * share * everything < found.expanded < 1.1 * share * everything
    least = found_by(graph, goal, range(30), budget=1)
    assert least.arrived
    assert least.expanded < 30 * least.route.frames  # four bodies, and the transitions that they pass


def test_many_bodies_in_one_place_leave_room_for_others():
    """Of bodies at one frame `same` go on, of those in one cell one; the cheapest first, and no place is lost."""
    from motionloom.methods.graph.search._kernels_pool import (
        NO_TRANSITION,
        add_candidate,
        doubled_pool,
        new_pool,
        prune_level,
        take_best,
    )

    rng = np.random.default_rng(0)
    pool = doubled_pool(new_pool(150, 4))  # full at once, as if 150 bodies waited elsewhere
    bodies = [(int(rng.integers(9)), *rng.integers(0, 3, 3), rng.random()) for _ in range(150)]
    for n, a, b, c, rank in bodies:
        add_candidate(
            pool, 2, n, 7, 0.05 * a + 0.01, 0.05 * b + 0.01, 0.09 * c + 0.01, 1.0, rank, rank, -1, NO_TRANSITION
        )
    expected, at, cells = [], dict.fromkeys(range(9), 0), set()
    for n, a, b, c, rank in sorted(bodies, key=lambda row: row[-1]):
        if len(expected) < 30 and at[n] < 5 and (n, a, b, c) not in cells:
            expected.append(rank)
            cells.add((n, a, b, c))
            at[n] += 1
    prune_level(pool, 2, 30, 5)
    assert pool.lists[2, 1] == len(expected)
    assert pool.bar[2] == expected[-1]
    np.testing.assert_array_equal(pool.body[take_best(pool, 2, 30, 5), 5], expected)
    assert pool.spare[0] == 150 - len(expected)
