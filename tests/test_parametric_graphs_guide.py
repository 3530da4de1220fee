"""The guide to parametric graphs: its graph files, tracks and commands are used as they are written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.io import load, save_markers
from motionloom.samples.gaze_takes import make_take

GUIDE = (Path(__file__).resolve().parents[1] / "docs" / "parametric_graphs.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


def takes(folder: Path) -> None:
    """The folder of takes that docs/gaze.md makes, with fewer of them."""
    folder.mkdir()
    rows = ["file,yaw,pitch"]
    for k, (yaw, pitch) in enumerate([(-2.0, 0.2), (-1.0, -0.2), (1.0, 0.2), (2.0, -0.2)]):
        save_markers(make_take((yaw, pitch), seed=k, fps=30).markers, folder / f"take_{k}.trc")
        rows.append(f"take_{k}.trc,{57.29578 * yaw},{57.29578 * pitch}")
    (folder / "targets.csv").write_text("\n".join(rows))


def test_the_commands_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in blocks("toml"):
        Path(text.splitlines()[0].removeprefix("# ")).write_text(text)
    (tracks,) = blocks("csv")
    Path("tracks.csv").write_text(tracks)
    takes(Path("takes"))
    printed = {}
    for line in "".join(blocks("sh")).splitlines():
        program, *arguments = shlex.split(line)
        assert program == "motionloom"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
        printed[line] = result.output
    assert {path.name for path in tmp_path.glob("*.png")} == {"quality.png", "reachable.png"}
    assert load("jog.bvh").label("run")[90:180].all()  # the style holds in its span
    assert load("out.bvh").label("carry")[60:180].any()
    (learned,) = (text for line, text in printed.items() if "carry.toml" in line)
    assert len(re.findall(r"edge \w+ > \w+:", learned)) == 1  # one line for the four edges of layered nodes


def test_no_command_of_the_guide_is_outside_its_blocks() -> None:
    outside = re.sub(r"^```\w+\n.*?^```", "", GUIDE, flags=re.DOTALL | re.MULTILINE)
    assert "`motionloom " not in outside
