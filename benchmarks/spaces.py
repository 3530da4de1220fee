"""Blends of registered clips: frames per second in batches, and one pose alone; match webs of captured clips."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.timing import MOCAP, best_seconds, figure
from motionloom.analysis.match_web import build_web, matches_of
from motionloom.blend._kernels_registered import poses
from motionloom.blend.registered_clips import register_rows
from motionloom.blend.registration import registered_curve
from motionloom.io import load
from motionloom.kinematics.resample import resample
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
        *web_figures(),
        figure(f"blend of {CLIPS} clips, frames per second of {JOINTS} joints, in a batch", round(rate), ">= 200000"),
        figure(f"blend of {CLIPS} clips, one pose of {joints} joints alone", round(loop / FRAMES * 1e6, 1), "<= 15",
               unit="us"),
    ]  # fmt: skip


def web_figures() -> list[dict[str, Any]]:
    """The match web of all CMU clips at 30 fps and at their own rate, without loading them, and one query."""
    names = (
        "match web of the CMU clips at 30 fps",
        "match web of the CMU clips at their own rate, processor time",
        "query of a match web",
    )
    targets = (("<= 5", "s"), ("<= 60", "s"), ("<= 50", "ms"))
    paths = sorted(MOCAP.glob("cmu/*.bvh"))
    if not paths:
        note = "no ../shared/mocap"
        return [figure(n, None, t, unit=u, note=note) for n, (t, u) in zip(names, targets, strict=True)]
    native = [load(path, trim_tpose=True) for path in paths]
    clips = [resample(clip, 30) for clip in native]
    build_web(clips[:4])
    built: list[Any] = []
    seconds = best_seconds([lambda: built.append(build_web(clips))], rounds=3)[0]
    whole = best_seconds([lambda: build_web(native, fps=None)], rounds=1, clock=time.process_time)[0]
    at = next(k for k, clip in enumerate(clips) if clip.name.startswith("16_15"))
    query = best_seconds([lambda: matches_of(built[-1], at, 25, 60)], rounds=5)[0]
    values = (round(seconds, 2), round(whole, 1), round(1000 * query, 1))
    return [
        figure(f"{name} ({len(clips)})" if name == names[0] else name, value, target, unit=unit)
        for name, value, (target, unit) in zip(names, values, targets, strict=True)
    ]
