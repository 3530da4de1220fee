"""Fifteen variants of four walk cycles: how far from the takes, how diverse, how quick, how timed (LAU 8).

    python experiments/81_variation_of_walks.py

Prints a table. Needs ../shared/mocap (CMU subject 35). Takes about five minutes, most of it to learn the networks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from similarity_material import MOCAP, REAL

from motionloom.analysis.alignment import cycle_times
from motionloom.analysis.dtw import dtw_path
from motionloom.constraints import Request
from motionloom.core import Clip, FloatArray
from motionloom.io import load
from motionloom.kinematics.feet.contacts import contact_array, part_positions, part_speeds
from motionloom.kinematics.resample import resample
from motionloom.methods.synthesis import rendered
from motionloom.methods.variation import Config, VariationModel, fit

FPS = 60.0
TAKES, VARIANTS = 4, 15
CYCLE = (0.9, 1.6)  # s: shorter and longer ones are parts of a cycle, or two
ROWS = ("to the nearest take", "between", "nearest over second", "timing", "length deviation", "acceleration", "jerk",
        "correlation error", "standing feet m/s", "frames")  # fmt: skip


def cycles() -> list[Clip]:
    """One cycle of each walk of subject 35: from one step of the left foot to its next."""
    out = []
    for path in sorted(MOCAP.glob("35_0[1-8].bvh")):
        clip = load(path)
        steps = cycle_times(clip)
        whole = np.flatnonzero((np.diff(steps) > CYCLE[0]) & (np.diff(steps) < CYCLE[1]))
        if len(whole):
            a, b = (round(float(t) * clip.fps) for t in steps[whole[0] : whole[0] + 2])
            out.append(resample(clip[a : b + 1], FPS))
    return out


def apart(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """Root mean square distance along the time-warping path, and the path's mean distance from even timing, frames."""
    cost = ((a[:, None] - b[None]) ** 2).mean(2)
    path = dtw_path(cost, limit=3)
    even = path[:, 0] * (len(b) - 1) / (len(a) - 1)
    return float(np.sqrt(cost[path[:, 0], path[:, 1]].mean())), float(np.abs(path[:, 1] - even).mean())


def among(values: Sequence[FloatArray]) -> FloatArray:
    """(pairs, 2) distance and timing of every two."""
    return np.array([apart(a, b) for k, a in enumerate(values) for b in values[:k]])


def size(values: Sequence[FloatArray], order: int) -> float:
    """Root mean square of a derivative."""
    return float(np.sqrt(np.mean([(np.diff(v, n=order, axis=0) ** 2).mean() for v in values])))


def figures(takes: Sequence[Clip], clips: Sequence[Clip], model: VariationModel) -> list[float]:
    """One number for each of `ROWS`."""
    angles = ~model.dofs.displacement
    known, made = ([model.dofs.values(c)[:, angles] for c in group] for group in (takes, clips))
    own, others = among(known), among(made)
    unit = float(np.median(own[:, 0]))
    far = np.sort([[apart(v, t)[0] for t in known] for v in made], axis=1)
    correlations = [np.corrcoef(np.concatenate(group).T) for group in (known, made)]
    feet = np.mean([part_speeds(part_positions(c), FPS)[contact_array(c)].mean() for c in clips])
    lengths = [np.std([len(v) for v in group], ddof=1) for group in (made, known)]
    return [
        float(np.median(far[:, 0])) / unit,
        float(np.median(others[:, 0])) / unit,
        float(np.median(far[:, 0] / far[:, 1])),
        float(others[:, 1].mean() / own[:, 1].mean()),
        float(lengths[0] / lengths[1]),
        size(made, 2) / size(known, 2),
        size(made, 3) / size(known, 3),
        float(np.abs(correlations[0] - correlations[1]).mean()),
        float(feet),
        float(np.mean([len(v) for v in made])),
    ]


def variants(model: VariationModel, **options: Any) -> list[Clip]:
    """Variants before the finishing pass."""
    asked = Request(options=options)
    return [rendered(model, asked, np.random.default_rng([0, k]))[1] for k in range(VARIANTS)]


def main() -> None:
    if not REAL:
        print("needs the real clips of ../shared/mocap, which are not here: skipped")
        return
    walks = cycles()
    model = fit(walks[:TAKES], Config(fps=FPS), rng=np.random.default_rng(0))
    for note in model.notes:
        print(note.text)
    columns = {"takes": model.clips, "held out": walks[TAKES:], "default": variants(model)}
    columns |= {f"amount {a}": variants(model, amount=a) for a in (0.5, 1.5)}
    columns |= {"feet free": variants(model, hold_feet=False), "faithful": variants(model, variant="faithful")}
    table = {name: figures(model.clips, clips, model) for name, clips in columns.items()}
    print(f"{'':22}" + "".join(f"{name:>13}" for name in table))
    for k, row in enumerate(ROWS):
        print(f"{row:22}" + "".join(f"{values[k]:13.2f}" for values in table.values()))


if __name__ == "__main__":
    main()
