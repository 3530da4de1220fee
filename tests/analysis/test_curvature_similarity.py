"""Curvature of paths, and GUAN's two stages, against formulas and slow versions."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis import Curvature, joint_weights
from motionloom.analysis.curvature_similarity import correlation, correlation_fft, relative_positions
from motionloom.analysis.path_curvature import SCHEMES, curvature, derivatives, joint_curvatures, smooth
from motionloom.core import BadRequest, InvalidClip
from motionloom.kinematics.fk import end_positions, fk_rotations
from motionloom.rotation import inverse, rotate


def helix(turns_per_second: float, fps: float = 60.0, frames: int = 90) -> np.ndarray:
    """GUAN 3.1's spiral [cos, sin, t]: curvature w^2 / (w^2 + 1) with w the angular speed, pitch speed 1."""
    t = np.arange(frames) / fps
    w = 2 * np.pi * turns_per_second
    return np.stack([np.cos(w * t), np.sin(w * t), t], 1)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_spirals_of_the_source_have_their_known_curvature(scheme):
    for rate in (1 / np.sqrt(2), 2 / np.sqrt(2)):
        w = rate
        t = np.arange(120) / 60
        spiral = np.stack([np.cos(w * t), np.sin(w * t), t], 1)
        found = curvature(spiral, 60.0, scheme=scheme, sigma=0)
        np.testing.assert_allclose(found[2:-2], w**2 / (w**2 + 1), rtol=1e-3)


def test_sharper_schemes_are_two_orders_more_exact_where_the_path_is_smooth():
    errors = {}
    for scheme in SCHEMES:
        path = helix(1.0)
        w = 2 * np.pi
        errors[scheme] = np.abs(curvature(path, 60.0, scheme=scheme, sigma=0)[5:-5] - w**2 / (w**2 + 1)).max()
    assert errors["central4"] < errors["bspline"] / 100
    assert errors["eno"] < errors["bspline"] / 20


def test_eno_stays_sharp_beside_a_corner():
    t = np.arange(-20, 21) / 60
    path = np.stack([t, np.where(t > 0, 0.5 * 8 * t**2, 0 * t), 0 * t], 1)  # straight, then curvature 8 at once
    _, second = derivatives(path, 60.0, "eno")
    np.testing.assert_allclose(second[:19, 1], 0, atol=1e-9)  # nothing of the bend leaks into the straight part
    np.testing.assert_allclose(second[22:, 1], 8, atol=1e-9)
    _, central = derivatives(path, 60.0, "central4")
    assert np.abs(central[:20, 1]).max() > 0.1


def test_a_resting_point_has_no_curvature_instead_of_an_infinite_one():
    rest = np.zeros((20, 3)) + 1e-7 * np.random.default_rng(0).normal(size=(20, 3))
    found = curvature(rest, 60.0)
    assert np.isfinite(found).all()
    assert found.max() < 1


def test_smoothing_keeps_straight_lines_and_their_ends():
    line = np.outer(np.arange(15.0), [1, 2, 3])
    np.testing.assert_allclose(smooth(line, 2.0), line, atol=1e-12)


def test_the_smoothing_taps_are_the_nine_of_the_source():
    spike = np.zeros((21, 1))
    spike[10] = 1
    x = np.arange(-4, 5)
    taps = np.exp(-(x**2) / 8)
    np.testing.assert_allclose(smooth(spike, 2.0)[6:15, 0], taps / taps.sum())


def test_relative_positions_are_the_bones_seen_from_the_grandparent(motion):
    clip = motion(3, 5)
    places, owners = relative_positions(clip)
    world, turns = fk_rotations(clip)
    body = clip.skeleton
    joints = [j for j in range(len(body)) if body.parents[j] > 0]
    for n, j in enumerate(joints):
        p = body.parents[j]
        bone = rotate(inverse(turns[:, body.parents[p]]), world[:, j] - world[:, p])
        np.testing.assert_allclose(places[:, n], bone, atol=1e-12)
    tips = end_positions(clip)
    for n, end in enumerate(body.ends, start=len(joints)):
        bone = rotate(inverse(turns[:, body.parents[end.joint]]), tips[:, n - len(joints)] - world[:, end.joint])
        np.testing.assert_allclose(places[:, n], bone, atol=1e-12)
        assert owners[n] == end.joint
    assert 1 not in owners[: len(joints)]  # a child of the root


def slow_correlation(a, b, w, radius):
    """GUAN 3.11, one pair at a time, l = -radius ... radius, means over the window."""
    out = np.zeros((len(a) - 2 * radius, len(b) - 2 * radius))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for k in range(len(w)):
                x, y = a[i : i + 2 * radius + 1, k], b[j : j + 2 * radius + 1, k]
                out[i, j] += w[k] * np.sum((x - x.mean()) * (y - y.mean()))
    return out


