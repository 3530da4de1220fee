"""Walks keep the pace of the clips: weights of edges against a slow version, and the speed of what is shown."""

from __future__ import annotations

import numpy as np
import pytest
from small_graphs import graph_of, random_graph, walker

from motionloom.constraints import Pace, RootPath, Start
from motionloom.kinematics.pace import pace, root_acceleration, speed_changes, standing, step_speed
from motionloom.methods.graph.query.allowed_frames import with_frame_costs
from motionloom.methods.graph.query.goal import ground_goal
from motionloom.methods.graph.render.render import render
from motionloom.methods.graph.search.beam import search_beam
from motionloom.methods.graph.search.moves import ground_moves
from motionloom.methods.graph.search.random_walk import random_route, shown_frames
from motionloom.methods.graph.search.speed_gaps import speed_gaps
from motionloom.methods.graph.search.steadiness import steady_weights

FREE = np.zeros((0, 0), np.uint8)


def future_slow(stay, going, first_out, enter, cost, use, keep, over):
    """`future_costs`, written down plainly."""
    later = np.zeros(len(stay))
    for _ in range(2000):
        new = np.zeros(len(stay))
        for n in range(len(stay)):
            edges = [going[n] + keep * later[n + 1]] if stay[n] else []
            edges += [cost[t] + over * later[enter[t]] for t in range(first_out[n], first_out[n + 1]) if use[t]]
            new[n] = min(edges, default=100.0)
        later = new
    return later


def test_future_costs_are_those_of_the_plain_equation(arm):
    from motionloom.methods.graph.search._kernels_steadiness import future_costs

    rng = np.random.default_rng(4)
    graph = random_graph(arm, rng)
    stay = np.append(graph.clip_of[:-1] == graph.clip_of[1:], False)
    use = rng.random(len(graph.transitions)) < 0.8
    args = (
        stay,
        rng.uniform(0, 0.2, graph.count),
        graph.first_out,
        graph.enter,
        rng.uniform(0, 9, len(use)),
        use,
        0.97,
        0.9,
    )
    np.testing.assert_allclose(future_costs(*args), future_slow(*args), atol=0.05)


@pytest.fixture
def two_speeds(arm):
    """Two slow clips and two fast ones; each leads to every clip, from three places."""
    clips = [walker(arm, np.full(60, v), np.zeros(60)) for v in (0.10, 0.11, 0.17, 0.165)]
    pairs = [(61 * a + i, 61 * b + 6 + k) for a in range(4) for b in range(4) for k, i in enumerate((35, 45, 57))]
    return graph_of(clips, pairs)


