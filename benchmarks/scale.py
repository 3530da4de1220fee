"""Growth of time and memory with the length of a capture: a few minutes here, an hour in `scale_hour`.

Every case runs in a process of its own, one after the other. The exponent is log2 of the growth of processor time when
the length doubles: 1 is linear.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import figure
from motionloom.core import Clip, FloatArray
from motionloom.io import save
from motionloom.rotation import exp, multiply
from motionloom.samples import make

METHODS = ("cuts", "motion-matching", "motion-graph", "two-level-graph", "hierarchical-graph", "textons", "texture")
ALL = ("load", "check", "evaluate", *(f"learn {name}" for name in METHODS))
SHORT = ("load", "check", "learn cuts")
LIMIT = 2000  # MB
NEAR_LINEAR = 1.35  # exponent
DRIFT = 0.0015  # rad: random walk of every joint from frame to frame, so that no two frames are equal

CHILD = """
import json, sys, time
case, path = sys.argv[1:]
start = time.process_time()
from motionloom.io import load
clip = load(path)
if case == "check":
    from motionloom.evaluate import check_files
    check_files([path])
elif case == "evaluate":
    from motionloom.evaluate import evaluate_clips
    evaluate_clips([clip], [clip])  # a result as long as the capture
elif case.startswith("learn "):
    from motionloom.methods import learn
    learn(case.removeprefix("learn "), [clip])
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))  # ru_maxrss includes the parent
print(json.dumps([time.process_time() - start, int(peak.split()[1]) / 1000]))
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


def measured(case: str, path: Path, max_seconds: float) -> tuple[float, float] | str:
    """Processor seconds and peak memory (MB) of a case, or why it did not end."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", CHILD, case, str(path)],
            capture_output=True,
            text=True,
            timeout=max_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not finished after {max_seconds:g} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return seconds, memory


def growth(cases: Sequence[str], minutes: tuple[float, float], max_seconds: float) -> list[dict[str, Any]]:
    """Memory of the longer capture, and the exponent of the time from the shorter to the longer."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{length:g}.npz" for length in minutes]
        for length, path in zip(minutes, paths, strict=True):
            save(capture(length), path)
        for case in cases:
            name = f"{minutes[1]:g} minutes of capture, {case}"
            half, whole = (measured(case, path, max_seconds) for path in paths)
            if isinstance(whole, str) or isinstance(half, str):
                why = whole if isinstance(whole, str) else str(half)
                out.append(figure(f"{name}: memory", None, f"<= {LIMIT}", unit="MB", note=why))
                continue
            note = f"{whole[0]:.1f} CPU s; {minutes[0]:g} minutes: {half[0]:.1f} CPU s, {half[1]:.0f} MB"
            out.append(figure(f"{name}: memory", round(whole[1]), f"<= {LIMIT}", unit="MB", note=note))
            exponent = float(np.log2(whole[0] / half[0]) / np.log2(minutes[1] / minutes[0]))
            out.append(figure(f"{name}: growth", round(exponent, 2), f"<= {NEAR_LINEAR}", unit="exponent of the time"))
    return out


def figures() -> list[dict[str, Any]]:
    return growth(SHORT, (7.5, 15.0), 120.0)
