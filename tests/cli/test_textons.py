"""`motionloom textons` on a small model."""

from __future__ import annotations

import pytest

from motionloom import samples
from motionloom.methods import learn, save_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("textons") / "dance.loom"
    config = {"fps": 30.0, "shortest": 0.5}
    save_model(learn("textons", [samples.make("dance", seconds=8, seed=0)], config), path)
    return path


def test_textons_are_listed_with_their_numbers(run, model):
    done = run("textons", model)
    assert done.code == 0
    assert "fit error" in done.out
    assert "can follow each other for ever" in done.out


def test_textons_as_json_and_as_a_picture(run, model, tmp_path):
    done = run("textons", model, "--json", "-o", tmp_path / "t.png")
    rows = done.json["textons"]
    assert sum(r["segments"] for r in rows) >= len(rows) >= 1
    assert (tmp_path / "t.png").stat().st_size > 5000


def test_a_model_of_another_method_is_refused(run, tmp_path):
    save_model(learn("cuts", [samples.make("walk", seconds=4)]), tmp_path / "m.loom")
    done = run("textons", tmp_path / "m.loom")
    assert done.code == 2
    assert "learned with cuts, not with textons" in done.err
