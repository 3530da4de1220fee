"""Sketched paths: what a way costs against a slow version, and both searches on paths that the clips can walk."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Request, RootAt, RootPath, Start, Style
from motionloom.core import NoPath
from motionloom.kinematics.travel import ground_turn, placed, travel
from motionloom.methods import learn, synthesize
from motionloom.methods.graph import Route
from motionloom.methods.graph.query.polyline import line_through
from motionloom.methods.graph.render.render import render
from motionloom.methods.graph.render.root_tracks import track
from motionloom.methods.graph.search.moves import ground_moves
from motionloom.methods.two_level_graph._kernels_sketch import (
    AHEAD,
    ALONG,
    COST,
    GONE,
    HALTED,
    HEADING,
    NODE,
    USED,
    WHOLE,
    SketchMoves,
    SketchPath,
    X,
    Z,
    try_motions,
)
from motionloom.methods.two_level_graph.cluster_trees import tree_choices, tree_motions
from motionloom.samples import make


@pytest.fixture(scope="module")
def model():
    turns = ((0, 0.0), (1, 0.9), (2, -0.9), (3, 0.4), (4, -0.4))
    return learn("two-level-graph", [make("walk", seed=s, turn=t, seconds=4) for s, t in turns])


def slow_way(graph, line, route, begin, keep, least, frames, shown):
    """The same numbers from `track` and plain loops."""
    path = track(graph, route)
    turn = begin[2] - path.heading[0]
    place = ground_turn(turn, path.place - path.place[0]) + begin[:2]
    along, off, s = [begin[3]], [0.0], begin[3]
    end = line.length
    for f in range(1, len(place)):
        s += max(least, np.linalg.norm(place[f] - place[f - 1]))
        late = 0.0 if not frames else min(s, end) - end * (shown + f) / (frames - 1)
        off.append(((place[f] - line.at(s)) ** 2).sum() + 0.02 * late**2)
        along.append(s)
        if not frames and s >= end:
            break
    pure, at = {0: route.start}, route.start  # steps gone -> frame of the graph
    gone, left = 0, []
    for t in route.taken:
        left.append(gone + int(graph.leave[t]) - at)
        for k in range(1, graph.leave[t] - at + 1):
            pure[gone + k] = at + k
        gone += graph.leave[t] - at + graph.blend
        at = int(graph.enter[t])
        pure[gone] = at
    for k in range(1, route.frames - gone):
        pure[gone + k] = at + k
    kept = min((g for g in pure if g >= keep), default=route.frames - 1)
    used = sum(when < kept for when in left)
    return place, path.heading + turn, np.array(along), np.array(off), kept, used, pure[kept]


@pytest.mark.parametrize("frames", [0, 200])
def test_what_ways_cost_is_what_a_slow_version_says(model, frames):
    graph = model.graph
    line = line_through([[0, 0], [0.5, 3], [0.2, 9]])
    every = ground_moves(graph)
    moves = SketchMoves(every.step, graph.leave, every.enter, every.over, every.turn)
    least, keep, back, shown = 0.01, 14, 7, 30
    wanted = SketchPath(line.points, line.spacing, least, frames, 0.02 if frames else 0.0, keep, back, 2.0)
    begin = np.array([0.1, 0.2, 0.4, 0.3])
    start = int(np.flatnonzero(model.walkable)[25])
    tree = model.tree(start)
    ways = tree_motions(tree, model.chain, 45)
    routes = {c.route for c in tree_choices(tree, model.chain, 45)}
    assert len(ways.frames) == len(routes) > 2
    rows = try_motions(moves, wanted, start, ways.first, ways.taken, ways.frames, begin, shown)
    for c, row in enumerate(rows):
        taken = tuple(ways.taken[ways.first[c] : ways.first[c + 1]].tolist())
        route = Route(start, taken, int(ways.frames[c]))
        assert route in routes
        place, heading, along, off, kept, used, node = slow_way(graph, line, route, begin, keep, least, frames, shown)
        assert row[GONE] == kept
        assert row[NODE] == node
        np.testing.assert_allclose(row[[X, Z]], place[kept], atol=1e-9)
        assert np.cos(row[HEADING] - heading[kept]) == pytest.approx(1)
        assert row[ALONG] == pytest.approx(along[kept])
        assert row[COST] == pytest.approx(off[: kept + 1].sum())
        assert row[WHOLE] == pytest.approx(off.sum())
        assert row[HALTED] == 0
        assert row[USED] == used
        step = 2.0 * (place[-1] - place[-1 - back])
        there = place[-1] + step
        ahead = ((there - line.at(along[-1] + np.linalg.norm(step))) ** 2).sum()
        assert row[AHEAD] == pytest.approx(ahead)


def test_a_way_halts_where_the_path_ends(model):
    graph = model.graph
    line = line_through([[0, 0], [0, 0.6]])
    every = ground_moves(graph)
    moves = SketchMoves(every.step, graph.leave, every.enter, every.over, every.turn)
    wanted = SketchPath(line.points, line.spacing, 0.003, 0, 0.0, 5, 7, 2.0)
    start = int(np.flatnonzero(model.walkable)[25])
    ways = tree_motions(model.tree(start), model.chain, 45)
    rows = try_motions(moves, wanted, start, ways.first, ways.taken, ways.frames, np.zeros(4), 0)
    assert (rows[:, HALTED] == 1).all()
    assert (rows[:, ALONG] >= 0.6 - 1e-9).all()
    assert (rows[:, ALONG] < 0.7).all()


PATHS = {
    "line": np.array([[0, 0], [0, 5.0]]),
    "bend": np.stack([2.5 - 2.5 * np.cos(np.linspace(0, 1.6, 20)), 2.5 * np.sin(np.linspace(0, 1.6, 20))], 1),
}


@pytest.mark.parametrize("search", ["clusters", "frames"])
@pytest.mark.parametrize("name", PATHS)
def test_both_searches_follow_what_the_clips_can_walk(model, search, name):
    path = RootPath(points=PATHS[name], weight=1.0)
    clip = synthesize(model, Request(constraints=(path,), options={"search": search}))
    off = path.residual(clip)
    assert off.mean() < 0.15
    assert off.max() < 0.3
    assert any("path of" in str(note) for note in clip.origin.notes)


@pytest.mark.parametrize("search", ["clusters", "frames"])
def test_a_path_can_be_followed_in_a_given_time_and_style(model, search):
    path = RootPath(points=[[0, 0], [0, 5.4]], weight=1.0)
    asked = Request(seconds=4, constraints=(path, Style(label="walk", span=(1, 3))), options={"search": search})
    clip = synthesize(model, asked)
    assert len(clip) == 120
    assert path.residual(clip).max() < 0.5


def test_a_hard_path_is_met_or_refused_with_the_nearest_there_is(model):
    hard = RootPath(points=PATHS["bend"])
    clip = synthesize(model, Request(constraints=(hard,), options={"search": "clusters"}))
    assert hard.met(clip)
    spiral = np.linspace(0, 30, 200)
    tight = np.stack([0.3 * np.cos(spiral) - 0.3, 0.3 * np.sin(spiral)], 1)
    with pytest.raises(NoPath, match=r"nearest is .* m off") as refused:
        synthesize(model, Request(constraints=(RootPath(points=tight, tolerance=0.05),), options={"bend": 0.05}))
    assert refused.value.best is not None


def test_a_spent_budget_gives_the_best_so_far_and_says_so(model):
    path = RootPath(points=np.array([[0, 0], [0, 40.0]]), weight=1.0)
    asked = Request(seconds=6, constraints=(path,), options={"search": "clusters", "budget": 3000})
    clip = synthesize(model, asked)
    assert any("budget was spent" in str(note) for note in clip.origin.notes)


def test_more_walkers_side_by_side_are_not_farther_off(model):
    path = RootPath(points=PATHS["bend"], weight=1.0)

    def off(width: int) -> float:
        asked = Request(constraints=(path,), options={"search": "clusters", "beam_width": width})
        route = model.plan(asked, np.random.default_rng(0)).route
        return float(path.residual(placed(render(model.graph, route))).mean())

    assert off(12) <= off(1) + 0.02


def test_a_place_and_heading_at_a_time_are_come_through(model):
    way = travel(synthesize(model, Request(seconds=4), seed=3))
    at = round(3 * model.fps)
    wish = RootAt(time=3, position=tuple(way.place[at]), heading=float(way.heading[at]))
    start = Start(position=tuple(way.place[0]), heading=float(way.heading[0]))
    assert wish.met(synthesize(model, Request(seconds=4, start=start, constraints=(wish,))))
