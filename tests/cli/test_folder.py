"""Commands that process a folder: killed workers, Ctrl-C, and nothing half-written."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from motionloom import samples
from motionloom.io import load, save
from motionloom.io.atomic_files import staging_folder
from motionloom.jobs import WorkerDied
from motionloom.jobs.worker_handle import _descendants
from motionloom.recipes import folders

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")

CLIPS = 30
AS_FROM_A_TERMINAL = (  # a process that was started in the background ignores Ctrl-C
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from motionloom.cli import main; main()"
)
COMMAND = [sys.executable, "-P", "-c", AS_FROM_A_TERMINAL]


@pytest.fixture(scope="module")
def many_clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    save(samples.make("walk", seconds=20, fps=60), folder / "walk_00.bvh")
    (folder / "walk_00.labels.csv").unlink()
    for k in range(1, CLIPS):
        shutil.copy(folder / "walk_00.bvh", folder / f"walk_{k:02d}.bvh")
    return folder


def started(*arguments: object) -> subprocess.Popen[str]:
    """A command as from a terminal."""
    return subprocess.Popen([*COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def first_file(folder: Path, command: subprocess.Popen[str]) -> None:
    """Wait for the first file that the command writes."""
    while not list(folder.glob("*.npz")):
        assert command.poll() is None, command.communicate()
        time.sleep(0.01)


def test_ctrl_c_ends_the_workers_and_leaves_only_whole_files(many_clips, tmp_path):
    command = started("convert", many_clips, tmp_path, "--to", "npz")
    first_file(tmp_path, command)
    workers = list(_descendants(command.pid))
    command.send_signal(signal.SIGINT)
    _, err = command.communicate()
    assert command.returncode == 130, err
    assert "Traceback" not in err
    assert len(workers) >= 1
    for pid in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert 0 < len(left) < CLIPS
    assert [name for name in left if not name.startswith("walk_") or not name.endswith(".npz")] == []
    assert {len(load(tmp_path / name)) for name in left} == {len(load(many_clips / "walk_00.bvh"))}


def test_killed_workers_cost_their_own_files_only(many_clips, tmp_path):
    command = started("convert", many_clips, tmp_path, "--to", "npz")
    first_file(tmp_path, command)
    for pid in list(_descendants(command.pid)):
        os.kill(pid, signal.SIGKILL)
    _, err = command.communicate()
    named = [line for line in err.splitlines() if "its process was killed by SIGKILL" in line]
    assert list(tmp_path.glob(".*")) == []  # what was being written is removed
    written = {path.name.removesuffix(".npz") for path in tmp_path.glob("walk_*.npz")}
    lost = {line.removeprefix("motionloom: ").split(".bvh")[0] for line in named}
    assert len(lost) == len(named)
    assert len(written | lost) == CLIPS  # a worker may be killed after it wrote its file, before it reported it
    assert command.returncode == (1 if named else 0)  # none, if each was between two files when it was killed


def test_what_a_killed_process_was_writing_is_removed(many_clips, tmp_path, monkeypatch):
    def killed(task, jobs, **given):
        for job in jobs:
            staging_folder(job[1]).mkdir()
            yield given["failed"](job, WorkerDied(job[0].name, -signal.SIGKILL))

    monkeypatch.setattr(folders, "each", killed)
    reports = list(folders.clean_files([many_clips], tmp_path))
    assert reports[0].error == "walk_00.bvh: its process was killed by SIGKILL"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("convert", "{out}", "--to", "npz"), ("info",), ("clean", "-o", "{out}")])
def test_many_files_give_the_same_as_one_by_one(many_clips, tmp_path, run, monkeypatch, command):
    options = [word.format(out=tmp_path / "out") for word in command[1:]]
    together = run(command[0], many_clips, *options, "--json")
    monkeypatch.setattr("motionloom.jobs.pool.Pool.start", None)  # no worker can be used
    few = tmp_path / "few"
    few.mkdir()
    for k in range(3):
        shutil.copy(many_clips / f"walk_{k:02d}.bvh", few)
    alone = run(command[0], few, *options, "--json")
    strip = lambda report: {k: v for k, v in report.items() if k not in ("path", "out")}
    assert [strip(r) for r in together.json[:3]] == [strip(r) for r in alone.json]
    assert len(together.json) == CLIPS
