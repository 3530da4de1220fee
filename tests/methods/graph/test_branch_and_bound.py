"""Branch and bound finds the best of all ways, and the incremental search keeps to its rules."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import yaml
from small_graphs import every_way, graph_of, placed_track, random_graph, walker

from motionloom.constraints import Request, RootPath, Start
from motionloom.core import with_labels
from motionloom.io import load
from motionloom.methods import attempt, learn
from motionloom.methods.graph.graph import Route
from motionloom.methods.graph.query.goal import GroundGoal
from motionloom.methods.graph.query.polyline import line_through
from motionloom.methods.graph.search._kernels_bound import branch_and_bound
from motionloom.methods.graph.search.branch_and_bound import search_branch_and_bound
from motionloom.methods.graph.search.moves import ground_moves
from motionloom.methods.motion_graph import Config, MotionGraphModel

FREE = np.zeros((0, 0), np.uint8)
NONE = (np.zeros(0, np.int64), np.zeros((0, 0)))  # no labels along the path


def error(place, line, least):
    """GUAN 2.14 with 2.15, frame by frame; and the frames until the end of the line is behind."""
    s, total = 0.0, 0.0
    for k, (a, b) in enumerate(pairwise(place)):
        s += max(least, float(np.linalg.norm(b - a)))
        total += float(((b - line.at(min(s, line.length))) ** 2).sum())
        if s >= line.length:
            return total, k + 1, True
    return total, len(place) - 1, False


def best_of_all(graph, line, starts, begin, frames, least):
    found = (np.inf, None, 0)
    for start in starts:
        for length in range(1, frames + 1):  # shorter ways count only if they come to the end of the line
            for route in every_way(graph, start, length):
                total, count, done = error(placed_track(graph, route, begin), line, least)
                if (length == frames or done) and count == length and total < found[0]:
                    found = (total, route, count)
    return found


def search(graph, line, starts, begin, frames, least, budget=10**9, bits=FREE, t0=0, labels=NONE):
    s = ground_moves(graph)
    arrays = (s.step, s.goes_on, s.first_out, s.enter, s.over)
    asked = (line.points, line.spacing, np.array(starts), np.array([*begin, 0.0]), t0, bits, *labels)
    return branch_and_bound(*arrays, *asked, frames, least, budget, np.zeros(1, np.uint8))


@pytest.mark.parametrize("seed", range(8))
def test_it_finds_the_best_of_all_ways(arm, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(arm, rng)
    corners = np.cumsum(np.concatenate([[[0.0, 0.0]], rng.normal(0, 0.3, (4, 2)) + [0, 0.2]]), axis=0)
    line, begin, starts = line_through(corners), (0.0, 0.0, float(rng.uniform(-1, 1))), [1, 16]
    total, _, count = best_of_all(graph, line, starts, begin, 9, 0.01)
    start, taken, frames, _, cost, _ = search(graph, line, starts, begin, 9, 0.01)
    assert cost == pytest.approx(total, rel=1e-9)
    again, _, _ = error(
        placed_track(graph, Route(int(start), tuple(taken.tolist()), int(frames) + 1), begin), line, 0.01
    )
    assert again == pytest.approx(total, rel=1e-9)
    assert frames == count


def test_a_way_is_whole_where_the_line_ends(arm):
    graph = graph_of([walker(arm, np.full(30, 0.1), np.zeros(30))], [])
    line = line_through([[0, 0], [0, 1.0]])
    _, _, frames, done, cost, _ = search(graph, line, [0], (0, 0, 0), 25, 0.01)
    assert (frames, done) == (10, True)
    assert cost == pytest.approx(0.0, abs=1e-12)


def test_standing_still_costs(arm):
    """errata 2.15: without least progress, a body that stands at the start of the path would be free of error."""
    stands, walks = walker(arm, np.zeros(30), np.zeros(30)), walker(arm, np.full(30, 0.1), np.full(30, 0.05))
    graph = graph_of([stands, walks], [])
    line = line_through([[0, 0], [0, 3.0]])
    assert search(graph, line, [0, 31], (0, 0, 0), 20, 0.0)[0] == 0
    assert search(graph, line, [0, 31], (0, 0, 0), 20, 0.1)[0] == 31


def test_where_no_way_is_long_enough_there_is_none(arm):
    graph = graph_of([walker(arm, np.full(5, 0.1), np.zeros(5))], [])
    assert search(graph, line_through([[0, 0], [0, 9]]), [0], (0, 0, 0), 20, 0.01)[4] == np.inf


def test_a_spent_budget_stops_it_with_the_best_so_far(arm):
    rng = np.random.default_rng(1)
    graph, line = random_graph(arm, rng, clips=4, frames=20), line_through([[0, 0], [0, 4]])
    whole = search(graph, line, [1], (0, 0, 0), 14, 0.01)
    short = search(graph, line, [1], (0, 0, 0), 14, 0.01, budget=whole[5] // 3)
    assert short[5] < whole[5]
    assert np.isfinite(short[4])
    assert short[4] >= whole[4]


def circle_graph(arm):
    """A straight walk and a left turn; from every fifth frame one can go on at the tenth of either."""
    clips = [walker(arm, np.full(60, 0.1), np.zeros(60)), walker(arm, np.full(60, 0.1), np.full(60, 0.1))]
    return graph_of(clips, [(a + p, 10 + q) for a in range(10, 60, 5) for p in (0, 61) for q in (0, 61) if a != 10])


def test_step_by_step_follows_a_path_to_its_end(arm):
    graph = circle_graph(arm)
    a = np.linspace(0, np.pi / 2, 10)
    path = np.concatenate([[[0, 0], [0, 2]], np.stack([1 - np.cos(a), 2 + np.sin(a)], 1)[1:], [[3, 3]]])
    line = line_through(path)
    own = {"lookahead": 25, "step": 8, "least": 0.01, "budget": 10**7}
    found = search_branch_and_bound(
        ground_moves(graph), GroundGoal(line, np.ones(1), 1, False), Start(), np.arange(60), FREE, **own
    )
    assert found.arrived
    assert not found.spent
    place = placed_track(graph, found.route, (0, 0, 0))
    assert np.linalg.norm(place[-1] - path[-1]) < 0.35
    apart = np.linalg.norm(place[:, None] - line.points, axis=2).min(1)
    assert apart.max() < 0.3
    assert abs(found.route.frames - line.length / 0.1) < 4


def test_looking_farther_ahead_is_no_worse_than_looking_at_one_step(arm):
    graph, line = circle_graph(arm), line_through([[0, 0], [0, 2], [2, 4]])

    def total(ahead, keep):
        own = {"lookahead": ahead, "step": keep, "least": 0.01, "budget": 10**7}
        found = search_branch_and_bound(
            ground_moves(graph), GroundGoal(line, np.ones(1), 1, False), Start(), np.arange(60), FREE, **own
        )
        return error(placed_track(graph, found.route, (0, 0, 0)), line, 0.01)[0]

    assert total(30, 10) <= total(4, 4)


def test_frames_that_may_not_be_shown_are_not(arm):
    graph, line = circle_graph(arm), line_through([[0, 0], [0, 1.5], [2, 2]])
    free = search(graph, line, [2], (0, 0, 0), 30, 0.01)
    assert (graph.enter[free[1]] > 61).any()
    allowed = np.ones((60, graph.count + len(graph.transitions)), bool)
    allowed[:35, 61 : graph.count] = False
    allowed[:35, graph.count :] = graph.enter < 61
    kept = search(graph, line, [2], (0, 0, 0), 30, 0.01, bits=np.packbits(allowed, axis=1))
    assert (graph.enter[kept[1]] < 61).all()
    assert kept[4] > free[4]
    later = search(graph, line, [2], (0, 0, 0), 30, 0.01, bits=np.packbits(allowed, axis=1), t0=10)
    assert kept[4] >= later[4] > free[4]


def test_frames_cost_what_is_said_for_each_part_of_the_path(arm):
    graph, line = circle_graph(arm), line_through([[0, 0], [0, 3.0]])
    parts = np.where(np.arange(len(line.points)) * line.spacing < 1.0 - 1e-9, -1, 0)
    fines = np.zeros((1, graph.count))
    fines[0, :61] = 1e-4  # after the first metre, the straight clip costs a little
    plain = search(graph, line, [2], (0, 0, 0), 20, 0.01)
    fined = search(graph, line, [2], (0, 0, 0), 20, 0.01, labels=(parts, fines))
    assert plain[4] == pytest.approx(0.0, abs=1e-12)
    assert 0 < fined[4] <= 1e-4 * 11 + 1e-9  # frames 10 to 20 of the walk; turning off for longer would cost more
    fines[0, :61] = 1e3
    far = search(graph, line, [2], (0, 0, 0), 20, 0.01, labels=(parts, fines))
    assert (graph.enter[far[1]] > 61).any()


def test_a_body_does_not_stand_until_the_path_is_over(arm):
    """A walk that swerves, and a stand: with little progress at least, standing costs less than swerving."""
    frames = np.arange(80)
    swerve = 0.25 * np.cos(2 * np.pi * frames / 40)
    clips = [walker(arm, np.full(80, 0.1), swerve), walker(arm, np.zeros(80), np.zeros(80))]
    pairs = [(a, b) for a in range(5, 76, 5) for b in range(85, 156, 10)]
    graph = graph_of(clips, [*pairs, *((b, a) for a, b in pairs), (75, 5), (155, 85)])
    model = MotionGraphModel(skeleton=arm, config=Config(), fps=10.0, graph=graph)
    path = RootPath(points=((0, 0), (0, 8)), weight=1.0)

    def standing_share(**options):
        request = Request(constraints=(path,), options={"search": "branch-and-bound", **options})
        route = model.plan(request, np.random.default_rng(0)).route
        place = placed_track(graph, route, (0, 0, 0))
        still = np.linalg.norm(np.diff(place, axis=0), axis=1) < 0.02
        return still.mean()

    assert model.least_progress(model.options(Request())) == pytest.approx(0.05, abs=0.005)
    still = standing_share()
    lazy = standing_share(min_progress=0.1)
    assert still < 0.3 < 0.35 < lazy


def test_a_body_that_sways_walks_to_the_end_of_the_path(arm):
    """The metres that it walks are more than those it gets on: counted as in eq 2.15, it stops short."""
    heading = 0.8 * np.sin(2 * np.pi * np.arange(241) / 20)
    graph = graph_of([walker(arm, np.full(240, 0.1), np.diff(heading))], [(220, 20)])
    line = line_through([[0, 0], [0, 10]])
    own = {"lookahead": 25, "step": 8, "least": 0.02, "budget": 10**6}
    short = {}
    for nearest in (False, True):
        found = search_branch_and_bound(
            ground_moves(graph),
            GroundGoal(line, np.ones(1), 1, False),
            Start(),
            np.arange(40),
            FREE,
            nearest=nearest,
            **own,
        )
        assert found.arrived
        place = placed_track(graph, found.route, (0, 0, 0))
        short[nearest] = np.linalg.norm(place[-1] - line.points[-1])
    assert short[True] < 0.2 < 1.0 < short[False]


@pytest.mark.parametrize("points", ["[[0, 0], [0, 4], [1, 8], [0, 12]]", "[[0, 0], [0, 5], [-1, 9], [-3, 13]]"])
def test_a_walk_into_a_run_ends_at_the_end_of_its_path(mocap, walks_and_runs, points):
    """The case that stood still and ended 5 m short, and a path that nothing was chosen on."""
    text = f"""
options: {{search: branch-and-bound}}
constraints:
- root_path: {{points: {points}, weight: 1}}
- style_along: {{label: walk, stretch: [0, 5]}}
- style_along: {{label: run, stretch: [8, 12]}}
"""
    found = attempt(walks_and_runs, Request.from_yaml(text))
    assert found.met
    line = found.clip.root[:, [0, 2]]
    assert np.linalg.norm(line[-1] - np.array(yaml.safe_load(points)[-1])) < 0.25
    speed = np.linalg.norm(line[30:] - line[:-30], axis=1)  # over a second
    assert (speed < 0.3).mean() < 0.1


@pytest.fixture(scope="module")
def walks_and_runs(mocap):
    """A motion graph of subject 143, captured at 60 fps, labelled by hand."""
    clips = []
    for label, numbers in {"run": (1, 2, 3, 4, 42), "walk": (32, 38)}.items():
        for number in numbers:
            clip = load(mocap / "cmu" / f"143_{number:02d}.bvh", fps=60)
            clips.append(with_labels(clip, {label: np.ones(len(clip), bool)}))
    return learn("motion-graph", clips)
