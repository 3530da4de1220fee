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
    assert "Next steps" in answer.out
    assert "index.html: 3 sections" in answer.out
    text = (tmp_path / "index.html").read_text("utf-8")
    assert text.count("<section") == 3
    assert not re.search(r"https?://", text)
    for name in ("walks.loom", "long_walk.bvh", "walk_22_cleaned.bvh", "walk_21_mirrored.bvh"):
        assert (tmp_path / "clips" / name).is_file()


def test_what_the_demo_edits_stands_beside_the_very_clip_it_was_made_from(run: Any, tmp_path: Path) -> None:
    parts = ("editing", "cleaning", "similarity", "quality")
    answer = run("demo", "-o", tmp_path, *(word for part in parts for word in ("--only", part)))
    assert answer.code == 0, answer.err
    rows = {line.split()[0]: line.split() for line in answer.out.splitlines() if ".bvh" in line and "%" not in line}
    column = 3 + 1  # name, seconds, coverage, global diversity, local diversity
    for name in ("walk_21_at_24_fps", "walk_21_loop", "walk_22_cleaned", "walk_22_skating", "walk_to_run"):
        assert float(rows[f"{name}.bvh"][column]) < 0.1, name  # local diversity: next to nothing is new


def test_the_demo_can_be_made_twice_in_the_same_place(run: Any, tmp_path: Path) -> None:
    for _ in range(2):
        assert run("demo", "-o", tmp_path, "--only", "cleaning").code == 0


def test_an_unknown_part_is_wrong_usage(run: Any, tmp_path: Path) -> None:
    answer = run("demo", "-o", tmp_path, "--only", "fireworks")
    assert answer.code == 2
    assert "cleaning" in answer.err


def test_the_last_part_measures_everything_that_was_made_beside_its_own_source(tmp_path: Path) -> None:
    from motionloom.cli.demo_sections.quality import make_section
    from motionloom.constraints import Request
    from motionloom.io import load, save
    from motionloom.kinematics.mirror import mirror
    from motionloom.methods import learn, synthesize
    from motionloom.plot.page import TableBlock
    from motionloom.samples import make

    for k in (1, 2):
        save(make("walk", seconds=2, seed=k, fps=30), tmp_path / f"walk_{k}.bvh")
    save(make("run", seconds=2, fps=30), tmp_path / "run.bvh")
    model = learn("cuts", [load(tmp_path / f"walk_{k}.bvh") for k in (1, 2)])
    save(synthesize(model, Request(seconds=2.0)), tmp_path / "new_walk_1.bvh")  # a number at the end: still new
    save(make("run", seconds=2, seed=7, fps=30), tmp_path / "run_7.bvh")
    save(mirror(make("run", seconds=2, seed=7, fps=30)), tmp_path / "run_7_mirrored.bvh")  # not beside the other run
    (table,) = [block for block in make_section(tmp_path).blocks if isinstance(block, TableBlock)]
    assert [row[0] for row in table.rows] == [
        *("source: walk_1, walk_2", "new_walk_1.bvh", "bound: source copy", "bound: source shuffled"),
        *("source: run_7", "run_7_mirrored.bvh", "bound: source copy", "bound: source shuffled"),
    ]
