"""What a graph's material can do, read off clips that do known things."""

from __future__ import annotations

import re

import numpy as np
import pytest
from small_graphs import graph_of, walker

from motionloom.io import load
from motionloom.kinematics.travel import ground_turn
from motionloom.methods import learn
from motionloom.methods.graph.diagnose.coverage import COLUMNS, MIN_TURN_RATE, SPEEDS, _across, coverage
from motionloom.methods.graph.diagnose.label_sets import label_rows
from motionloom.methods.graph.graph import Route
from motionloom.methods.graph.render.root_tracks import track
from motionloom.methods.graph.search.moves import ground_moves, positions_ahead
from motionloom.methods.graph.search.random_walk import random_route

FAST, SLOW = 0.3, 0.1  # metres a frame at 10 fps: 3 and 1 m/s


def looped(*clips):
    """Each clip can be left near its end for the beginning of each."""
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    ends = [int(s) for s in starts[1:]]
    return graph_of(clips, [(e - 3, int(s) + 2) for e in ends for s in starts[:-1]])


def test_speed_and_turn_are_those_of_the_clip(arm):
    found = coverage(looped(walker(arm, np.full(40, SLOW), np.full(40, 0.1))))
    np.testing.assert_allclose(found.turn, 1.0, atol=1e-9)  # 0.1 rad a frame, ten frames a second
    np.testing.assert_allclose(found.course, 0.0, atol=0.06)
    assert found.speed.mean() == pytest.approx(0.96, abs=0.01)  # the chord of a radian
    table = found.table()
    row = np.searchsorted(SPEEDS, 0.96) - 1
    assert table[row, COLUMNS.index("left")] == table.sum() == found.counts.sum()


@pytest.mark.parametrize("side", [-1, 0, 2, 4, 7, 9])
def test_seconds_with_a_transition_anywhere_are_those_of_the_rendered_way(arm, side):
    """Speed and turn of each second in which a blend begins after `side` frames, read off the way itself."""
    rng = np.random.default_rng(4)
    clips = [walker(arm, rng.uniform(0.02, 0.2, 29), rng.normal(0, 0.15, 29)) for _ in range(3)]
    graph = graph_of(clips, [(12, 50), (13, 78), (52, 18), (72, 14), (79, 44)], half=2)
    found = ground_moves(graph)
    moves = _across(found, positions_ahead(found, 10), side, 10)
    seen = []
    for t in range(5):
        start = int(graph.leave[t]) - max(side, 0)
        way = track(graph, Route(start, (t,), 11 - min(side, 0)))
        if graph.clip_of[start] == graph.clip_of[graph.leave[t]] and len(way.place) == 11 - min(side, 0):
            place, heading = way.place[-11:], np.unwrap(way.heading)[-11:]
            seen.append([*ground_turn(-heading[0], place[-1] - place[0]), heading[-1] - heading[0]])
    assert len(seen) >= 4
    np.testing.assert_allclose(moves, seen, atol=1e-9)


def test_what_is_said_about_turns_holds_for_whole_walks(mocap):
    """The fastest turns to each side of real walkers, in minutes of random walks: none is faster than was said."""
    model = learn("motion-graph", [load(path) for path in sorted((mocap / "cmu").glob("16_[12]*.bvh"))])
    said = coverage(model.graph).sentences()
    limits = [
        float(re.search(rf"no {side} turn faster than ([\d.]+)", " ".join(said))[1]) for side in ("left", "right")
    ]
    for seed in range(6):
        way = track(model.graph, random_route(model.graph, 1800, np.random.default_rng(seed)))
        speed = np.linalg.norm(way.place[30:] - way.place[:-30], axis=1)
        heading = np.unwrap(way.heading)
        turn = heading[30:] - heading[:-30]
        for limit, sign in zip(limits, (1, -1), strict=True):
            assert (
                speed[sign * turn >= MIN_TURN_RATE].max() <= limit + 0.1
            )  # a second may hold parts of two transitions


def test_turns_that_are_only_made_slowly_are_told(arm):
    still = np.zeros(30)
    clips = [walker(arm, np.full(30, FAST), still), walker(arm, np.full(30, SLOW), np.full(30, 0.15))]
    said = coverage(looped(*clips)).sentences()
    [left] = [s for s in said if s.startswith("no left turn faster than ")]
    assert SLOW * 10 <= float(left.split()[5]) < FAST * 10
    assert "m/s; the sharpest turns 8" in left
    assert "no right turn of 30 degrees a second or more" in said
    assert "no standing frames" in said
    assert "no steps backwards or sideways" in said


def test_steps_backwards_and_speeds_that_are_missing_are_seen(arm):
    zero = np.zeros(30)
    clips = [walker(arm, np.full(30, speed), zero) for speed in (-SLOW, 0.0)]
    graph = graph_of([*clips, walker(arm, np.full(30, FAST), zero)], [(28, 2), (31 + 28, 31 + 2), (62 + 28, 62 + 2)])
    said = coverage(graph).sentences()
    assert said[0] == "speeds from 0.0 to 3.0 m/s, but nothing between 0.0 and 1.0 m/s, between 1.0 and 3.0 m/s"
    assert "no steps sideways" in said
    assert "no standing frames" not in said


def test_a_graph_that_leads_nowhere_can_do_nothing(arm):
    graph = graph_of([walker(arm, np.full(30, SLOW), np.zeros(30))], [])
    assert coverage(graph).sentences() == ["no second of these clips can be shown: all frames are dead ends"]
    assert coverage(graph).rows() == []


def test_label_sets_are_counted(arm):
    from motionloom.core import with_labels

    clips = [walker(arm, np.full(20, SLOW), np.zeros(20)) for _ in range(2)]
    clips[0] = with_labels(clips[0], {"walk": np.arange(21) < 15})
    rows = label_rows(graph_of(clips, [(10, 21 + 5), (21 + 15, 5)]))
    assert [(r.name, r.frames, r.within, r.out) for r in rows] == [("walk", 15, 0, 1), ("no label", 27, 0, 1)]
    assert sum(r.walked for r in rows) == 4 + 9  # from frame 6 to 9, and from 27 to 35
