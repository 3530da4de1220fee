"""Variation: learning one search start of four walk cycles and its growth, a second of motion, a crowd, and memory.

Learning is measured as the time of the processor, summed over threads, so that other programs do not count.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import best_seconds, figure
from motionloom.constraints import Request
from motionloom.core import Clip, replace
from motionloom.core.poses import commands
from motionloom.kinematics.body.roles import group
from motionloom.kinematics.resample import resample
from motionloom.kinematics.trim import trim_contacts
from motionloom.methods import save_model
from motionloom.methods.synthesis import rendered
from motionloom.methods.variation import Config, VariationModel, fit
from motionloom.methods.variation.live import LiveOptions
from motionloom.samples import make

FPS = 60.0
SECONDS = 1.7  # of a take: four of them are 400 instances
CROWD = 100


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
    fewer, less = learned([_legs_alone(c) for c in takes()])
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
        figure(
            f"variation: growth of learning from {fewer.dofs.count} to {model.dofs.count} degrees of freedom",
            round(seconds / less, 1),
            "",
            unit="times",
            note=f"legs alone: {less:.1f} s",
        ),
        *_making(model),
        _crowd(),
        _memory(),
    ]


def _memory() -> dict[str, Any]:
    """The tables that synthesis reads, and the file, against the number of inputs."""
    sizes, files = {}, {}
    for count in (2, 4, 8):
        model, _ = learned(takes(1.2, count), rounds=1, candidates=1, tries=1)
        sizes[count] = sum(np.asarray(part).nbytes for part in (*model.takes, *model.unrolling.material)) / 1024
        with tempfile.TemporaryDirectory() as folder:
            save_model(model, Path(folder) / "model.loom")
            files[count] = (Path(folder) / "model.loom").stat().st_size / 1024
    note = ", ".join(f"{k} inputs: {sizes[k]:.0f} KB, file {files[k]:.0f} KB" for k in sizes)
    return figure("variation: memory of eight inputs, of that of four", round(sizes[8] / sizes[4], 2), "", unit="times",
                  note=note)  # fmt: skip


def _legs_alone(clip: Clip) -> Clip:
    """The clip with an upper body that does not move."""
    still = [joint for joint in group(clip.skeleton, "upper") if joint]
    turns = clip.rotations.copy()
    turns[:, still] = turns[:1, still]
    return replace(clip, rotations=turns)


def _crowd() -> dict[str, Any]:
    """Live characters at 60 fps whose feet are held by eq 7: seconds of one core for a second of all of them."""
    cycles = [trim_contacts(make("walk", seed=s, seconds=4), "left_heel", strides=1) for s in range(4)]
    model = fit([resample(c, FPS) for c in cycles], Config.of({"fps": FPS, "rounds": 1}), rng=np.random.default_rng(0))
    held, free = (_second_of(model, LiveOptions(hold_feet=hold)) for hold in (True, False))
    best = best_seconds([held, free], rounds=5)
    note = f"one core; without eq 7: {100 * best[1]:.1f} %; {model.dofs.count} degrees of freedom"
    name = f"variation: {CROWD} characters at 60 fps in real time, eq 7 included"
    return figure(name, round(100 * best[0], 1), "<= 200", unit="% of a core", note=note)


def _second_of(model: VariationModel, options: LiveOptions) -> Callable[[], None]:
    """A function that steps a crowd through a second."""
    live = model.live
    state = live.begin(np.arange(CROWD), options=options)

    def run() -> None:
        now = state
        for _ in range(60):
            now, _ = live.step(now, commands(), 1.0 / FPS)

    run()
    return run


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
