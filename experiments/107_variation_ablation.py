"""The choices of LAU one by one: how well takes are re-synthesised from their first two frames by the others.

    python experiments/107_variation_ablation.py

Error: root mean square over frames and degrees of freedom in radians, in units of the error of the mean pose; eight
sets of four takes. Needs ../shared/mocap. Writes out/experiments/variation_ablation.{png,json} and
docs/experiments/variation_ablation.md.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from similarity_material import REAL, publish, table
from variation_material import TAKES, cycles

from motionloom.core import BoolArray, FloatArray, silent
from motionloom.core.numbers import squared_distances
from motionloom.kinematics.resample import resample
from motionloom.methods.variation.config import DEFAULT, SCORES, Config
from motionloom.methods.variation.dofs import Dofs, fit_dofs
from motionloom.methods.variation.learn_transition import climb, resynthesised, transition_budget
from motionloom.methods.variation.networks import own_edges
from motionloom.methods.variation.regression import Rules, SequenceFrames, regression_of

FPS = 30.0
RIDGE = 1e-3  # of the mean square of the inputs
CHANGES: dict[str, dict[str, object]] = {
    "default": {},
    "distances in radians": {"scale": "radians"},
    "distances in standard deviations": {"scale": "deviation"},
    "values instead of changes": {"target": "value"},
    "no velocity term": {"velocity": 0.0},
    "velocity term twice as heavy": {"velocity": 2.0},
    "velocity term 5 times as heavy": {"velocity": 5.0},
    "k = 15": {"neighbours": 15},
    "k = 60": {"neighbours": 60},
    "K_W = 0.1": {"kernel_width": 0.1},
    "K_W = 0.3": {"kernel_width": 0.3},
    "K_W = 0.5": {"kernel_width": 0.5},
    "K_W = 1": {"kernel_width": 1.0},
    "score with one step": {"score": "one-step"},
    "score propagated (eq 4)": {"score": "propagated"},
    "score with a growing variance": {"score": "growing"},
    "variance floor 1e-4": {"floor": 1e-4},
    "variance floor 0.1": {"floor": 0.1},
    "eq 4, variance floor 1e-4": {"score": "propagated", "floor": 1e-4},
    "eq 4, variance floor 0.1": {"score": "propagated", "floor": 0.1},
}


class Takes(NamedTuple):
    """Takes of one motion as degrees of freedom."""

    dofs: Dofs
    values: Sequence[FloatArray]  # (F, D) each


def prepared(takes: Takes, config: Config) -> tuple[SequenceFrames, Rules]:
    """What the regression reads."""
    scales = takes.dofs.scales(config.scale, np.concatenate(takes.values))
    return regression_of(takes.values, takes.dofs.displacement, scales, config)


def network(takes: Takes, config: Config, kind: str) -> BoolArray:
    """Edges (D, 3 D): "learned", none beside the own ones, all from both frames, or all from the last one."""
    count = takes.dofs.count
    edges: BoolArray = own_edges(count)
    if kind == "learned":
        return climb(*prepared(takes, config), transition_budget(config), edges, silent()).edges
    if kind == "full":
        edges[:, : 2 * count] = True
    elif kind == "first order":
        edges[:, :count], edges[:, count : 2 * count] = False, True
    return edges


def relative(made: FloatArray, takes: Takes) -> float:
    """The error of (D, T) values, in units of that of the mean pose."""
    values, angles = np.concatenate(takes.values).T, ~takes.dofs.displacement
    off, still = (made - values)[angles], (values - values.mean(1, keepdims=True))[angles]
    return float(np.sqrt((off**2).mean() / (still**2).mean()))


def error(takes: Takes, config: Config, kind: str = "learned") -> float:
    """The error of re-synthesis by the k nearest neighbours."""
    material, rules = prepared(takes, config)
    score = max(SCORES.index(config.score), 1)  # sequences, not single steps
    return relative(resynthesised(material, rules, network(takes, config, kind), score, silent())[0], takes)


def linear(rows: FloatArray, targets: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Ridge regression."""
    x = np.hstack([rows, np.ones((len(rows), 1))])
    weights = np.linalg.solve(x.T @ x + RIDGE * (x**2).mean() * len(x) * np.eye(x.shape[1]), x.T @ targets)
    return lambda row: np.asarray(np.append(row, 1.0) @ weights)


