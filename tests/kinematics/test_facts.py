"""A clip in a few numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest

from motionloom.core import Clip, Origin, Source, replace
from motionloom.kinematics.root_bone import with_root_bone
from motionloom.kinematics.summary import clip_facts
from motionloom.samples import make


def test_length_travel_speed_and_turn_of_a_tiny_clip(tiny: Clip) -> None:
    f = clip_facts(tiny)
    assert (f.frames, f.fps, f.seconds, f.joints) == (10, 10.0, 1.0, 3)
    assert f.travel == pytest.approx(0.9)  # nine steps of 10 cm
    assert f.speed == pytest.approx(0.9)
    assert f.turn == pytest.approx(0.9)
    assert f.hips == (1.0, 1.0)
    assert f.roles == (("hips", "Hips"), ("spine", "Mid"), ("head", "Top"))


def test_sources_are_counted_and_cuts_between_runs_too(tiny: Clip) -> None:
    which, frames = np.array([0] * 6 + [1] * 4), np.array([0, 1, 2, 7, 8, 9, 0, 1, 2, 3])
    origin = Origin(sources=(Source("a"), Source("b")), which=which, frames=frames)
    f = clip_facts(replace(tiny, origin=origin))
    assert f.sources == ((Source("a"), 6, ()), (Source("b"), 4, ()))
    assert f.cuts == 2


def test_facts_are_plain_values_for_json(tiny: Clip) -> None:
    out = json.loads(json.dumps(clip_facts(tiny).as_dict()))
    assert out["roles"]["head"] == "Top"
    assert out["seconds"] == 1.0


def test_a_tpose_in_front_counts_as_a_frame_but_not_as_motion(tiny: Clip) -> None:
    away = replace(tiny, root=np.concatenate([tiny.root[:1] - [0.0, 0.5, 7.0], tiny.root[1:]]))
    f = clip_facts(away, skip=1)
    assert (f.frames, f.skipped) == (10, 1)
    assert (f.travel, f.turn) == (pytest.approx(0.8), pytest.approx(0.8))
    assert f.speed == pytest.approx(0.8 / 0.9)
    assert f.hips == (1.0, 1.0)


def test_the_hips_below_a_root_bone_are_those_of_the_body() -> None:
    walk = make("walk", seconds=1)
    np.testing.assert_allclose(clip_facts(with_root_bone(walk)).hips, clip_facts(walk).hips)
