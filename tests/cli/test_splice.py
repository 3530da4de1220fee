"""`motionloom splice`: one clip on another, many on many, and its messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from motionloom.io import load, save
from motionloom.samples import make


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("clips")
    for kind, name, turn in (("walks", "left", 0.6), ("walks", "right", -0.6)):
        save(make("walk", turn=turn, seconds=2, fps=30), here / kind / f"{name}.bvh")
    for thing in ("box", "cup"):
        save(make("carry", thing=thing, seconds=4, seed=1, fps=30), here / "actions" / f"{thing}.bvh")
    save(make("look", seconds=3, fps=30), here / "look.bvh")
    return here


def test_an_action_is_put_on_a_walk(run: Any, clips: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    answer = run("splice", clips / "actions/box.bvh", clips / "walks/left.bvh", "-o", out, "--picture", "--json")
    assert answer.code == 0, answer.err
    (summary,) = json.loads(answer.out)
    assert 0 < summary["cost_cm"] < 10
    made = load(out)
    assert len(made) == len(load(clips / "walks/left.bvh")) == summary["frames"]
    assert made.origin.parts == ("lower", "upper")
    assert out.with_suffix(".png").stat().st_size > 5_000
    facts = run("info", out).out
    assert f"left.bvh: {len(made)} frames (lower)" in facts
    assert f"box.bvh: {len(made)} frames (upper)" in facts


def test_every_action_is_put_on_every_walk(run: Any, clips: Path, tmp_path: Path) -> None:
    answer = run("splice", clips / "actions", clips / "walks", "-o", tmp_path / "all", "--without", "posture")
    assert answer.code == 0, answer.err
    made = sorted(p.name for p in (tmp_path / "all").glob("*.bvh"))
    assert made == ["box_on_left.bvh", "box_on_right.bvh", "cup_on_left.bvh", "cup_on_right.bvh"]
    assert "2 actions and 2 walks: 4 combinations" in answer.out


def test_pairs_that_do_not_fit_are_listed_and_the_others_written(run: Any, clips: Path, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed"
    for name in ("actions/box", "look"):
        save(load(clips / f"{name}.bvh"), mixed / f"a_{Path(name).name}.bvh" if name == "look" else mixed / "box.bvh")
    answer = run("splice", mixed, clips / "walks/left.bvh", "-o", tmp_path / "out", "--json")
    assert answer.code == 1
    good, bad = json.loads(answer.out)
    assert Path(good["out"]).is_file()
    assert "feet do not step" in bad["error"]
    assert [p.name for p in (tmp_path / "out").glob("*.bvh")] == ["box_on_left.bvh"]
    answer = run("splice", mixed, clips / "walks/left.bvh", "-o", tmp_path / "out", "--force")
    assert answer.code == 1
    assert "feet do not step" in answer.err


def test_mistakes_are_explained(run: Any, clips: Path, tmp_path: Path) -> None:
    box, left = clips / "actions/box.bvh", clips / "walks/left.bvh"
    for given, message in (
        ((box, left, "--without", "space", "--baseline", "naive"), "give it without --without"),
        ((box, left, "--without", "speed"), "expected time, space, posture"),
        ((box, left, "--baseline", "naiv"), "did you mean 'naive'"),
        ((box, left, "--cut", "knee"), "expected one of upper"),
        ((clips / "look.bvh", left), "feet do not step"),
    ):
        answer = run("splice", *given, "-o", tmp_path / "out.bvh")
        assert answer.code == 2, message
        assert message in answer.err
    assert not (tmp_path / "out.bvh").exists()
