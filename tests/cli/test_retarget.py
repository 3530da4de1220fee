"""`motionloom retarget` on small clips."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom.core import Skeleton
from motionloom.io import load, save
from motionloom.kinematics.retarget import _still
from motionloom.samples import make


@pytest.fixture(scope="module")
def giant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a body of twice the size."""
    body = make("walk", seconds=1, fps=30).skeleton
    ends = tuple((e.joint, tuple(2 * np.array(e.offset)), e.name) for e in body.ends)
    path = tmp_path_factory.mktemp("bodies") / "giant.bvh"
    save(_still(Skeleton(body.names, body.parents, 2 * body.offsets, body.roles, ends)), path, unit="m")
    return path


def test_one_clip_goes_to_another_body(run, folder, giant, tmp_path):
    answer = run("retarget", folder / "walk_1.bvh", "--to", giant, "-o", tmp_path / "big.bvh")
    assert answer.code == 0
    assert "planted feet slide: source" in answer.out
    made = load(tmp_path / "big.bvh")
    assert len(made) == 60


def test_a_folder_keeps_its_sub_folders_and_the_report_is_json(run, folder, giant, tmp_path):
    answer = run("retarget", folder, "--to", giant, "-o", tmp_path / "out", "--json")
    assert answer.code == 0
    assert {Path(r["out"]).relative_to(tmp_path).as_posix() for r in answer.json} == {
        "out/walk_1.bvh",
        "out/walk_2.bvh",
        "out/fast/run.bvh",
    }
    assert all("scale" in r["summary"] for r in answer.json)


def test_four_legs_are_refused_in_one_line(run, folder, tmp_path):
    save(make("dog_walk", seconds=1, fps=30), tmp_path / "dog.bvh")
    answer = run("retarget", folder / "walk_1.bvh", "--to", tmp_path / "dog.bvh")
    assert answer.code == 1
    assert "walks on 2 feet" in answer.err


def test_the_file_still_knows_which_clip_it_came_from(run, folder, giant, tmp_path):
    run("retarget", folder / "walk_1.bvh", "--to", giant, "-o", tmp_path / "big.bvh")
    back = load(tmp_path / "big.bvh").origin
    assert back.sources[0].name == load(folder / "walk_1.bvh").origin.sources[0].name
    assert back.main()[1].tolist() == list(range(60))
    assert any(note.text.startswith("retargeted from walk_1.bvh") for note in back.notes)


def test_a_tpose_in_front_is_said(run, mocap, giant):
    kept = run("retarget", mocap / "cmu" / "16_15.bvh", "--to", giant, "--keep-tpose")
    dropped = run("retarget", mocap / "cmu" / "16_15.bvh", "--to", giant)
    assert "begins with a T-pose, which was kept" in kept.out
    assert "frame 0 is a T-pose: dropped" in dropped.out


def test_planted_feet_are_measured_as_by_clean(run, mocap, giant):
    walk = mocap / "cmu" / "16_15.bvh"
    (report,) = run("retarget", walk, "--to", giant, "--json").json
    (cleaned,) = run("clean", walk, "--json").json
    source, _, result = report["slid"]
    assert source == pytest.approx(cleaned["slid_before"], abs=1.0)
    assert result == pytest.approx(cleaned["slid_after"], abs=0.1)  # a heel that rolls off its toe is not planted
