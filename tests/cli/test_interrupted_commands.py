"""Writing commands that are killed at a file event, or whose disk is full: nothing is lost, and a rerun finishes."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from motionloom.cli.app import app
from motionloom.io import save
from motionloom.io.replacing import STAGING
from motionloom.methods import learn, save_model
from motionloom.samples import make

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")

COMMANDS = {  # each replaces what an earlier version of itself wrote
    "samples": ["samples", "walk", "--seconds", "1", "--seed", "{n}", "-o", "s.bvh"],
    "convert": ["convert", "in{n}.bvh", "c.glb", "--force"],
    "clean": ["clean", "in{n}.bvh", "-o", "k.bvh", "--force"],
    "learn": ["learn", "cuts", "in{n}.bvh", "-o", "m.loom"],
    "synthesize": ["synthesize", "cuts.loom", "-r", "{{seconds: 2}}", "--seed", "{n}", "-o", "y.bvh"],
    "view": ["view", "in{n}.bvh", "-o", "v.html"],
}


def run(command: list[str], folder: Path, *, kill: int = -1, full: int = -1) -> tuple[int, int]:
    """Run a command in a forked process that is killed at file event `kill`, or may write no file above `full` bytes.

    The status of the process, and how many file events there were.
    """
    inward, outward = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(inward)
        try:
            os.chdir(folder)
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, 1)
            os.dup2(sink, 2)
            count = 0

            def hook(name: str, arguments: tuple[object, ...]) -> None:
                nonlocal count
                writes = name == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
                if writes or name in ("os.rename", "os.remove", "os.mkdir", "os.rmdir"):
                    if count == kill:
                        os.kill(os.getpid(), signal.SIGKILL)
                    count += 1

            sys.addaudithook(hook)
            if full >= 0:
                import resource

                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (full, full))
            code = 3
            try:
                app(command, standalone_mode=True)
            except SystemExit as end:
                code = int(end.code or 0)
            os.write(outward, count.to_bytes(4, "little"))
            os._exit(code)
        except BaseException:
            os._exit(4)  # a traceback
    os.close(outward)
    with os.fdopen(inward, "rb") as pipe:
        events = int.from_bytes(pipe.read(4), "little")
    status = os.waitpid(child, 0)[1]
    return (os.waitstatus_to_exitcode(status), events)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.fixture(scope="module")
def stages(tmp_path_factory) -> dict[str, tuple[Path, dict[str, bytes], list[str], int]]:
    """For every command: a folder after an earlier run, what a complete new run makes of it, the words, the events."""
    out = {}
    for name, words in COMMANDS.items():
        folder = tmp_path_factory.mktemp(name)
        for n in (0, 1):
            save(make("walk", seconds=2, seed=n, fps=30), folder / f"in{n}.bvh")
        if name == "synthesize":
            save_model(learn("cuts", [make("walk", seconds=3, fps=30)]), folder / "cuts.loom")
        first, second = ([word.format(n=n) for word in words] for n in (0, 1))
        assert run(first, folder)[0] == 0
        new = folder.parent / f"{folder.name}_new"
        shutil.copytree(folder, new)
        code, events = run(second, new)
        assert code == 0
        out[name] = (folder, content(new), second, events)
    return out


def check(stage, tmp_path: Path, **fault: int) -> bool:
    """Run one faulty process; whether it failed. Then the files are all old or all new, and a rerun makes them new."""
    folder, new, command, _ = stage
    here = tmp_path / "here"
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(folder, here)
    old = content(here)
    code, _ = run(command, here, **fault)
    assert code != 4, "a traceback"
    left = content(here)
    assert code != 0 or left == new
    interrupted = any(path.name.endswith(STAGING) and (path / "journal.json").exists() for path in here.iterdir())
    if not interrupted:  # else the next load or save finishes the moves first
        assert left in (old, new)
    assert run(command, here)[0] == 0
    assert content(here) == new
    assert not [path.name for path in here.iterdir() if path.is_dir()], "leftovers"
    return code != 0


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_loses_nothing(name, stages, tmp_path):
    events = stages[name][3]
    assert events >= 4
    assert check(stages[name], tmp_path, kill=events // 3)
    assert check(stages[name], tmp_path, kill=events - 2)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_loses_nothing(name, stages, tmp_path):
    assert check(stages[name], tmp_path, full=300)


@pytest.mark.long
def test_a_thousand_kills_and_a_hundred_full_disks(stages, tmp_path):
    rng = np.random.default_rng(int(os.environ.get("MOTIONLOOM_KILL_SEED", "0")))
    names = list(COMMANDS)
    killed = 0
    for k in range(1000):
        stage = stages[names[k % len(names)]]
        killed += check(stage, tmp_path, kill=int(rng.integers(stage[3])))
    full = sum(check(stages[names[k % len(names)]], tmp_path, full=int(10 ** rng.uniform(0, 5))) for k in range(100))
    assert killed > 900
    assert full > 50
