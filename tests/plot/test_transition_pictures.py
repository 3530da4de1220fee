"""Pictures of time alignment and of transitions."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis.alignment import align
from motionloom.blend import append
from motionloom.plot.transitions import alignment_picture, trails
from motionloom.samples import make


@pytest.fixture(scope="module")
def clips():
    return make("walk", seconds=2.5, seed=0), make("walk", seconds=2.5, seed=1, speed=1.1)


def test_the_alignment_picture_shows_path_and_curve_in_seconds(clips):
    a, b = clips
    found = align(a, b)
    ax = alignment_picture(found, (a.name, b.name), (a.fps, b.fps))
    lines = {line.get_label(): line.get_xydata() for line in ax.get_lines()}
    assert lines["path"] == pytest.approx(found.path[:, ::-1] / 60)
    assert lines["alignment curve"][-1] == pytest.approx(found.curve.spans[::-1, 1])
    assert ax.get_xlabel() == f"{b.name} [s]"
    assert ax.get_ylabel() == f"{a.name} [s]"


def test_trails_show_where_frames_come_from(clips):
    a, b = clips
    joined = append(a, b)
    figure = trails([a, joined], ["before", "after"])
    _, second = figure.axes
    words = [t.get_text() for t in figure.legends[0].get_texts()]
    assert "blended or computed" in words
    made = [line for line in second.get_lines() if line.get_linewidth() > 2]
    assert made
    assert second.get_xlabel() == "distance [m]"
    heights = np.concatenate([line.get_ydata() for line in second.get_lines() if len(line.get_ydata())])
    assert -0.05 < heights.min() < 0.1
    assert 1.3 < heights.max() < 2.0


def test_a_part_of_the_clips_can_be_shown(clips):
    figure = trails([clips[0]], ["walk"], joints=["hips"], span=(0.5, 1.0))
    (line,) = [x for x in figure.axes[0].get_lines() if len(x.get_xdata())]
    assert len(line.get_xdata()) == 30
