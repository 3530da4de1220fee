"""Takes for the experiments on variation, and how variants are measured against them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from similarity_material import MOCAP, REAL

from motionloom.analysis.alignment import cycle_times
from motionloom.analysis.dtw import dtw_path
from motionloom.constraints import Request
from motionloom.core import Clip, FloatArray
from motionloom.evaluate.measures.smoothness import mean_jerk
from motionloom.io import load
from motionloom.kinematics.feet.contacts import contact_array, part_positions, part_speeds
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel
from motionloom.methods.synthesis import rendered
from motionloom.methods.variation import VariationModel
from motionloom.methods.variation.takes import aligned_values, deviation_correlations
from motionloom.methods.variation.timing import common_clock
from motionloom.samples import make

FPS = 60.0
TAKES, VARIANTS = 4, 15
CYCLE = (0.9, 1.6)  # s: shorter and longer ones are parts of a cycle, or two
BOOTSTRAP = 500  # resamples of variants
ROWS = ("to the nearest take", "between", "nearest over second", "timing", "length deviation", "acceleration", "jerk",
        "correlation error", "correlation of deviations", "standing feet m/s", "nearest pose rad",
        "jerk of joints", "frames")  # fmt: skip
UNSEEN = {"16, walk": ("16_1[56]", 0), "136, on toes": ("136_27", 0), "137, turning": ("137_29", -55),
          "143, turning": ("143_38", 50)}  # fmt: skip
ALIKE = 20.0  # degrees: strides that turn by more or less than the others are no takes of the same motion (LAU 9)


def cycles(names: str = "35_0[1-8]", fps: float = FPS, least: float = CYCLE[0], number: int = 0) -> list[Clip]:
    """One cycle of each walk, by its number: from one step of the left foot to its next. Samples, without captures."""
    if not REAL:
        return [resample(make("walk", seed=s, seconds=1.2), fps) for s in range(8)]
    out = []
    for path in sorted(MOCAP.glob(f"{names}.bvh")):
        clip = load(path, trim_tpose=True)
        steps = cycle_times(clip)
        whole = np.flatnonzero((np.diff(steps) > least) & (np.diff(steps) < CYCLE[1]))
        if len(whole) > number:
            a, b = (round(float(t) * clip.fps) for t in steps[whole[number] : whole[number] + 2])
            out.append(resample(clip[a : b + 1], fps))
    return out


def unseen(fps: float = FPS) -> dict[str, list[Clip]]:
    """Cycles of walks of other performers, on which no setting was chosen: those that turn alike."""
    out: dict[str, list[Clip]] = {}
    for name, (files, turn) in UNSEEN.items():
        out[name] = []
        for path in sorted(MOCAP.glob(f"{files}.bvh")):
            clip = load(path, trim_tpose=True, fps=60.0 if files.startswith("143") else None)
            steps, heading = [round(float(t) * clip.fps) for t in cycle_times(clip)], np.degrees(travel(clip).heading)
            for a, b in pairwise(steps):
                if CYCLE[0] < (b - a) / clip.fps < CYCLE[1] and abs(heading[b] - heading[a] - turn) < ALIKE:
                    out[name].append(resample(clip[a : b + 1], fps))
    return out


def variants(model: VariationModel, count: int = VARIANTS, **options: Any) -> list[Clip]:
    """Variants before the finishing pass."""
    asked = Request(options=options)
    return [rendered(model, asked, np.random.default_rng([0, k]))[1] for k in range(count)]


def apart(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """Root mean square distance along the time-warping path, and the path's mean distance from even timing, frames."""
    cost = ((a[:, None] - b[None]) ** 2).mean(2)
    path = dtw_path(cost, limit=3)
    even = path[:, 0] * (len(b) - 1) / (len(a) - 1)
    return float(np.sqrt(cost[path[:, 0], path[:, 1]].mean())), float(np.abs(path[:, 1] - even).mean())


def table(values: Sequence[FloatArray]) -> FloatArray:
    """(N, N, 2) distance and timing of every two."""
    out = np.zeros((len(values), len(values), 2))
    for k, a in enumerate(values):
        for m, b in enumerate(values[:k]):
            out[k, m] = out[m, k] = apart(a, b)
    return out


def pairs(of: FloatArray) -> FloatArray:
    """(pairs, 2) every two of a table once."""
    return np.asarray(of[np.tril_indices(len(of), -1)])


