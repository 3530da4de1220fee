"""Forward kinematics against upc-pymotion, and its first call in a new process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

from benchmarks.timing import best_seconds, figure
from motionloom.core import Clip, Skeleton
from motionloom.kinematics.fk import positions
from motionloom.rotation import normalize

FRAMES, JOINTS = 3000, 31
FIRST = """
import time, numpy as np
from motionloom.core import Skeleton
start = time.perf_counter()
from motionloom.kinematics.fk import positions
body = Skeleton(tuple("abc"), np.array([-1, 0, 1]), np.ones((3, 3)))
positions(body, np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, 3, 1)))
print(time.perf_counter() - start)
"""


def random_clip() -> Clip:
    rng = np.random.default_rng(0)
    parents = np.array([-1, *(int(rng.integers(max(0, j - 4), j)) for j in range(1, JOINTS))])
    body = Skeleton(tuple(f"joint{j}" for j in range(JOINTS)), parents, rng.normal(size=(JOINTS, 3)))
    return Clip(body, rng.normal(size=(FRAMES, 3)), normalize(rng.normal(size=(FRAMES, JOINTS, 4))), 120.0)


def figures() -> list[dict[str, Any]]:
    from pymotion.ops.skeleton import fk as peer

    clip = random_clip()
    body = clip.skeleton
    root, rotations = np.array(clip.root), np.array(clip.rotations)
    parents, offsets = np.array(body.parents), np.array(body.offsets)
    parents[0] = 0  # as pymotion wants it
    offsets[0] = 0
    ours = positions(body, root, rotations)
    theirs = np.asarray(peer(rotations, root, offsets, parents)[0])
    assert np.abs(ours - theirs).max() < 1e-5, "the two do not agree"  # its normalisation adds 1e-8
    mine, other = best_seconds(
        [lambda: positions(body, root, rotations), lambda: peer(rotations, root, offsets, parents)], rounds=9
    )
    return [
        figure(
            "forward kinematics, times faster than upc-pymotion 0.3.4",
            round(other / mine, 1),
            ">= 10",
            unit="x",
            note=f"{FRAMES} frames, {JOINTS} joints: {FRAMES / mine:,.0f} against {FRAMES / other:,.0f} frames/s",
        ),
        figure(
            "forward kinematics, first call in a new process, compiled before",
            round(min(first_call() for _ in range(3)), 2),
            "<= 1",
            unit="s",
        ),
        figure("forward kinematics, first call ever (compiling)", round(first_call(empty_cache=True), 2), "", unit="s"),
    ]


def first_call(*, empty_cache: bool = False) -> float:
    """Seconds of the first call in a new process, import included; with `empty_cache` it has to compile."""
    import os

    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, **({"NUMBA_CACHE_DIR": folder} if empty_cache else {}))
        done = subprocess.run([sys.executable, "-c", FIRST], env=env, capture_output=True, text=True, check=True)
    return float(done.stdout)
