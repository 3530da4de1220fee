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
SLOW = ("textons", "variation", "align", "edges", "reachable")  # many pictures, or slow models: in the long test only
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
    """Commands with --out, and those that change files in place, by their names in the table of commands."""
    options = {name: {word for p in command.params for word in p.opts} for name, command in _commands(get_command(app))}
    writing = {name for name, words in options.items() if words & {"--out", "--picture", "--cut"}}
    covered = {" ".join(words[: 1 + (words[0] in ("label", "study", "variation"))]) for words in COMMANDS.values()}
    assert len(options) > 40
    assert writing - covered == set(interrupted.ELSEWHERE)
    assert {"label add", "label remove", "info", "rate"} <= covered


def _commands(group, before=""):
    """The commands of a group and of its groups; `samples` and `learn`, which write alike, as one each."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if not hasattr(command, "list_commands"):
            yield before + name, command
        elif name in ("samples", "learn"):
            yield name, command.get_command(None, command.list_commands(None)[0])
        else:
            yield from _commands(command, f"{before}{name} ")


@pytest.mark.long
def test_a_thousand_kills_and_a_hundred_full_disks():
    """Continues where the last run stopped; see docs/security.md."""
    kills = int(os.environ.get("MOTIONLOOM_KILLS", "1000"))
    found = interrupted.continue_run(LONG, kills, kills // 8)
    assert sum(count["killed"] for count in found.values()) >= kills
    assert sum(count["full"] for count in found.values()) >= kills // 10
