"""`motionloom textons` on a small model."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom import samples
from motionloom.core import replace
from motionloom.io import load, save
from motionloom.methods import learn, save_model
from motionloom.rotation import angle_between


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
    assert "can follow each other without end" in done.out


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
    assert "expected a model of textons, found one of cuts" in done.err


def test_what_cannot_be_learnt_is_said(run, tmp_path):
    walk = samples.make("walk", seconds=3)
    clips = {"short": walk[:70], "walk": walk}
    still = np.repeat(walk.root[:1], len(walk), 0), np.repeat(walk.rotations[:1], len(walk), 0)
    clips["still"] = replace(walk, root=still[0], rotations=still[1])
    for name, clip in clips.items():
        save(clip, tmp_path / f"{name}.bvh")
    for name, options, said in (
        ("short", (), "short.bvh lasts 1.17 s; textons of at least 1 s need clips of at least 2 s"),
        ("still", (), "nothing moves in these clips: there is no dynamics to learn"),
        (
            "walk",
            ("--textons", "50"),
            "50 textons were requested, but these clips contain at most 3 segments",
        ),
    ):
        done = run("learn", "textons", tmp_path / f"{name}.bvh", *options, "-o", tmp_path / "x.loom")
        assert done.code == 2
        assert said in " ".join(done.err.split())
    assert not (tmp_path / "x.loom").exists()


def test_a_channel_that_never_changes_keeps_its_value(run, tmp_path):
    walk = samples.make("walk", seconds=4)
    elbow = walk.skeleton.find("left_forearm")
    rotations = walk.rotations.copy()
    rotations[:, elbow] = rotations[0, elbow]
    save(replace(walk, rotations=rotations), tmp_path / "stiff.bvh")
    assert run("learn", "textons", tmp_path / "stiff.bvh", "-o", tmp_path / "stiff.loom").code == 0
    made = tmp_path / "made.bvh"
    assert run("synthesize", tmp_path / "stiff.loom", "-r", "{seconds: 2}", "-o", made).code == 0
    assert angle_between(load(made).rotations[:, elbow], rotations[0, elbow]).max() < 1e-3


def test_an_earlier_name_in_a_request_is_noted_once(run, model, tmp_path):
    asked = "{seconds: 2, options: {push: observed}}"
    answer = run("synthesize", model, "-r", asked, "-o", tmp_path / "x.bvh")
    assert answer.err.count("'push' is now called 'drive'") == 1