def size(values: Sequence[FloatArray], order: int) -> float:
    """Root mean square of a derivative."""
    return float(np.sqrt(np.mean([(np.diff(v, n=order, axis=0) ** 2).mean() for v in values])))


def nearest_pose(made: Sequence[FloatArray], known: Sequence[FloatArray]) -> float:
    """The smallest root mean square distance of a pose from one of a take or of another variant."""
    groups = [*made, *known]
    least = np.inf
    for k, v in enumerate(made):
        for m, other in enumerate(groups):
            if m != k:
                least = min(least, float(np.sqrt(((v[:, None] - other[None]) ** 2).mean(2)).min()))
    return least


def angles_of(model: VariationModel, clips: Sequence[Clip]) -> list[FloatArray]:
    """The degrees of freedom of clips without displacements."""
    return [model.dofs.values(c)[:, ~model.dofs.displacement] for c in clips]


def varied_together(model: VariationModel, clips: Sequence[Clip]) -> float:
    """The correlation, over pairs of degrees of freedom, of how their deviations correlate in the takes and in clips.

    Deviations are those from the mean of each group along its own common clock: do joints that vary together in the
    takes vary together in the clips?
    """
    values = [model.dofs.values(clip) for clip in clips]
    frames = common_clock(values, model.dofs.scales("reach", np.concatenate(values)), model.fps)
    groups = model.takes.values, aligned_values(values, frames, model.dofs)
    pairs_ = np.triu_indices(model.dofs.count, 1)
    return float(np.corrcoef(*(deviation_correlations(group)[pairs_] for group in groups))[0, 1])


def joint_jerk(clips: Sequence[Clip]) -> float:
    """The median over clips of the mean jerk of joints in space, m/s^3, at 30 fps as `motionloom evaluate` measures."""
    return float(np.median([mean_jerk(fk(clip)[:: max(1, round(clip.fps / 30.0))], 30.0) for clip in clips]))


def figures(takes: Sequence[Clip], clips: Sequence[Clip], model: VariationModel) -> list[float]:
    """One number for each of `ROWS`."""
    known, made = angles_of(model, takes), angles_of(model, clips)
    own, others = pairs(table(known)), pairs(table(made))
    unit = float(np.median(own[:, 0]))
    far = np.sort([[apart(v, t)[0] for t in known] for v in made], axis=1)
    correlations = [np.corrcoef(np.concatenate(group).T) for group in (known, made)]
    feet = np.mean([part_speeds(part_positions(c), c.fps)[contact_array(c)].mean() for c in clips])
    lengths = [np.std([len(v) for v in group], ddof=1) for group in (made, known)]
    return [
        float(np.median(far[:, 0])) / unit,
        float(np.median(others[:, 0])) / unit,
        float(np.median(far[:, 0] / far[:, 1])),
        float(others[:, 1].mean() / own[:, 1].mean()),
        float(lengths[0] / lengths[1]) if lengths[1] > 0 else float("nan"),
        size(made, 2) / size(known, 2),
        size(made, 3) / size(known, 3),
        float(np.nanmean(np.abs(correlations[0] - correlations[1]))),
        varied_together(model, clips),
        float(feet),
        nearest_pose(made, known),
        joint_jerk(clips) / joint_jerk(takes),
        float(np.mean([len(v) for v in made])),
    ]


def bootstrap(takes: Sequence[Clip], clips: Sequence[Clip], model: VariationModel) -> tuple[float, float]:
    """95 % interval of the median distance between variants, in units of that between takes; variants are resampled."""
    unit = float(np.median(pairs(table(angles_of(model, takes)))[:, 0]))
    whole, rng = table(angles_of(model, clips))[..., 0], np.random.default_rng(0)
    medians = []
    for _ in range(BOOTSTRAP):
        chosen = rng.integers(0, len(whole), len(whole))
        rows = whole[np.ix_(chosen, chosen)]
        apart_ = rows[np.tril_indices(len(whole), -1)]
        medians.append(np.median(apart_[apart_ > 0]) / unit)
    low, high = np.percentile(medians, (2.5, 97.5))
    return float(low), float(high)


def print_table(columns: dict[str, list[float]], rows: Sequence[str] = ROWS) -> None:
    """Columns of numbers under their names."""
    print(f"{'':26}" + "".join(f"{name[:14]:>15}" for name in columns))
    for k, row in enumerate(rows):
        print(f"{row:26}" + "".join(f"{values[k]:15.3g}" for values in columns.values()))
