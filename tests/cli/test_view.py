"""`motionloom view`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from motionloom.core import replace
from motionloom.io import save
from motionloom.samples import make


def test_a_filmstrip_of_two_clips(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("view", folder / "walk_1.bvh", folder / "walk_2.bvh", "-o", tmp_path / "two.png", "--poses", 4)
    assert answer.code == 0
    assert (tmp_path / "two.png").read_bytes()[:4] == b"\x89PNG"


def test_a_player_that_stands_alone(run: Any, folder: Path, tmp_path: Path) -> None:
    assert run("view", folder / "walk_1.bvh", "-o", tmp_path / "walk.html", "--from", 0.5, "--to", 1.5).code == 0
    text = (tmp_path / "walk.html").read_text("utf-8")
    assert "data-alone" in text
    assert '"frames":30' in text


def test_without_a_name_the_player_is_called_after_the_clip(
    run: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("view", folder / "walk_1.bvh").code == 0
    assert (tmp_path / "walk_1.html").is_file()


def test_a_format_that_cannot_be_drawn_is_wrong_usage(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("view", folder / "walk_1.bvh", "-o", tmp_path / "walk.avi")
    assert answer.code == 2
    assert ".html, .png, .svg, .pdf, .gif, .webp or .mp4" in answer.err


def test_an_animation_before_and_after_on_one_clock(run: Any, folder: Path, tmp_path: Path) -> None:
    pair = ("view", folder / "walk_1.bvh", folder / "walk_2.bvh", "--rate", 5, "--size", "160x100", "--from", 1)
    assert run(*pair, "-o", tmp_path / "side.gif").code == 0
    assert run(*pair, "-o", tmp_path / "over.webp", "--layout", "overlay", "--streamer", "left_hand").code == 0
    assert (tmp_path / "side.gif").read_bytes()[:6] == b"GIF89a"
    assert (tmp_path / "over.webp").read_bytes()[8:12] == b"WEBP"
    assert run(*pair, "-o", tmp_path / "x.gif", "--size", "160").code == 2


def test_a_contact_sheet_every_ten_frames(run: Any, folder: Path, tmp_path: Path) -> None:
    assert run("view", folder / "walk_1.bvh", "--every", 10, "-o", tmp_path / "sheet.png").code == 0
    assert (tmp_path / "sheet.png").read_bytes()[:4] == b"\x89PNG"


def test_a_folder_becomes_a_page_to_browse_and_files_a_player(run: Any, folder: Path, tmp_path: Path) -> None:
    assert run("view", folder, "-o", tmp_path / "page.html").code == 0
    assert 'id="browse"' in (tmp_path / "page.html").read_text("utf-8")
    assert run("view", folder, "--player", "-o", tmp_path / "player.html").code == 0
    assert "data-alone" in (tmp_path / "player.html").read_text("utf-8")


def test_a_stretch_outside_the_clip_is_wrong_usage(run: Any, folder: Path, tmp_path: Path) -> None:
    assert run("view", folder / "walk_1.bvh", "-o", tmp_path / "x.png", "--from", 7).code == 2


def test_clips_of_the_same_name_are_told_apart_by_their_folders(run: Any, folder: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "walk.bvh").write_bytes((folder / "walk_1.bvh").read_bytes())
    answer = run("view", tmp_path / "a", tmp_path / "b", folder / "fast", "--poses", 3, "-o", tmp_path / "x.svg")
    assert answer.out.endswith(": a/walk.bvh, b/walk.bvh, run.bvh\n")


def test_a_beginning_after_the_end_is_said(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("view", folder / "walk_1.bvh", "--from", 60, "-o", tmp_path / "x.png")
    said = answer.err.splitlines()[-1]  # after progress, if kernels have to be compiled first
    assert (answer.code, said) == (2, "motionloom: --from 60 s: this is after the end of walk_1.bvh (2 s)")


def test_a_tpose_in_frame_0_is_shown_and_reported(run: Any, tmp_path: Path) -> None:
    walk = make("walk", seconds=1, fps=30)
    rotations = walk.rotations.copy()
    rotations[0] = [1.0, 0.0, 0.0, 0.0]
    save(replace(walk, rotations=rotations), tmp_path / "posed.bvh")
    drawn = ("view", tmp_path / "posed.bvh", "-o", tmp_path / "x.html")
    assert "posed.bvh: frame 0 is a T-pose" in run(*drawn).out
    assert "T-pose" not in run(*drawn, "--trim-tpose").out
    assert "T-pose" not in run(*drawn, "--from", 0.5).out
