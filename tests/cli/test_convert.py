"""`motionloom convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from motionloom.io import load
from motionloom.kinematics.forward import fk


def test_a_file_goes_to_a_file_with_the_same_motion(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("convert", folder / "walk_1.bvh", tmp_path / "copy.bvh")
    assert answer.code == 0
    assert "copy.bvh: 60 frames" in answer.out
    assert np.abs(fk(load(tmp_path / "copy.bvh")) - fk(load(folder / "walk_1.bvh"))).max() < 1e-5


def test_a_folder_goes_to_a_folder_and_keeps_its_folders(run: Any, folder: Path, tmp_path: Path) -> None:
    assert run("convert", folder, tmp_path / "out", "--resample", 15).code == 0
    assert {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.bvh")} == {
        "walk_1.bvh",
        "walk_2.bvh",
        "fast/run.bvh",
    }
    assert load(tmp_path / "out" / "walk_1.bvh").fps == 15


def test_unit_and_up_axis_can_be_changed_on_the_way(run: Any, folder: Path, tmp_path: Path) -> None:
    assert run("convert", folder / "walk_1.bvh", tmp_path / "z.bvh", "--to-unit", "cm", "--to-up", "z").code == 0
    back = load(tmp_path / "z.bvh")
    assert (back.origin.unit, back.origin.up) == (0.01, "z")
    assert np.abs(fk(back) - fk(load(folder / "walk_1.bvh"))).max() < 1e-4


def test_several_clips_do_not_go_into_one_file(run: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "one.bvh").write_text("")
    answer = run("convert", folder / "walk_1.bvh", folder / "walk_2.bvh", tmp_path / "one.bvh")
    assert answer.code == 2
    assert "give a folder" in answer.err


def test_two_clips_of_one_name_are_not_written_over_each_other(run: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "walk_1.bvh").write_bytes((folder / "walk_1.bvh").read_bytes())
    answer = run("convert", folder / "walk_1.bvh", tmp_path / "walk_1.bvh", tmp_path / "out")
    assert answer.code == 2
    assert not (tmp_path / "out").exists()


def test_a_single_argument_is_wrong_usage(run: Any, folder: Path) -> None:
    assert run("convert", folder / "walk_1.bvh").code == 2


def test_an_unknown_format_is_said_with_those_there_are(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("convert", folder / "walk_1.bvh", tmp_path / "walk.xyz")
    assert answer.code == 1
    assert "no writer for .xyz" in answer.err
