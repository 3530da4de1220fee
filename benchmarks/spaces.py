"""Blends of registered clips: frames per second in batches, and one pose alone; weights for a request."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.timing import best_seconds, figure
from motionloom.blend._kernels_registered import poses
from motionloom.blend.registered import register_rows
from motionloom.blend.registration import registered_curve
from motionloom.samples import make

CLIPS, FRAMES, JOINTS = 8, 2000, 31


def figures() -> list[dict[str, Any]]:
    clips = [make("walk", seed=k, turn=0.1 * k, seconds=2) for k in range(CLIPS)]
    rows = register_rows(clips, registered_curve(clips, "uniform"))
    tables, joints = rows.tables(clips[0].skeleton), len(clips[0].skeleton)
    rng = np.random.default_rng(0)
    weights, at = rng.dirichlet(np.ones(CLIPS), FRAMES), rows.lead + rng.uniform(0, rows.count, FRAMES)
    track, root = np.zeros((FRAMES, 3)), np.empty((FRAMES, 3))
    turns, touch = np.empty((FRAMES, joints, 4)), np.empty((FRAMES, rows.touches.shape[2]), bool)
    one = [x[:1].copy() for x in (weights, at, track, root, turns, touch)]

    def single() -> None:
        for _ in range(FRAMES):
            poses(tables, *one)

    single()
    batch, loop = best_seconds([lambda: poses(tables, weights, at, track, root, turns, touch), single], rounds=7)
    rate = FRAMES / batch * joints / JOINTS
    return [
        figure(f"blend of {CLIPS} clips, frames per second of {JOINTS} joints, in a batch", round(rate), ">= 200000"),
        figure(f"blend of {CLIPS} clips, one pose of {joints} joints alone", round(loop / FRAMES * 1e6, 1), "<= 15",
               unit="us"),
    ]  # fmt: skip
