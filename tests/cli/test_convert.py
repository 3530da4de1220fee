"""`motionloom convert`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from motionloom import samples
from motionloom.core import Note, replace
from motionloom.io import load, save
from motionloom.kinematics.fk import fk
from motionloom.recipes import trim


def test_a_file_goes_to_a_file_with_the_same_motion(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("convert", folder / "walk_1.bvh", tmp_path / "copy.bvh")
    assert answer.code == 0
    assert "copy.bvh: 60 frames" in answer.out
    assert np.abs(fk(load(tmp_path / "copy.bvh")) - fk(load(folder / "walk_1.bvh"))).max() < 1e-5


def test_notes_of_earlier_steps_are_told_apart(run: Any, folder: Path, tmp_path: Path) -> None:
    clip = trim(load(folder / "walk_1.bvh"), end=1.5)
    save(replace(clip, origin=clip.origin.with_notes(Note("plants cleaned"))), tmp_path / "made.bvh")
    assert "plants cleaned" not in run("convert", tmp_path / "made.bvh", tmp_path / "copy.bvh").out
    told = run("info", tmp_path / "copy.bvh").out  # stored with the copy as before
    assert "earlier  plants cleaned" in told
    assert "note     plants cleaned" not in told


def test_a_folder_goes_to_a_folder_and_keeps_its_folders(run: Any, folder: Path, tmp_path: Path) -> None:
    assert run("convert", folder, tmp_path / "out", "--result-fps", 15).code == 0
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
    answer = run("convert", folder / "walk_1.bvh", folder / "walk_2.bvh", tmp_path / "one.bvh")
    assert answer.code == 2
    assert "give a folder" in answer.err
    assert not (tmp_path / "one.bvh").exists()


def test_a_wildcard_that_stands_for_one_clip_goes_to_a_file(run: Any, folder: Path, tmp_path: Path) -> None:
    assert run("convert", folder / "walk_1*.bvh", tmp_path / "one.bvh").code == 0
    assert (tmp_path / "one.bvh").is_file()


def test_what_is_said_is_what_was_written(run: Any, folder: Path, tmp_path: Path) -> None:
    assert (
        "15.bvh: 30 frames at 15 fps"
        in run("convert", folder / "walk_1.bvh", tmp_path / "15.bvh", "--result-fps", 15).out
    )
    [facts] = run("convert", folder / "walk_1.bvh", tmp_path / "m.bvh", "--unit", "0.5", "--forget", "--json").json
    assert (facts["frames"], facts["fps"]) == (60, 30)
    assert load(tmp_path / "m.bvh", unit=0.5).root[0, 1] == load(folder / "walk_1.bvh").root[0, 1] / 2


def test_a_broken_file_does_not_stop_the_others(run: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.bvh").write_text("nonsense")
    (tmp_path / "in" / "b.bvh").write_bytes((folder / "walk_1.bvh").read_bytes())
    answer = run("convert", tmp_path / "in", tmp_path / "out")
    assert answer.code == 1
    assert "a.bvh:1: not a BVH file" in answer.err
    assert (tmp_path / "out" / "b.bvh").is_file()
    assert not (tmp_path / "out" / "a.bvh").exists()


def test_two_clips_of_one_name_are_not_written_over_each_other(run: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "walk_1.bvh").write_bytes((folder / "walk_1.bvh").read_bytes())
    answer = run("convert", folder / "walk_1.bvh", tmp_path / "walk_1.bvh", tmp_path / "out")
    assert answer.code == 0
    assert len(list((tmp_path / "out").rglob("walk_1.bvh"))) == 2


def test_a_single_argument_is_wrong_usage(run: Any, folder: Path) -> None:
    assert run("convert", folder / "walk_1.bvh").code == 2


def test_an_unknown_format_is_said_with_those_there_are(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("convert", folder / "walk_1.bvh", tmp_path / "walk.xyz")
    assert answer.code == 1
    assert "no writer for .xyz" in answer.err


def test_every_format_that_can_hold_a_body_goes_to_every_other(run: Any, folder: Path, tmp_path: Path) -> None:
    clip = load(folder / "walk_1.bvh")
    last = folder / "walk_1.bvh"
    for suffix in (".glb", ".npz", ".bvh", ".npz", ".glb", ".bvh"):
        target = tmp_path / f"{last.stem}x{suffix}"
        assert run("convert", last, target).code == 0
        last = target
    assert np.abs(fk(load(last)) - fk(clip)).max() < 1e-4


def test_markers_are_converted_too(run: Any, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("t,A.x,A.y,A.z\n0,0,1,0\n0.1,0,1,0.1\n0.2,,,\n")
    assert run("convert", tmp_path / "m.csv", tmp_path / "m.trc").code == 0
    assert (tmp_path / "m.trc").is_file()
    answer = run("convert", tmp_path / "m.csv", tmp_path / "m.glb")
    assert answer.code == 1
    assert "no writer of markers for .glb" in answer.err


def test_what_is_said_of_many_files_is_said_once(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("convert", folder, tmp_path / "out", "--to", "glb")
    assert answer.code == 0
    assert answer.out.count("up axis y") == 1
    assert "  all: up axis y" in answer.out
    assert "3 clips, 150 frames in " in answer.out
    assert (tmp_path / "out" / "fast" / "run.glb").is_file()


def test_a_rest_pose_that_stands_can_be_asked_for(run: Any, mocap: Path, tmp_path: Path) -> None:
    source = mocap / "bandai" / "dataset-1_punch_normal_001.bvh"
    answer = run("convert", source, tmp_path / "stand.bvh", "--stand")
    assert answer.code == 0
    assert "rest pose: a T-pose computed from frame" in answer.out
    standing, lying = load(tmp_path / "stand.bvh"), load(source)
    assert np.abs(fk(standing) - fk(lying)).max() < 1e-4
    assert standing.skeleton.offsets[standing.skeleton.joint("left_shin"), 1] < -0.3
    assert abs(lying.skeleton.offsets[lying.skeleton.joint("left_shin"), 1]) < 0.1


def test_many_files_are_converted_on_all_cores(run: Any, folder: Path, tmp_path: Path) -> None:
    for n in range(26):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / f"{n:02}.bvh").write_bytes((folder / "walk_1.bvh").read_bytes())
    answer = run("convert", tmp_path / "in", tmp_path / "out", "--to", ".glb")
    assert answer.code == 0
    names = [line.split(":")[0].rsplit("/", 1)[-1] for line in answer.out.splitlines()[:26]]
    assert names == [f"{n:02}.glb" for n in range(26)]


def test_a_source_is_written_over_only_by_force(run: Any, folder: Path, tmp_path: Path) -> None:
    clip = tmp_path / "a.bvh"
    clip.write_bytes((folder / "walk_1.bvh").read_bytes())
    for arguments in ((clip, tmp_path / "." / "a.bvh"), (tmp_path, tmp_path)):
        answer = run("convert", *arguments, "--result-fps", 15)
        assert answer.code == 2
        assert "--force" in answer.err
    assert len(load(clip)) == 60
    assert run("convert", clip, clip, "--result-fps", 15, "--force").code == 0
    assert len(load(clip)) == 30


def test_a_unit_that_makes_a_giant_is_doubted(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("convert", folder / "walk_1.bvh", tmp_path / "giant.bvh", "--unit", "20", "--forget")
    assert answer.code == 0
    assert re.search(r"stature 3\d m with unit 20: is this right\?", answer.out)
    assert (
        "is this right" not in run("convert", folder / "walk_1.bvh", tmp_path / "m.bvh", "--unit", "m", "--forget").out
    )


def test_a_file_of_letters_becomes_a_folder_of_strokes(run, tmp_path):
    import numpy as np
    from scipy.io import savemat

    letters = np.empty((1, 2), object)
    letters[0, 0], letters[0, 1] = np.ones((3, 5)), np.ones((3, 6))
    key = np.empty((1, 1), object)
    key[0, 0] = "a"
    savemat(tmp_path / "l.mat", {"xtrain": letters, "ytrain": np.array([[1, 1]]), "key": key})
    answer = run("convert", tmp_path / "l.mat", tmp_path / "out")
    assert answer.code == 0
    assert sorted(p.name for p in (tmp_path / "out").glob("*_????.csv")) == ["a_0001.csv", "a_0002.csv"]
    assert run("convert", tmp_path / "l.mat", tmp_path / "one.csv").code == 2


def test_files_of_one_name_keep_the_part_of_the_path_in_which_they_differ(run, tmp_path):
    for k in range(7):
        (tmp_path / f"subject{k}" / "take").mkdir(parents=True)
        save(samples.make("walk", seconds=1, fps=30, seed=k), tmp_path / f"subject{k}" / "take" / "test.bvh")
    files = sorted(str(p) for p in tmp_path.glob("*/take/test.bvh"))
    wanted = [f"subject{k}/take/test.bvh" for k in range(7)]
    for number, arguments in enumerate((files, [str(tmp_path / f"subject{k}") for k in range(7)])):
        out = tmp_path / f"out{number}"
        assert run("convert", *arguments, out).code == 0
        assert sorted(str(p.relative_to(out)) for p in out.rglob("*.bvh")) == wanted
