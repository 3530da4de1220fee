"""Pictures of similarity: what they show is what they were given."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis import Curvature, PointCloud, find_similar
from motionloom.core import BadRequest, Clip
from motionloom.plot.similarity import bars, curvature_curves, distance_matrix, similarity_matrix
from motionloom.samples import make


@pytest.fixture(scope="module")
def clips() -> tuple[Clip, Clip]:
    return make("walk", seconds=1.0, seed=0), make("run", seconds=0.8, seed=0)


def test_a_matrix_is_drawn_with_names_seconds_units_and_its_pairs(clips):
    found = find_similar(*clips, PointCloud(), share=0.02)
    ax = similarity_matrix(found, path=np.array([[5, 5], [20, 30]]))
    assert ax.get_xlabel() == "sample:run [s]"
    assert ax.get_ylabel() == "sample:walk [s]"
    picture = ax.images[0]
    np.testing.assert_allclose(picture.get_array(), 100 * np.sqrt(found.matrix), rtol=1e-6)
    fps = clips[0].fps
    np.testing.assert_allclose(picture.get_extent()[0], 4.5 / fps)  # the first column stands for frame 5
    dots, path = ax.lines
    np.testing.assert_allclose(dots.get_xdata(), found.pairs.frames[:, 1] / fps)
    np.testing.assert_allclose(path.get_ydata(), [5 / fps, 20 / fps])
    assert any("cm" in axes.get_ylabel() for axes in ax.figure.axes)


def test_pairs_that_were_no_candidates_are_left_blank(clips):
    found = find_similar(*clips, Curvature(normalised=True), share=0.01)
    shown = similarity_matrix(found).images[0].get_array()
    assert np.ma.getmaskarray(shown).mean() > 0.9


def test_curves_and_bars_carry_their_names():
    ax = curvature_curves({"left hand": np.ones(30), "right hand": np.zeros(30)}, 30.0, first=3)
    assert [line.get_label() for line in ax.lines] == ["left hand", "right hand"]
    np.testing.assert_allclose(ax.lines[0].get_xdata()[0], 0.1)
    ax = bars(["level", "ramp"], {"a": [1, 2], "b": [3, 4]}, unit="cm")
    assert [p.get_height() for p in ax.patches] == [1, 2, 3, 4]


def test_nothing_to_draw_is_said():
    with pytest.raises(BadRequest, match="at least one curve"):
        curvature_curves({}, 30.0)
    with pytest.raises(BadRequest, match="found shape"):
        distance_matrix(np.zeros(4), ("a", "b"), (30.0, 30.0))