def radial(rows: FloatArray, targets: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """A sum of Gaussians at all instances, as wide as the median distance, fitted by ridge regression."""
    squares = squared_distances(rows, rows)
    width, mean = float(np.median(squares)), targets.mean(0)
    weights = np.linalg.solve(np.exp(-squares / width) + RIDGE * np.eye(len(rows)), targets - mean)
    return lambda row: np.asarray(mean + np.exp(-((rows - row) ** 2).sum(1) / width) @ weights)


def parametric(takes: Takes, fit: Callable[[FloatArray, FloatArray], Callable[[FloatArray], FloatArray]]) -> float:
    """The error of re-synthesis by one function of both frames before, for all degrees of freedom."""
    scales = takes.dofs.scales("reach", np.concatenate(takes.values))
    absolute, made = takes.dofs.displacement, []
    for k, own in enumerate(takes.values):
        rows, targets = [], []
        for s in (v for m, v in enumerate(takes.values) if m != k):
            rows.append(np.hstack([s[:-2], s[1:-1]]))
            targets.append(s[2:] - np.where(absolute, 0.0, s[1:-1]))
        predict = fit(np.concatenate(rows) * np.tile(scales, 2), np.concatenate(targets))
        out = own.copy()
        bound = 10.0 * np.abs(np.concatenate(takes.values)).max(0)
        for t in range(2, len(own)):
            step = predict(np.concatenate([out[t - 2], out[t - 1]]) * np.tile(scales, 2))
            out[t] = np.clip(step + np.where(absolute, 0.0, out[t - 1]), -bound, bound)
        made.append(out)
    return relative(np.concatenate(made).T, takes)


def sets() -> dict[str, Takes]:
    """Eight sets of four takes."""
    other: Any = import_module("106_variation_of_one_clip")
    walks, next_walks = cycles(fps=FPS), cycles(fps=FPS, number=1)
    clips = {
        "walk 1-4": walks[:TAKES], "walk 5-8": walks[TAKES:], "next cycles 1-4": next_walks[:TAKES],
        "next cycles 5-8": next_walks[TAKES : 2 * TAKES], "strokes": other.strokes(), "jumps": other.jumps(),
        "throws": [resample(c, FPS) for c in other.throws()], "raised hands": other.raised_hands()[0],
    }  # fmt: skip
    return {name: _takes(group) for name, group in clips.items()}


def _takes(clips: Sequence[Any]) -> Takes:
    dofs = fit_dofs(clips)
    return Takes(dofs, [dofs.values(clip) for clip in clips])


def prior_pairs(takes: Takes) -> dict[str, float]:
    """Eq 3 per node of the prior network learned from 1, 5, 10 and 20 pairs, judged on the first pair of frames."""
    from motionloom.methods.variation import learn_prior

    out = {}
    scales = takes.dofs.scales(DEFAULT.scale, np.concatenate(takes.values))
    for pairs in (1, 5, 10, 20):
        data = learn_prior.prior_data(takes.values, pairs, scales, DEFAULT.floor)
        rules = Rules(DEFAULT.neighbours, float(0.25 * (data.instances.var(1) * data.scales).mean()), 0.0, True, False)
        search = learn_prior.PriorBudget(DEFAULT.parents, DEFAULT.least_gain, 0)
        found = learn_prior.learn_prior(data, rules, search, rng=np.random.default_rng(0))
        out[f"{pairs} pairs"] = found.score / data.instances.size
        out[f"{pairs} pairs, edges"] = float(found.edges.sum())
    return out


def main() -> None:
    if not REAL:
        print("needs the real clips of ../shared/mocap, which are not here: skipped")
        return
    material, rows = sets(), {}
    for name, change in CHANGES.items():
        config = dataclasses.replace(DEFAULT, **change)  # type: ignore[arg-type]
        rows[name] = [error(takes, config) for takes in material.values()]
    first = dataclasses.replace(DEFAULT, velocity=0.0)
    rows["no edges"] = [error(takes, DEFAULT, "none") for takes in material.values()]
    rows["all edges from both frames"] = [error(takes, DEFAULT, "full") for takes in material.values()]
    rows["all edges from one frame (first order)"] = [error(t, first, "first order") for t in material.values()]
    rows["linear, from both frames"] = [parametric(takes, linear) for takes in material.values()]
    rows["radial basis, from both frames"] = [parametric(takes, radial) for takes in material.values()]
    walks = cycles(fps=FPS)
    counts = {n: error(_takes(walks[:n]), DEFAULT) for n in (2, 3, 4, 6, 8)}
    pairs = prior_pairs(material["walk 1-4"])
    body = [[name, f"{np.mean(v):.2f}", *(f"{x:.2f}" for x in v)] for name, v in rows.items()]
    number = ", ".join(f"{n}: {e:.2f}" for n, e in counts.items())
    likely = ", ".join(
        f"{k}: {pairs[f'{k} pairs']:.2f} ({pairs[f'{k} pairs, edges']:.0f} edges)" for k in (1, 5, 10, 20)
    )
    page = PAGE.format(table=table(["", "mean", *material], body), counts=number, pairs=likely)
    numbers = {"errors": rows, "takes": counts, "pairs": pairs}
    publish("variation_ablation", draw(rows), numbers, page, dpi=70)


def draw(rows: dict[str, list[float]]) -> Any:
    """The mean error of each choice."""
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(8, 6))
    means = [min(float(np.mean(v)), 2.0) for v in rows.values()]
    colours = ["tab:orange" if name == "default" else "tab:blue" for name in rows]
    axis.barh(range(len(rows)), means, color=colours)
    axis.set(yticks=range(len(rows)), yticklabels=list(rows), xlabel="error, of that of the mean pose (up to 2)")
    axis.invert_yaxis()
    figure.tight_layout()
    return figure


PAGE = """# The choices of LAU one by one

Takes are re-synthesised from their first two frames, each by the other three of its set: root mean square error over
frames and degrees of freedom in radians, in units of the error of the mean pose. Eight sets of four takes at 30 fps:
walk cycles and the next cycles of the same walks (CMU 35), swimming strokes, jumps, throws, raised hands (Bandai).

{table}

![Mean errors](variation_ablation.png)

Each row changes one choice of the default (two rows: the score and the floor, which the default score does not use);
the last five replace the learned edges, or the regression.

- Number of walk cycles, default settings (is four the minimum?): {counts}.
- Pairs of frames at the beginning of each clip that the prior network learns from: log likelihood (eq 3) per node of
  these pairs. {pairs}.

Raised hands: Bandai Namco Research (CC BY-NC 4.0).
"""


if __name__ == "__main__":
    main()