def test_the_gap_of_a_transition_is_the_difference_of_the_speeds(two_speeds):
    t = two_speeds.transitions
    speed = np.array([1.0, 1.1, 1.7, 1.65])[two_speeds.clip_of]
    want = np.maximum(np.abs(speed[t.a] - speed[t.b]) - 0.03, 0.0)  # the clips' own changes: none
    np.testing.assert_allclose(speed_gaps(two_speeds), want, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_random_walk_keeps_its_pace(two_speeds, seed):
    def changes(steadiness):
        route = random_route(two_speeds, 600, np.random.default_rng(seed), steadiness=steadiness)
        return len(speed_changes(render(two_speeds, route)))

    assert changes(0.0) > 3  # how it was: it swings between both speeds
    assert changes(1.0) == 0


def test_a_piece_that_only_ends_in_a_change_of_speed_is_left_early(arm):
    """Frame 40 leads to a clip of the same speed, the end of the clip only to a faster one."""
    clips = [walker(arm, np.full(60, v), np.zeros(60)) for v in (0.10, 0.10, 0.17)]
    graph = graph_of(clips, [(40, 61 + 5), (57, 122 + 5), (61 + 40, 5), (61 + 57, 122 + 5), (122 + 57, 5)])
    gaps = speed_gaps(graph)
    every = np.ones(graph.count, bool)
    weights = steady_weights(graph, gaps, every, np.ones(len(gaps), bool), 1.0)
    at = int(graph.leave[0])
    assert weights.take[0] > 100 * weights.go[at]
    assert steady_weights(graph, gaps, every, np.ones(len(gaps), bool), 0.0) is None


def test_a_path_is_not_stood_on(arm):
    """The clip stands for 3 s in the middle; a transition leads around that, at a higher cost than standing had."""
    steps = np.concatenate([np.full(60, 0.12), np.zeros(30), np.full(60, 0.12)])
    graph = graph_of([walker(arm, steps, np.zeros(150))], [(50, 100), (140, 10)])
    moves = ground_moves(graph)
    path = RootPath(points=((0, 0), (0, 12)))
    goal = ground_goal([path], Start(), None, 10.0, 1.2)
    own = {"width": 200, "least": 0.01, "look": 5, "budget": 10**8, "transition_cost": 100.0}
    before = render(graph, search_beam(moves, goal, Start(), np.array([0]), FREE, **own).route)
    assert standing(before).sum() > 20
    costed = with_frame_costs(goal, graph, [path])
    after = render(graph, search_beam(moves, costed, Start(), np.array([0]), FREE, **own).route)
    assert not standing(after).any()
    assert np.linalg.norm(after.root[-1, [0, 2]] - [0, 12]) < 0.3


@pytest.mark.parametrize("still", [0, 200])
def test_standing_on_the_way_costs_as_much_where_the_clips_often_stand(arm, still):
    """The usual pace is that of a moving body: of all frames it would be 0.2 m/s, and standing next to free."""
    clips = [walker(arm, np.full(80, 0.1), np.zeros(80)), walker(arm, np.zeros(20 + still), np.zeros(20 + still))]
    path = RootPath(points=((0, 0), (0, 6)))
    goal = with_frame_costs(ground_goal([path], Start(), None, 10.0, 1.0), graph_of(clips, [(60, 100)]), [path])
    assert goal.usual_step == pytest.approx(0.05)  # m: half of what a walker moves in a frame
    assert goal.frame_costs.max() == pytest.approx(2.0)  # m^2


def test_a_pace_along_the_path_chooses_the_clips(two_speeds):
    moves = ground_moves(two_speeds)
    path = RootPath(points=((0, 0), (0, 14)))
    slow_then_fast = [path, Pace(speed=(0.9, 1.2), stretch=(0, 5)), Pace(speed=(1.6, 1.8), stretch=(8, 14))]
    goal = with_frame_costs(ground_goal([path], Start(), None, 10.0, 1.2), two_speeds, slow_then_fast)
    own = {"width": 300, "least": 0.01, "look": 5, "budget": 10**8}
    found = search_beam(moves, goal, Start(), np.arange(two_speeds.count)[::5], FREE, **own)
    clip = render(two_speeds, found.route)
    assert all(c.met(clip) for c in slow_then_fast)


def test_measures_of_pace_on_a_clip_made_by_hand(arm):
    steps = np.concatenate([np.full(40, 0.1), np.full(40, 0.16), np.full(40, 0.0), np.full(40, 0.1)])
    clip = walker(arm, steps, np.zeros(160))
    np.testing.assert_allclose(step_speed(clip)[[10, 60, 100, 150]], [1.0, 1.6, 0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(pace(clip)[[20, 60, 100]], [1.0, 1.6, 0.0], atol=1e-9)
    assert len(speed_changes(clip)) == 3
    assert 30 < standing(clip).sum() < 40
    turn = np.zeros(60)
    turn[30] = np.radians(47)
    sharp = root_acceleration(walker(arm, np.full(60, 0.13), turn, fps=10.0)).max()
    assert sharp > 2 * root_acceleration(walker(arm, np.full(60, 0.13), np.zeros(60))).max() + 1
    assert sharp == pytest.approx(1.3 * 2 * np.sin(np.radians(47 / 2)) / 0.2, rel=0.01)


def test_check_finds_a_pace_that_swings(arm):
    from motionloom.evaluate.capture_checks.findings import pace_findings

    steps = np.tile(np.repeat([0.1, 0.17], 20), 8)
    (found,) = pace_findings(walker(arm, steps, np.zeros(len(steps))))
    assert found.kind == "uneven pace"
    assert "15 times in 32 s, up to 1.0 to 1.7 m/s" in found.text
    assert not pace_findings(walker(arm, np.full(320, 0.13), np.zeros(320)))
    once = np.concatenate([np.zeros(40), np.full(240, 0.13), np.zeros(40)])  # starts and stops are no swings
    assert not pace_findings(walker(arm, once, np.zeros(320)))


def test_clips_that_change_their_own_speed_are_shown_less(arm):
    """A clip that speeds up, one that slows down, and a steady one, joined where their speeds are equal."""
    steps = (np.linspace(0.1, 0.4, 60), np.linspace(0.4, 0.1, 60), np.full(60, 0.1))
    clips = [walker(arm, s, np.zeros(60)) for s in steps]
    pairs = [(57, 61 + 5), (61 + 57, 5), (61 + 57, 122 + 5), (122 + 57, 5), (122 + 57, 122 + 5)]
    graph = graph_of(clips, pairs)

    def steady(steadiness):
        routes = [random_route(graph, 600, np.random.default_rng(s), steadiness=steadiness) for s in range(3)]
        return np.mean([len(speed_changes(render(graph, r))) for r in routes])

    assert steady(1.0) < 0.5 * steady(0.0)


@pytest.mark.parametrize("seed", range(4))
def test_a_small_steady_loop_is_left_for_frames_that_were_not_shown(arm, seed):
    """A fast clip that leads to itself without a change of speed, beside slow clips of fifty times its length."""
    clips = [walker(arm, np.full(n, v), np.zeros(n)) for n, v in ((24, 0.2), (600, 0.1), (600, 0.1))]
    ends = [0, 25, 626, 1227]
    pairs = [(20, 8), (20, 40), (20, 700), (600, 640), (1200, 40), (600, 8), (1200, 8)]
    graph = graph_of(clips, pairs)
    route = random_route(graph, 900, np.random.default_rng(seed), steadiness=1.0, start=10)
    frames = shown_frames(graph, route)
    slow = (frames >= ends[1]) & (frames < graph.count)
    assert slow.mean() > 0.5
