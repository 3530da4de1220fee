"""`motionloom variation`: the table, JSON and pictures of a model."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.methods import learn, save_model
from motionloom.methods.variation import Config, fit
from motionloom.samples import make


@pytest.fixture(scope="module")
def letter(tmp_path_factory):
    """A model of four pen strokes."""
    path = tmp_path_factory.mktemp("models") / "letter.loom"
    strokes = [make("stroke", seed=s) for s in range(4)]
    save_model(fit(strokes, Config(fps=None, rounds=1), rng=np.random.default_rng(0)), path)
    return path


def test_nodes_are_listed_with_their_range_and_parents(letter):
    done = CliRunner().invoke(app, ["variation", str(letter)])
    assert done.exit_code == 0
    assert "root.height" in done.output
    told = json.loads(CliRunner().invoke(app, ["variation", str(letter), "--json"]).output)
    assert [node["name"] for node in told["nodes"]] == ["root.x", "root.height"]
    assert [node["unit"] for node in told["nodes"]] == ["m", "m"]
    assert len(told["takes"]) == 4
    assert set(told["scores"]) == {"prior", "transition"}


def test_pictures_show_takes_variants_and_networks(letter, tmp_path):
    pytest.importorskip("matplotlib")
    done = CliRunner().invoke(app, ["variation", str(letter), "-o", str(tmp_path / "pictures")])
    assert done.exit_code == 0
    assert {p.name for p in (tmp_path / "pictures").iterdir()} == {"curves.png", "networks.png"}


def test_a_model_of_another_method_is_refused(tmp_path):
    save_model(learn("cuts", [make("walk", seconds=2)]), tmp_path / "cuts.loom")
    done = CliRunner().invoke(app, ["variation", str(tmp_path / "cuts.loom")])
    assert done.exit_code != 0
