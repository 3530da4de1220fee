"""`motionloom again`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from motionloom.io.sidecars.origin import origin_path


def test_a_folder_of_results_is_made_again(run: Any, folder: Path, tmp_path: Path) -> None:
    clips = [folder / "walk_1.bvh", folder / "walk_2.bvh"]
    made = tmp_path / "made"
    commands = (
        ("convert", clips[0], made / "convert.glb", "--result-fps", 20, "--trim-tpose"),
        ("clean", clips[0], "-o", made / "clean.bvh", "--ease", 0.1, "--repair"),
        ("retarget", clips[0], "--to", clips[1], "-o", made / "retarget.bvh"),
        ("append", *clips, "-o", made / "append.bvh", "--method", "stitch"),
        ("learn", "motion-graph", *clips, "-o", tmp_path / "g.loom", "--seed", 2),
        ("walk", tmp_path / "g.loom", "--seconds", 3, "-o", made / "walk.bvh"),
        ("learn", "two-level-graph", *clips, "-o", tmp_path / "t.loom"),
        ("choices", tmp_path / "t.loom", "--follow", "0,0", "-o", made / "choices.bvh"),
        ("synthesize", tmp_path / "g.loom", "-r", "{seconds: 2}", "-o", made / "synthesize.bvh", "--seed", 4),
    )
    for command in commands:
        assert run(*command).code == 0, command
    (tmp_path / "g.loom").unlink()
    (tmp_path / "t.loom").unlink()
    for path in sorted([*made.glob("*.bvh"), *made.glob("*.glb")]):
        copy = tmp_path / "again" / path.name
        answer = run("again", path, "--sources", folder, "-o", copy)
        assert answer.code == 0, answer.err
        assert "the same bytes" in answer.out
        assert path.read_bytes() == copy.read_bytes()
        assert origin_path(path).read_bytes() == origin_path(copy).read_bytes()
    answer = run("again", made, "--sources", folder, "-o", tmp_path / "all")
    assert answer.code == 0, answer.err
    assert answer.out.count("the same bytes") == len(list(made.glob("*.origin.json")))


def test_one_result_of_a_folder_that_cannot_be_made_again_does_not_affect_the_others(
    run: Any, folder: Path, tmp_path: Path
) -> None:
    made, sources = tmp_path / "made", tmp_path / "sources"
    sources.mkdir()
    for k in (1, 2):
        assert run("clean", folder / f"walk_{k}.bvh", "-o", made / f"{k}.bvh").code == 0
    for path in folder.glob("walk_2.*"):
        (sources / path.name).write_bytes(path.read_bytes())
    (made / "plain").mkdir()
    (made / "plain" / "no_recipe.bvh").write_bytes((folder / "walk_1.bvh").read_bytes())
    answer = run("again", made, "--sources", sources, "-o", tmp_path / "all")
    assert answer.code == 1
    assert "1.bvh cannot be made again: walk_1.bvh (sha256 " in answer.err
    assert "clean, the same bytes" in answer.out
    assert [path.name for path in (tmp_path / "all").glob("*.bvh")] == ["2.bvh"]
    assert "plain has a recipe" in run("again", made / "plain", "-o", tmp_path / "none").err


def test_a_result_that_does_not_exist_is_reported_as_such(run: Any, tmp_path: Path) -> None:
    answer = run("again", tmp_path / "a.bvh", "-o", tmp_path / "b.bvh")
    assert "a.bvh: cannot be read: No such file or directory" in answer.err


def test_what_is_missing_is_reported_in_one_line(run: Any, folder: Path, tmp_path: Path) -> None:
    assert run("clean", folder / "walk_1.bvh", "-o", tmp_path / "a.bvh").code == 0
    (tmp_path / "empty").mkdir()
    answer = run("again", tmp_path / "a.bvh", "--sources", tmp_path / "empty", "-o", tmp_path / "b.bvh")
    assert answer.code == 1
    assert "a.bvh cannot be made again: walk_1.bvh (sha256 " in answer.err
    assert not (tmp_path / "b.bvh").exists()


def test_a_result_that_was_changed_is_reported(run: Any, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    assert run("clean", folder / "walk_1.bvh", "-o", path).code == 0
    text = origin_path(path).read_text()
    wrong = text.replace('"output": "', '"output": "0')
    origin_path(path).write_text(wrong)
    answer = run("again", path, "--sources", folder, "-o", tmp_path / "b.bvh")
    assert answer.code == 1
    assert "differs from" in answer.err
