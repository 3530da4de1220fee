"""The page of tasks is true: its commands are taken out of it and run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.constraints import Avoid
from motionloom.evaluate import check_clips
from motionloom.io import load
from motionloom.kinematics.feet.skate_removal import remove_skate
from motionloom.kinematics.pace import speed_changes, standing

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = (DOCS / "tasks.md").read_text("utf-8")


@pytest.mark.long
def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for line in "".join(re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)).strip().splitlines():
        name, *arguments = shlex.split(line)
        assert name == "motionloom"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
        assert "beyond their tolerance" not in result.output, line
    long, path, faster = load("long.bvh"), load("path.bvh"), load("faster.bvh")
    assert not speed_changes(long)
    assert not standing(faster)[30:-30].any()
    assert Avoid(center=(0.1, 2.2), radius=0.3).met(path)
    slides = [remove_skate(load(f"{name}.bvh"))[1].slid_before for name in ("sliding", "clean")]
    assert slides[0] > 20
    assert slides[1] < 0.5
    sources = {f.kind for f in check_clips([load(f"{n}.bvh") for n in ("straight", "left", "right")])}
    assert {f.kind for f in check_clips([long, path])} <= sources  # no finding that the sources do not have


def test_the_pictures_of_the_page_are_those_of_its_commands() -> None:
    drawn = {Path(name).name for name in re.findall(r"view .* -o (\S+\.png)", PAGE)}
    shown = {Path(name).name for name in re.findall(r"!\[.*?\]\(tasks/(\S+)\)", PAGE)}
    assert shown == drawn
    for name in shown:
        assert 1000 < (DOCS / "tasks" / name).stat().st_size < 300_000
