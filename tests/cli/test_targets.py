"""Names that nothing can be written to are found before any work is done; counts are said in the right number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from motionloom.cli.options import plural
from motionloom.core import BadRequest
from motionloom.io import load, save
from motionloom.methods import load_model
from motionloom.samples import make

WORK = [
    "motionloom.recipes.folders.load",  # imported before `io.load` is replaced
    "motionloom.recipes.read_recipe.load",
    "motionloom.methods.load_model",
    "motionloom.methods.store.load_model",
    "motionloom.io.load",
    "motionloom.methods.learn",
    "motionloom.samples.make",
    "motionloom.cli.options.load_all",
]


def commands(folder: Path, out: Path) -> list[tuple[object, ...]]:
    """Every command that writes clips, to this place."""
    walk, other, model = folder / "walk_1.bvh", folder / "walk_2.bvh", folder / "no.loom"
    return [
        ("synthesize", model, "-o", out),
        ("synthesize", model, "-o", out.parent / "takes", "--count", 2, "--to", out.suffix),
        ("walk", model, "-o", out),
        ("walk", model, "--count", 2, "--to", out.suffix),
        ("act", model, walk, "-o", out),
        ("choices", model, "--follow", "0", "-o", out),
        ("append", walk, other, "-o", out),
        ("splice", walk, other, "-o", out),
        ("transfer", walk, other, walk, "-o", out),
        ("clean", walk, "-o", out),
        ("retarget", walk, "--to", other, "-o", out),
        ("samples", "walk", "-o", out),
        ("convert", walk, out),
    ]


@pytest.mark.parametrize("which", range(13))
def test_a_format_that_cannot_be_written_is_found_before_the_work(
    run: Any, folder: Path, tmp_path: Path, which: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("worked")

    for name in WORK:
        monkeypatch.setattr(name, never)
    answer = run(*commands(folder, tmp_path / "x.xyz")[which])
    assert answer.code == 1
    assert "no writer for .xyz; there are .bvh" in answer.err


@pytest.mark.parametrize("which", range(12))
def test_a_file_of_the_user_is_replaced_only_with_force(
    run: Any, folder: Path, tmp_path: Path, which: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def worked(*_: object, **__: object) -> None:
        raise BadRequest("worked")

    monkeypatch.chdir(tmp_path)
    for name in ("x.bvh", "no.bvh", "no_walk.bvh", "no_walks/take_000.bvh", "takes/take_000.bvh"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("of the user")
    for name in WORK:
        monkeypatch.setattr(name, worked)
    command = commands(folder, tmp_path / "x.bvh")[which]
    assert (
        "motionloom did not write it as it is now: choose another name, or replace it with --force" in run(*command).err
    )
    assert "worked" in run(*command, "--force").err
    assert (tmp_path / "x.bvh").read_text() == "of the user"


def test_a_place_that_cannot_be_written_to_is_found_before_learning(
    run: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("a file")
    (tmp_path / "b").mkdir()
    monkeypatch.setattr("motionloom.methods.learn", None)
    below = run("learn", "cuts", folder / "walk_1.bvh", "-o", tmp_path / "a" / "m.loom")
    assert (below.code, "a is a file, not a folder" in below.err) == (1, True)
    inside = run("learn", "cuts", folder / "walk_1.bvh", "-o", tmp_path / "b")
    assert (inside.code, "b: cannot be written: it is a folder" in inside.err) == (1, True)


def test_learning_from_one_clip_says_so(run: Any, folder: Path, tmp_path: Path) -> None:
    answer = run("learn", "cuts", folder / "walk_1.bvh", "-o", tmp_path / "m.loom")
    assert "cuts from 1 clip at 30 fps" in answer.out
    assert "cuts from 2 clips at 30 fps" in run("learn", "cuts", folder / "walk_*.bvh", "-o", tmp_path / "n.loom").out
    assert (plural(0, "frame"), plural(1, "frame"), plural(2, "frame")) == ("0 frames", "1 frame", "2 frames")


def test_the_frame_rate_of_the_files_can_be_said_when_learning(run: Any, tmp_path: Path) -> None:
    """A file that claims 60 frames a second but was taken at 30 lasts twice as long."""
    save(make("walk", seconds=2, fps=60), tmp_path / "wrong.bvh")
    run("learn", "cuts", tmp_path / "wrong.bvh", "-o", tmp_path / "a.loom", "--model-fps", 30)
    answer = run(
        "learn", "cuts", tmp_path / "wrong.bvh", "-o", tmp_path / "b.loom", "--source-fps", 30, "--model-fps", 30
    )
    assert answer.code == 0
    lengths = [load_model(tmp_path / name).sources[0].frames for name in ("a.loom", "b.loom")]
    assert lengths == [60, 120]
    assert len(load(tmp_path / "wrong.bvh")) == 120
