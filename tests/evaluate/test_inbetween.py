"""LAFAN1's protocol against values worked out by hand."""

from __future__ import annotations

from time import sleep

import numpy as np
import pytest

from motionloom.core import Clip, Skeleton, replace
from motionloom.evaluate.inbetween.gaps import (
    BASELINES,
    GAPS,
    PAST,
    Scale,
    benchmark,
    centred,
    evenly,
    interpolated,
    npss,
    scale_of,
    score,
    windows,
    zero_velocity,
)
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.kinematics.travel import headings, moved, turned
from motionloom.rotation import yaw


@pytest.fixture
def walk(arm: Skeleton, rng: np.random.Generator) -> Clip:
    """Two hundred frames at a constant speed and a constant turn: interpolation is exact only for the place's line."""
    t = np.arange(200) / 30
    rotations = np.zeros((200, 3, 4))
    rotations[..., 0] = 1
    rotations[:, 0] = yaw(0.4 * t)
    rotations[:, 1] = yaw(0.2 * np.sin(3 * t))
    return Clip(arm, np.stack([0 * t, 1 + 0 * t, t], 1), rotations, 30.0)


def test_windows_start_every_step_and_end_before_the_last_frame(walk):
    assert len(windows([walk], 65, 40)) == 4  # starts 0, 40, 80, 120; 135 is the last that fits
    assert len(windows([walk[:105]], 65, 40)) == 1  # 40 + 65 = 105 is not below 105
    assert len(windows([walk[:65]], 65, 40)) == 0


def test_windows_are_centred_and_face_plus_x_at_the_last_known_frame(walk):
    window = centred(turned(walk[30:95], 2.0))
    assert window.root[:, [0, 2]].mean(axis=0) == pytest.approx([0, 0], abs=1e-12)
    assert headings(window)[PAST - 1] == pytest.approx(np.pi / 2)


def test_interpolation_is_exact_on_a_straight_line_with_a_constant_turn(arm):
    t = np.arange(100) / 30
    rotations = np.zeros((100, 3, 4))
    rotations[..., 0] = 1
    rotations[:, 0] = yaw(0.4 * t)
    clip = Clip(arm, np.stack([t, 1 + 0 * t, 0 * t], 1), rotations, 30.0)
    scale = Scale(np.zeros((3, 3)), np.ones((3, 3)))
    found = benchmark([clip], scale, BASELINES)
    for gap in GAPS:
        assert found["interpolation"].scores[gap].l2p == pytest.approx(0, abs=1e-9)
        assert found["interpolation"].scores[gap].l2q == pytest.approx(0, abs=1e-9)
        assert found["zero velocity"].scores[gap].l2p > 0.05


def test_l2p_is_one_norm_over_all_joints(arm):
    still = Clip(arm, np.zeros((65, 3)), np.tile([1.0, 0, 0, 0], (65, 3, 1)), 30.0)
    aside = replace(still, root=still.root + [0.6, 0.0, 0.0])  # three joints 0.6 m off; deviation 0.3 m
    found = score([still], [aside], 5, Scale(np.zeros((3, 3)), np.full((3, 3), 0.3)))
    assert found.l2p == pytest.approx(2 * np.sqrt(3))
    assert found.l2q == 0


def test_l2q_does_not_see_the_sign_of_a_quaternion(walk):
    window = windows([walk], 65, 40)[0]
    flipped = replace(window, rotations=-window.rotations)
    scale = Scale(np.zeros((3, 3)), np.ones((3, 3)))
    assert score([window], [flipped], 15, scale).l2q == pytest.approx(0, abs=1e-12)


def test_l2q_of_a_half_turn_at_every_joint(arm):
    still = Clip(arm, np.zeros((65, 3)), np.tile([1.0, 0, 0, 0], (65, 3, 1)), 30.0)
    rotations = still.rotations.copy()
    rotations[PAST : PAST + 5, 0] = [0, 0, 1.0, 0]  # the root turns by pi, so all three global rotations do
    found = score([still], [replace(still, rotations=rotations)], 5, Scale(np.zeros((3, 3)), np.ones((3, 3))))
    assert found.l2q == pytest.approx(np.sqrt(3 * 2))  # |(1,0) - (0,1)|^2 = 2 per joint


