"""BVH figures: reading and writing against pybvh 0.9, and the peak memory of a load. On CMU's 60_08.bvh."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

from benchmarks.timing import MOCAP, best_seconds, figure

CLIP = MOCAP / "cmu" / "60_08.bvh"
TARGETS = {
    "bvh load against pybvh": (">= 1.5", "x"),
    "bvh write against pybvh": (">= 1", "x"),
    "bvh load peak memory": ("<= 6", "x"),
    "bvh first load in a new process": ("", "s"),
}


def figures() -> list[dict[str, Any]]:
    """Every BVH figure of the foundation issue, as name, value, target, met, unit and note."""
    if not CLIP.is_file():
        note = "not measured: ../shared/mocap is not here"
        return [figure(name, None, target, unit=unit, note=note) for name, (target, unit) in TARGETS.items()]
    return [*_speed(), _memory(), _first_load()]


def _speed() -> list[dict[str, Any]]:
    import pybvh

    from motionloom.io import load, save

    clip, theirs = load(CLIP), pybvh.read_bvh_file(CLIP)
    with tempfile.TemporaryDirectory() as folder:
        mine, other = Path(folder, "mine.bvh"), Path(folder, "other.bvh")
        ours_read, pybvh_read = best_seconds([lambda: load(CLIP), lambda: pybvh.read_bvh_file(CLIP)])
        ours_write, pybvh_write = best_seconds([lambda: save(clip, mine), lambda: pybvh.write_bvh_file(theirs, other)])
    size = CLIP.stat().st_size / 1e6
    read = f"{size / ours_read:.0f} MB/s against {size / pybvh_read:.0f}"
    write = f"{1000 * ours_write:.0f} ms against {1000 * pybvh_write:.0f}"
    return [
        _figure("bvh load against pybvh", pybvh_read / ours_read, read),
        _figure("bvh write against pybvh", pybvh_write / ours_write, write),
    ]


def _memory() -> dict[str, Any]:
    """Peak of a load over the arrays it returns. The file is mapped, not read; its pages are counted all the same."""
    from motionloom.io import load

    load(CLIP)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    clip = load(CLIP)
    peak = tracemalloc.get_traced_memory()[1] - before + CLIP.stat().st_size
    tracemalloc.stop()
    arrays = clip.root.nbytes + clip.rotations.nbytes
    return _figure("bvh load peak memory", peak / arrays, f"{peak / 1e6:.1f} MB for {arrays / 1e6:.1f} MB")


def _first_load() -> dict[str, Any]:
    """The first load in a new process, with numba's disk cache warm."""
    code = (
        "import time; from motionloom.io import load; t = time.perf_counter();"
        f"load({str(CLIP)!r}); print(time.perf_counter() - t)"
    )
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in "123"]
    return _figure("bvh first load in a new process", min(times), "numba's import and cache included")


def _figure(name: str, value: float | None, note: str) -> dict[str, Any]:
    target, unit = TARGETS[name]
    return figure(name, value, target, unit=unit, note=note)
