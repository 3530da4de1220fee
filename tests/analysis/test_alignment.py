"""Alignment curves, time alignment of clips, and warping."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from motionloom.analysis.alignment import align, align_cycles, reflected, register
from motionloom.analysis.alignment_curve import AlignmentCurve, fit_curve, from_key_times
from motionloom.analysis.dtw import dtw_path
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.warp import at_times, warp, warp_by_path
from motionloom.core import BadRequest, Clip, InvalidClip, Skeleton, SkeletonMismatch, replace
from motionloom.core.testing import assert_same_motion
from motionloom.kinematics.travel import moved, turned
from motionloom.rotation import from_axis_angle

FPS = 60.0


@pytest.fixture(scope="module")
def swing() -> Clip:
    """Three seconds of a three-joint arm that swings, nods and drifts: no two moments look alike."""
    t = np.arange(181) / FPS
    rotations = np.zeros((len(t), 3, 4))
    rotations[..., 0] = 1
    rotations[:, 0] = from_axis_angle([1.0, 0, 0], 0.5 * np.sin(4 * t))
    rotations[:, 1] = from_axis_angle([0, 0, 1.0], np.sin(2.5 * t) + 0.3 * t)
    rotations[:, 2] = from_axis_angle([1.0, 0, 0], np.sin(3 * t + 1))
    body = Skeleton(("Hips", "Mid", "Top"), np.array([-1, 0, 1]), np.array([[0.0, 0, 0], [0, 0.5, 0], [0, 0.5, 0]]))
    return Clip(body, np.stack([0.5 * t, 1 + 0 * t, 0.2 * t**2], 1), rotations, FPS)


def slow_then_fast(t, stretch=0.2):
    """A known warp: strictly increasing, from 0 to t[-1], up to 0.2 s off the even pace."""
    return t + stretch * np.sin(2 * np.pi * t / t[-1])


def test_aligning_a_clip_with_a_warped_copy_recovers_the_warp_to_half_a_frame(swing):
    t = np.arange(len(swing)) / FPS
    true = slow_then_fast(t)
    copy = turned(moved(at_times(swing, true), (3.0, -1.0)), 2.0)
    found = align(swing, copy)
    assert np.abs(found.curve.matching(t, of=1, to=0) - true).max() < 0.5 / FPS
    assert np.abs(found.curve.matching(true, of=0, to=1) - t).max() < 0.5 / FPS
    assert found.mean_cost < 1e-4


def test_warping_back_gives_the_first_clip_again(swing):
    copy = at_times(swing, slow_then_fast(np.arange(len(swing)) / FPS))
    back = warp(copy, align(swing, copy).curve)
    assert len(back) == len(swing)
    assert_same_motion(back, swing, metres=0.01, radians=0.03)


def test_a_path_keeps_deletes_and_inserts_frames_as_guan_2_6_draws_it(swing):
    even = replace(swing, root=np.arange(181)[:, None] * [0.01, 0, 0])  # frame k is at k cm
    path = np.array([[0, 0], [1, 1], [2, 2], [2, 3], [2, 4], [3, 5], [4, 5], [5, 6]])
    made = warp_by_path(even, path)
    np.testing.assert_allclose(100 * made.root[:, 0], [0, 1, 3, 4.75, 5.25, 6], atol=1e-9)
    np.testing.assert_allclose(made.rotations[1], even.rotations[1], atol=1e-12)


def test_warping_by_the_path_alone_is_within_a_frame_of_the_first_clip(swing):
    t = np.arange(len(swing)) / FPS
    other = at_times(swing, slow_then_fast(t))
    found = align(swing, other)
    made = warp_by_path(other, found.path)
    assert len(made) == len(swing)
    near = np.abs(made.root - swing.root)[5:-5].max()
    assert near < np.abs(np.diff(swing.root, axis=0)).max()
    assert np.abs(warp(other, found.curve).root - swing.root)[5:-5].max() < near


def test_paths_that_do_not_fit_the_clip_are_refused(swing):
    for path, said in (([[0, 3], [1, 2]], "never go back"), ([[0, 0], [1, 181]], "a path through 181 frames")):
        with pytest.raises(BadRequest, match=said):
            warp_by_path(swing, np.array(path))


def test_a_clip_aligned_with_itself_stays_as_it_is(swing):
    found = align(swing, swing)
    assert (found.path[:, 0] == found.path[:, 1]).all()
    assert_same_motion(warp(swing, found.curve), swing, metres=1e-6, radians=1e-6)


def test_free_ends_find_the_part_that_fits(swing):
    found = align(swing[40:110], swing, ends="free")
    assert found.path[0].tolist() == [0, 40]
    assert found.path[-1].tolist() == [69, 109]
    assert found.curve.spans[1] == pytest.approx([40 / FPS, 109 / FPS])


def test_many_clips_are_registered_to_a_reference(swing):
    t = np.arange(len(swing)) / FPS
    warps = [slow_then_fast(t, s) for s in (0.2, 0.0, -0.15)]
    curve = register([at_times(swing, w) for w in warps], reference=1)
    u = np.linspace(0, 1, 50)
    for i, w in enumerate(warps):  # clip i at time S_i shows moment w_i(S_i) of the action: the reference's S_1
        assert np.abs(np.interp(curve(u)[:, i], t, w) - curve(u)[:, 1]).max() < 0.5 / FPS
    assert np.diff(curve(u)[:, 1]) == pytest.approx(np.full(49, t[-1] / 49))


def test_the_fitted_curve_increases_strictly_and_meets_the_ends_exactly(rng):
    for _ in range(20):
        cost = rng.random((rng.integers(5, 60), rng.integers(5, 60)))
        path = dtw_path(cost)
        curve = fit_curve(path / 30.0)
        assert curve(0.0) == pytest.approx(path[0] / 30.0, abs=1e-12)
        assert curve(1.0) == pytest.approx(path[-1] / 30.0, abs=1e-12)
        u = np.linspace(0, 1, 500)
        assert np.diff(curve(u), axis=0).min() > 0
        assert (curve.slope(u) >= 0.0199 * (path[-1] / 30.0)).all()


def test_a_curve_through_a_path_within_a_slope_limit_keeps_it(rng):
    steeper = 0
    for _ in range(20):
        path = dtw_path(rng.random((200, 200)), limit=2) / 30.0
        slope = [fit_curve(path, limit=limit).slope(np.linspace(0, 1, 900)) for limit in (None, 3.0)]
        free, held = ((each.max(1) / each.min(1)).max() for each in slope)
        steeper += free > 3.1
        assert held < 3.01
    assert steeper


def test_neither_clip_runs_faster_than_the_limit_allows(swing):
    hasty = at_times(
        swing, np.concatenate([np.linspace(0, 1, 13), np.linspace(1, 3, 160)[1:]])
    )  # five times, then 0.75
    pace = {}
    for limit in (1, 3, None):
        slope = align(swing, hasty, limit=limit).curve.slope(np.linspace(0, 1, 900))
        pace[limit] = (slope.max(1) / slope.min(1)).max()
    assert pace[1] < 2.01
    assert pace[3] < 4.01
    assert pace[None] > 4.1


def test_a_curve_and_its_inverse_undo_each_other(rng):
    curve = from_key_times([[0.0, 1.0, 1.2, 4.0], [0.0, 0.1, 2.0, 3.0]])
    t = np.linspace(0, 4, 101)
    assert curve.matching(curve.matching(t), of=1, to=0) == pytest.approx(t, abs=1e-9)
    assert curve(curve.parameter(t))[:, 0] == pytest.approx(t, abs=1e-12)


def test_the_slope_is_the_derivative_by_finite_differences():
    curve = from_key_times([[0.0, 1.0, 1.2, 4.0], [0.0, 0.1, 2.0, 3.0]])
    u = np.linspace(0.01, 0.99, 77)
    assert curve.slope(u) == pytest.approx((curve(u + 1e-6) - curve(u - 1e-6)) / 2e-6, rel=1e-4, abs=1e-4)


def test_key_times_follow_guan_2_6():
    keys = [0.5, 1.0, 2.5, 3.0]
    curve = from_key_times([keys, [0.0, 1.0, 2.0, 3.0]], smooth=False)
    m, t = 1, 1.6  # T between the second and the third of four keys
    u = (m + (t - keys[m]) / (keys[m + 1] - keys[m])) / 3
    assert curve.parameter(t) == pytest.approx(u, abs=1e-12)
    assert curve.matching(t) == pytest.approx(3 * u, abs=1e-12)


def test_the_smooth_curve_meets_the_keys_without_a_jump_in_speed():
    keys = np.array([[0.5, 1.0, 2.5, 3.0], [0.0, 0.2, 0.3, 3.0]])
    curve = from_key_times(list(keys))
    assert curve(np.linspace(0, 1, 4)) == pytest.approx(keys.T, abs=1e-12)
    before, after = curve.slope([1 / 3 - 1e-9]), curve.slope([1 / 3 + 1e-9])
    assert before == pytest.approx(after, rel=1e-6)
    assert np.diff(curve(np.linspace(0, 1, 1000)), axis=0).min() > 0


def test_cycles_are_matched_one_by_one(swing):
    curve = align_cycles([swing, swing], starts=[[0.5, 1.5, 2.5], [0.2, 0.7, 1.2, 1.7]], smooth=False)
    assert curve.matching([0.5, 1.0, 1.5, 2.0, 2.5]) == pytest.approx([0.2, 0.45, 0.7, 0.95, 1.2], abs=1e-9)


def test_a_reflected_clip_goes_on_at_its_own_speed(swing):
    wide = reflected(swing, 3)
    assert len(wide) == len(swing) + 6
    assert_same_motion(wide[3:-3], swing)
    assert wide.root[2] == pytest.approx(2 * swing.root[0] - swing.root[1])
    assert np.diff(wide.root[:, 0]) == pytest.approx(np.full(len(wide) - 1, 0.5 / FPS))


def test_a_curve_survives_pickling():
    curve = from_key_times([[0.0, 1.0], [0.0, 2.0]])
    again = pickle.loads(pickle.dumps(curve))
    assert again(0.3) == pytest.approx(curve(0.3))
    assert not again.control.flags.writeable


def test_two_constant_clips_are_matched_evenly(swing):
    still = swing[np.zeros(50, int)]
    found = align(still, still)
    assert found.curve.matching([0.0, 0.3, 0.6]) == pytest.approx([0.0, 0.3, 0.6], abs=1e-6)


def test_clips_that_cannot_be_compared_are_refused(swing):
    other = replace(swing, skeleton=Skeleton(("Hips", "Mid", "End"), [-1, 0, 1], swing.skeleton.offsets))
    with pytest.raises(SkeletonMismatch, match="joint 2 is 'Top' in one, 'End' in the other"):
        align(swing, other)
    with pytest.raises(BadRequest, match="differ in frame rate: 60 and 30"):
        align(swing, replace(swing, fps=30.0))
    with pytest.raises(InvalidClip, match="too short"):
        align(swing[:3], swing, measure=PointCloud(radius=5))
    with pytest.raises(BadRequest, match="reference"):
        register([swing], reference=3)


def test_curves_that_go_back_are_refused(swing):
    with pytest.raises(BadRequest, match="clip 1 must increase"):
        from_key_times([[0.0, 1.0, 2.0], [0.0, 2.0, 1.0]])
    with pytest.raises(BadRequest, match="same number, 2 or more"):
        from_key_times([[0.0, 1.0, 2.0], [0.0, 2.0]])
    with pytest.raises(BadRequest, match="must increase: clip 0"):
        AlignmentCurve([0, 0, 1, 1], [[1.0], [0.5]], 1)
    with pytest.raises(BadRequest, match="never go back"):
        fit_curve([[0.0, 0.0], [1.0, 0.0]])
    with pytest.raises(BadRequest, match="from one step of 'left_foot' to its next, and 1 begin"):
        align_cycles([swing], starts=[[0.5]])
