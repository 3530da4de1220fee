"""Gaits found in clips, and graphs that are asked for them by style."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Request
from motionloom.core import Clip
from motionloom.kinematics.gait_recognition import gait_labels, labelled, with_gait_labels
from motionloom.kinematics.pace import standing
from motionloom.methods.learning import learn
from motionloom.methods.synthesis import attempt
from motionloom.samples import make


def without_labels(clip: Clip) -> Clip:
    return Clip(clip.skeleton, clip.root, clip.rotations, clip.fps, origin=clip.origin)


@pytest.mark.parametrize(
    ("sample", "shown", "never"),
    [
        ("stand", {"stand", "idle"}, {"walk", "run", "start", "stop"}),
        ("walk", {"walk"}, {"stand", "run", "start", "stop"}),
        ("run", {"run"}, {"stand", "walk", "start", "stop"}),
        ("start", {"stand", "start", "walk"}, {"stop", "run"}),
        ("stop", {"stand", "stop", "walk"}, {"start", "run"}),
        ("walk_run", {"walk", "run"}, {"stand", "start", "stop"}),
    ],
)
def test_the_gaits_of_samples_are_found(sample, shown, never):
    found = gait_labels(without_labels(make(sample, seed=1)))
    assert {name for name in shown if found[name].sum() > 10} == shown
    assert not any(found[name].any() for name in never)


def test_a_start_leads_from_standing_to_walking():
    clip = without_labels(make("start", seed=1))
    found = gait_labels(clip)
    on = np.flatnonzero(found["start"])
    assert found["stand"][on[0] - 1]
    assert found["walk"][on[-1] + 1]
    assert len(on) < 1.5 * clip.fps


def test_labels_of_the_clips_come_first():
    walk, run = make("walk", seed=1), without_labels(make("run", seed=2))
    first, second = with_gait_labels([walk, run])  # the sample carries the label walk
    assert "gait:walk" not in first.label_names
    assert labelled(first, "walk").all()
    assert labelled(second, "run").mean() > 0.9


def test_gaits_of_captured_clips(mocap):
    from motionloom.io import load

    found = gait_labels(load(mocap / "cmu" / "143_04.bvh", fps=60, trim_tpose=True))
    assert [bool(found[name].any()) for name in ("stand", "idle", "start", "stop", "run")] == [True] * 5
    walk = gait_labels(load(mocap / "cmu" / "35_01.bvh", trim_tpose=True))
    assert walk["walk"].all()


def test_a_graph_shows_gaits_that_nobody_labelled():
    names = (("start", 1), ("start", 2), ("stop", 3), ("stop", 4), ("walk", 5), ("stand", 6))
    clips = [without_labels(make(name, seed=seed, fps=30)) for name, seed in names]
    model = learn("motion-graph", clips)
    assert any("gaits found" in note.text for note in model.notes)
    text = "{seconds: 8, constraints: [{style: {label: stand, span: [0, 1]}}, {style: {label: walk, span: [4, 8]}}]}"
    made = attempt(model, Request.from_yaml(text), seed=1)
    assert made.met, made.reason
    assert made.clip is not None
    assert standing(made.clip)[:20].all()
    assert not standing(made.clip)[130:].any()
    unknown = attempt(model, Request.from_yaml("{seconds: 4, constraints: [{style: {label: skip}}]}"))
    assert "found in them: " in unknown.reason
