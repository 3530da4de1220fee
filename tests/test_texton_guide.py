"""The guide to textons is true: its commands, requests and code are taken out of it and run on a dance made here."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from motionloom import samples
from motionloom.cli.app import app
from motionloom.io import load, save
from motionloom.kinematics.resample import resample
from motionloom.methods import load_model

DOCS = Path(__file__).resolve().parents[1] / "docs"
GUIDE = (DOCS / "textons.md").read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, f"{arguments}\n{result.output}"
    return result.output


@pytest.fixture(scope="module")
def dances(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four short dances under the names of the guide, and a pose to edit with."""
    folder = tmp_path_factory.mktemp("guide")
    for k in range(4):
        save(resample(samples.make("dance", seconds=16, seed=k), 60), folder / f"salsa_0{k + 1}.bvh")
    save(resample(samples.make("dance", seconds=2, seed=9), 60), folder / "guard.bvh")
    return folder


def test_what_the_guide_types_runs_and_answers_what_it_says(dances: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(dances)
    path: list[str] = []  # other clips, other textons: the guide's paths are changed for the one that was just made
    for line in "".join(blocks("sh")).strip().splitlines():
        name, *arguments = shlex.split(line, comments=True)
        assert name == "motionloom"
        arguments = [re.sub(r"path: \[.*?\]", f"path: [{', '.join(path)}]", a) for a in arguments]
        if "--path" in arguments:
            arguments[-1] = " ".join(word.split("#")[0] for word in path)
        answer = run(*arguments)
        if found := re.search(r"path: \[(.*?)\]", answer):
            path = found[1].split(", ")[:4]
    for picture in ("segments", "transitions", "graph", "curves", "spectra"):
        assert (dances / "pictures" / f"{picture}.png").stat().st_size > 0
    _, edit, between = blocks("yaml")  # the first names labels that these clips do not have
    Path("edit.yaml").write_text(re.sub(r"path: \[.*?\]", f"path: [{', '.join(path)}]", edit))
    assert re.search(
        r"bends texton \d+ by \d+ cm, to [\d.]+ spreads of it \(\d+ cm\) from its nearest", answer_of("edit")
    )
    Path("between.yaml").write_text(between)
    assert len(re.findall(r" deg +1.15 deg +yes", answer_of("between"))) == 2
    assert len(load("between.bvh")) == yaml.safe_load(between)["frames"]
    cheapest = {**yaml.safe_load(between), "options": {"route": "most_probable"}}
    del cheapest["frames"]
    Path("cheapest.yaml").write_text(yaml.safe_dump(cheapest))
    assert len(re.findall(r" deg +1.15 deg +yes", answer_of("cheapest"))) == 2


def answer_of(name: str) -> str:
    return run("synthesize", "salsa.loom", "-r", f"{name}.yaml", "-o", f"{name}.bvh")


def test_the_code_of_the_guide_streams(dances: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(dances)
    if not Path("salsa.loom").exists():
        run("learn", "textons", "salsa_*.bvh", "-o", "salsa.loom")
    [code] = blocks("python")
    played: list[int] = []

    def play(clip: object) -> None:
        played.append(len(clip))  # type: ignore[arg-type]
        if len(played) == 3:
            raise StopIteration

    with pytest.raises(StopIteration):
        exec(code, {"load_model": load_model, "np": np, "play": play})
    assert played == [120, 120, 120]


def test_the_links_of_the_guide_lead_somewhere() -> None:
    for target in re.findall(r"\[[^\]]*\]\(([^)]*)\)", GUIDE):
        assert (DOCS / target).exists(), target