def test_baselines_use_nothing_but_the_last_known_frame_and_the_target(walk):
    window = windows([walk], 65, 40)[0]
    spoilt = replace(window, root=np.where(np.isin(np.arange(65), np.arange(10, 15))[:, None], 99.0, window.root))
    for fill in (interpolated, zero_velocity):
        assert fill(spoilt, 5).root == pytest.approx(fill(window, 5).root)


def test_npss_of_equal_sequences_is_zero_and_of_two_waves_is_the_bins_between_them():
    t = np.arange(16)
    a, b = (np.cos(2 * np.pi * k * t / 16)[None, :, None] for k in (2, 5))
    assert npss(a, 3 * a) == pytest.approx(0, abs=1e-12)
    # half of the power lies in bin k, half in bin 16 - k: half the mass moves 3 bins on either side
    assert npss(a, b) == pytest.approx(3.0)


def test_npss_weights_are_pooled_over_sequences_and_channels():
    t = np.arange(16)
    a, b = (np.cos(2 * np.pi * k * t / 16) for k in (2, 5))
    truth = np.stack([np.stack([a, a], 1), np.stack([3 * a, 0 * a], 1)])  # powers 1, 1, 9, 0
    guess = np.stack([np.stack([a, b], 1), np.stack([a, b], 1)])
    assert npss(truth, guess) == pytest.approx(3.0 * 1 / 11)


def test_statistics_come_from_training_windows_only(walk):
    scale = scale_of([walk])
    assert scale.mean.shape == (3, 3)
    assert np.allclose(scale.deviation[:, 1], 1.0)  # heights never change: not divided by zero
    again = scale_of([turned(moved(walk, (3, 4)), 1.0)])
    assert np.allclose(again.mean, scale.mean)
    with pytest.raises(NotApplicable, match="no training clip"):
        scale_of([walk[:50]])


def test_a_slow_filler_stops_with_the_windows_it_has_and_others_can_be_measured_on_the_same(walk):
    scale = scale_of([walk])

    def slow(window: Clip, gap: int) -> Clip:
        sleep(0.01)
        return interpolated(window, gap)

    late = benchmark([walk], scale, {"slow": slow}, seconds=0.06)["slow"]  # four windows of four gaps: 0.16 s
    same = benchmark([walk], scale, {"same": interpolated}, first=late.windows)["same"]
    assert 1 <= late.windows < 4
    assert same == late


def test_windows_are_chosen_evenly_and_so_is_every_beginning():
    assert sorted(evenly(9)) == list(range(9))
    assert sorted(evenly(9, 3)) == [0, 4, 8]
    for n in (5, 10, 20):  # no gap between the first n of 40 is much larger than 40 / n
        first = sorted(evenly(40)[:n])
        assert max(np.diff([-1, *first, 40])) <= 2.7 * 40 / n


def test_npss_looks_at_the_real_part_of_the_spectrum_as_published():
    """By hand: spectra 1, 1, 1, 1 and 1, -i, -1, i. Squares of real parts: shares of 1/4, and 1/2, 0, 1/2, 0."""
    truth, guess = np.zeros((1, 4, 1)), np.zeros((1, 4, 1))
    truth[0, 0] = guess[0, 1] = 1.0
    assert npss(truth, guess) == pytest.approx(0.25 + 0 + 0.25 + 0)


def test_signs_that_change_from_frame_to_frame_do_not_matter(walk, rng):
    window = windows([walk], 65, 40)[0]
    signs = rng.choice([-1.0, 1.0], size=(*window.rotations.shape[:2], 1))
    found = score([window], [replace(window, rotations=window.rotations * signs)], 15, scale_of([walk]))
    assert found.l2q == pytest.approx(0, abs=1e-9)
    assert found.npss == pytest.approx(0, abs=1e-9)
