"""Place and heading, and what moves a clip on the ground."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motionloom.core import Skeleton, replace
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import (
    along,
    body_axes,
    from_root_motion,
    headings,
    in_place,
    moved,
    placed,
    root_motion,
    travel,
    turned,
)
from motionloom.rotation import from_axis_angle, multiply, rotate


def test_heading_zero_faces_z_and_left_is_positive(tiny):
    assert_allclose(headings(tiny), np.arange(10) / 10, atol=1e-12)
    assert_allclose(travel(turned(tiny, np.pi / 2)).place[-1], [0.9, 0.0], atol=1e-12)  # +z turned left is +x


def test_a_forward_bend_does_not_change_the_heading(tiny):
    rotations = tiny.rotations.copy()
    rotations[:, 0] = multiply(rotations[:, 0], from_axis_angle([1.0, 0, 0], 1.4))
    assert_allclose(headings(replace(tiny, rotations=rotations)), headings(tiny), atol=1e-12)


@pytest.mark.parametrize("frame", [0, 4, 9])
def test_placed_puts_one_frame_where_it_should_be(tiny, frame):
    path = travel(placed(tiny, (3, -2), 0.7, frame=frame))
    assert_allclose(path.place[frame], [3, -2], atol=1e-12)
    assert_allclose(path.heading[frame], 0.7, atol=1e-12)


def test_turning_and_moving_keep_the_shape(tiny):
    before, after = fk(tiny), fk(moved(turned(tiny, 2.1, about=(1, 1)), (4, 5)))
    assert_allclose(
        np.linalg.norm(after[:, 1:] - after[:, :1], axis=-1), np.linalg.norm(before[:, 1:] - before[:, :1], axis=-1)
    )
    assert_allclose(after[..., 1], before[..., 1], atol=1e-12)


def test_root_motion_adds_up_to_the_path_again(tiny):
    path = travel(tiny)
    again = from_root_motion(root_motion(tiny), path.place[0], float(path.heading[0]))
    assert_allclose(again.place, path.place, atol=1e-12)
    assert_allclose(again.heading, path.heading, atol=1e-12)


def test_root_motion_does_not_depend_on_where_and_how_the_clip_stands(tiny):
    assert_allclose(root_motion(moved(turned(tiny, 1.0), (5, 6))), root_motion(tiny), atol=1e-12)


def test_in_place_and_along_undo_each_other(tiny):
    still = in_place(tiny)
    assert_allclose(travel(still).place, 0, atol=1e-12)
    assert_allclose(travel(still).heading, 0, atol=1e-12)
    assert_allclose(fk(along(still, travel(tiny))), fk(tiny), atol=1e-12)


@pytest.mark.parametrize(
    ("spine", "left", "forward"), [((0, 1, 0), (1, 0, 0), (0, 0, 1)), ((1, 0, 0), (0, 0, 1), (0, 1, 0))]
)
def test_body_axes_come_from_the_bones_not_from_the_local_axes(spine, left, forward):
    left_thigh = 0.1 * np.array(left) - 0.05 * np.array(spine)
    right_thigh = -0.1 * np.array(left) - 0.05 * np.array(spine)
    skeleton = Skeleton(
        ("Hips", "Spine", "L", "R"),
        [-1, 0, 0, 0],
        np.array([np.zeros(3), spine, left_thigh, right_thigh]),
        ("hips", "spine", "left_thigh", "right_thigh"),
    )
    axes = body_axes(skeleton)
    assert_allclose(rotate(axes, [1.0, 0, 0]), left, atol=1e-12)
    assert_allclose(rotate(axes, [0.0, 0, 1]), forward, atol=1e-12)


@pytest.mark.parametrize(
    "name", ["cmu/16_15.bvh", "bandai/dataset-2_walk-turn-left_normal_001.bvh", "dog/D1_010_KAN01_003.bvh"]
)
def test_real_bodies_face_where_they_walk(mocap, name):
    from motionloom.io import load

    clip = load(mocap / name)[1:]
    path = travel(clip)
    gap = max(1, round(clip.fps / 5))
    step = path.place[gap:] - path.place[:-gap]
    moving = np.linalg.norm(step, axis=1) > 0.1
    off = np.arctan2(step[:, 0], step[:, 1]) - path.heading[: len(step)]
    off = (off + np.pi) % (2 * np.pi) - np.pi
    assert np.median(np.abs(off[moving])) < np.radians(15)
