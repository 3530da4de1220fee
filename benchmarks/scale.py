"""An hour of capture: processor time, memory, and growth from half an hour to an hour.

Every case runs in a process of its own, one after the other; `./run bench scale` takes about half an hour.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import figure
from motionloom.core import Clip, FloatArray
from motionloom.io import save
from motionloom.rotation import exp, multiply
from motionloom.samples import make

METHODS = ("cuts", "motion-matching", "motion-graph", "two-level-graph", "hierarchical-graph", "textons", "texture")
CASES = ("load", "check", "evaluate", *(f"learn {name}" for name in METHODS))
MINUTES = (30, 60)
MAX_SECONDS = 900.0  # of a case
LIMIT = 2000  # MB
DRIFT = 0.0015  # rad: random walk of every joint from frame to frame, so that no two frames are equal

CHILD = """
import json, resource, sys, time
case, path = sys.argv[1:]
start = time.process_time()
from motionloom.io import load
clip = load(path)
if case == "check":
    from motionloom.evaluate import check_files
    check_files([path])
elif case == "evaluate":
    from motionloom.evaluate import evaluate_clips
    evaluate_clips([clip], [clip])
elif case.startswith("learn "):
    from motionloom.methods import learn
    learn(case.removeprefix("learn "), [clip])
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([time.process_time() - start, used.ru_maxrss / 1000]))
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


def measured(case: str, path: Path) -> tuple[float, float] | str:
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
        return f"not finished after {MAX_SECONDS:g} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return seconds, memory


def figures() -> list[dict[str, Any]]:
    out = []
    with tempfile.TemporaryDirectory() as folder:
        paths = {minutes: Path(folder) / f"{minutes}.npz" for minutes in MINUTES}
        for minutes, path in paths.items():
            save(capture(minutes), path)
        for case in CASES:
            half, whole = (measured(case, paths[minutes]) for minutes in MINUTES)
            if isinstance(whole, str) or isinstance(half, str):
                why = whole if isinstance(whole, str) else str(half)
                out.append(figure(f"an hour of capture, {case}: memory", None, f"<= {LIMIT}", unit="MB", note=why))
                continue
            note = f"{whole[0]:.0f} CPU s; half an hour: {half[0]:.0f} CPU s, {half[1]:.0f} MB"
            name = f"an hour of capture, {case}"
            out.append(figure(f"{name}: memory", round(whole[1]), f"<= {LIMIT}", unit="MB", note=note))
            target = "<= 3" if case == "learn cuts" else ""
            out.append(figure(f"{name}: growth", round(whole[0] / half[0], 2), target, unit="times the time"))
    return out
