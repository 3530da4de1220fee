"""Silhouettes against a slow drawing, and what their features do not see."""

from __future__ import annotations

import numpy as np
import pytest
from hand_made import POLE, still

from motionloom.core import BadRequest
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.travel import placed
from motionloom.methods.two_level_graph.silhouettes import (
    CELL,
    GRID,
    PIXEL,
    SIZE,
    facing_points,
    mask_features,
    mirrored,
    silhouettes,
    stick,
    view_angles,
    view_features,
)
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk():
    return make("walk", seed=3, turn=0.4, seconds=2)[10:16]


def slow_mask(clip, frame, azimuth):
    """Every pixel's middle against every capsule, point by point."""
    body, pixel = stick(clip.skeleton), PIXEL * leg_length(clip.skeleton)
    p = facing_points(clip)[frame]
    flat = np.stack([p[:, 0] * np.cos(azimuth) - p[:, 2] * np.sin(azimuth), p[:, 1]], 1)
    rows, columns = np.mgrid[0 : SIZE[0], 0 : SIZE[1]]
    at = np.stack([(columns + 0.5 - SIZE[1] / 2) * pixel, (rows + 0.5) * pixel], -1)
    out = np.zeros(SIZE, bool)
    for (i, j), (r, q) in zip(body.limbs, body.radii, strict=True):
        a, b = flat[i], flat[j]
        long = max(((b - a) ** 2).sum(), 1e-12)
        u = np.clip(((at - a) @ (b - a)) / long, 0, 1)
        away = np.linalg.norm(at - a - u[..., None] * (b - a), axis=-1)
        out |= away < r + u * (q - r)
    return out


@pytest.mark.parametrize("azimuth", [0.0, 0.9, 4.0])
def test_masks_are_those_of_a_slow_drawing(walk, azimuth):
    fast = silhouettes(walk, azimuth)
    for frame in (0, 4):
        slow = slow_mask(walk, frame, azimuth)
        assert 150 < slow.sum() < 1500
        assert (fast[frame] != slow).sum() <= 2  # a middle that lies on an edge may fall to either side


def test_where_a_body_stands_and_faces_does_not_change_what_is_seen_from_its_side(walk):
    moved = placed(walk, (4.0, -3.0), 2.0)
    assert (silhouettes(walk, 0.5) != silhouettes(moved, 0.5)).mean() < 1e-3


def test_from_behind_one_sees_the_mirror_image(walk):
    front, behind = (mask_features(silhouettes(walk, a)) for a in (0.3, 0.3 + np.pi))
    np.testing.assert_allclose(mirrored(front), behind, atol=1e-6)
    assert np.abs(front - behind).max() > 0.2


def test_features_of_all_views_are_those_of_single_masks(walk):
    all_at_once = view_features(walk, 6)
    for v, angle in enumerate(view_angles(6)[:3]):
        np.testing.assert_allclose(all_at_once[:, v], mask_features(silhouettes(walk, angle)), atol=1e-6)


def test_features_do_not_see_where_in_the_picture_a_body_is(walk):
    masks = silhouettes(walk, 0.5)
    moved = np.roll(masks, 5, axis=2)
    assert moved.sum() == masks.sum()
    np.testing.assert_allclose(mask_features(masks), mask_features(moved), atol=1e-5)
    higher = np.roll(masks, 6, axis=1)
    assert np.abs(mask_features(masks) - mask_features(higher)).max() > 0.5


def test_features_hold_every_lit_pixel(walk):
    masks = silhouettes(walk, 1.0)
    held = mask_features(masks).sum(1) * CELL**2
    np.testing.assert_allclose(held, masks.sum((1, 2)), rtol=1e-5)
    assert mask_features(masks).shape[1] == GRID[0] * GRID[1]
    assert not mask_features(np.zeros((1, *SIZE), np.uint8)).any()


def test_a_point_has_no_silhouette():
    with pytest.raises(BadRequest, match="single point"):
        silhouettes(still(3), 0.0)
    assert len(POLE) == 1
