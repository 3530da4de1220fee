"""The README's tours are true: they are taken out of it and run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.methods import METHODS

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
KINDS = {b"\x89PNG": ".png", b"RIFF": ".webp", b"GIF8": ".gif"}  # of pictures, by their first bytes


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL)


def test_the_readme_opens_with_a_sentence_and_a_picture_and_the_two_commands_come_before_any_code() -> None:
    lines = [line for line in README.splitlines() if line.strip()]
    assert lines[0] == "# motionloom"
    assert lines[1].endswith(".")
    assert lines[2].startswith("![")
    assert README.index("./run demo") < README.index("./run test") < README.index("```python")


def test_the_picture_is_there_and_below_a_megabyte() -> None:
    (picture,) = re.findall(r"!\[.*?\]\((.*?)\)", README)
    data = (ROOT / picture).read_bytes()
    assert KINDS[data[:4]] == Path(picture).suffix
    assert len(data) < 1_000_000


def test_the_python_tour_has_ten_lines_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = blocks("python")
    assert len([line for line in code.splitlines() if line.strip()]) == 10
    exec(compile(code, "README.md", "exec"), {})
    for name in ("mirrored.bvh", "walks.loom", "walks.png", "walks.html"):
        assert (tmp_path / name).stat().st_size > 0


def test_the_command_line_tour_has_ten_lines_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, tour = blocks("sh")
    lines = tour.strip().splitlines()
    assert len(lines) == 10
    for line in lines:
        name, *arguments = shlex.split(line, comments=True)
        assert name == "motionloom"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
    for made in ("walks.loom", "long.bvh", "both.bvh", "motion.html"):
        assert (tmp_path / made).stat().st_size > 0


def test_every_method_has_its_link() -> None:
    for name, method in METHODS.items():
        folder = method.path.removeprefix("motionloom.methods.")
        assert f"[{name}](src/motionloom/methods/{folder}/README.md)" in README, name
