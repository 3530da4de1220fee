"""The guide to live characters: its Python is run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from motionloom.cli.app import app

ROOT = Path(__file__).resolve().parents[1]


def test_the_python_of_the_guide_runs():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "live.md").read_text(), re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "docs/live.md", "exec"), names)
    assert len(names["clip"]) == 120  # type: ignore[arg-type]


def test_the_commands_of_the_guide_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (text,) = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / "live.md").read_text(), re.DOTALL)
    *lines, endless = text.strip().splitlines()
    assert "until Ctrl-C" in endless
    for line in lines:
        result = CliRunner().invoke(app, shlex.split(line)[1:])
        assert result.exit_code == 0, f"{line}\n{result.output}"
    assert (tmp_path / "driven.bvh").stat().st_size > 0


def test_the_guide_lists_the_commands_that_motion_matching_accepts():
    from motionloom.methods.motion_matching.live import MatchingLive

    text = (ROOT / "docs" / "live.md").read_text()
    assert all(f"| `{name}` |" in text for name in MatchingLive.accepts)
