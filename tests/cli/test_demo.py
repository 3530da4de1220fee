"""`motionloom demo`."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from motionloom.cli.demo_sections import SECTIONS


@pytest.mark.parametrize("name", SECTIONS)
def test_every_part_of_the_demo_is_a_module_with_make_section(name: str) -> None:
    assert callable(import_module(f"motionloom.cli.demo_sections.{name}").make_section)


def test_the_demo_writes_a_page_and_clips_and_says_what_to_try_next(run: Any, tmp_path: Path) -> None:
    answer = run("demo", "-o", tmp_path, "--only", "cleaning", "--only", "learning", "--only", "editing")
    assert answer.code == 0
    assert "What to try next" in answer.out
    assert "index.html: 3 sections" in answer.out
    text = (tmp_path / "index.html").read_text("utf-8")
    assert text.count("<section") == 3
    assert not re.search(r"https?://", text)
    for name in ("walks.loom", "long_walk.bvh", "cleaned.bvh", "walk_mirrored.bvh"):
        assert (tmp_path / "clips" / name).is_file()


def test_the_demo_can_be_made_twice_in_the_same_place(run: Any, tmp_path: Path) -> None:
    for _ in range(2):
        assert run("demo", "-o", tmp_path, "--only", "cleaning").code == 0


def test_an_unknown_part_is_wrong_usage(run: Any, tmp_path: Path) -> None:
    answer = run("demo", "-o", tmp_path, "--only", "fireworks")
    assert answer.code == 2
    assert "cleaning" in answer.err