def test_spatial_and_fourier_correlation_equal_the_formula(rng):
    a, b, w = rng.random((22, 5)), rng.random((19, 5)), rng.random(5)
    slow = slow_correlation(a, b, w, 4)
    np.testing.assert_allclose(correlation(a, b, w), slow, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(correlation_fft(a, b, w), slow, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        correlation_fft(a, b, w, normalised=True), correlation(a, b, w, normalised=True), atol=1e-12
    )


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("normalised", [False, True])
def test_the_two_stages_equal_their_slow_version(motion, precision, normalised):
    a, b = motion(1, 30), motion(2, 28)
    w = joint_weights(a.skeleton, "lee")
    (pa, owners), (pb, _) = relative_positions(a), relative_positions(b)
    gap = ((pa[4:-4, None] - pb[None, 4:-4]) ** 2).sum(-1) @ w[owners]
    count = int(np.ceil(0.1 * gap.size))
    chosen = gap <= np.sort(gap.ravel())[count - 1]
    ka, kb = joint_curvatures(a), joint_curvatures(b)
    corr = slow_correlation(ka, kb, w, 4)
    sizes = [np.sqrt(slow_correlation(k, k, w, 4).diagonal()) for k in (ka, kb)]
    most = 1.0 if normalised else sizes[0].max() * sizes[1].max()
    if normalised:
        corr = corr / sizes[0][:, None] / sizes[1]
    expected = np.where(chosen, most - corr, 2 * most)
    found = Curvature(share=0.1, normalised=normalised, precision=precision).matrix(a, b)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * most)
    assert (found < 1.99 * most).sum() == count


@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_rigid_motion_changes_curvature_similarity(motion, carried, scheme):
    a, b = motion(1), motion(2)
    measure = Curvature(scheme=scheme, precision="double")
    after = measure.matrix(a, carried(b, (0.4, 1.0, -0.7), (3, -2, 5)))
    np.testing.assert_allclose(after, measure.matrix(a, b), rtol=1e-6)


def test_a_body_at_rest_correlates_with_nothing_and_gives_no_nan(motion):
    still = motion(1)[np.zeros(20, int)]
    found = Curvature(normalised=True, share=1.0).matrix(still, motion(2))
    np.testing.assert_allclose(found, 1.0)
    assert (Curvature(share=1.0).matrix(still, still) == 0).all()


def test_a_statue_is_not_alike_to_a_body_that_moves(motion):
    still, moving = motion(1)[np.zeros(20, int)], motion(2)
    own = Curvature(share=1.0).matrix(moving, moving)
    found = Curvature(share=0.2).matrix(still, moving)
    assert found.min() > 0.5 * own.max()
    assert len(np.unique(found)) == 2  # candidates by pose, and the others


def test_two_bodies_at_rest_are_alike_in_one_pose_and_give_numbers_in_two(motion):
    still = motion(1)[np.zeros(20, int)]
    np.testing.assert_allclose(Curvature(share=0.5).matrix(still, still[:15]), 0, atol=1e-12)
    assert np.isfinite(Curvature(share=0.5).matrix(still, motion(1)[np.full(20, 12)])).all()


def test_the_threshold_of_long_clips_is_read_off_a_sample(motion):
    a, b = motion(1, 1200), motion(2, 40)
    found = Curvature(share=0.05, normalised=True).matrix(a, b)
    assert 0.03 < (found < 2).mean() < 0.07


def test_curvature_of_too_few_frames_or_nan_is_refused(motion):
    with pytest.raises(InvalidClip, match="needs at least 5 frames, found 4"):
        curvature(np.zeros((4, 3)), 30.0, scheme="eno")
    with pytest.raises(InvalidClip, match="NaN"):
        curvature(np.full((9, 3), np.nan), 30.0)
    with pytest.raises(BadRequest, match="bspline, central4, eno"):
        curvature(np.zeros((9, 3)), 30.0, scheme="weno")
    with pytest.raises(BadRequest, match="above 0"):
        joint_curvatures(motion(1), floor=0.0)
    with pytest.raises(BadRequest, match="share of candidates"):
        Curvature(share=0.0).matrix(motion(1), motion(2))


def test_weights_on_the_roots_children_alone_leave_no_pose_to_compare(motion):
    with pytest.raises(BadRequest, match="no joint below the root's children has a weight"):
        Curvature(weights={"spine": 1.0}).matrix(motion(1), motion(2))
