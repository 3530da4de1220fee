"""Textons of 49,800 frames, as many as LI had: learning takes minutes (`./run bench textons_large`)."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

from benchmarks.textons import salsa_takes
from benchmarks.timing import figure
from motionloom.core import Clip, replace
from motionloom.io import load
from motionloom.kinematics.mirror import mirror
from motionloom.kinematics.resample import resample
from motionloom.methods import learn, prepare
from motionloom.methods.textons import TextonModel
from motionloom.rotation import exp, multiply

LI_FRAMES = 49_800


def figures() -> list[dict[str, Any]]:
    """Learned in a process of its own, so that its memory can be measured."""
    if not salsa_takes():
        return []
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.textons_large"], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    note = f"{found['frames']} frames: salsa, mirrored, retimed, perturbed; {found['textons']} textons; LI: 4 hours"
    name = f"textons of {LI_FRAMES:,} frames, learning"
    return [
        figure(name, round(found["seconds"]), "< 300", unit="s", note=note),
        figure(
            f"{name}: peak memory", round(found["peak"] / 2**20), "", unit="MB", note="the whole process, clips too"
        ),
    ]


def large_material(clips: list[Clip]) -> list[Clip]:
    """The takes, mirrored, slower, faster, and with joints turned a little, until there are `LI_FRAMES` frames."""
    ready = list(prepare(clips, 60.0, margin=TextonModel.glitch_margin).clips)
    kinds = [ready, [mirror(c) for c in ready], [_retimed(c, 0.9) for c in ready], [_retimed(c, 1.12) for c in ready]]
    kinds += [[_perturbed(c, seed) for c in kinds[seed % 4]] for seed in range(8)]
    out: list[Clip] = []
    for clip in (clip for kind in kinds for clip in kind if len(clip) >= 120):  # two textons
        out.append(clip)
        if sum(len(c) for c in out) >= LI_FRAMES:
            break
    return out


def _retimed(clip: Clip, pace: float) -> Clip:
    return replace(resample(clip, clip.fps / pace), fps=clip.fps)


def _perturbed(clip: Clip, seed: int) -> Clip:
    """Every joint turned by a slow random curve of about three degrees."""
    rng = np.random.default_rng(seed)
    knots = rng.normal(size=(len(clip) // 60 + 4, len(clip.skeleton), 3)) * 0.05
    at = np.arange(len(clip)) / 60
    low = at.astype(int)
    share = (at - low)[:, None, None]
    curve = knots[low] + (share * share * (3 - 2 * share)) * (knots[low + 1] - knots[low])
    return replace(clip, rotations=multiply(clip.rotations, exp(curve)))


def _learn_large() -> None:
    clips = large_material([load(t) for t in salsa_takes()])
    start = time.perf_counter()
    model = learn("textons", clips)
    assert isinstance(model, TextonModel)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    found = {"seconds": time.perf_counter() - start, "peak": peak, "textons": len(model.textons)}
    print(json.dumps(found | {"segments": len(model.observed), "frames": sum(len(c) for c in clips)}))


if __name__ == "__main__":
    _learn_large()
