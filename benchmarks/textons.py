"""Textons: learning from ten salsa takes, the segmentation's growth, and one texton made."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import MOCAP, best_seconds, figure
from motionloom.constraints import Request
from motionloom.io import load
from motionloom.methods import learn
from motionloom.methods.textons import TextonModel
from motionloom.methods.textons._kernels import best_segmentation


def figures() -> list[dict[str, Any]]:
    out = [_growth()]
    takes = sorted(MOCAP.glob("cmu/60_*.bvh"))
    if not takes:
        return [*out, figure("textons of ten salsa takes, learning", None, "< 30", unit="s", note="no ../shared/mocap")]
    clips = [load(t) for t in takes]
    start = time.perf_counter()
    model = learn("textons", clips)
    seconds = time.perf_counter() - start
    assert isinstance(model, TextonModel)
    frames = sum(s.frames for s in model.sources)
    out.append(
        figure(
            "textons of ten salsa takes, learning",
            round(seconds, 1),
            "< 30",
            unit="s",
            note=f"{frames} frames at 60 fps",
        )
    )
    plan = model.plan(Request(seconds=60), np.random.default_rng(0))
    pairs = list(zip(plan.pieces, plan.pieces[1:], strict=False))
    rng = np.random.default_rng(0)
    [took] = best_seconds([lambda: [model.piece_frames(a, b, rng, noise=0.1) for a, b in pairs]], rounds=5)
    mean = sum(a.length for a, _ in pairs) / len(pairs)
    name = "one texton made, mean of a minute of salsa"
    out.append(figure(name, round(1000 * took / len(pairs), 2), "< 1", unit="ms", note=f"{mean:.0f} frames on average"))
    return out


def _growth() -> dict[str, Any]:
    """How the exact segmentation grows from 5,000 to 50,000 frames: as frames to this power."""
    rng = np.random.default_rng(0)
    count = 50
    log_m = np.log(rng.dirichlet(np.ones(count), size=count))
    jobs = [(rng.normal(size=(n, count)), rng.normal(size=n)) for n in (5_000, 50_000)]
    run: Any = best_segmentation
    small, large = best_seconds([partial(run, *job, log_m, 60) for job in jobs], rounds=3)
    note = f"{count} textons, 5,000 and 50,000 frames: {1000 * small:.0f} and {1000 * large:.0f} ms"
    power = round(float(np.log10(large / small)), 2)
    return figure("exact segmentation, growth with frames", power, "<= 1.2", unit="power (1 is linear)", note=note)
