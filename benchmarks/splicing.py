"""Splicing and gaze: a splice from scratch, and one step of each layer for one character and in a batch."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import best_seconds, figure
from motionloom.blend.splice import splice
from motionloom.blend.splice.tables import splice_table
from motionloom.constraints import LookAt
from motionloom.control import GazeLayer, SpliceLayer
from motionloom.core import Clip
from motionloom.core.poses import Poses, commands
from motionloom.methods.gaze import GazeMap, GazeMotion, gaze_body, look_clip
from motionloom.methods.gaze.look_clip import look_from
from motionloom.rotation import log
from motionloom.samples import make
from motionloom.samples.gaze_takes import make_takes

CROWD = 1000


def _look(clip: Clip, gaze_map: GazeMap, point: LookAt) -> Clip:
    return look_clip(clip, gaze_map, [look_from(clip, point, gaze_map)])


def figures() -> list[dict[str, Any]]:
    walk, carry = make("walk", turn=0.5, seconds=110 / 60, seed=1), make("carry", seconds=3, seed=2)
    splice(carry, walk)
    (whole,) = best_seconds([lambda: splice(carry, walk)], rounds=9)
    motions = [
        GazeMotion(t.yaw, t.pitch, log(t.turns), t.seconds, t.starts, t.peak, t.overshoot)
        for t in (take.truth for take in make_takes(0))
    ]
    long, gaze_map = make("carry", seconds=6, seed=2), GazeMap.of(motions)
    layers: dict[str, tuple[Any, Any]] = {
        "splice": (SpliceLayer(splice_table({"box": long}, make("walk", seconds=5, seed=9))), commands(overlay=0)),
        "gaze": (GazeLayer(gaze_map, gaze_body(walk)), commands(look=[2.0, 1.5, 3.0])),
    }
    point = LookAt(target=(3.0, 1.5, 2.0), span=(1.0, 1.5))
    look = partial(_look, walk, gaze_map, point)
    look()
    (looking,) = best_seconds([look], rounds=9)
    out = [
        figure("splice, 110 frames from scratch, warm", round(whole * 1e3, 2), "<= 5", unit="ms"),
        figure("gaze, 110 frames from scratch, warm", round(looking * 1e3, 2), "<= 5", unit="ms"),
    ]
    for name, (layer, asked) in layers.items():
        seconds = []
        for count in (CROWD, 1):
            at = np.arange(count) % len(walk)
            poses = Poses(walk.root[at], walk.rotations[at], np.zeros((count, 4), bool), np.full(count, np.nan))
            state = layer.begin(np.arange(count), walk.skeleton)
            for _ in range(3):
                state, _ = layer.step(state, poses, asked, 1 / 60)
            (taken,) = best_seconds([partial(layer.step, state, poses, asked, 1 / 60)], rounds=15)
            seconds.append(taken / count)
        title = f"{name}, microseconds per step of a character"
        out.append(figure(f"{title}, batch of {CROWD}", round(seconds[0] * 1e6, 2), "<= 10", unit="us"))
        out.append(figure(f"{title}, alone", round(seconds[1] * 1e6, 1), "<= 100", unit="us"))
    return out
