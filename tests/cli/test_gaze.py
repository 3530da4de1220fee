"""`motionloom learn gaze` and `motionloom gaze`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from motionloom.io import load, save, save_markers
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_take


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("gaze")
    rows = ["file,yaw,pitch"]
    for k, target in enumerate([(yaw, pitch) for yaw in (-1.2, 1.2) for pitch in (-0.2, 0.2)]):
        save_markers(make_take(target, seed=k).markers, here / f"take_{k}.csv")
        rows.append(f"take_{k}.csv,{math.degrees(target[0])},{math.degrees(target[1])}")
    (here / "targets.csv").write_text("\n".join(rows))
    save(make("walk", seconds=2.5, fps=30), here / "walk.bvh")
    return here


def test_a_map_is_learned_and_applied_and_made_again(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("learn", "gaze", folder / "targets.csv", "-o", folder / "me.gaze.json", "--json")
    assert answer.code == 0, answer.err
    assert len(json.loads(answer.out)["takes"]) == 4
    request = "{constraints: [look_at: {target: [2, 1.5, 3], span: [1.4, 1.8]}]}"
    out = tmp_path / "out.bvh"
    answer = run("gaze", folder / "me.gaze.json", folder / "walk.bvh", "-r", request, "-o", out, "--json")
    assert answer.code == 0, answer.err
    summary = json.loads(answer.out)
    assert summary["looks"][0]["worst_deg"] < 0.5
    assert len(load(out)) == summary["frames"]
    again = run("again", out, "--sources", folder, "-o", tmp_path / "same.bvh")
    assert again.code == 0, again.err
    assert out.read_bytes() == (tmp_path / "same.bvh").read_bytes()


def test_mistakes_are_explained(run: Any, folder: Path, tmp_path: Path) -> None:
    (folder / "no.json").write_text("{}")
    for given, message in (
        (("gaze", folder / "no.json", folder / "walk.bvh", "-o", tmp_path / "o.bvh", "--along", 2), "not a gaze map"),
        (("learn", "gaze", folder / "none.csv", "-o", tmp_path / "m.json"), "none.csv"),
    ):
        answer = run(*given)
        assert answer.code in (1, 2)
        assert message in answer.err
