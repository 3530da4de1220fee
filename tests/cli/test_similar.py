"""`motionloom similar` and `motionloom judge`: their files, and their words for mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from motionloom.analysis import MEASURES
from motionloom.cli.app import app
from motionloom.io import save
from motionloom.kinematics.resample import resample
from motionloom.samples import make


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """walk.bvh and run.bvh, and the walk at half the rate."""
    here = tmp_path_factory.mktemp("clips")
    walk = make("walk", seconds=1.5, seed=0)
    save(walk, here / "walk.bvh")
    save(make("run", seconds=1.2, seed=0), here / "run.bvh")
    save(resample(walk, walk.fps / 2), here / "slow.bvh")
    return here


def call(*words: object):
    return CliRunner().invoke(app, [str(w) for w in words])


@pytest.mark.parametrize("measure", MEASURES)
def test_similar_writes_matrix_pairs_picture_and_summary(folder, tmp_path, measure):
    done = call("similar", folder / "walk.bvh", folder / "run.bvh", "--measure", measure, "-o", tmp_path, "--json")
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    assert summary == json.loads((tmp_path / "similar.json").read_text())
    stored = np.load(tmp_path / "matrix.npz")
    assert list(stored["values"].shape) == summary["shape"]
    table = (tmp_path / "pairs.csv").read_text().splitlines()
    assert table[0] == "frame_a,frame_b,seconds_a,seconds_b,value"
    assert len(table) - 1 == summary["pairs"] == max(1, round(stored["values"].size / 100))
    i, j = (int(x) for x in table[1].split(",")[:2])
    best = stored["values"][i - stored["first"][0], j - stored["first"][1]]
    assert best == stored["values"].min()
    assert (tmp_path / "matrix.png").stat().st_size > 5_000


def test_curvature_also_draws_the_curves_of_feet_and_hands(folder, tmp_path):
    done = call("similar", folder / "walk.bvh", folder / "run.bvh", "--measure", "curvature", "-o", tmp_path, "--json")
    assert "curvature.png" in json.loads(done.stdout)["files"]
    assert (tmp_path / "curvature.png").stat().st_size > 10_000


def test_minima_contacts_window_and_weights_narrow_the_answer(folder, tmp_path):
    words = ("similar", folder / "walk.bvh", folder / "run.bvh", "-o", tmp_path, "--json")
    plain, fewer = (json.loads(call(*words, *more).stdout) for more in ((), ("--minima", "--contacts")))
    assert fewer["pairs"] < plain["pairs"]
    narrow = json.loads(call(*words, "--window", 0.1, "--weights", "lower=1,head=0.2").stdout)
    assert narrow["first_frames"] == [3, 3]


def test_clips_of_different_rates_are_compared_at_the_lower_one_and_it_is_said(folder, tmp_path):
    done = call("similar", folder / "walk.bvh", folder / "slow.bvh", "-o", tmp_path)
    assert done.exit_code == 0
    assert "walk.bvh resampled from 60 to 30 fps" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--measure", "smell"),
            "expected one of joint-angles, joint-positions, point-cloud, curvature, found 'smell'",
        ),
        (("--share", 0), "--share: expected more than 0 and at most 100 %, found 0"),
        (("--weights", "left_arm=much"), "expected role=number, found 'left_arm=much'"),
        (("--weights", "left_wing=1"), "no joint 'left_wing'"),
    ],
)
def test_mistakes_get_one_line_and_no_traceback(folder, tmp_path, words, said):
    done = call("similar", folder / "walk.bvh", folder / "run.bvh", "-o", tmp_path, *words)
    assert done.exit_code in (1, 2)
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_judge_writes_a_verdict_for_each_measure(folder, tmp_path):
    done = call("judge", folder / "walk.bvh", folder / "run.bvh", "-o", tmp_path)
    assert done.exit_code == 0, done.output
    report = json.loads((tmp_path / "judge.json").read_text())
    assert list(report["measures"]) == list(MEASURES)
    assert all(0 < row["position_rms_cm"] < 40 for row in report["measures"].values())
    assert (tmp_path / "judge.png").exists()
    assert all(name in done.stdout for name in MEASURES)


def test_judge_finds_the_best_attribute_weights(folder):
    done = call("judge", folder / "walk.bvh", folder / "run.bvh", "--optimal", "--json")
    best = json.loads(done.stdout)["optimal"]["joint-angles"]
    assert best["position_rms_cm"] >= best["best_possible_rms_cm"]
    assert set(best["weights"]) == {"root velocity", "joint angles", "joint velocities"}
