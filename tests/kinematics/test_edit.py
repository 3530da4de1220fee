"""Resample, crop, concatenate."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, Skeleton, replace, with_labels
from motionloom.core.origin import from_file
from motionloom.kinematics.fk import accelerations, fk
from motionloom.kinematics.resample import at_frames, concatenate_aligned, crop, resample
from motionloom.kinematics.travel import root_motion, travel, turned
from motionloom.rotation import angle_between, from_axis_angle, yaw


def spinner(frames: int = 31, fps: float = 30) -> Clip:
    """One joint that turns evenly and moves on a parabola: both can be written down at any time."""
    t = np.arange(frames) / fps
    root = np.stack([t, 1 + t - 4.9 * t * t, 0 * t], 1)
    return Clip(Skeleton(("A",), np.array([-1]), np.zeros((1, 3))), root, yaw(7 * t)[:, None], fps)


def test_resample_to_the_same_rate_is_the_identity(walker: Clip) -> None:
    assert resample(walker, walker.fps) is walker


def test_resample_by_a_whole_ratio_picks_frames(walker: Clip) -> None:
    fewer = resample(walker, walker.fps / 4)
    assert len(fewer) == 45
    assert np.array_equal(fewer.root, walker.root[::4])
    assert angle_between(fewer.rotations, walker.rotations[::4]).max() < 1e-12


@pytest.mark.parametrize("fps", [12.0, 24.0, 25.0, 47.3, 60.0, 120.0])
def test_resample_puts_frame_k_at_k_over_fps_seconds(fps: float) -> None:
    clip = spinner()
    got = resample(clip, fps)
    t = np.arange(len(got)) / fps
    assert 1.0 - 1 / fps < t[-1] <= 1.0 + 1e-9
    assert angle_between(got.rotations[:, 0], yaw(7 * t)).max() < 1e-9
    fits = 1e-9 if fps > 30 else 4.9 / 30**2 / 4 + 1e-9  # a chord of the parabola lies a dt^2 / 8 below it
    inner = slice(4, -4) if fps > 30 else slice(None)
    assert got.root[inner, 1] == pytest.approx((1 + t - 4.9 * t * t)[inner], abs=fits)


def test_resample_keeps_the_end_when_asked() -> None:
    clip = spinner(32)
    got = resample(clip, 24, keep_end=True)
    assert got.root[[0, -1]] == pytest.approx(clip.root[[0, -1]])
    assert angle_between(got.rotations[-1], clip.rotations[-1]).max() < 1e-9
    assert np.ptp(np.diff(got.root[:, 0])) < 1e-12


def test_resample_to_more_frames_makes_no_shocks(walker: Clip) -> None:
    finer = resample(resample(walker, 15), 60)
    hand = walker.skeleton.joint("left_foot")
    shock = np.abs(accelerations(fk(finer)[:, hand], 60)).max()
    assert shock < 1.6 * np.abs(accelerations(fk(walker)[:, hand], 60)).max()


def test_resample_goes_the_short_way_round_whatever_the_signs() -> None:
    clip = spinner()
    signs = np.where(np.arange(31) % 2, 1.0, -1.0)[:, None, None]
    flipped = replace(clip, rotations=clip.rotations * signs)
    assert angle_between(resample(flipped, 50).rotations, resample(clip, 50).rotations).max() < 1e-9


def test_resample_takes_labels_and_provenance_from_the_nearest_frame() -> None:
    clip = replace(spinner(), origin=from_file("spin.bvh", 31))
    clip = with_labels(clip, {"up": np.arange(31) >= 15})
    got = resample(clip, 10)
    assert got.origin.main()[1].tolist() == list(range(0, 31, 3))
    assert got.label("up").tolist() == [False] * 5 + [True] * 6


def test_resample_of_a_single_frame_is_that_frame() -> None:
    assert len(resample(spinner()[:1], 240)) == 1
    with pytest.raises(BadRequest, match="positive"):
        resample(spinner(), 0)


def test_a_piece_of_a_long_clip_is_made_of_its_own_frames_alone(walker: Clip, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all frames for each piece, cutting an hour into cycles would take time with the square of its length."""
    seen: list[int] = []
    resampling = import_module("motionloom.kinematics.resample")
    kept = resampling.continuous
    monkeypatch.setattr(resampling, "continuous", lambda q: seen.append(len(q)) or kept(q))
    at = np.linspace(50, 60.5, 12)
    piece = at_frames(walker, at, walker.fps, cubic=True)
    assert max(seen) <= 15
    assert np.array_equal(piece.root, at_frames(walker[40:80], at - 40, walker.fps, cubic=True).root)


def test_crop_takes_seconds_end_excluded(walker: Clip) -> None:
    part = crop(walker, 0.5, 1.0)
    assert np.array_equal(part.root, walker.root[30:60])
    assert len(crop(walker, 2.0)) == 60
    with pytest.raises(BadRequest, match=r"4 s out of a clip of 3 s"):
        crop(walker, 1, 4)


def test_concatenate_carries_place_and_heading_on(walker: Clip) -> None:
    part = turned(walker[:60], 0.7, about=(3, 1))
    both = concatenate_aligned([walker[:60], part, turned(part, -2.0)])
    assert len(both) == 180
    path = travel(both)
    assert path.heading == pytest.approx(np.zeros(180), abs=1e-9)
    assert path.place[:, 0] == pytest.approx(np.zeros(180), abs=1e-9)
    assert np.diff(path.place[:, 1]) == pytest.approx(np.full(179, 1 / 60), abs=1e-9)


def test_concatenate_of_two_halves_is_the_whole(walker: Clip) -> None:
    curved = replace(
        walker,
        rotations=np.concatenate([yaw(np.arange(180) / 90)[:, None], walker.rotations[:, 1:]], 1),
    )
    halves = [turned(curved[:90], 0.0), turned(curved[90:], 2.0, about=(1, 1))]
    assert root_motion(concatenate_aligned(halves)) == pytest.approx(root_motion(curved), abs=1e-4)


def test_concatenate_works_on_single_frames() -> None:
    still = Clip(spinner().skeleton, np.zeros((1, 3)), from_axis_angle([1.0, 0, 0], np.array([[0.3]])), 30)
    assert len(concatenate_aligned([still, still])) == 2
