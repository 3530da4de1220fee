"""What an animator reads: drops and limits of `append`, degrees, order of findings, no warnings of libraries."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from motionloom.cli.check import _lines
from motionloom.constraints import Reach, RootAt, residuals
from motionloom.core import replace
from motionloom.evaluate.capture_checks.findings import Finding
from motionloom.io import save
from motionloom.kinematics.travel import travel
from motionloom.samples import make


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    path = tmp_path_factory.mktemp("pair")
    save(make("walk", seed=1, seconds=2.5, fps=30), path / "a.bvh")
    save(make("walk", seed=2, seconds=2.5, fps=30), path / "b.bvh")
    low = make("walk", seed=2, seconds=2.5, fps=30)
    sunk = low.rotations.copy()
    sunk[:, low.skeleton.joint("spine")] = [0.6, 0.8, 0.0, 0.0]  # bent far forwards all the time
    save(replace(low, rotations=sunk, root=low.root - [0, 0.4, 0]), path / "far.bvh")
    return path


def test_append_says_what_it_leaves_out(run, pair, tmp_path):
    answer = run("append", pair / "a.bvh", pair / "b.bvh", "-o", tmp_path / "ab.bvh", "--at", "2.0,0.5")
    assert "the last 0.47 s of A and the first 0.50 s of B are left out" in answer.out
    found = run("append", pair / "a.bvh", pair / "b.bvh", "-o", tmp_path / "ab.bvh", "--at", "2.0,0.5", "--json").json
    assert found["dropped_seconds"] == {"a": pytest.approx(0.4667, abs=1e-3), "b": 0.5}


def test_append_refuses_clips_that_are_too_far_apart(run, pair, tmp_path):
    out = tmp_path / "far.bvh"
    answer = run("append", pair / "a.bvh", pair / "far.bvh", "-o", out, "--limit", "20cm")
    assert answer.code == 1
    assert "more than 20 cm: nothing written" in answer.err
    assert not out.exists()
    assert run("append", pair / "a.bvh", pair / "far.bvh", "-o", out, "--limit", "2m").code == 0
    bare = run("append", pair / "a.bvh", pair / "far.bvh", "-o", out, "--limit", 20, "--force")
    assert "--limit: expected a length with its unit, as 8cm, found '20' (20 m)" in bare.err


def test_errors_of_headings_are_in_degrees():
    walk = make("walk", seconds=1)
    heading = float(travel(walk).heading[10])
    place = tuple(travel(walk).place[10])
    (row,) = residuals(walk, [RootAt(time="10f", position=place, heading=heading + np.radians(12))])
    assert (row.text, row.allowed) == ("12 deg of heading", "1.15 deg")
    (row,) = residuals(walk, [RootAt(time="10f", position=(place[0] + 0.5, place[1]), heading=heading)])
    assert (row.text, row.allowed) == ("0.5 m", "0.02 m")
    (row,) = residuals(walk, [Reach(position=place, heading=heading + np.radians(90), by=1)])
    assert row.text.endswith("deg of heading")
    assert row.allowed == "15 deg"


def test_findings_that_matter_come_first_and_once():
    def finding(kind, text, broken=False, stop=None):
        return Finding("clip", kind, text, stop=stop, broken=broken)

    found = [
        finding("T-pose", "frame 0", broken=True, stop=1),
        finding("never moves", "2 joints never turn"),
        finding("uneven pace", "swings"),
        finding("glitch", "knee jumps", broken=True),
        finding("glitch", "knee jumps", broken=True),
        finding("frame rate", "wrong"),
    ]
    assert _lines(found, 4) == [
        "frame rate: wrong",
        "glitch: knee jumps (left out of learning)",
        "uneven pace: swings",
        "T-pose: frame 0 (left out of learning)",
        "note: 2 joints never turn",
    ]


def test_warnings_of_libraries_do_not_reach_a_user():
    code = (
        "import numpy as np, warnings\n"
        "from motionloom.cli import app as cli\n"
        "cli.start(False)\n"
        "np.log(np.zeros(1)); np.array([1.0]) / 0; warnings.warn('for developers')\n"
        "import motionloom.jobs.worker as worker\n"
        "worker.quiet()\n"
        "np.log(np.zeros(1)); warnings.warn('for developers')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_compare_ends_with_a_verdict_and_takes_two_settings_of_one_method(run, pair):
    methods = "cuts, cuts: {shortest: 1.5s}"
    answer = run("compare", pair / "a.bvh", pair / "b.bvh", "--methods", methods, "-r", "seconds: 2", "--count", 1)
    assert answer.code == 0
    assert "cuts: {shortest: 1.5s}" in answer.out
    assert any(line.startswith("best: cuts") for line in answer.out.splitlines())
    wrong = run("compare", pair / "a.bvh", "--methods", "cuts: {shortes: 1}", "-r", "seconds: 2")
    assert wrong.code == 2
    assert "shortest" in wrong.err


def test_faults_are_what_is_clearly_worse_than_the_clips():
    from types import SimpleNamespace

    from motionloom.evaluate.compare.verdict import VERDICT_MEASURES, faults, verdict_lines
    from motionloom.evaluate.report import SourceValue

    own = {name: SourceValue(2.0) for name in VERDICT_MEASURES}
    same = SimpleNamespace(mean=lambda name: 2.1)
    assert faults(same, own) == []
    bad = SimpleNamespace(mean=lambda name: {"jump": 9.0, "skate": 3.0}.get(name, 2.0))
    assert faults(bad, own) == ["jump 4.5 times that of the clips", "skate 1.5 times that of the clips"]
    equal = [SimpleNamespace(name=name, kind="method", mean=same.mean, reason="", costs=None) for name in "abc"]
    (line,) = verdict_lines(SimpleNamespace(with_results=equal, own=own))
    assert line == "best: a, b and c: nothing is clearly worse than in the clips"
    cut = SimpleNamespace(mean=lambda name: {"peak acceleration": 3.7}.get(name, 2.0))  # a plain cut pops
    assert faults(cut, own) == ["peak acceleration 1.9 times that of the clips"]
