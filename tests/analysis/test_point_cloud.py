"""Point clouds: the fast matrix against a slow, obvious one, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis import PointCloud, best_of_tiles, best_share, joint_weights
from motionloom.analysis.comparison import frame_weights
from motionloom.analysis.frame_alignment import alignment
from motionloom.core import BadRequest, InvalidClip
from motionloom.kinematics.fk import fk
from motionloom.kinematics.ground_alignment import ground_alignment
from motionloom.kinematics.travel import moved, turned

FREEDOMS = ("ground", "height", "rigid")


def rigid_distance(p, q, w):
    """Weighted mean squared distance after the best rotation and shift (Kabsch, by SVD), never a mirror image."""
    dp, dq = p - w @ p, q - w @ q
    u, _, vt = np.linalg.svd(dp.T @ (w[:, None] * dq))
    turn = (u * [1.0, 1.0, np.sign(np.linalg.det(u) * np.linalg.det(vt)) or 1.0]) @ vt
    return w @ ((dp - dq @ turn.T) ** 2).sum(-1)


def slow_cloud(p, q, weights, radius, taper, freedom):
    """GUAN 2.28 pair by pair: gather both windows, align, sum."""
    w = np.outer(frame_weights(radius, taper), weights / weights.sum()).ravel()
    n = 2 * radius + 1
    out = np.empty((len(p) - n + 1, len(q) - n + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            a, b = p[i : i + n].reshape(-1, 3), q[j : j + n].reshape(-1, 3)
            if freedom == "height":
                a, b = a - [0, w @ a[:, 1], 0], b - [0, w @ b[:, 1], 0]
            out[i, j] = rigid_distance(a, b, w) if freedom == "rigid" else ground_alignment(a, b, w).distance
    return out


@pytest.mark.parametrize("freedom", FREEDOMS)
@pytest.mark.parametrize("taper", ["flat", "triangle"])
def test_the_matrix_equals_aligning_every_pair(motion, freedom, taper):
    a, b = motion(1, 24), motion(2, 21)
    w = joint_weights(a.skeleton, {"all": 0.3, "lower": 1.0, "head": 0.0})
    slow = slow_cloud(fk(a), fk(b), w, 3, taper, freedom)
    for precision, relative in (("double", 1e-12), ("single", 1e-5)):
        measure = PointCloud(radius=3, weights=w, taper=taper, freedom=freedom, precision=precision)
        fast = measure.matrix(a, b)
        assert fast.shape == slow.shape == (18, 15)
        np.testing.assert_allclose(fast, slow, rtol=relative, atol=relative * slow.mean())


@pytest.mark.parametrize("size", [5, 7, 100])
@pytest.mark.parametrize("freedom", FREEDOMS)
def test_tiles_put_together_are_the_matrix(motion, size, freedom):
    ready = PointCloud(radius=2, freedom=freedom).prepare(motion(1, 30), motion(2, 23))
    whole, built = ready.matrix(), np.full(ready.shape, np.nan)
    for tile in ready.tiles(size, halo=2):
        built[tile.rows, tile.columns] = tile.values[tile.inner]
    np.testing.assert_allclose(built, whole, rtol=1e-5, atol=1e-7)


def test_clips_longer_than_a_strip_are_computed_in_strips(motion):
    a, b = motion(1, 530), motion(2, 20)
    whole = PointCloud(radius=2, precision="double").matrix(a, b)
    late = PointCloud(radius=2, precision="double").matrix(a[500:], b)
    np.testing.assert_allclose(whole[500:], late, atol=1e-12)


def test_turning_about_the_vertical_and_moving_on_the_floor_change_nothing(motion):
    a, b = motion(1), motion(2)
    before = PointCloud().matrix(a, b)
    after = PointCloud().matrix(a, moved(turned(b, 2.1), (300.0, -40.0)))
    np.testing.assert_allclose(after, before, atol=2e-6)  # 300 m away, in single precision


def test_raising_a_clip_matters_on_the_ground_but_not_to_the_height_free_form(motion, carried):
    a, b = motion(1), motion(2)
    raised = carried(b, (0, 0, 0), (0, 0.6, 0))
    lifted = PointCloud(precision="double").matrix(a, carried(a, (0, 0, 0), (0, 0.6, 0)))
    np.testing.assert_allclose(lifted.diagonal(), 0.36, atol=1e-12)
    free = PointCloud(freedom="height", precision="double")
    np.testing.assert_allclose(free.matrix(a, raised), free.matrix(a, b), atol=1e-12)


def test_the_rigid_form_does_not_change_under_any_rigid_motion(motion, carried):
    a, b = motion(1), motion(2)
    rigid = PointCloud(freedom="rigid", precision="double")
    np.testing.assert_allclose(
        rigid.matrix(a, carried(b, (0.4, 1.0, -0.7), (3, -2, 5))), rigid.matrix(a, b), atol=1e-12
    )


def test_more_freedom_never_leaves_a_larger_distance(motion):
    ground, height, rigid = (PointCloud(freedom=f, precision="double").matrix(motion(1), motion(2)) for f in FREEDOMS)
    assert (height <= ground + 1e-12).all()
    assert (rigid <= height + 1e-12).all()


def test_a_clip_is_like_itself_and_two_clips_are_as_unlike_as_the_other_way_round(motion):
    a, b = motion(1), motion(2)
    assert PointCloud(precision="double").matrix(a, a).diagonal().max() < 1e-12
    np.testing.assert_allclose(PointCloud().matrix(a, b), PointCloud().matrix(b, a).T, atol=1e-6)


def test_the_best_alignment_undoes_a_turn_and_a_shift(motion):
    a = motion(1)
    b = moved(turned(a, 0.9), (2.0, -3.0))
    found = alignment(a, 12, b, 12, radius=3)
    assert found.distance < 1e-20
    np.testing.assert_allclose(found.angle, -0.9, atol=1e-12)
    np.testing.assert_allclose(fk(found.clip(b)), fk(a), atol=1e-12)
    np.testing.assert_allclose(found.points(fk(b)), fk(a), atol=1e-12)


def test_the_best_alignment_is_best_among_its_neighbours(motion):
    p, q = fk(motion(1))[:5].reshape(-1, 3), fk(motion(2))[:5].reshape(-1, 3)
    w = np.random.default_rng(0).random(len(p))
    best = ground_alignment(p, q, w)
    for change in ({"angle": best.angle + 0.01}, {"x": best.x + 0.01}, {"z": best.z - 0.01}):
        other = best._replace(**change)
        assert (w / w.sum()) @ ((p - other.points(q)) ** 2).sum(1) > best.distance


def test_points_on_a_vertical_line_have_no_best_turn_and_get_none():
    line = np.array([[1.0, 0, 2], [1, 1, 2], [1, 2, 2]])
    assert ground_alignment(line, line + [5, 0, 0], np.ones(3))[:3] == (0.0, -5.0, 0.0)


def test_a_frame_too_near_the_end_has_no_window_to_align(motion):
    with pytest.raises(BadRequest, match=r"expected a frame from 5 to 34 .*found 38"):
        alignment(motion(1), 38, motion(2), 10)


def test_nan_points_are_refused(motion):
    points = fk(motion(1)).copy()
    points[3, 2, 1] = np.nan
    with pytest.raises(InvalidClip, match="NaN"):
        PointCloud().between(points, fk(motion(2)), np.ones(11))


def test_pairs_of_tiles_are_the_pairs_of_the_matrix(motion):
    ready = PointCloud(radius=2).prepare(motion(1, 60), motion(2, 50))
    whole = ready.matrix()
    share = best_share(whole, 40 / whole.size, first=ready.first)
    np.testing.assert_array_equal(best_of_tiles(ready, 40, size=16).frames, share.frames)
