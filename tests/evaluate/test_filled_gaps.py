"""Gaps filled by what similar frames do: near where takes recur, no worse than interpolation where they do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from motionloom.core import Clip, Skeleton
from motionloom.evaluate.inbetween.fill import Filled, fill_gap
from motionloom.evaluate.inbetween.gaps import hermite, past_frames
from motionloom.io import load
from motionloom.kinematics.fk import fk
from motionloom.methods.prepare_clips import prepare
from motionloom.rotation import exp
from motionloom.samples import make

FPS = 30.0


def errors(clip: Clip, first: int, stop: int, made: Filled) -> tuple[float, float]:
    """Mean distance from the true frames, filled and by Hermite interpolation."""
    past, inside = past_frames(clip.fps), slice(first, stop)
    base = hermite(clip[first - past : stop + 1], stop - first)[past:-1]
    found = [float(np.linalg.norm(fk(c) - fk(clip)[inside], axis=-1).mean()) for c in (made.clip[inside], base)]
    return found[0], found[1]


def restless(skeleton: Skeleton, rng: np.random.Generator) -> Clip:
    """Ten seconds in which every joint turns at random: what happens next cannot be known."""
    curves = gaussian_filter1d(rng.normal(size=(300, len(skeleton), 3)), 5, axis=0)
    root = np.stack([np.zeros(300), np.ones(300), np.zeros(300)], 1)
    return Clip(skeleton, root, exp(2 * curves), FPS)


def test_takes_that_recur_are_followed():
    walk, like = make("walk", seconds=4, fps=30, seed=5), [make("walk", seconds=6, fps=30, seed=k) for k in range(3)]
    made = fill_gap(walk, 45, 75, like)
    filled, base = errors(walk, 45, 75, made)
    assert filled < 0.4 * base
    assert made.weight > 0.8
    assert f"{made.windows} similar windows did" in str(made)


def test_takes_that_do_not_resemble_each_other_have_hardly_any_weight(rng):
    """The mean of the nearest would be farther off than interpolation is."""
    skeleton = make("walk", seconds=1, fps=30).skeleton
    clip, *like = (restless(skeleton, rng) for _ in range(4))
    for first in range(60, 240, 30):
        made = fill_gap(clip, first, first + 15, like)
        filled, base = errors(clip, first, first + 15, made)
        assert made.weight < 0.3
        assert "interpolat" in str(made)
        assert filled < 1.03 * base


def test_without_any_other_frames_the_gap_is_interpolated():
    walk = make("walk", seconds=2, fps=30, seed=0)
    made = fill_gap(walk, 20, 45)
    assert (made.windows, made.weight) == (0, 0.0)
    assert "interpolation" in str(made)
    filled, base = errors(walk, 20, 45, made)
    assert filled == pytest.approx(base)


def test_a_dance_that_hardly_repeats_itself_is_filled_no_worse_than_by_interpolation(mocap):
    """60_05 by its own other frames: the nearest windows alone would be 22 % farther off than interpolation."""
    [clip] = prepare([load(mocap / "cmu" / "60_05.bvh")], FPS, broken="keep").clips
    starts = range(12, len(clip) - 31, 24)
    found = np.array([errors(clip, k, k + 30, fill_gap(clip, k, k + 30)) for k in starts])
    assert len(found) > 10
    assert found[:, 0].mean() < 1.04 * found[:, 1].mean()
