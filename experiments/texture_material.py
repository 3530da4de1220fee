"""Dogs and people for the texture experiments, what is measured of every result, and where filmstrips go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from similarity_material import MOCAP, OUT, PAGES, shrink, table

from motionloom.constraints import Constraint, Request
from motionloom.core import Clip, FloatArray, Unmet, with_labels
from motionloom.evaluate.measures.smoothness import mean_jerk, peak_acceleration
from motionloom.evaluate.measures.verbatim import verbatim_run
from motionloom.io import load
from motionloom.kinematics.feet.skate_measures import skate_b
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import ground_turn, travel
from motionloom.methods import Model, synthesize
from motionloom.methods.synthesis import rendered
from motionloom.plot import filmstrip
from motionloom.samples import make

DOG = MOCAP.parent / "dog"
FPS = 30.0
TAKE_OFF, APEX, LANDING = 28, 38, 50  # frames of the jump below
CREDIT_DOG = (
    "The dog was captured for AI4Animation (CC BY-NC 4.0): pictures here show no dogs but samples, filmstrips of it "
    "are in out/experiments."
)
TRAILS = ("head", "hips", "tail", "left_hand", "right_hand")  # joints whose paths strips show, where a body has them


def dog_walk(sample: bool = False) -> Clip:
    """EDEN's first example: 99 frames of a walking dog."""
    path = DOG / "D1_007_KAN01_001.bvh"
    real = path.is_file() and not sample
    return resample(load(path)[90:] if real else make("dog_walk", seconds=5), FPS)[:99]


def dog_jump(sample: bool = False) -> Clip:
    """Some steps and a jump, 104 frames; without captures, a sample dog that is lifted along a parabola."""
    path = DOG / "D1_057_KAN01_001.bvh"
    if path.is_file() and not sample:
        return resample(load(path)[940:1147], FPS)
    clip = resample(make("dog_walk", seconds=5, seed=3), FPS)[:104]
    root, t = clip.root.copy(), (np.arange(len(clip)) - APEX) / (APEX - TAKE_OFF)
    root[:, 1] += 0.45 * np.maximum(1 - t**2, 0)
    return Clip(clip.skeleton, root, clip.rotations, FPS)


def labelled(clip: Clip, spans: dict[str, tuple[int, int]]) -> Clip:
    """The clip with labels on spans of frames."""
    frames = np.arange(len(clip))
    return with_labels(clip, {name: (frames >= a) & (frames < b) for name, (a, b) in spans.items()})


def made(model: Model[Any], request: Request, seed: int, finish: bool = False) -> tuple[Clip, Any]:
    """A result as `render` leaves it, and its plan; with `finish`, cleaned."""
    plan, clip = rendered(model, request, np.random.default_rng([seed, 0]))
    if finish:
        try:
            clip = synthesize(model, request, seed=seed)
        except Unmet as error:
            clip = error.best if error.best is not None else clip
    return clip, plan


def measured(clip: Clip, plan: Any, examples: Sequence[Clip], keys: Sequence[Constraint] = ()) -> dict[str, float]:
    """What every experiment reports; ratios are to the largest (peak) or mean (jerk) of the examples."""
    points, own = fk(clip), [fk(c) for c in examples]
    return {
        "skate cm/s": skate_b(clip) or 0.0,
        "jerk": mean_jerk(points, clip.fps)
        / float(np.mean([mean_jerk(p, c.fps) for p, c in zip(own, examples, strict=True)])),
        "peak acceleration": peak_acceleration(points, clip.fps)
        / max(peak_acceleration(p, c.fps) for p, c in zip(own, examples, strict=True)),
        **({"key error m": max(c.worst(clip) for c in keys)} if keys else {}),
        "verbatim frames": float(verbatim_run(clip, list(examples)).length),
        "mixed frames %": 100 * plan.mixed,
    }


def mean_rows(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """Means over seeds."""
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def backwards(clip: Clip) -> float:
    """m that the body moves against the direction that it faces, in all."""
    path = travel(clip)
    steps = ground_turn(-path.heading[:-1], np.diff(path.place, axis=0))
    return float(-np.minimum(steps[:, 1], 0.0).sum())


def fall(height: FloatArray, apex: int, landing: int, fps: float) -> tuple[float, int]:
    """m/s^2 of the fall from the apex (a parabola is fitted), and the steps in it: frames in which it pauses."""
    t = np.arange(landing - apex + 1) / fps
    down = height[apex : landing + 1]
    pull = -2 * float(np.polyfit(t, down, 2)[0]) if len(t) > 2 else float("nan")
    speed = -np.diff(down) * fps
    return pull, int((speed[1:] < 0.3 * max(float(speed.mean()), 1e-6)).sum())


def strip(name: str, clips: Sequence[Clip], titles: Sequence[str], sample: bool) -> None:
    """A filmstrip with the paths of some joints: of samples beside the page, of captures in out/experiments."""
    folder = PAGES if sample else OUT
    folder.mkdir(parents=True, exist_ok=True)
    known = [joint for joint in TRAILS if clips[0].skeleton.find(joint) is not None]
    ax = filmstrip(list(clips), titles=list(titles), streamers=known, poses=10)
    ax.figure.savefig(folder / f"{name}_strip.png", dpi=70 if sample else 110)
    shrink(folder / f"{name}_strip.png")


def rows_table(found: dict[str, dict[str, float]]) -> str:
    """A Markdown table with a row for each case."""
    names = list(next(iter(found.values())))
    cells = [[case, *("–" if np.isnan(v) else f"{v:.3g}" for v in row.values())] for case, row in found.items()]
    return table(["", *names], cells)
