"""Learning leaves out what `check` calls broken, and says so."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom import samples
from motionloom.core import BadRequest, Clip, replace
from motionloom.methods import learn, prepare
from motionloom.rotation import exp, multiply


@pytest.fixture(scope="module")
def spoilt() -> Clip:
    walk = samples.make("walk", seed=1)
    rotations = walk.rotations.copy()
    j = walk.skeleton.joint("left_forearm")
    rotations[100:103, j] = multiply(rotations[100:103, j], exp([1.4, 0, 0]))
    return replace(walk, rotations=rotations)


def test_a_clip_with_broken_frames_becomes_two(spoilt):
    ready = prepare([spoilt, samples.make("walk", seed=2)], spoilt.fps)
    assert [len(c) for c in ready.clips] == [100, len(spoilt) - 103, 360]
    assert ready.owners == (0, 0, 1)
    assert "3 broken frames left out" in str(ready.notes[0])


def test_a_clip_of_which_nothing_is_left_is_named(spoilt):
    """Its name once stood beside a number of frames alone: that these were all had to be guessed."""
    ready = prepare([spoilt[80:120], samples.make("walk", seed=2)], spoilt.fps)
    assert ready.owners == (1,)
    assert str(ready.notes[-1]).startswith(
        "warning: sample:walk: all frames left out: broken, or in pieces under 0.5 s"
    )


@pytest.mark.parametrize(
    ("broken", "left"), [(slice(100, 103), [94, 251]), (slice(0, 3), [351]), (slice(357, 360), [351])]
)
def test_frames_near_broken_ones_can_be_spared_too_wherever_they_are(spoilt, broken, left):
    walk = samples.make("walk", seed=1)
    rotations = walk.rotations.copy()
    j = walk.skeleton.joint("left_forearm")
    rotations[broken, j] = multiply(rotations[broken, j], exp([1.4, 0, 0]))
    ready = prepare([replace(walk, rotations=rotations)], walk.fps, margin=0.1)
    assert [len(c) for c in ready.clips] == left  # six frames more on either side
    assert f"{len(walk) - sum(left)} broken frames left out" in str(ready.notes[0])
    assert "within 0.1 s" in str(ready.notes[0])
    assert prepare([walk], walk.fps, margin=0.1).clips[0] is walk


def test_a_method_that_wants_whole_clips_gets_them_mended(spoilt):
    ready = prepare([spoilt], spoilt.fps, broken="mend")
    assert [len(c) for c in ready.clips] == [len(spoilt)]
    assert "1 glitch mended" in str(ready.notes[0])
    assert prepare([spoilt], spoilt.fps, broken="keep").clips[0] is spoilt


def test_a_model_says_what_it_left_out_and_counts_what_it_used(spoilt):
    model = learn("cuts", [spoilt])
    assert any("broken frames left out" in str(note) for note in model.notes)
    assert len(model.sources) == 1
    assert model.sources[0].frames < len(spoilt) / 2


def test_clips_that_are_broken_throughout_are_refused(spoilt):
    rng = np.random.default_rng(0)
    mess = replace(spoilt, rotations=multiply(spoilt.rotations, exp(rng.normal(size=(*spoilt.rotations.shape[:2], 3)))))
    with pytest.raises(BadRequest, match="all frames of sample:walk are broken"):
        prepare([mess], spoilt.fps)
