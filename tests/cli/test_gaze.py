"""`motionloom learn gaze`, `gaze` and `gaze-map`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from motionloom.io import load, save, save_markers
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take


@pytest.fixture(scope="module")
def folder(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("gaze")
    (here / "takes").mkdir()
    rows = ["file,yaw,pitch"]
    for k, target in enumerate([(yaw, pitch) for yaw in (-1.2, 1.2) for pitch in (-0.2, 0.2)]):
        take = make_take(target, seed=k, fps=30, before=0.6, after=0.7, noise=1e-4)
        save_markers(take.markers, here / "takes" / f"take_{k}.csv")
        rows.append(f"take_{k}.csv,{math.degrees(target[0])},{math.degrees(target[1])}")
    (here / "takes" / "targets.csv").write_text("\n".join(rows))
    save(make("walk", seconds=2.5, fps=30), here / "walk.bvh")
    answer = run("learn", "gaze", here / "takes", "-o", here / "me.loom", "--json")
    assert answer.code == 0, answer.err
    assert [source["of"] for source in answer.json["sources"]] == ["file"] * 4
    return here


LOOK = "{constraints: [look_at: {target: [2, 1.5, 3], span: [1.4, 1.8]}]}"


def test_a_map_is_applied_and_the_result_made_again_even_without_the_map(
    run: Any, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.bvh"
    answer = run(
        "gaze", folder / "me.loom", folder / "walk.bvh", "-r", LOOK, "-o", out, "--speed", 0.9, "--json", "--picture"
    )
    assert answer.code == 0, answer.err
    assert out.with_suffix(".png").stat().st_size > 5_000
    assert answer.json["residuals"][0]["worst"] < 1e-6
    assert len(load(out)) == answer.json["frames"]
    (folder / "me.loom").rename(tmp_path / "away.loom")
    again = run("again", out, "--sources", folder, "-o", tmp_path / "same.bvh")
    (tmp_path / "away.loom").rename(folder / "me.loom")
    assert again.code == 0, again.err
    assert out.read_bytes() == (tmp_path / "same.bvh").read_bytes()


def test_objects_that_the_clip_comes_near_to_are_looked_at(run: Any, folder: Path, tmp_path: Path) -> None:
    table, out = tmp_path / "objects.csv", tmp_path / "out.bvh"
    table.write_text("name,x,y,z\ndoor,1.0,1.2,2.2\nmoon,90,50,0\n")
    walk, given = folder / "walk.bvh", ("--objects", table, "--within", 2, "-o", out)
    answer = run("gaze", folder / "me.loom", walk, *given, "--json")
    assert answer.code == 0, answer.err
    assert answer.json["residuals"][0]["worst"] < 0.06
    again = run("again", out, "--sources", folder, "-o", tmp_path / "same.bvh")
    assert again.code == 0, again.err
    assert out.read_bytes() == (tmp_path / "same.bvh").read_bytes()
    table.write_text("name,x,y,z\ndoor,1.0,1.2,1.2\nlamp,-1.0,2.0,3.4\n")  # the gaze is handed over
    answer = run("gaze", folder / "me.loom", walk, *given, "--force", "--json")
    assert [row["met"] for row in answer.json["residuals"]] == [True, True], answer.json["residuals"]
    table.write_text("name,x,y\ndoor,1,2\n")
    assert "missing z" in run("gaze", folder / "me.loom", walk, *given, "--force").err


def test_a_table_of_targets_stands_for_its_takes(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("learn", "gaze", folder / "takes" / "targets.csv", "-o", tmp_path / "me.loom")
    assert answer.code == 0, answer.err
    assert "gaze from 4 takes" in answer.out


def test_a_map_is_listed_and_changed(run: Any, folder: Path, tmp_path: Path) -> None:
    calm = tmp_path / "calm.loom"
    answer = run("gaze-map", folder / "me.loom", "--strength", 0.5, "-o", calm, "--picture", tmp_path / "map.png")
    assert answer.code == 0, answer.err
    assert "a gaze map of 4 examples" in answer.out
    assert (tmp_path / "map.png").stat().st_size > 1000
    before, after = (run("gaze-map", path, "--json").json["examples"] for path in (folder / "me.loom", calm))
    assert after[0]["turns_deg"][3] == pytest.approx(before[0]["turns_deg"][3] / 2, abs=0.02)
    assert run("gaze-map", folder / "me.loom", "--strength", 0.5).code == 2
    assert run("gaze-map", folder / "me.loom", "--shares", "1,2").code == 2


def test_a_look_that_is_missed_writes_nothing_without_best(run: Any, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    behind = "{options: {cone: 60deg}, constraints: [look_at: {target: [0, 1.5, -9], span: [1.4, 1.8]}]}"
    answer = run("gaze", folder / "me.loom", folder / "walk.bvh", "-r", behind, "-o", out)
    assert (answer.code, out.exists()) == (1, False)
    assert run("gaze", folder / "me.loom", folder / "walk.bvh", "-r", behind, "-o", out, "--best").code == 1
    assert out.exists()


def test_mistakes_are_explained(run: Any, folder: Path, tmp_path: Path) -> None:
    (folder / "no.loom").write_text("{}")
    for given, message in (
        (("gaze", folder / "no.loom", folder / "walk.bvh", "-o", tmp_path / "o.bvh", "--along", 2), "not a model file"),
        (("gaze", folder / "me.loom", folder / "walk.bvh", "-o", tmp_path / "o.bvh"), "nothing to look at"),
        (("learn", "gaze", folder / "none.csv", "-o", tmp_path / "m.loom"), "none.csv"),
        (("learn", "cuts", folder / "takes" / "take_0.csv", "-o", tmp_path / "m.loom"), "take_0.csv"),
    ):
        answer = run(*given)
        assert answer.code in (1, 2)
        assert message in answer.err
