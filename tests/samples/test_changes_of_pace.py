"""Natural amplitudes of a walk, and samples that stand, start, stop and change between walk and run."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.fk import fk
from motionloom.samples import make


def within_strides(values: FloatArray, fps: float) -> float:
    """Median range of a curve in windows of 1.1 s, its trend removed."""
    count = round(1.1 * fps)
    at = np.arange(count)
    out = []
    for start in range(0, len(values) - count, count // 4):
        piece = values[start : start + count]
        out.append(np.ptp(piece - np.polyval(np.polyfit(at, piece, 1), at)))
    return float(np.median(out))


def turn(clip: Clip, part: str) -> FloatArray:
    places = fk(clip)
    line = places[:, clip.skeleton.joint(f"left_{part}")] - places[:, clip.skeleton.joint(f"right_{part}")]
    return np.degrees(np.unwrap(np.arctan2(-line[:, 2], line[:, 0])))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_walker_does_not_glide(seed: int) -> None:
    clip = make("walk", seed=seed)
    assert 3.4 < 100 * within_strides(clip.root[:, 1], clip.fps) < 4.7
    assert 8 < within_strides(turn(clip, "upper_arm"), clip.fps) < 12
    assert 7 < within_strides(turn(clip, "thigh"), clip.fps) < 11


def speed(clip: Clip) -> FloatArray:
    """Speed over the ground, averaged over half a second."""
    wide = round(0.5 * clip.fps)
    return np.linalg.norm(clip.root[wide:, [0, 2]] - clip.root[:-wide, [0, 2]], axis=1) * clip.fps / wide


@pytest.mark.parametrize("style", ["normal", "tired"])
@pytest.mark.parametrize("foot", ["left", "right"])
def test_start_and_stop_stand_and_walk(foot: str, style: str) -> None:
    begins, ends = (make(name, seed=5, speed=1.2, foot=foot, style=style) for name in ("start", "stop"))
    for clip, still, goes in ((begins, slice(0, 15), slice(-60, None)), (ends, slice(-15, None), slice(0, 60))):
        assert speed(clip)[still].max() < 0.1
        assert speed(clip)[goes].mean() == pytest.approx(1.2, abs=0.12)
        assert clip.label("stand")[still].all()
        assert clip.label("walk")[goes].all()
    first = [int(np.argmin(begins.label(f"contact:{side}_heel"))) for side in ("left", "right")]
    assert (first[0] < first[1]) == (foot == "left")
    place = fk(ends)[-1]
    feet = [place[ends.skeleton.joint(f"{side}_foot")] for side in ("left", "right")]
    assert np.linalg.norm(feet[0] - feet[1]) < 0.35  # side by side


def test_walk_run_runs_in_the_middle_only() -> None:
    clip = make("walk_run", seed=6, walk=1.4, run=3.2)
    wide = round(0.25 * clip.fps)
    pace = speed(clip)
    runs = clip.label("run")[wide:-wide]
    assert pace[runs].max() == pytest.approx(3.2, abs=0.2)
    assert pace[~runs].max() < 2.3
    assert np.flatnonzero(np.diff(clip.label("run").astype(int))).size == 2
    contacts = [n for n in clip.label_names if n.startswith("contact:")]
    flies = ~np.any([clip.label(n) for n in contacts], axis=0)
    assert flies[clip.label("run")].mean() > 2 * flies[clip.label("walk")].mean()
    falls = np.diff(clip.root[:, 1], 2) * clip.fps**2
    assert falls.min() > -20  # no snap where the gaits meet
    assert falls.max() < 30


def test_idle_shifts_its_weight_and_stand_keeps_its_feet() -> None:
    waits, stands = make("idle", seed=7), make("stand", seed=7)
    assert np.ptp(waits.root[:, 0]) > 0.06 > np.ptp(stands.root[:, 0])
    places = fk(stands)
    for side in ("left", "right"):
        assert np.ptp(places[:, stands.skeleton.joint(f"{side}_foot")], axis=0).max() < 1e-6
