"""Time warping against tslearn, librosa and dtaidistance, and transitions.

The peers live in .venv-peers (made on the first run from benchmarks/peers.txt), where our package is run from its
sources beside them: all are timed in one process, taking turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.timing import best_seconds, figure

HERE = Path(__file__).resolve().parent
VENV = HERE.parent / ".venv-peers"
FIRST = """
import time, numpy as np
cost = np.random.default_rng(0).random((50, 50))
start = time.perf_counter()
from motionloom.analysis.dtw import dtw_path
dtw_path(cost)
print(time.perf_counter() - start)
"""


def figures() -> list[dict[str, Any]]:
    return [*against_peers(), *own(), *transitions()]


def own() -> list[dict[str, Any]]:
    """What needs no peers: first call, memory, and the cost of slope limits."""
    import tracemalloc

    import numpy as np

    from motionloom.analysis.dtw import dtw_path

    cost = np.random.default_rng(0).random((3000, 3000))
    plain, limited = best_seconds([lambda: dtw_path(cost), lambda: dtw_path(cost, limit=3)], rounds=5)
    tracemalloc.start()
    dtw_path(cost)
    peak = tracemalloc.get_traced_memory()[1] / cost.size
    tracemalloc.stop()
    return [
        figure(
            "time warping, first call in a new process, compiled before",
            round(min(first_call() for _ in range(3)), 2),
            "<= 1",
            unit="s",
        ),
        figure("time warping, memory beyond the cost matrix", round(peak, 2), "<= 2", unit="bytes a cell"),
        figure(
            "time warping with at most 3 steps in a row, against no limit",
            round(limited / plain, 1),
            "",
            unit="x the time",
            note=f"3000 x 3000 with path: {1000 * limited:.0f} ms",
        ),
    ]


def first_call() -> float:
    """Seconds of the first path in a new process, imports included."""
    done = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    return float(done.stdout)


def against_peers() -> list[dict[str, Any]]:
    name = "time warping 3000 x 3000 with path, times faster than the fastest of tslearn, librosa, dtaidistance"
    try:
        measured = measure_with_peers()
    except (OSError, subprocess.CalledProcessError) as error:
        return [figure(name, None, ">= 2", unit="x", note=f"the peers could not be run: {error}")]
    times, spread = measured["seconds"], measured["spread"]
    ours = times.pop("motionloom")
    fastest = min(times, key=lambda peer: times[peer])
    said = ", ".join(f"{peer} {1000 * s:.0f} ms" for peer, s in sorted(times.items(), key=lambda x: x[1]))
    return [
        figure(
            name,
            round(times[fastest] / ours, 1),
            ">= 2",
            unit="x",
            note=f"ready squared Euclidean costs (dtaidistance makes its own); ours {1000 * ours:.0f} ms, {said}",
        ),
        figure(
            "time warping, largest relative difference to the peers' cost",
            spread,
            "<= 1e-13",
            note="squared Euclidean costs of two random walks",
        ),
    ]


def measure_with_peers() -> dict[str, Any]:
    """Run this file in the peers' environment."""
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", str(HERE / "peers.txt")], check=True)
    env = dict(os.environ, PYTHONPATH=f"{HERE.parent / 'src'}:{HERE.parent}")
    done = subprocess.run(
        [str(python), "-m", "benchmarks.alignment"],
        env=env,
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def race() -> dict[str, Any]:
    """In the peers' environment: all four on the same two sequences, best of five rounds after a warm-up."""
    import numpy as np

    from motionloom.analysis.dtw import dtw_cost, dtw_path

    librosa: Any = import_module("librosa")
    dtai: Any = import_module("dtaidistance.dtw")
    metrics: Any = import_module("tslearn.metrics")
    rng = np.random.default_rng(0)
    a, b = np.cumsum(rng.normal(size=3000)), np.cumsum(rng.normal(size=3000))
    cost = (a[:, None] - b) ** 2
    jobs: dict[str, Callable[[], Any]] = {
        "motionloom": lambda: dtw_path(cost),
        "tslearn": lambda: metrics.dtw_path_from_metric(cost, metric="precomputed"),
        "tslearn, from the sequences": lambda: metrics.dtw_path(a, b),
        "librosa": lambda: librosa.sequence.dtw(C=cost, backtrack=True),
        "dtaidistance": lambda: dtai.warping_path_fast(a, b),
    }
    for job in jobs.values():
        job()
    seconds = best_seconds(list(jobs.values()), rounds=5)
    costs = [
        dtw_cost(cost),
        float(metrics.dtw_path_from_metric(cost, metric="precomputed")[1]),
        float(metrics.dtw(a, b) ** 2),
        float(librosa.sequence.dtw(C=cost, backtrack=False)[-1, -1]),
        float(dtai.distance_fast(a, b) ** 2),
    ]
    spread = max(abs(c - costs[0]) / costs[0] for c in costs)
    return {"seconds": dict(zip(jobs, seconds, strict=True)), "spread": float(f"{spread:.2g}")}


def transitions() -> list[dict[str, Any]]:
    """How long each transition takes, on samples."""
    from motionloom.analysis.alignment import align
    from motionloom.blend import append, transition_point
    from motionloom.samples import make

    a, b = make("walk", seed=1), make("run", seed=2)
    point = transition_point(a, b, half=12)
    jobs = [lambda m=m: append(a, b, method=m, at=point) for m in ("blend", "stitch", "spacetime")]
    times = best_seconds([*jobs, lambda: align(a, b, ends="free")], rounds=3)
    return [
        figure(f"transition by {name}, 0.4 s at 60 fps", round(1000 * t, 1), "", unit="ms")
        for name, t in zip(("blend", "stitch", "spacetime"), times, strict=False)
    ] + [figure("time alignment of 360 with 300 frames, curve included", round(1000 * times[3], 1), "", unit="ms")]


if __name__ == "__main__":
    print(json.dumps(race()))
