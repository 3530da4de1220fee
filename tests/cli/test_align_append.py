"""`motionloom align` and `motionloom append`: their files, and their words for mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from motionloom.cli.app import app
from motionloom.io import load, save
from motionloom.samples import make


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    here = tmp_path_factory.mktemp("clips")
    save(make("walk", seconds=2.5, seed=0), here / "walk.bvh")
    save(make("walk", seconds=3.0, seed=1, speed=1.1), here / "slow.bvh")
    save(make("run", seconds=2.0, seed=0), here / "run.bvh")
    return here


def call(*words: object):
    return CliRunner().invoke(app, [str(w) for w in words])


def test_align_writes_the_warped_clip_the_curve_pictures_and_facts(folder, tmp_path):
    done = call("align", folder / "walk.bvh", folder / "slow.bvh", "-o", tmp_path, "--json")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert summary == json.loads((tmp_path / "alignment.json").read_text())
    assert sorted(p.name for p in tmp_path.iterdir() if not p.name.endswith(".csv")) == sorted(
        f for f in summary["files"] if not f.endswith(".csv")
    )
    walk = load(folder / "walk.bvh")
    assert len(load(tmp_path / "warped.bvh")) == len(walk)
    table = (tmp_path / "curve.csv").read_text().splitlines()
    assert table[0] == "seconds_a,seconds_b"
    assert len(table) == len(walk) + 1
    assert summary["spans"][0] == pytest.approx([0, (len(walk) - 1) / walk.fps], abs=1e-3)
    assert (tmp_path / "alignment.png").stat().st_size > 5_000


def test_align_says_what_goes_with_what(folder, tmp_path):
    done = call("align", folder / "walk.bvh", folder / "slow.bvh", "-o", tmp_path, "--ends", "free", "--limit", 0)
    assert done.exit_code == 0, done.output
    assert "walk.bvh 0.00 to" in done.output
    bad = call("align", folder / "walk.bvh", folder / "slow.bvh", "-o", tmp_path, "--ends", "loose")
    assert bad.exit_code == 2
    assert "--ends: expected fixed, free, free-start, free-end or either, found 'loose'" in bad.output


@pytest.mark.parametrize("method", ["blend", "stitch", "spacetime"])
def test_append_writes_the_clip_its_trails_and_facts(folder, tmp_path, method):
    out = tmp_path / "both.bvh"
    done = call("append", folder / "walk.bvh", folder / "run.bvh", "--method", method, "-o", out, "--json")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert summary == json.loads((tmp_path / "both.json").read_text())
    assert all((tmp_path / name).exists() for name in summary["files"])
    both = load(out)
    assert len(both) == summary["frames"] == summary["a"]["frame"] + 120 - summary["b"]["frame"]
    assert summary["jump_cm"]["joined"] < summary["jump_cm"]["cut"]
    slide = summary["slide_cm_per_s"]["joined"]
    assert slide is None or slide < 2


def test_append_takes_the_moments_it_is_told(folder, tmp_path):
    out = tmp_path / "both.bvh"
    done = call("append", folder / "walk.bvh", folder / "run.bvh", "--at", "1.5,0.5", "-o", out, "--window", 0.3)
    assert done.exit_code == 0, done.output
    assert "walk.bvh at 1.50 s meets run.bvh at 0.50 s, " in done.output
    assert "cm apart" in done.output


def test_append_warns_of_clips_far_apart(folder, tmp_path):
    from motionloom.core import replace

    run = load(folder / "run.bvh")
    save(replace(run, root=run.root + [0, 0.35, 0]), folder / "upstairs.bvh")
    done = call("append", folder / "walk.bvh", folder / "upstairs.bvh", "-o", tmp_path / "both.bvh")
    assert done.exit_code == 0
    assert "cm apart where they meet: look at the transition" in done.output


def test_append_warns_of_a_clip_that_is_mostly_left_out(folder, tmp_path):
    """The nearest frames may lie near the end of a short clip."""
    from motionloom.core import replace

    walk = load(folder / "slow.bvh")[:60]
    lifted = walk.root.copy()
    lifted[:36, 1] += 0.2  # unlike the end of the other one
    save(replace(walk, root=lifted), folder / "short.bvh")
    done = call("append", folder / "walk.bvh", folder / "short.bvh", "-o", tmp_path / "both.bvh")
    assert "% of short.bvh is left out (0." in done.output
    assert "of 1.00 s): --search 0.2 keeps more, or --at" in done.output
    done = call("append", folder / "walk.bvh", folder / "slow.bvh", "-o", tmp_path / "b.bvh", "--search", 0.3)
    assert "% of" not in done.output


def test_a_window_that_is_no_time_is_refused(folder, tmp_path):
    done = call("align", folder / "walk.bvh", folder / "run.bvh", "-o", tmp_path / "out", "--window", "nan")
    assert done.exit_code == 2
    assert "window: expected 0 to 10 s, found nan" in done.output


def test_append_explains_mistakes(folder, tmp_path):
    words = ("append", folder / "walk.bvh", folder / "run.bvh", "-o", tmp_path / "both.bvh")
    for more, said in (
        (("--method", "morph"), "expected one of blend, stitch, spacetime, found 'morph'"),
        (("--at", "soon"), "--at: expected two times in seconds, as 3.2,0.8, found 'soon'"),
        (("--at", "2.49,0.5"), "lies between"),
        (("--search", "nan"), "looked for in more than 0 s of both clips, found nan s"),
        (("--ease", "bouncy"), "expected linear or smooth, found 'bouncy'"),
    ):
        done = call(*words, *more)
        assert done.exit_code == 2
        assert said in done.output
        assert not (tmp_path / "both.bvh").exists()
