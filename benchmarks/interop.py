"""Files for other programs: how fast GLB is written, how long a library takes to convert, and how large a GLB is."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.kinematics import random_clip
from benchmarks.timing import MOCAP, best_seconds, figure

SPEED, LIBRARY, SIZE = "GLB writing, 31 joints", "convert the mocap folder to GLB", "GLB size over its float32 arrays"
COMMAND = Path(sys.executable).with_name("motionloom")


def figures() -> list[dict[str, Any]]:
    """The figures of the interop issue."""
    if MOCAP.is_dir():
        return [_speed(), *_library()]
    note = "not measured: ../shared/mocap is not here"
    missing = [figure(LIBRARY, None, "< 30", unit="s", note=note), figure(SIZE, None, "<= 1.2", unit="x", note=note)]
    return [_speed(), *missing]


def _speed() -> dict[str, Any]:
    from motionloom.io.gltf.write import write_glb

    clip = random_clip()
    with tempfile.TemporaryDirectory() as folder:
        [seconds] = best_seconds([lambda: write_glb(clip, Path(folder, "clip.glb"))], rounds=40)
    note = f"{len(clip)} frames to a file in {1000 * seconds:.1f} ms"
    return figure(SPEED, round(len(clip) / seconds), ">= 200000", unit="frames/s", note=note)


def _library() -> list[dict[str, Any]]:
    """All 156 BVH clips, as a user converts them; and the sizes of what comes out."""
    from motionloom.io import load

    paths = sorted(MOCAP.rglob("*.bvh"))
    with tempfile.TemporaryDirectory() as folder:
        command = [str(COMMAND), "convert", *sorted({str(p.parent) for p in paths}), folder, "--to", "glb"]
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
        made = sorted(Path(folder).rglob("*.glb"))
        size = sum(path.stat().st_size for path in made)
        arrays, each = 0, []
        for path in made:
            clip = load(path)
            moving = 0 if clip.slides is None else int(clip.slides.any((0, 2)).sum())
            mine = 4 * len(clip) * (4 * len(clip.skeleton) + 3 * (1 + moving) + 1)
            arrays += mine
            each.append(path.stat().st_size / mine)
    note = f"{len(made)} clips on 2 cores, start of the program included"
    over = sum(ratio > 1.2 for ratio in each)
    sizes = f"all {len(made)} files: {size / 1e6:.1f} MB for {arrays / 1e6:.1f} MB; "
    sizes += f"{over} files of short clips are above 1.2, at most {max(each):.2f}"
    return [
        figure(LIBRARY, round(seconds, 1), "< 30", unit="s", note=note),
        figure(SIZE, round(size / arrays, 3), "<= 1.2", unit="x", note=sizes),
    ]
