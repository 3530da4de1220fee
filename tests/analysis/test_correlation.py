"""Correlations of the upper body with the legs: known signals, and HECK's findings on samples."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis.correlation import correlations
from motionloom.analysis.leg_swing import gait_period
from motionloom.core import BadRequest, replace
from motionloom.rotation import exp, multiply
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk():
    return make("walk", seconds=5, seed=1, fps=30)


def test_the_period_of_a_swing_is_found():
    time = np.arange(150) / 30
    wave = np.stack([np.sin(2 * np.pi * time / 1.2), 0 * time], 1)
    assert gait_period(wave, 30) == pytest.approx(1.2, abs=0.04)
    assert gait_period(0 * wave, 30) is None


def test_a_twist_put_in_with_the_legs_is_found_in_phase_and_its_opposite_in_antiphase(walk):
    study = correlations(walk, "local")
    neck = walk.skeleton.joint("neck")
    swing = study.hips[:, 0] - study.hips[:, 1]
    for sign, relation in ((1, "in phase"), (-1, "in antiphase")):
        rotations = walk.rotations.copy()
        added = exp(np.stack([0 * swing, sign * 0.4 * swing, 0 * swing], 1))
        rotations[:, neck] = multiply(added, rotations[:, neck])
        found = correlations(replace(walk, rotations=rotations), "local").of("neck", "twist", 1)
        assert found.relation == relation
        assert found.share > 0.8


def test_findings_of_the_source_on_samples(walk):
    local = correlations(walk, "local")
    spine = local.of("spine1", "twist", 1)
    head = local.of("neck", "twist", 1)
    assert spine.amplitude > np.radians(0.5)  # the spine twists with the legs
    assert abs(abs(spine.phase - head.phase) - np.pi) < 1.2  # the head turns against it


def test_clips_without_steps_are_errors():
    with pytest.raises(BadRequest, match="no regular steps"):
        correlations(make("look", seconds=4, fps=30))
    with pytest.raises(BadRequest, match="expected global or local"):
        correlations(make("walk", seconds=3, fps=30), "hips")  # type: ignore[arg-type]
