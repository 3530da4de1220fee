"""Writing commands that are killed at a file event, or whose disk is full: nothing is lost, and a rerun finishes."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

_spec = importlib.util.spec_from_file_location("interrupted", Path(__file__).with_name("interrupted.py"))
assert _spec is not None
assert _spec.loader is not None
interrupted = importlib.util.module_from_spec(_spec)
sys.modules["interrupted"] = interrupted
_spec.loader.exec_module(interrupted)
COMMANDS, all_kills, interrupt, prepare = (
    interrupted.COMMANDS, interrupted.all_kills, interrupted.interrupt, interrupted.prepare
)  # fmt: skip

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
LONG = Path(__file__).resolve().parents[2] / "out" / "kills.json"  # counts are kept here from run to run


@pytest.fixture(scope="module")
def stages(tmp_path_factory):
    made = {}

    def stage(name):
        if name not in made:
            made[name] = prepare(name, tmp_path_factory.mktemp("stages") / name)
        return made[name]

    return stage


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_and_a_full_disk_lose_nothing(name, stages, tmp_path):
    stage = stages(name)
    assert stage.events >= 4
    assert interrupt(stage, tmp_path / "kill", kill=stage.events - 2)
    assert interrupt(stage, tmp_path / "full", refuse=stage.events // 2)


@pytest.mark.parametrize("name", ["samples", "folder"])
def test_all_kills_of_a_command_lose_nothing(name, stages, tmp_path):
    assert all_kills(stages(name), tmp_path / "all") == stages(name).events


@pytest.mark.long
def test_a_thousand_kills_and_a_hundred_full_disks(stages, tmp_path):
    """All file events of all commands, random ones with a real SIGKILL, and disks that are full at random."""
    rng = np.random.default_rng(int(os.environ.get("MOTIONLOOM_KILL_SEED", "0")))
    names = list(COMMANDS)
    counts = {"events": 0, "killed": 0, "full": 0}
    for name in names:
        counts["events"] += all_kills(stages(name), tmp_path / "all")
    while counts["events"] + counts["killed"] < 1000:
        stage = stages(names[int(rng.integers(len(names)))])
        counts["killed"] += interrupt(stage, tmp_path / "here", kill=int(rng.integers(stage.events)))
    for k in range(120):
        stage = stages(names[k % len(names)])
        limits = {"full": int(10 ** rng.uniform(0, 5))} if k % 2 else {"refuse": int(rng.integers(stage.events))}
        counts["full"] += interrupt(stage, tmp_path / "here", **limits)
    LONG.parent.mkdir(exist_ok=True)
    LONG.write_text(json.dumps(counts))
    assert counts["full"] >= 100
