"""The guide to motion texture is true: its commands and its request are taken out of it and run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.constraints import Request, residuals
from motionloom.io import load

GUIDE = (Path(__file__).resolve().parents[1] / "docs" / "texture.md").read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)


def test_what_the_guide_types_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [request] = blocks("yaml")
    Path("keys.yaml").write_text(request)
    for line in "".join(blocks("sh")).strip().splitlines():
        name, *arguments = shlex.split(line, comments=True)
        assert name == "motionloom"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
    assert len(load("long.bvh")) == 600
    keys = Request.from_file("keys.yaml", load)
    assert all(row.met for row in residuals(load("keys.bvh"), keys))
    for folder in ("pictures", "eden"):
        for name in ("texture.png", "neighbourhood.png"):
            assert (tmp_path / folder / name).stat().st_size > 1000
    cells = np.load("eden/cells.npz")
    assert cells["clip"].shape == cells["frame"].shape == cells["keys"].shape == (90, len(cells["joints"]))
    assert cells["energy"][:, :2].tolist() == [[1, 0], [1, 1], [0, 0], [0, 1]]
