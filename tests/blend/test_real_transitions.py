"""Transitions between captured clips: people of two subjects, and a dog."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.blend import TRANSITIONS, append, transition_point
from motionloom.blend.quality import window_quality
from motionloom.io import load
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample


@pytest.mark.parametrize("method", sorted(TRANSITIONS))
def test_a_captured_walk_goes_over_into_a_run(method, mocap):
    """Other bone lengths too: the second subject is put on the first one's body."""
    a = resample(load(mocap / "cmu" / "35_01.bvh", trim_tpose=True), 60.0)
    b = resample(load(mocap / "cmu" / "16_35.bvh", trim_tpose=True), 60.0)
    point = transition_point(a, b, half=12)
    made = append(a, b, method=method, at=point)
    quality = window_quality(a, b, made, point, 12)
    assert quality.jump < 0.4 * quality.jump_cut
    assert quality.slide <= quality.slide_source + 2.0  # cm/s
    bones = np.linalg.norm(made.skeleton.offsets[1:], axis=1)
    places = fk(made)
    long = np.linalg.norm(places[:, 1:] - places[:, made.skeleton.parents[1:]], axis=-1)
    assert np.abs(long - bones).max() < 1e-9


@pytest.mark.parametrize("method", sorted(TRANSITIONS))
def test_a_dog_goes_on_in_another_clip(method, mocap):
    files = sorted((mocap / "dog").glob("*.bvh"))
    a, b = (load(f) for f in files[:2])
    a, b = a[: min(len(a), 240)], b[: min(len(b), 240)]
    point = transition_point(a, b, half=12)
    made = append(a, b, method=method, at=point)
    quality = window_quality(a, b, made, point, 12)
    assert quality.jump < quality.jump_cut
    assert np.isfinite(made.root).all()
