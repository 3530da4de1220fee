"""A seeded sample of damaged files of every kind: each is read or ends in one of our errors; see docs/security.md."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from cases import KINDS, MODELS, PROCESS, REQUESTS
from runner import Runner, Tally, continue_run, load_tallies, save_tallies

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs limits and signals of Unix")
SAMPLE = {"files": 600, "slow": 15, "models": 150}  # two minutes of processor time together
LONG = Path(__file__).resolve().parents[2] / "out" / "fuzz"  # counts are kept here from run to run


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    made = Runner(tmp_path_factory.mktemp("fuzz"))
    yield made
    made.close()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_damaged_files_are_read_or_end_in_our_errors(runner, kind):
    group = "slow" if kind.share == PROCESS else "models" if kind in MODELS or kind in REQUESTS else "files"
    found = runner.run(kind.name, 0, SAMPLE[group])
    assert found.done == SAMPLE[group]
    assert not found.bad, f"tests/fuzz/runner.py repeats them: {found.bad}"


def test_a_crash_and_a_hang_are_found(tmp_path, monkeypatch):
    """The runner itself: a worker that dies is noticed, named, and replaced for the rest."""
    (tmp_path / "cases.py").write_text(
        "import os, time\n"
        "BY_NAME = {'x': 'x'}\n"
        "prepare = lambda kind, models, folder: (folder, b'')\n"
        "def run_case(kind, folder, valid, number):\n"
        "    if number == 1: os.abort()\n"
        "    while number == 2: pass\n"
        "    if number == 3: raise KeyError('k')\n"
        "    if number == 4:\n"  # compiling takes more than the limit, and is not counted
        "        import numba, numpy\n"
        "        numba.njit(lambda x: numpy.sort(x).sum() + numpy.median(x))(numpy.zeros(3))\n"
        "    return True\n"
    )
    source = (
        (Path(__file__).parent / "worker.py")
        .read_text()
        .replace("Path(__file__).resolve().parent", f"{str(tmp_path)!r}")
    )
    (tmp_path / "worker.py").write_text(source)
    monkeypatch.setattr("runner.HERE", tmp_path)
    monkeypatch.setattr("runner.SECONDS", 0.2)
    made = Runner(tmp_path / "out")
    found = made.run("x", 0, 5)
    made.close()
    assert found.done == 5
    assert found.bad["1"].startswith("the process ended with code -6")
    assert found.bad["2"] == "more than 0.2 s"
    assert found.bad["3"].startswith("KeyError")
    assert set(found.bad) == {"1", "2", "3"}


@pytest.mark.long
@pytest.mark.parametrize("bounds", [False, True], ids=["plain", "bounds checked"])
def test_many_damaged_files(bounds):
    """Continues where the last run stopped, towards 10^6; with bounds checks, models only."""
    count = int(os.environ.get("MOTIONLOOM_FUZZ_CASES", "2000" if bounds else "50000"))
    models = [kind.name for kind in (*MODELS, *REQUESTS)]
    found = continue_run(LONG, count, models if bounds else None, bounds=bounds)
    assert not {name: tally.bad for name, tally in found.items() if tally.bad}


def test_a_run_is_continued_and_failures_are_tried_again(tmp_path):
    """Counts of an earlier run are kept; a case that failed then and passes now is listed as fixed."""
    save_tallies(tmp_path / "counts.json", {"x.trc": Tally(5, 2, {"3": "KeyError"})})
    found = continue_run(tmp_path, 20, ["x.trc"])
    assert found["x.trc"].done == 25
    assert found["x.trc"].read >= 2
    assert found["x.trc"].bad == {}
    assert found["x.trc"].fixed == {"3": "KeyError"}
    assert load_tallies(tmp_path / "counts.json") == found
