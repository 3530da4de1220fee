"""Writing commands that are killed at a file event, or whose disk is full: nothing is lost, and a rerun finishes."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from motionloom.cli.app import app

_spec = importlib.util.spec_from_file_location("interrupted", Path(__file__).with_name("interrupted.py"))
assert _spec is not None
assert _spec.loader is not None
interrupted = importlib.util.module_from_spec(_spec)
sys.modules["interrupted"] = interrupted
_spec.loader.exec_module(interrupted)
COMMANDS, interrupt, prepare = interrupted.COMMANDS, interrupted.interrupt, interrupted.prepare

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")
SLOW = ("textons", "variation", "align")  # they draw many pictures: in the long test only
LONG = Path(__file__).resolve().parents[2] / "out" / "kills.json"  # counts are kept here from run to run


@pytest.fixture(scope="module")
def stages(tmp_path_factory):
    made = {}

    def stage(name):
        if name not in made:
            made[name] = prepare(name, tmp_path_factory.mktemp("stages") / name)
        return made[name]

    return stage


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in SLOW])
def test_a_killed_command_and_a_full_disk_lose_nothing(name, stages, tmp_path):
    stage = stages(name)
    assert stage.events >= 4
    assert interrupt(stage, tmp_path / "kill", kill=stage.events - 2)
    assert interrupt(stage, tmp_path / "full", refuse=stage.events // 2)


@pytest.mark.parametrize("name", ["samples", "fetch", "rate"])
def test_kills_at_all_file_events_of_a_command_lose_nothing(name, stages, tmp_path):
    for event in range(stages(name).events):
        assert interrupt(stages(name), tmp_path / "kill", kill=event)


def test_every_command_that_writes_is_interrupted():
    """Commands with -o, and those that change files in place, by their names in the table of commands."""
    writing = {name for name, command in _commands(get_command(app)) if any("--out" in p.opts for p in command.params)}
    covered = {" ".join(words[: 1 + (words[0] in ("label", "study", "variation"))]) for words in COMMANDS.values()}
    assert writing <= {*covered, *interrupted.ELSEWHERE} | {f"{word} {word}" for word in covered}
    assert {"label add", "info", "rate"} <= covered


def _commands(group, before=""):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield before + name, command


@pytest.mark.long
def test_a_thousand_kills_and_a_hundred_full_disks():
    """Continues where the last run stopped; see docs/security.md."""
    kills = int(os.environ.get("MOTIONLOOM_KILLS", "1000"))
    found = interrupted.continue_run(LONG, kills, kills // 8)
    assert sum(count["killed"] for count in found.values()) >= kills
    assert sum(count["full"] for count in found.values()) >= kills // 10
