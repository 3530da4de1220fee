"""What a graph's material can do, read off clips that do known things."""

from __future__ import annotations

import numpy as np
import pytest
from small_graphs import graph_of, walker

from motionloom.methods.graph.coverage import COLUMNS, SPEEDS, coverage
from motionloom.methods.graph.labelled import label_rows

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
    assert table[row, COLUMNS.index("left")] == table.sum() == len(found.speed)


def test_turns_that_are_only_made_slowly_are_told(arm):
    still = np.zeros(30)
    clips = [walker(arm, np.full(30, FAST), still), walker(arm, np.full(30, SLOW), np.full(30, 0.15))]
    said = coverage(looped(*clips)).sentences()
    assert any(s.startswith("no left turn faster than") and "m/s; sharpest left turn 8" in s for s in said)
    assert "no right turn of 30 degrees a second or more" in said
    assert "nobody stands still" in said
    assert "no steps backwards or sideways" in said


def test_steps_backwards_and_speeds_that_are_missing_are_seen(arm):
    zero = np.zeros(30)
    clips = [walker(arm, np.full(30, speed), zero) for speed in (-SLOW, 0.0)]
    graph = graph_of([*clips, walker(arm, np.full(30, FAST), zero)], [(28, 2), (31 + 28, 31 + 2), (62 + 28, 62 + 2)])
    said = coverage(graph).sentences()
    assert said[0] == "speeds from 0.0 to 3.0 m/s, but nothing between 0.0 and 1.0 m/s, between 1.0 and 3.0 m/s"
    assert "no steps sideways" in said
    assert "nobody stands still" not in said


def test_a_graph_that_leads_nowhere_can_do_nothing(arm):
    graph = graph_of([walker(arm, np.full(30, SLOW), np.zeros(30))], [])
    assert coverage(graph).sentences() == ["no second of these clips can be shown"]
    assert coverage(graph).rows() == []


def test_label_sets_are_counted(arm):
    from motionloom.core import with_labels

    clips = [walker(arm, np.full(20, SLOW), np.zeros(20)) for _ in range(2)]
    clips[0] = with_labels(clips[0], {"walk": np.arange(21) < 15})
    rows = label_rows(graph_of(clips, [(10, 21 + 5), (21 + 15, 5)]))
    assert [(r.name, r.frames, r.within, r.out) for r in rows] == [("walk", 15, 0, 1), ("no label", 27, 0, 1)]
    assert sum(r.walked for r in rows) == 4 + 9  # from frame 6 to 9, and from 27 to 35
