"""Origins of recorded characters with layers: an action or a gaze is a body part with sources of its own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motionloom.blend.splice import splice
from motionloom.blend.splice.tables import pair_table, splice_table
from motionloom.control import Playback, SpliceLayer, foot_locked, record, run
from motionloom.control.layered import layered
from motionloom.control.record import record_rows
from motionloom.core import Origin, replace
from motionloom.core.poses import commands
from motionloom.methods.layer_sources import split_parts
from motionloom.methods.live import BodyPart
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk():
    return make("walk", turn=0.5, seconds=3, seed=1, fps=30)


@pytest.fixture(scope="module")
def table():
    box, cup = make("carry", seconds=5, seed=2, fps=30), make("carry", thing="cup", seconds=5, seed=3, fps=30)
    return splice_table({"box": box, "cup": cup}, make("walk", seconds=5, seed=9, fps=30))


def played(live, steer, clip):
    return record(live, run(live, live.begin([0]), steer, [1 / clip.fps] * len(clip)), clip.fps)


def test_a_live_splice_has_the_sources_of_the_offline_one(walk):
    made = splice(make("carry", seconds=5, seed=2, fps=30), walk)
    live = layered(Playback(walk, clip_phase=True), SpliceLayer(pair_table(made, walk), memory=np.inf))
    found, expected = played(foot_locked(live), commands(overlay=0), walk).origin, made.clip.origin
    assert (found.sources, found.parts) == (expected.sources, expected.parts)
    for part in range(2):
        for ours, theirs in zip(found.main(part), expected.main(part), strict=True):
            assert_allclose(ours, theirs, atol=1e-6)


def test_the_shares_of_actions_follow_their_fades(walk, table):
    steer = lambda time, poses: commands(overlay=-1 if time < 0.7 or time > 2.2 else 0)
    origin = played(layered(Playback(walk), SpliceLayer(table)), steer, walk).origin
    lower, upper = (origin.weights[:, part] * (origin.which[:, part] == 0) for part in range(2))
    assert_array_equal(lower.sum(1), 1.0)  # the legs are always the walk's
    assert_array_equal(upper.sum(1)[[0, 10, 45, -5]], [1.0, 1.0, 0.0, 1.0])
    fading = upper.sum(1)[21:32]
    assert (np.diff(fading) <= 0).all()
    assert fading[0] > 0.9 > 0.1 > fading[-1]
    assert_allclose(origin.weights.sum(2), 1.0)


def test_a_gaze_is_computed_from_the_takes_of_its_map(walk, models):
    live = layered(Playback(walk), models["gaze"].layer(walk))
    steer = lambda time, poses: commands(look=[np.nan] * 3 if time < 1 else [5.0, 1.5, 0.0])
    origin = played(live, steer, walk).origin
    assert origin.parts == ("body", "gaze")
    assert origin.sources[1:] == tuple(take.source for take in models["gaze"].sources)
    takes = origin.which >= 1
    assert not takes[:, 0].any()
    assert not takes[:29, 1].any()
    assert takes[40:, 1].any(1).all()
    assert (origin.frames[takes] == -1).all()  # as a whole


def test_an_action_of_unknown_origin_is_not_credited_to_the_method_below(walk):
    carry = make("carry", seconds=5, seed=2, fps=30)
    unknown = splice_table({"box": replace(carry, origin=Origin())}, make("walk", seconds=5, seed=9, fps=30))
    origin = played(layered(Playback(walk), SpliceLayer(unknown)), commands(overlay=0), walk).origin
    assert (origin.which[:, 0].max(1) == 0).all()
    assert (origin.which[:, 1] == -1).all()


def test_layers_split_parts_further():
    body = (BodyPart("body", (0, 1, 2, 3)),)
    spliced = split_parts(body, (2, 3), ("lower", "upper"))
    both = split_parts(spliced.parts, (3,), ("body", "gaze"))
    assert [part.name for part in both.parts] == ["lower", "upper", "gaze"]
    assert both.below == (0, 1, 1)
    assert both.changed == (False, False, True)
    joints = tuple(BodyPart(f"joint {j}", (j,)) for j in range(4))
    assert split_parts(joints, (2, 3), ("lower", "upper")).parts == joints


def test_a_crowd_is_recorded_in_one_pass(walk, monkeypatch):
    live = Playback(walk)
    calls = []
    original = Playback.sources
    monkeypatch.setattr(Playback, "sources", lambda self, state: calls.append(1) or original(self, state))
    steps = list(run(live, live.begin([0, 1, 2]), commands(), [1 / 30] * 20))
    clips = record_rows(live, iter(steps), 30.0)
    assert len(clips) == 3
    assert len(calls) == 1  # all steps and characters at once
    for row, clip in enumerate(clips):
        alone = record(live, steps, 30.0, row=row)
        assert_array_equal(clip.root, alone.root)
        assert_array_equal(clip.origin.frames, alone.origin.frames)
