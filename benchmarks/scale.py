"""Time and memory of captures of 7.5 and 15 minutes and of an hour, and growth: load, check, evaluate and learning.

Every case runs in a process of its own, one after the other, and is kept in out/scale.json at once.
MOTIONLOOM_BENCH_MINUTES=5 ends a run after about five minutes; the next run measures what is missing first, then what
was measured with the oldest source. Time is processor time without imports and compiling. Growth is the exponent of
the time from one length to the next: 1 is linear, 2 quadratic.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import figure
from motionloom.core import Clip, FloatArray
from motionloom.io import save
from motionloom.methods import METHODS
from motionloom.rotation import exp, multiply
from motionloom.samples import make

STORE = Path(__file__).resolve().parents[1] / "out" / "scale.json"
LENGTHS = (7.5, 15.0, 60.0)  # minutes
NEED_TAKES = {"gaze", "variation"}  # learn from several takes of one motion, not from clips of any length
CASES = ("load", "check", "evaluate", *(f"learn {name}" for name in METHODS if name not in NEED_TAKES))
LIMIT = 2000  # MB
NEAR_LINEAR = 1.35  # exponent; asked of cuts
MAX_SECONDS = 7200.0  # by the clock, for one case
DRIFT = 0.0015  # rad: random walk of every joint from frame to frame, so that no two frames are equal

CHILD = """
import json, sys, time
from numba.core import event
from motionloom.evaluate import check_files, evaluate_clips
from motionloom.io import load
from motionloom.methods import learn

class Compiling(event.Listener):
    depth, since, seconds = 0, 0.0, 0.0
    def on_start(self, found):
        if self.depth == 0:
            self.since = time.process_time()
        self.depth += 1
    def on_end(self, found):
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.process_time() - self.since

compiling = Compiling()
event.register("numba:compile", compiling)
case, path = sys.argv[1:]
start = time.process_time()
if case == "check":
    check_files([path])
else:
    clip = load(path)
if case == "evaluate":
    evaluate_clips([clip], [clip])  # a result as long as the capture
elif case.startswith("learn "):
    learn(case.removeprefix("learn "), [clip])
seconds = time.process_time() - start - compiling.seconds
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))  # ru_maxrss includes the parent
print(json.dumps([seconds, int(peak.split()[1]) / 1000]))
"""


def capture(minutes: float) -> Clip:
    """Walks and runs one after the other, each slightly different."""
    rng = np.random.default_rng(0)
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("walk", {"turn": 0.0}),
        ("walk", {"turn": 0.5}),
        ("run", {}),
        ("walk", {"turn": -0.4, "speed": 1.1}),
    ]
    takes = [make(name, seed=k, seconds=20, **given) for k, (name, given) in enumerate(kinds)]
    count = round(minutes * 60 * takes[0].fps)
    roots: list[FloatArray] = []
    rotations: list[FloatArray] = []
    here = np.zeros(3)
    while sum(len(r) for r in roots) < count:
        take = takes[int(rng.integers(len(takes)))]
        roots.append(take.root - take.root[0] * [1, 0, 1] + here)
        here = roots[-1][-1] * [1, 0, 1]
        drift = np.cumsum(rng.normal(0, DRIFT, (len(take), len(take.skeleton), 3)), axis=0)
        rotations.append(multiply(take.rotations, exp(drift)))
    return Clip(takes[0].skeleton, np.concatenate(roots)[:count], np.concatenate(rotations)[:count], takes[0].fps)


def measured(case: str, path: Path) -> dict[str, Any]:
    """Processor seconds and peak memory (MB) of a case, or why it did not end."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", CHILD, case, str(path)],
            capture_output=True,
            text=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not finished after {MAX_SECONDS:g} s"}
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]}
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return {"seconds": seconds, "memory": memory}


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False).stdout.strip()


def measure_more(found: dict[str, Any]) -> None:
    """Measure cases until all are of the present source or the time is over; `found` is written after each."""
    source, commit = _git("rev-parse", "HEAD:src"), _git("rev-parse", "--short", "HEAD")
    end = time.monotonic() + 60 * float(os.environ.get("MOTIONLOOM_BENCH_MINUTES", "inf"))
    waiting = [(minutes, case) for minutes in LENGTHS for case in CASES]
    waiting = [key for key in waiting if found.get(_key(*key), {}).get("source") != source]
    waiting.sort(key=lambda key: found.get(_key(*key), {}).get("when", 0.0))
    STORE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for minutes, case in waiting:
            if time.monotonic() > end:
                return
            path = Path(folder) / f"{minutes:g}.npz"
            if not path.exists():
                save(capture(minutes), path)
            of = {"source": source, "commit": commit, "when": time.time()}
            found[_key(minutes, case)] = measured(case, path) | of
            STORE.write_text(json.dumps(found, indent=1) + "\n")


def figures() -> list[dict[str, Any]]:
    found = json.loads(STORE.read_text()) if STORE.exists() else {}
    measure_more(found)
    out = []
    for case in CASES:
        before = None
        for minutes in LENGTHS:
            now = found.get(_key(minutes, case))
            if now is None:
                continue
            name, of = _key(minutes, case), {"commit": now["commit"]}
            if "failed" in now:
                out.append(figure(f"{name}: memory", None, f"<= {LIMIT}", unit="MB", note=now["failed"]) | of)
                continue
            out.append(figure(f"{name}: time", round(now["seconds"], 1), "", unit="s of processor time") | of)
            out.append(figure(f"{name}: memory", round(now["memory"]), f"<= {LIMIT}", unit="MB") | of)
            if before is not None:
                shorter, seconds = before
                exponent = math.log(now["seconds"] / seconds) / math.log(minutes / shorter)
                target = f"<= {NEAR_LINEAR}" if case == "learn cuts" else ""
                note = f"from {shorter:g} to {minutes:g} minutes"
                out.append(figure(f"{name}: growth", round(exponent, 2), target, unit="exponent", note=note) | of)
            before = (minutes, now["seconds"])
    return out


def _key(minutes: float, case: str) -> str:
    return f"{minutes:g} minutes of capture, {case}"
