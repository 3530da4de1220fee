"""The plane of joints and frames, and the shape of a neighbourhood."""

from __future__ import annotations

import numpy as np

from motionloom.plot.style import SOURCES, rgb
from motionloom.plot.texture import neighbourhood, texture_plane


def image(ax):
    return np.asarray(ax.images[0].get_array())


def test_a_cell_has_the_colour_of_its_clip_as_strong_as_its_frame_is_late():
    which = np.array([[0, 0], [0, 1], [-1, 1]])
    frames = np.array([[0, 9], [9, 0], [-1, 4]])
    ax = texture_plane(which, frames, (10, 5), ("a", "b"), ("Hips", "Spine"), 30.0, keys=which < 0)
    shown = image(ax)
    np.testing.assert_allclose(shown[1, 0], rgb(SOURCES[0]))  # the last frame of clip a
    np.testing.assert_allclose(shown[1, 2], rgb(SOURCES[1]))
    assert shown[0, 0].sum() > shown[0, 1].sum()  # an early frame is paler
    assert len(ax.lines) == 1 + 2 + 1  # the frame of the key, and the legend


def test_a_neighbourhood_is_causal_and_leaves_out_the_cell_and_the_root_of_its_frame():
    ax = neighbourhood(np.ones(4), np.ones(3), np.array([0, 2, 1, 3]), ("R", "A", "B", "C"), 1)
    dark = image(ax) @ [1, 1, 1] < image(ax)[3, 2] @ np.ones(3) - 1e-6
    assert dark[:, 0].all()  # the frame before
    assert dark[:, 1].tolist() == [False, True, True, False]  # the cell itself, and B, which comes before it
    assert not dark[:, 2].any()
