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


def test_textons_as_json_and_as_pictures(run, model, tmp_path):
    done = run("textons", model, "--json", "--segments", "-o", tmp_path / "pictures")
    rows = done.json["textons"]
    assert sum(r["segments"] for r in rows) >= len(rows) >= 1
    assert len(done.json["segments"]) == sum(r["segments"] for r in rows)
    assert {p.name for p in (tmp_path / "pictures").iterdir()} == {
        f"{name}.png" for name in ("segments", "transitions", "graph", "curves", "spectra")
    }
    assert all(p.stat().st_size > 3000 for p in (tmp_path / "pictures").iterdir())


def test_a_path_is_checked_and_says_how_it_may_be_changed(run, model):
    rows = run("textons", model, "--json").json["textons"]
    a = next(r for r in rows if 0 < len(r["next"]) < len(rows))
    good = f"{a['texton']} {a['next'][0]}"
    done = run("textons", model, "--path", good)
    assert done.code == 0
    assert "may be swapped for" in done.out
    assert [e["texton"] for e in run("textons", model, "--path", good, "--json").json["path"]] == [
        a["texton"],
        a["next"][0],
    ]
    never = next(i for i in range(len(rows)) if i not in a["next"])
    done = run("textons", model, "--path", f"{a['texton']}, {never}")
    assert done.code != 0
    assert f"texton {a['texton']} was never followed by texton {never}" in done.err


def test_a_written_path_is_synthesized_and_said(run, model, tmp_path):
    rows = run("textons", model, "--json").json["textons"]
    a = next(r for r in rows if 0 < len(r["next"]) < len(rows))
    path = f"[{a['texton']}#0, {a['next'][0]}#0]"
    done = run("synthesize", model, "-r", f"{{options: {{path: {path}}}}}", "-o", tmp_path / "a.bvh")
    assert done.code == 0
    assert f"path: {path}" in done.out
    never = next(i for i in range(len(rows)) if i not in a["next"])
    done = run("synthesize", model, "-r", f"{{options: {{path: [{a['texton']}, {never}]}}}}", "-o", tmp_path / "b.bvh")
    assert done.code == 1
    assert "was never followed by" in done.err
    assert not (tmp_path / "b.bvh").exists()


def test_a_model_of_another_method_is_refused(run, tmp_path):
    save_model(learn("cuts", [samples.make("walk", seconds=4)]), tmp_path / "m.loom")
    done = run("textons", tmp_path / "m.loom")
    assert done.code == 2
    assert "learned with cuts, not with textons" in done.err
