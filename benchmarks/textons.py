"""Textons: learning from ten salsa takes, one texton, the stream, and five minutes of salsa."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import MOCAP, best_seconds, figure
from motionloom.constraints import PoseAt, Request
from motionloom.core import Clip
from motionloom.evaluate.evaluation import evaluate_take, source_values
from motionloom.evaluate.measures.prepared_clip import take
from motionloom.evaluate.reference import reference
from motionloom.io import load
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.methods import learn, prepare, synthesize
from motionloom.methods.textons import TextonModel
from motionloom.methods.textons.learn._kernels_segmentation import best_segmentation
from motionloom.methods.textons.plan.pieces import TextonPlan
from motionloom.methods.textons.plan.random_walk import STAGE_RADIUS
from motionloom.methods.textons.render.stream import take_frames

SEEDS = range(3)
MINUTES = 5
PAIRS = 20
MEASURED = {  # name in the table of measures: (as a ratio to the source's own?, target)
    "skate": (True, "<= 1.2"),
    "peak acceleration": (True, "<= 1.5"),
    "flips": (False, "<= 0"),
    "coverage": (False, ">= 90"),
    "verbatim run": (False, "<= 2"),
    "rough frames": (True, ""),
    "skate (a)": (True, ""),
}


def figures() -> list[dict[str, Any]]:
    out = [_growth()]
    takes = salsa_takes()
    if not takes:
        return [*out, figure("textons of ten salsa takes, learning", None, "< 30", unit="s", note="no ../shared/mocap")]
    clips = [load(t) for t in takes]
    start = time.perf_counter()
    model = learn("textons", clips)
    seconds = time.perf_counter() - start
    assert isinstance(model, TextonModel)
    frames = sum(s.frames for s in model.sources)
    name = "textons of ten salsa takes, learning"
    out.append(figure(name, round(seconds, 1), "< 30", unit="s", note=f"{frames} frames at 60 fps; {model.notes[-1]}"))
    return [*out, *_making(model), *_quality(model, clips), *_choreography(model, clips), *_walks()]


def salsa_takes() -> list[Path]:
    return sorted(MOCAP.glob("cmu/60_*.bvh"))


def _growth() -> dict[str, Any]:
    """How the exact segmentation grows from 5,000 to 50,000 frames: as frames to this power."""
    rng = np.random.default_rng(0)
    count = 50
    log_m = np.log(rng.dirichlet(np.ones(count), size=count))
    jobs = [(rng.normal(size=(n, count)), rng.normal(size=n)) for n in (5_000, 50_000)]
    run: Any = best_segmentation
    small, large = best_seconds([partial(run, *job, log_m, 60, np.zeros(1, np.uint8)) for job in jobs], rounds=3)
    note = f"{count} textons, 5,000 and 50,000 frames: {1000 * small:.0f} and {1000 * large:.0f} ms"
    power = round(float(np.log10(large / small)), 2)
    return figure("exact segmentation, growth with frames", power, "<= 1.2", unit="power (1 is linear)", note=note)


def _making(model: TextonModel) -> list[dict[str, Any]]:
    """One texton, and the stream."""
    plan = model.plan(Request(seconds=60), np.random.default_rng(0))
    assert isinstance(plan, TextonPlan)
    pairs = list(zip(plan.pieces, plan.pieces[1:], strict=False))
    rng = np.random.default_rng(0)

    def all_pieces() -> None:
        for a, b in pairs:
            model.synthesizer.piece_frames(a, b, rng, noise=0.1)

    def all_anew() -> None:
        model.synthesizer.clear_cache()
        all_pieces()

    [cold] = best_seconds([all_anew], rounds=3)
    [warm] = best_seconds([all_pieces], rounds=7)
    mean = sum(a.length for a, _ in pairs) / len(pairs)
    note = f"{mean:.0f} frames on average; {1000 * cold / len(pairs):.2f} ms with nothing kept from before"
    name = "one texton made, mean of a minute of salsa"
    out = [figure(name, round(1000 * warm / len(pairs), 2), "< 1", unit="ms", note=note)]
    count = round(60 * model.fps)
    [took] = best_seconds([lambda: take_frames(model.stream(np.random.default_rng(0)), count)], rounds=5)
    name, note = "endless salsa, plants cleaned", f"a minute of it in {took:.2f} s"
    out.append(figure(name, round(count / took), ">= 5000", unit="frames/s", note=note))
    [took] = best_seconds([lambda: synthesize(model, Request(seconds=60 * MINUTES))], rounds=2)
    name = f"`motionloom synthesize` of {MINUTES} minutes of salsa"
    note = f"{took:.1f} s, with planning, cleaning, checks and the report on plants"
    out.append(figure(name, round(60 * MINUTES * model.fps / took), "", unit="frames/s", note=note))
    return out


def _quality(model: TextonModel, clips: list[Clip]) -> list[dict[str, Any]]:
    """Five minutes of salsa, measured against the takes; the worst of three seeds counts."""
    source = reference(prepare(clips, model.fps).clips)
    own = source_values(source)
    made = [synthesize(model, Request(seconds=60 * MINUTES), seed=seed) for seed in SEEDS]
    reports = [evaluate_take(take(clip), source, own=own) for clip in made]
    out = []
    for measure, (relative, target) in MEASURED.items():
        values = [r.values[measure] for r in reports]
        found = [float((v.ratio if relative else v.value) or 0.0) for v in values]
        worst = min(found) if target.startswith(">") else max(found)
        unit = "times the source's" if relative else values[0].unit
        note = f"seeds {SEEDS[0]} to {SEEDS[-1]}: {', '.join(f'{f:.3g}' for f in found)}"
        out.append(figure(f"{MINUTES} minutes of salsa, {measure}", round(worst, 2), target, unit=unit, note=note))
    away = [float(np.linalg.norm(c.root[:, [0, 2]], axis=1).max()) for c in made]
    stage = STAGE_RADIUS  # salsa does not lead far
    name, note = "farthest from the start", f"stage of {stage:g} m; seeds: {', '.join(f'{a:.1f}' for a in away)}"
    target = f"<= {2 * stage:g}"  # never away for good: twice its stage
    out.append(figure(f"{MINUTES} minutes of salsa, {name}", round(max(away), 1), target, unit="m", note=note))
    return out


def _choreography(model: TextonModel, clips: list[Clip]) -> list[dict[str, Any]]:
    """320 frames between poses of different takes (LI fig. 1): how feet slide, and how far motion is stretched."""
    ready = [c for c in prepare(clips, model.fps).clips if len(c) > 60]
    own = source_values(reference(ready))["skate"].value or 1.0
    rng = np.random.default_rng(7)
    ratios = []
    for _ in range(PAIRS):
        a, b = rng.choice(len(ready), 2, replace=False)
        at = [int(rng.integers(10, len(ready[k]) - 10)) for k in (a, b)]
        poses = [PoseAt(time=t, pose=ready[k][f : f + 1]) for t, k, f in ((0.0, a, at[0]), ("end", b, at[1]))]
        clip = synthesize(model, Request(frames=320, constraints=tuple(poses)))
        ratios.append((skate_b(clip) or 0.0) / own)
    note = f"{PAIRS} pairs of poses; the largest {max(ratios):.2f}; the source's {own:.1f} cm/s"
    name = "320 frames of salsa between two poses, skate"
    return [figure(name, round(float(np.mean(ratios)), 2), "<= 1.2", unit="times the source's", note=note)]


def _walks() -> list[dict[str, Any]]:
    """Two minutes of the walks of two subjects: skate against the source's."""
    out = []
    for subject in (16, 35):
        clips = [load(path) for path in sorted(MOCAP.glob(f"cmu/{subject}_*.bvh"))]
        model = learn("textons", clips)
        assert isinstance(model, TextonModel)
        source = reference(prepare(clips, model.fps).clips)
        made = [synthesize(model, Request(seconds=120), seed=seed) for seed in SEEDS]
        own = source_values(source)["skate"].value or 1.0
        ratios = [(skate_b(clip) or 0.0) / own for clip in made]
        note = f"seeds: {', '.join(f'{r:.2f}' for r in ratios)}; the source's {own:.1f} cm/s"
        name = f"2 minutes of textons of CMU {subject}, skate"
        out.append(figure(name, round(max(ratios), 2), "<= 1.2", unit="times the source's", note=note))
    return out
