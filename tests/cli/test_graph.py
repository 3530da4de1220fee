"""`motionloom graph` on a small model."""

from __future__ import annotations

import json

import pytest

from motionloom import samples
from motionloom.methods import learn, save_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "walks.loom"
    clips = [samples.make("walk", seed=s, turn=t, seconds=4) for s, t in ((0, 0.0), (1, 0.6))]
    save_model(learn("motion-graph", clips), path)
    return path


def test_a_graph_is_told_in_numbers_and_sentences(run, model):
    done = run("graph", model)
    assert done.code == 0
    assert "% of the frames are strongly connected" in done.out
    assert "sharp left" in done.out
    assert "no right turn of 30 degrees a second or more" in done.out
    assert "walk" in done.out


def test_json_has_the_same(run, model):
    facts = json.loads(run("graph", model, "--json").out)
    assert facts["transitions"] > 0
    assert facts["labels"][0]["name"] == "walk"
    assert "no standing frames" in facts["coverage"]["sentences"]


def test_a_picture_is_drawn(run, model, tmp_path):
    pytest.importorskip("matplotlib")
    assert run("graph", model, "-o", tmp_path / "can.png").code == 0
    assert (tmp_path / "can.png").read_bytes()[:4] == b"\x89PNG"


def test_a_model_without_a_graph_is_refused(run, tmp_path):
    save_model(learn("cuts", [samples.make("walk", seconds=4)]), tmp_path / "cuts.loom")
    done = run("graph", tmp_path / "cuts.loom")
    assert done.code == 2
    assert "a cuts model has none" in done.err
