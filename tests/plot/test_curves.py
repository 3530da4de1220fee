"""Small pictures of ways and speeds."""

from __future__ import annotations

import numpy as np

from motionloom.core import concatenate
from motionloom.kinematics.resample import concatenate_aligned
from motionloom.plot.curves import ground_path, toe_speeds
from motionloom.samples import make


def test_the_way_runs_from_left_to_right_at_its_true_length() -> None:
    walk = make("walk", seconds=2, turn=0.3)
    way = walk.root[-1, [0, 2]] - walk.root[0, [0, 2]]
    line = max(ground_path(walk).lines, key=lambda drawn: len(drawn.get_xdata()))
    x, y = line.get_xdata(), line.get_ydata()
    assert np.allclose([x[0], y[0]], 0)
    assert np.allclose([x[-1], y[-1]], [np.linalg.norm(way), 0])
    assert np.mean(y) < 0  # a left turn starts to the right of the straight line


def test_sources_have_a_line_each_in_the_legend() -> None:
    walk, run = make("walk", seconds=1), make("run", seconds=1)
    said = {text.get_text() for text in ground_path(concatenate_aligned([walk, run])).get_legend().get_texts()}
    assert len(said) == 3
    assert "start" in said


def test_a_foot_that_stands_has_no_speed() -> None:
    walk = make("walk", seconds=2)
    ax = toe_speeds((walk, concatenate([walk])), ("one", "two"))
    speed = ax.lines[0].get_ydata()
    on = walk.label("contact:left_toe")
    inside = on[1:-1] & on[2:] & on[:-2]
    assert speed[1:-1][inside].max() < 1.0  # cm/s
    assert speed.max() > 100
