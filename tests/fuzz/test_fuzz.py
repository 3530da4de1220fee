"""A seeded sample of damaged files of every kind: each is read or ends in one of our errors; see docs/security.md."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from cases import KINDS
from runner import Runner, continue_run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs limits and signals of Unix")
SAMPLE = {"files": 80, "slow": 2, "models": 14}
LONG = Path(__file__).resolve().parents[2] / "out" / "fuzz"  # counts are kept here from run to run


@pytest.fixture(scope="module")
def runner(tmp_path_factory):
    made = Runner(tmp_path_factory.mktemp("fuzz"))
    yield made
    made.close()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_damaged_files_are_read_or_end_in_our_errors(runner, kind):
    group = "slow" if kind.slow else "models" if kind.name.endswith(".loom") else "files"
    found = runner.run(kind.name, 0, SAMPLE[group])
    assert found.done == SAMPLE[group]
    assert not found.bad, f"tests/fuzz/runner.py repeats them: {found.bad}"


def test_a_crash_and_a_hang_are_found(tmp_path, monkeypatch):
    """The runner itself: a worker that dies is noticed, named, and replaced for the rest."""
    (tmp_path / "cases.py").write_text(
        "import os, time\n"
        "BY_NAME = {'x': 'x'}\n"
        "prepare = lambda kind, folder: (folder, b'')\n"
        "def run_case(kind, folder, valid, number):\n"
        "    if number == 1: os.abort()\n"
        "    if number == 3: raise KeyError('k')\n"
        "    return True\n"
    )
    source = (
        (Path(__file__).parent / "worker.py")
        .read_text()
        .replace("Path(__file__).resolve().parent", f"{str(tmp_path)!r}")
    )
    (tmp_path / "worker.py").write_text(source)
    monkeypatch.setattr("runner.HERE", tmp_path)
    made = Runner(tmp_path / "out")
    found = made.run("x", 0, 5)
    made.close()
    assert found.done == 5
    assert found.bad["1"].startswith("the process ended with code -6")
    assert found.bad["3"].startswith("KeyError")


@pytest.mark.long
@pytest.mark.parametrize("bounds", [False, True], ids=["plain", "bounds checked"])
def test_many_damaged_files(bounds):
    """Continues where the last run stopped, towards 10^6; with bounds checks, models only."""
    count = int(os.environ.get("MOTIONLOOM_FUZZ_CASES", "2000" if bounds else "50000"))
    models = [kind.name for kind in KINDS if kind.name.endswith(".loom")]
    found = continue_run(LONG, count, models if bounds else None, bounds=bounds)
    assert not {name: tally.bad for name, tally in found.items() if tally.bad}
