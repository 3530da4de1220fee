"""`-r`: a file or inline YAML, and files only from the folders that the command may read from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from motionloom.cli.requests import is_inline
from motionloom.constraints import Request
from motionloom.io import load


@pytest.fixture(scope="module")
def model(run: Any, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "walk.loom"
    assert run("learn", "cuts", folder, "-o", path).code == 0
    return path


@pytest.mark.parametrize(
    ("argument", "inline"),
    [
        ("{}", True),
        ("", True),
        (" {seconds: 2}", True),
        ("seconds: 2", True),
        ("seconds: 2\nfps: 30", True),
        ("walk.yaml", False),
        ("/tmp/walk.yaml", False),
        ("C:\\requests\\walk.yaml", False),
        ("a folder/walk.yaml", False),
    ],
)
def test_what_is_yaml_and_what_is_the_name_of_a_file(argument: str, inline: bool) -> None:
    assert is_inline(argument) is inline


def test_a_missing_file_is_said_and_nothing_is_read(run: Any, model: Path, tmp_path: Path) -> None:
    answer = run("synthesize", model, "-r", tmp_path / "none.yaml", "-o", tmp_path / "x.bvh")
    assert (answer.code, answer.err) == (2, f"motionloom: no such file: '{tmp_path / 'none.yaml'}'\n")


def test_a_file_that_is_no_request_is_not_printed(run: Any, model: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret\n")
    answer = run("synthesize", model, "-r", tmp_path / "secret", "-o", tmp_path / "x.bvh")
    assert answer.code == 2
    assert "secret: expected a request such as {seconds: 12}" in answer.err
    assert "the secret" not in answer.err


def test_poses_come_from_the_folder_of_the_request_or_from_root(
    run: Any, model: Path, folder: Path, tmp_path: Path
) -> None:
    ask = tmp_path / "ask.yaml"
    ask.write_text("seconds: 2\nconstraints:\n- pose_at: {time: 1, pose: walk_1.bvh#20, weight: 1}\n")
    command = ("synthesize", model, "-r", ask, "-o", tmp_path / "x.bvh")
    answer = run(*command)
    assert answer.code == 2
    assert "pose_at.pose: no such file: 'walk_1.bvh' (looked for in " in answer.err
    assert "cuts cannot honour pose_at" in run(*command, "--root", folder).err  # so it was read
    ask.write_text(ask.read_text().replace("walk_1.bvh", str(folder / "walk_1.bvh")))
    answer = run(*command)
    assert answer.code == 2
    assert "leads outside the folders that may be read" in answer.err
    assert "cuts cannot honour pose_at" in run(*command, "--root", folder).err


def test_an_inline_request_reads_from_the_current_folder(
    run: Any, model: Path, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "{seconds: 2, constraints: [pose_at: {time: 1, pose: walk_1.bvh#20, weight: 1}]}"
    command = ("synthesize", model, "-r", asked, "-o", tmp_path / "x.bvh")
    monkeypatch.chdir(tmp_path)
    assert "no such file: 'walk_1.bvh'" in run(*command).err
    monkeypatch.chdir(folder)
    assert "cuts cannot honour pose_at" in run(*command).err  # so it was read


def test_the_folders_of_the_clips_may_be_read_from(run: Any, folder: Path, tmp_path: Path) -> None:
    ask = tmp_path / "ask.yaml"
    ask.write_text("seconds: 2\nconstraints:\n- pose_at: {time: 1, pose: run.bvh#20, weight: 1}\n")
    clip = folder / "walk_1.bvh"
    assert run("evaluate", clip, "--source", folder / "fast", "-r", ask).code == 0
    answer = run("evaluate", clip, "--source", folder / "walk_2.bvh", "-r", ask)
    assert answer.code == 2
    assert "no such file: 'run.bvh'" in answer.err
    assert run("evaluate", clip, "--source", folder / "walk_2.bvh", "-r", ask, "--root", folder / "fast").code == 0


@pytest.mark.parametrize("asked", ["{seconds: 1e9}", "{frames: 1000000000000}", "{seconds: 1, fps: 1e300}"])
def test_lengths_above_the_limits_are_wrong_usage(
    run: Any, model: Path, folder: Path, tmp_path: Path, asked: str
) -> None:
    for command in (
        ("synthesize", model, "-r", asked, "-o", tmp_path / "x.bvh"),
        ("compare", folder / "walk_1.bvh", "-r", asked, "--methods", "cuts"),
    ):
        answer = run(*command)
        assert answer.code == 2
        assert "more than the limit of" in answer.err or "expected 0.001 to 10000 frames per second" in answer.err
    assert not (tmp_path / "x.bvh").exists()


def test_a_request_that_was_read_from_a_file_is_the_same_inline(tmp_path: Path, folder: Path) -> None:
    text = "seconds: 2\nconstraints:\n- root_at: {time: 1, heading: 90deg}\n"
    (tmp_path / "ask.yaml").write_text(text)
    assert Request.from_file(tmp_path / "ask.yaml", load) == Request.from_yaml(text, load)
