"""Pictures of motion graphs."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import replace
from motionloom.core.origin import from_file
from motionloom.core.origin_joining import joined, mixed
from motionloom.methods.graph.diagnose.coverage import Coverage
from motionloom.plot.graph import coverage_picture, path_picture
from motionloom.samples import make

pytest.importorskip("matplotlib")


def test_left_turns_are_on_the_left():
    shown = np.array([True, True, False])
    found = Coverage(np.array([1.0, 2.0, 3.0]), np.radians([40.0, -10.0, 0.0]), np.zeros(3), shown, 30.0)
    ax = coverage_picture(found)
    dots = ax.collections[0].get_offsets()
    np.testing.assert_allclose(dots, [[40, 1], [-10, 2]])
    low, high = ax.get_xlim()
    assert low > high


def test_a_way_is_drawn_beside_its_path_with_one_colour_for_each_source():
    clip = make("walk", seconds=2, fps=30)
    a = from_file("a.bvh", 90)
    origin = joined([a[:20], mixed(a[20:40], a[30:50], np.linspace(0.02, 0.98, 20)), a[50:70]], [20, 20, 20])
    ax = path_picture(replace(clip, origin=origin), [[0, 0], [0, 2]], title="straight on")
    path, first, blend, last, start = ax.lines
    np.testing.assert_allclose(path.get_xydata(), [[0, 0], [0, 2]])
    assert first.get_color() == last.get_color() != blend.get_color()
    np.testing.assert_allclose(first.get_xydata()[0], clip.root[0, [0, 2]])
    np.testing.assert_allclose(start.get_xydata()[0], clip.root[0, [0, 2]])
    assert ax.get_title(loc="left") == "straight on"
