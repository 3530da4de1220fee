"""Frequency bands: reconstruction, frequency response, gains."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from motionloom.blend.bands import band_count, exchange_bands, response, split_bands, with_gains
from motionloom.core import BadRequest, MissingExtra
from motionloom.kinematics.fk import accelerations, fk
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk():
    return make("walk", seed=1, seconds=2, fps=30)


def test_bands_add_up_to_the_values(rng):
    values = rng.normal(size=(100, 5))
    parts = split_bands(values)
    assert len(parts) == band_count(100) + 1
    np.testing.assert_allclose(parts.sum(0), values, atol=1e-12)


def test_every_band_passes_what_the_formula_says():
    """A cosine in the middle of a long signal, far from its ends."""
    frames, count = 4096, 5
    at = np.arange(frames)
    for frequency in (0.05, 0.2, 0.7, 1.5, 2.5):
        wave = np.cos(frequency * (at - frames // 2))[:, None]
        parts = split_bands(wave)
        for band in range(count):
            middle = slice(frames // 2 - 300, frames // 2 + 300)
            passed = (parts[band, middle, 0] @ wave[middle, 0]) / (wave[middle, 0] @ wave[middle, 0])
            assert passed == pytest.approx(float(response(band, np.array(frequency), 12)), abs=0.01)


def test_no_gain_changes_nothing(walk):
    same = with_gains(walk, [])
    np.testing.assert_allclose(same.root, walk.root, atol=1e-9)
    np.testing.assert_allclose(np.abs((same.rotations * walk.rotations).sum(-1)), 1, atol=1e-9)


def test_high_bands_make_nervous_and_damp(walk):
    shake = [np.abs(accelerations(fk(with_gains(walk, gains)), 30.0)).mean() for gains in ([0.2, 0.5], [], [4.0, 3.0])]
    assert shake == sorted(shake)
    assert shake[2] > 1.3 * shake[1]


def test_bands_of_two_clips_are_exchanged(walk):
    other = make("walk", seed=2, style="tired", seconds=2, fps=30)
    mix = exchange_bands(walk, other, [1.0, 1.0, 1.0])
    assert len(mix) == len(walk)
    assert len(mix.origin.sources) >= 1


@pytest.mark.parametrize(("gains", "text"), [([1.0] * 30, "at most 5 numbers"), ([np.nan], "at most 5 numbers")])
def test_wrong_gains_are_errors(gains, text, walk):
    with pytest.raises(BadRequest, match=text):
        with_gains(walk, gains)
    with pytest.raises(BadRequest, match="gains: expected 0 or more"):
        with_gains(walk, [1.0, -2.0])
    with pytest.raises(BadRequest, match="expected one of pyramid, wavelet"):
        with_gains(walk, [1.0], "other")


def test_wavelet_bands_add_up_and_hold_what_is_fast_or_slow(walk):
    pytest.importorskip("pywt")
    t = np.arange(512) / 30.0
    slow, fast = np.sin(2 * np.pi * 0.2 * t), np.sin(2 * np.pi * 10.0 * t)
    parts = split_bands(np.stack([slow, fast], 1), "wavelet")
    np.testing.assert_allclose(parts.sum(0), np.stack([slow, fast], 1), atol=1e-9)
    energy = (parts[:, 100:-100] ** 2).sum(1)
    assert energy[:2, 1].sum() > 0.95 * energy[:, 1].sum()
    assert energy[:2, 0].sum() < 0.01 * energy[:, 0].sum()
    same = with_gains(walk, [], "wavelet")
    np.testing.assert_allclose(np.abs((same.rotations * walk.rotations).sum(-1)), 1, atol=1e-9)


def test_wavelet_bands_without_the_library_name_the_extra(walk, monkeypatch):
    monkeypatch.setitem(sys.modules, "pywt", None)
    with pytest.raises(MissingExtra, match="wavelets"):
        with_gains(walk, [2.0], "wavelet")
