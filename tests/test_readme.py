"""The README's tours are true: they are taken out of it and run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def block(kind: str) -> str:
    (found,) = re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)
    return str(found)


def test_the_readme_opens_with_a_sentence_a_picture_and_the_two_commands() -> None:
    lines = [line for line in README.splitlines() if line.strip()]
    assert lines[0] == "# motionloom"
    assert lines[1].endswith(".")
    assert lines[2].startswith("![")
    assert README.index("./run demo") < README.index("./run test") < README.index("## In Python")


def test_the_picture_is_there_and_small() -> None:
    (picture,) = re.findall(r"!\[.*?\]\((.*?)\)", README)
    data = (ROOT / picture).read_bytes()
    assert data[:4] == b"\x89PNG"
    assert len(data) < 200_000


def test_the_links_lead_somewhere() -> None:
    for target in re.findall(r"[^!]\[.*?\]\((.*?)\)", README):
        assert (ROOT / target).exists(), target


def test_the_python_tour_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = block("python")
    assert len([line for line in code.splitlines() if line.strip()]) == 10
    exec(compile(code, "README.md", "exec"), {})
    for name in ("mirrored.bvh", "walks.loom", "walks.png", "walks.html"):
        assert (tmp_path / name).stat().st_size > 0


def test_the_tour_of_quality_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("clips/walk", "clips/turn", "long")):
        CliRunner().invoke(app, ["samples", "walk", "--seconds", "3", "--seed", str(seed), "-o", f"{name}.bvh"])
    for line in block("console").strip().splitlines():
        name, *arguments = shlex.split(line, comments=True)
        assert name == "motionloom"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
    for made in ("good.png", "compare.html", "mended"):
        assert (tmp_path / made).exists()


def test_the_tour_of_two_clips_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("walk", "turn")):
        CliRunner().invoke(app, ["samples", "walk", "--seconds", "3", "--seed", str(seed), "-o", f"clips/{name}.bvh"])
    for line in block("shell").strip().splitlines():
        name, *arguments = shlex.split(line, comments=True)
        assert name == "motionloom"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"


def test_the_command_line_tour_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = block("sh").strip().splitlines()
    assert len(lines) == 10
    for line in lines:
        name, *arguments = shlex.split(line)
        assert name == "motionloom"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
    for made in ("walks.png", "walks.loom", "long.bvh", "long.html"):
        assert (tmp_path / made).stat().st_size > 0
