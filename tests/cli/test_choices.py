"""`motionloom choices` and `motionloom act` on a small model."""

from __future__ import annotations

import pytest

from motionloom import samples
from motionloom.io import load, save
from motionloom.methods import learn, save_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("choices")
    clips = [samples.make("walk", seed=s, turn=t, seconds=4) for s, t in ((0, 0.0), (1, 0.8), (2, -0.8))]
    for k, clip in enumerate(clips):
        save(clip, path / f"walk{k}.bvh")
    save_model(learn("two-level-graph", [load(path / f"walk{k}.bvh") for k in range(3)]), path / "g.loom")
    save_model(learn("cuts", clips[:1]), path / "cuts.loom")
    return path


def test_choices_are_listed_and_drawn(run, folder):
    done = run("choices", folder / "g.loom", "--picture", folder / "c.png")
    assert done.code == 0
    assert "likely" in done.out
    assert (folder / "c.png").stat().st_size > 20_000


def test_a_person_can_drive(run, folder):
    first = run("choices", folder / "g.loom", "--json").json
    assert first["followed"] == []
    then = run("choices", folder / "g.loom", "--at", first["at"], "--follow", "0", "--json").json
    last = str(len(then["choices"]) - 1)
    follow = ("--follow", f"0, {last}")
    done = run("choices", folder / "g.loom", "--at", first["at"], *follow, "-o", folder / "o.bvh", "--json")
    assert done.code == 0
    assert done.json["followed"] == ["0", last]
    assert len(load(folder / "o.bvh")) > 30


def test_wrong_frames_and_models_are_refused(run, folder):
    assert "clip#frame" in run("choices", folder / "g.loom", "--at", "nonsense").err
    assert "expected a model of two-level-graph, found one of cuts" in run("choices", folder / "cuts.loom").err
    done = run("choices", folder / "g.loom", "-o", folder / "x.bvh")
    assert done.code == 2
    assert "--follow" in done.err


def test_a_performance_is_acted_out_by_poses_and_by_silhouettes(run, folder):
    poses = run("act", folder / "g.loom", folder / "walk1.bvh", "-o", folder / "a.bvh", "--json")
    assert poses.code == 0
    assert poses.json["apart_cm"] < 2
    assert poses.json["view_degrees"] is None
    seen = run("act", folder / "g.loom", folder / "walk1.bvh", "-o", folder / "b.bvh", "--silhouettes", "--json")
    assert seen.code == 0
    assert round(seen.json["view_degrees"]) in (40, 60)  # the camera stands at 50
    assert abs(len(load(folder / "b.bvh")) - len(load(folder / "walk1.bvh"))) <= 2
    said = run(
        "act", folder / "g.loom", folder / "walk1.bvh", "-o", folder / "b.bvh", "--silhouettes", "--camera-known"
    )
    assert "the camera is at 50 degrees" in said.out
