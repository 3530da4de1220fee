"""Knees: their angles against the law of cosines, and what cleaning changes."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import replace
from motionloom.evaluate import evaluate_clips
from motionloom.kinematics.feet.knees import knee_acceleration, knee_change, knee_flexion
from motionloom.kinematics.feet.skate_removal import remove_skate
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.rotation import from_axis_angle, multiply
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk():
    return make("walk", seed=4, seconds=3, fps=30)


def snapped(walk, frame, angle):
    """The clip with the left knee bent by `angle` rad more for one frame."""
    rotations, shin = walk.rotations.copy(), walk.skeleton.joint("left_shin")
    rotations[frame, shin] = multiply(rotations[frame, shin], from_axis_angle([1.0, 0.0, 0.0], angle))
    return replace(walk, rotations=rotations)


def test_flexion_is_that_of_the_law_of_cosines(walk):
    places = fk(walk)
    hip, knee, ankle = (places[:, walk.skeleton.joint(f"left_{r}")] for r in ("thigh", "shin", "foot"))
    a, b, c = (np.linalg.norm(v, axis=1) for v in (knee - hip, ankle - knee, ankle - hip))
    inner = np.arccos(np.clip((a**2 + b**2 - c**2) / (2 * a * b), -1, 1))
    np.testing.assert_allclose(knee_flexion(walk)[:, 0], np.pi - inner, atol=1e-6)


def test_a_snap_raises_the_acceleration_of_the_knees_in_evaluate(walk):
    bad = walk
    for frame in (20, 35, 50, 65):
        bad = snapped(bad, frame, np.radians(14))
    assert np.degrees(knee_acceleration(bad)).max() > 14 * 900 > np.degrees(knee_acceleration(walk)).max()
    report = evaluate_clips([bad], [walk]).reports[0]
    assert report.values["knee acceleration"].ratio > 1.5
    assert np.degrees(knee_change(walk, bad)) == pytest.approx(14, abs=0.5)


def test_cleaning_leaves_the_knees_of_a_walk_alone(walk):
    """A foot that slides a little is pinned; knees stay within 3 degrees and are no more sudden than before."""
    slide = walk.root + 0.02 * np.sin(np.arange(len(walk)) / 9)[:, None] * [0, 0, 1.0]
    loose = replace(walk, root=slide)
    cleaned, report = remove_skate(loose)
    assert report.slid_after < 0.2 * report.slid_before
    assert np.degrees(report.knees) < 3
    worst = [np.quantile(knee_acceleration(c), 0.99) for c in (loose, cleaned)]
    assert worst[1] < 1.1 * worst[0]


@pytest.mark.parametrize("name", ["16_15", "35_02", "69_01"])
def test_cleaned_captures_roll_over_the_ball_of_the_foot(mocap, name):
    from motionloom.io import load

    clip = load(mocap / "cmu" / f"{name}.bvh", trim_tpose=True)
    cleaned, report = remove_skate(clip)
    assert np.degrees(report.knees) < 4
    worst = [np.quantile(knee_acceleration(resample(c, 30)), 0.99) for c in (clip, cleaned)]
    assert worst[1] < 1.15 * worst[0]


def test_check_finds_a_knee_that_bends_suddenly(walk):
    from motionloom.evaluate.capture_checks.knees_and_elbows import sudden_knee_findings

    assert not sudden_knee_findings(walk)
    (found, *_) = sudden_knee_findings(snapped(walk, 45, np.radians(35)))
    assert found.kind == "sudden knee"
    assert found.start in (44, 45, 46)


def test_check_finds_the_knee_of_16_17(mocap):
    from motionloom.evaluate.capture_checks.knees_and_elbows import sudden_knee_findings
    from motionloom.io import load

    found = sudden_knee_findings(load(mocap / "cmu" / "16_17.bvh", trim_tpose=True))
    assert any(327 <= f.start <= 340 for f in found)
    assert not sudden_knee_findings(load(mocap / "cmu" / "16_15.bvh", trim_tpose=True))
