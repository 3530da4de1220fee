"""Jobs: what a process of its own costs, and how soon a folder command ends on Ctrl-C."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.timing import figure
from motionloom import samples
from motionloom.io import save
from motionloom.jobs import Pool

CLIPS = 200
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # ignored in the background otherwise
MAIN = [sys.executable, "-P", "-c", f"{START}; from motionloom.cli import main; main()"]


def figures() -> list[dict[str, Any]]:
    """A first job, a job in a process that is running already, and Ctrl-C in `convert`."""
    cold = min(_cold() for _ in range(5))
    pool = Pool(1)
    pool.start(os.getpid).result()
    warm = sorted(_timed(pool) for _ in range(200))[100]
    pool.close()
    interrupts = [_interrupt() for _ in range(5)]
    return [
        figure("jobs: first job in a new process", cold, "", unit="s", note="best of 5: start of Python included"),
        figure("jobs: a job in a running process", warm * 1e3, "", unit="ms", note="median of 200"),
        figure("jobs: Ctrl-C in convert", max(interrupts), "< 0.5", unit="s", note="to the exit, with 130; worst of 5"),
    ]


def _timed(pool: Pool) -> float:
    begin = time.perf_counter()
    pool.start(os.getpid).result()
    return time.perf_counter() - begin


def _cold() -> float:
    pool = Pool(1)
    seconds = _timed(pool)
    pool.close()
    return seconds


def _interrupt() -> float:
    """Seconds from the signal to the exit while two workers convert clips."""
    with TemporaryDirectory() as folder:
        source, out = Path(folder) / "in", Path(folder) / "out"
        save(samples.make("walk", seconds=20, fps=60), source / "walk_0.bvh")
        for k in range(1, CLIPS):
            shutil.copy(source / "walk_0.bvh", source / f"walk_{k}.bvh")
        command = [*MAIN, "convert", str(source), str(out), "--to", "npz"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            while running.poll() is None and not list(out.glob("*.npz")):
                time.sleep(0.01)
            time.sleep(0.3)
            begin = time.perf_counter()
            running.send_signal(signal.SIGINT)
            code = running.wait()
            seconds = time.perf_counter() - begin
        assert code == 130, f"exit code {code}"
        return seconds
