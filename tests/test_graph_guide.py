"""The guide to motion graphs is true: its commands are taken out of it and run, and its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app

DOCS = Path(__file__).resolve().parents[1] / "docs"
GUIDE = (DOCS / "graphs.md").read_text("utf-8")


def test_the_commands_of_the_guide_run_and_answer_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answers = ""
    for line in "".join(re.findall(r"```sh\n(.*?)```", GUIDE, re.DOTALL)).strip().splitlines():
        name, *arguments = shlex.split(line)
        assert name == "motionloom"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
        answers += result.output
    for name in ("reach.png", "walk.png", "now.png", "running.bvh", "driven.bvh", "acted.bvh", "many.bvh"):
        assert (tmp_path / name).stat().st_size > 0
    for said in ("are strongly connected", "walkable", "no standing frames", "path of 11.1 m followed"):
        assert said in answers
        assert said in GUIDE


def test_the_links_of_the_guide_lead_somewhere() -> None:
    for target in re.findall(r"\[.*?\]\((.*?)\)", GUIDE):
        assert (DOCS / target).exists(), target
