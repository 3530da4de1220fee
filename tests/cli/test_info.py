"""`motionloom info`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from motionloom.io.digest import file_sha256


def test_one_clip_is_told_in_full_with_a_tree_of_joints(run: Any, folder: Path) -> None:
    answer = run("info", folder / "walk_1.bvh")
    assert answer.code == 0
    for piece in ("60 frames at 30 fps, 2.00 s", "unit m, up y", "contact:left_heel", "from     walk_1.bvh: 60 frames"):
        assert piece in answer.out
    assert "LeftFoot" in answer.out
    assert "left_foot" in answer.out
    assert "└─" in answer.out


def test_a_folder_is_told_in_lines_with_a_total(run: Any, folder: Path) -> None:
    answer = run("info", folder)
    lines = answer.out.splitlines()
    assert lines[0].split()[:3] == ["clip", "frames", "fps"]
    assert [line.split()[0] for line in lines[1:4]] == ["run.bvh", "walk_1.bvh", "walk_2.bvh"]
    assert lines[-1] == "3 clips, 150 frames, 0.1 minutes, 1 kind of skeleton"


def test_wildcards_are_understood(run: Any, folder: Path) -> None:
    assert len(run("info", folder / "walk_*.bvh", "--json").json) == 2


def test_json_holds_the_numbers_with_roles_and_sources(run: Any, folder: Path) -> None:
    (clip,) = run("info", folder / "walk_1.bvh", "--json").json
    assert clip["frames"] == 60
    assert clip["fps"] == pytest.approx(30)
    assert clip["roles"]["left_foot"] == "LeftFoot"
    [source] = clip["sources"]
    assert (source["name"], source["frames"], source["mirrored"]) == ("walk_1.bvh", 60, False)
    assert source["sha256"] == file_sha256(folder / "walk_1.bvh")
    assert clip["travel"] == pytest.approx(2 * 1.4, rel=0.1)


def test_a_broken_file_is_named_and_the_others_are_still_told(run: Any, folder: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.bvh"
    bad.write_text("HIERARCHY\nROOT Hips\n{\n OFFSET 0 0\n")
    answer = run("info", bad, folder / "walk_1.bvh", folder / "walk_2.bvh")
    assert answer.code == 1
    assert "bad.bvh:" in answer.err
    assert "walk_2.bvh" in answer.out
    both = run("info", bad, folder / "walk_1.bvh", "--json").json
    assert "error" in both[1]


def test_many_files_give_the_same_as_one_by_one(run: Any, folder: Path, tmp_path: Path) -> None:
    for k in range(30):
        (tmp_path / f"clip_{k:02d}.bvh").write_bytes((folder / "fast" / "run.bvh").read_bytes())
    found = run("info", tmp_path, "--json").json
    assert [Path(f["path"]).name for f in found] == [f"clip_{k:02d}.bvh" for k in range(30)]
    assert {f["frames"] for f in found} == {30}


def test_overrides_reach_the_reader(run: Any, folder: Path) -> None:
    (clip,) = run("info", folder / "walk_1.bvh", "--json", "--source-fps", 60, "--unit", "cm", "--forget").json
    assert clip["seconds"] == pytest.approx(1.0)
    assert clip["unit"] == pytest.approx(0.01)


def test_a_missing_file_is_one_line_and_exit_1(run: Any) -> None:
    answer = run("info", "nowhere.bvh")
    assert answer.code == 1
    assert answer.err.splitlines() == ["motionloom: no such file: nowhere.bvh"]


def test_a_pattern_without_a_match_is_said_to_match_nothing(run: Any, tmp_path: Path) -> None:
    answer = run("info", tmp_path / "zz*.bvh")
    assert (answer.code, answer.err) == (1, f"motionloom: nothing matches {tmp_path / 'zz*.bvh'}\n")


def test_a_file_of_markers_is_pointed_to_the_command_that_reads_it(run: Any, tmp_path: Path) -> None:
    (tmp_path / "x.c3d").write_bytes(b"")
    answer = run("view", tmp_path / "x.c3d", "-o", tmp_path / "x.png")
    assert "markers, not the motion of a skeleton: `motionloom convert`" in answer.err


def test_no_file_at_all_is_wrong_usage(run: Any) -> None:
    assert run("info").code == 2


def test_all_real_clips_are_told(run: Any, mocap: Path) -> None:
    answer = run("info", mocap, "--json")
    assert answer.code == 0
    assert sum(clip["path"].endswith(".bvh") for clip in answer.json) == 156
    assert sum(clip["path"].endswith(".amc") for clip in answer.json) == 2
    assert all(len(clip["roles"]) > 15 for clip in answer.json if "markers" not in clip)
    assert [len(clip["markers"]) for clip in answer.json if "markers" in clip] == [12]


def test_the_tpose_of_a_real_clip_is_no_part_of_its_turn(run: Any, mocap: Path) -> None:
    (clip,) = mocap.rglob("83_02.bvh")
    (told,) = run("info", clip, "--json").json
    assert abs(told["turn"]) < 0.2  # with the T-pose it was -181 degrees
    assert "(without the T-pose of frame 0)" in run("info", clip).out


def test_markers_show_names_gaps_and_rate(run, tmp_path):
    import numpy as np

    from motionloom.core import Markers
    from motionloom.io import save_markers

    places = np.random.default_rng(0).normal(size=(50, 2, 3))
    places[10:15, 1] = np.nan
    save_markers(Markers(("HEAD", "LTOE"), places, 100.0), tmp_path / "take.trc")
    answer = run("info", tmp_path)
    assert answer.code == 0
    for said in (
        "50 frames at 100 fps",
        "2 markers",
        "1 gaps, 5.0 % of all points, the longest 0.05 s",
        "LTOE (1)",
        "HEAD",
    ):
        assert said in answer.out
    (facts,) = run("info", tmp_path / "take.trc", "--json").json
    assert facts["markers"] == ["HEAD", "LTOE"]
    (tmp_path / "broken.trc").write_text("nothing")
    assert run("info", tmp_path / "broken.trc").code == 1
