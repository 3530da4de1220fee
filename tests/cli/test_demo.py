"""`motionloom demo`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from motionloom.cli import demo_parts
from motionloom.cli.demo_parts import PARTS, Part, Shown


def test_the_demo_writes_a_page_and_clips_and_says_what_to_try_next(run: Any, tmp_path: Path) -> None:
    answer = run("demo", "-o", tmp_path, "--only", "cleaning", "--only", "learning", "--only", "editing")
    assert answer.code == 0
    assert "Next steps" in answer.out
    assert "index.html: 3 sections" in answer.out
    text = (tmp_path / "index.html").read_text("utf-8")
    assert text.count("<section") == 3
    assert not re.search(r"https?://", text)
    for name in ("walks.loom", "long_walk.bvh", "cleaned.bvh", "endless.bvh"):
        assert (tmp_path / "clips" / name).is_file()


def test_the_page_shows_the_commands_that_were_run_with_what_they_printed(run: Any, tmp_path: Path) -> None:
    run("demo", "-o", tmp_path, "--only", "cleaning")
    text = (tmp_path / "index.html").read_text("utf-8")
    for line in PARTS["cleaning"].commands.splitlines():
        assert f"<kbd>motionloom {line}</kbd>" in text
    assert "steady.bvh: 300 frames at 60 fps" in text
    assert "planted feet slide" in text


def test_without_matplotlib_there_are_no_pictures_but_the_rest(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("motionloom.cli.demo.find_spec", lambda name: None)
    assert run("demo", "-o", tmp_path, "--only", "similarity").code == 0
    text = (tmp_path / "index.html").read_text("utf-8")
    assert "<img" not in text
    assert "standing feet slide" in text


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_what_a_part_shows_is_written_by_its_commands(part: Part) -> None:
    words = [word for line in part.commands.splitlines() for word in shlex.split(line)]
    for pattern in " ".join(shown.files for shown in part.shown).split():
        written = pattern.split("/")[0]  # a file, or the folder of several
        if "*" in written:
            assert any(Path(word).match(written) for word in words), pattern
        else:
            assert any(Path(word).parts[:1] == (written,) for word in words), pattern


def test_a_command_that_fails_ends_the_demo_with_its_message(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    wrong = Part("Wrong", "A file is missing.", "info none.bvh", (Shown("none.bvh"),))
    monkeypatch.setattr(demo_parts, "PARTS", {"wrong": wrong})
    answer = run("demo", "-o", tmp_path)
    assert answer.code == 1
    assert "none.bvh" in answer.err
    assert not (tmp_path / "index.html").exists()


def test_the_demo_can_be_made_twice_in_the_same_place(run: Any, tmp_path: Path) -> None:
    for _ in range(2):
        assert run("demo", "-o", tmp_path, "--only", "cleaning").code == 0


def test_an_unknown_part_is_wrong_usage(run: Any, tmp_path: Path) -> None:
    answer = run("demo", "-o", tmp_path, "--only", "fireworks")
    assert answer.code == 2
    assert "cleaning" in answer.err
