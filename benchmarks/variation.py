"""Variation: learning one search start of four walk cycles, synthesis of a second of motion, and its growth.

Learning is measured as the time of the processor, summed over threads, so that other programs do not count.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.timing import best_seconds, figure
from motionloom.constraints import Request
from motionloom.core import Clip
from motionloom.kinematics.resample import resample
from motionloom.methods.synthesis import rendered
from motionloom.methods.variation import Config, VariationModel, fit
from motionloom.samples import make

FPS = 60.0
SECONDS = 1.7  # of a take: four of them are 400 instances


def takes(seconds: float = SECONDS, count: int = 4) -> list[Clip]:
    """Takes of a walk at 60 fps."""
    return [resample(make("walk", seed=s, seconds=seconds), FPS) for s in range(count)]


def learned(clips: list[Clip], **settings: Any) -> tuple[VariationModel, float]:
    """A model, and the seconds of processor time that it took."""
    start = time.process_time()
    model = fit(clips, Config.of({"fps": FPS, **settings}), rng=np.random.default_rng(0))
    return model, time.process_time() - start


def figures() -> list[dict[str, Any]]:
    learned(takes(0.6), rounds=1, tries=1, candidates=1)  # compile
    model, seconds = learned(takes())
    _, faithful = learned(takes(), variant="faithful", restarts=0)
    short, double = (learned(takes(SECONDS * k))[1] for k in (0.5, 2.0))
    tiny = [make("walk", seed=s, seconds=4) for s in range(3)]
    _, contract = learned([resample(c, 30.0) for c in tiny], fps=30.0)
    count = sum(len(c) - 2 for c in model.clips)
    note = f"{model.dofs.count} degrees of freedom, {count} instances, all kinds of updates"
    return [
        figure("variation: learning, one search start", round(seconds, 1), "<= 60", unit="CPU s", note=note),
        figure("variation: learning faithful, one search start", round(faithful, 1), "<= 60", unit="CPU s", note=note),
        figure("variation: learning the tiny clips of the contract tests", round(contract, 1), "<= 10", unit="CPU s"),
        figure(
            "variation: growth of learning with twice the frames",
            round(double / seconds, 1),
            "",
            unit="times",
            note=f"half the frames: {short:.1f} s, double: {double:.1f} s",
        ),
        *_making(model),
    ]


def _making(model: VariationModel) -> list[dict[str, Any]]:
    out = []
    for name, options in (("default, feet held", {}), ("faithful", {"variant": "faithful"})):
        make_clip = partial(_clip, model, Request(seconds=20, options=options))
        make_clip()
        seconds = best_seconds([make_clip], rounds=3)[0] / 20
        target = "<= 10" if not options else "<= 100"
        entry = figure(f"variation: a second of motion at 60 fps ({name})", round(1000 * seconds, 1), target, unit="ms")
        out.append(entry)
    return out


def _clip(model: VariationModel, request: Request) -> Clip:
    return rendered(model, request, np.random.default_rng(1))[1]
