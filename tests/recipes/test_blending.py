"""Frequency bands of clips: frame rates, contacts, notes."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Cancelled
from motionloom.core.progress import Silent
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.recipes.blending import change_bands, fourier_motion
from motionloom.samples import make


class Followed(Silent):
    """A progress that keeps the shares."""

    def __init__(self, shares):
        super().__init__()
        self.shares = shares

    def __call__(self, share, stage):
        self.shares.append(share)


def test_the_fourier_series_of_a_clip_reports_progress_and_can_be_cancelled():
    walk = make("walk", seed=1, seconds=3, fps=30)
    shares: list[float | None] = []
    fourier_motion(walk, progress=Followed(shares))
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    with pytest.raises(Cancelled):
        fourier_motion(walk, progress=Silent(np.ones(1, np.uint8)))


def test_bands_of_clips_at_two_rates_lock_feet_where_they_stand_at_the_lower_rate():
    fast = make("walk", seed=1, seconds=3, fps=60)
    made = change_bands(fast, make("walk", seed=2, style="tired", seconds=3, fps=30), shares=[0.0])
    assert made.fps == 30
    np.testing.assert_allclose(fk(made), fk(resample(fast, 30.0)), atol=1e-9)


def test_a_note_states_how_many_contacts_are_held_and_progress_is_reported():
    walk = make("walk", seed=2, style="tired", seconds=3, fps=30)
    shares: list[float | None] = []
    made = change_bands(walk, gains=[0.2, 0.5], progress=Followed(shares))
    assert any("feet locked in" in str(note) for note in made.origin.notes)
    assert shares[-1] == 1.0
    assert None in shares or any(0 < s < 1 for s in shares if s is not None)
