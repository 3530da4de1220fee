"""LAU fig 7: circular strokes with known truth. Are 15 variants of four of them like all 15 true ones?

    python experiments/102_strokes_with_known_truth.py

Two-sample test: the energy distance between variants and true strokes, against that of random splits of both together;
also against 15 other true strokes, of which the four takes are a small sample. Letters (../shared/mocap/handwriting):
the same against the letters that were not learned from. Writes out/experiments/variation_of_strokes.{png,json} and
docs/experiments/variation_of_strokes.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from similarity_material import MOCAP, publish
from texture_material import rows_table

from motionloom.constraints import Request
from motionloom.core import Clip, FloatArray
from motionloom.io.strokes.csv import stroke_clip
from motionloom.io.strokes.handwriting import read_handwriting
from motionloom.methods import synthesize
from motionloom.methods.variation import Config, fit
from motionloom.methods.variation.model import VariationModel

FPS = 60.0
TAKES, TRUE = 4, 15
POINTS = 40  # of a stroke, evenly in time
SPLITS = 300
TRIALS = 6
LETTERS = ("a", "b", "e", "s")
TIMES = ("t", "t+1", "t+2")


def circle(rng: np.random.Generator) -> Clip:
    """A circle whose size, place, shape and speed vary."""
    seconds = 1.0 + 0.1 * rng.normal()
    t = np.linspace(0, 1, round(seconds * FPS))
    turn = 2 * np.pi * (t + 0.03 * rng.normal() * np.sin(2 * np.pi * t))
    wide, high = 0.10 + 0.008 * rng.normal(), 0.08 + 0.008 * rng.normal()
    x = 0.02 * rng.normal() + wide * np.cos(turn) + 0.004 * rng.normal() * np.cos(2 * turn)
    y = 0.2 + 0.02 * rng.normal() + high * np.sin(turn) + 0.004 * rng.normal() * np.sin(3 * turn)
    return stroke_clip(np.stack([x, y], 1), FPS)


def features(clips: Sequence[Clip]) -> FloatArray:
    """(N, F) points of each stroke at even times, and its length."""
    rows = []
    for clip in clips:
        at = np.linspace(0, len(clip) - 1, POINTS)
        points = [np.interp(at, np.arange(len(clip)), clip.root[:, c]) for c in (0, 1)]
        rows.append(np.concatenate([*points, [0.1 * len(clip) / FPS]]))
    return np.array(rows)


def energy(a: FloatArray, b: FloatArray) -> float:
    """The energy distance of two samples (Székely and Rizzo 2013)."""
    far = lambda x, y: np.linalg.norm(x[:, None] - y[None], axis=2)
    return float(2 * far(a, b).mean() - far(a, a).mean() - far(b, b).mean())


def test(a: FloatArray, b: FloatArray, rng: np.random.Generator) -> float:
    """The share of random splits whose energy distance is as large."""
    found, whole = energy(a, b), np.concatenate([a, b])
    larger = 0
    for _ in range(SPLITS):
        order = rng.permutation(len(whole))
        larger += energy(whole[order[: len(a)]], whole[order[len(a) :]]) >= found
    return (larger + 1) / (SPLITS + 1)


def jerk(clips: Sequence[Clip]) -> float:
    """Root mean square of third differences."""
    return float(np.mean([np.sqrt((np.diff(c.root[:, :2], n=3, axis=0) ** 2).mean()) for c in clips]))


def made(model: VariationModel, seed: int, **options: str) -> list[Clip]:
    """As many variants as there are true strokes."""
    return [synthesize(model, Request(options=options), seed=seed, take=k) for k in range(TRUE)]


def circles() -> tuple[dict[str, dict[str, float]], list[float], VariationModel, list[Clip], list[Clip]]:
    """The tests, the jerks, and of the last trial the model, the variants and the true strokes."""
    rng = np.random.default_rng(0)
    ps: dict[str, list[tuple[float, float]]] = {}
    ratios = []
    for trial in range(TRIALS):
        truth, other = ([circle(rng) for _ in range(TRUE)] for _ in range(2))
        takes = truth[:TAKES]
        model = fit(takes, Config(fps=None), rng=np.random.default_rng(trial))
        groups = {
            "variants": made(model, trial),
            "faithful variants": made(model, trial, variant="faithful"),
            "the four takes replayed": [takes[k % TAKES] for k in range(TRUE)],
            "the true strokes": truth,
        }
        ratios.append(jerk(groups["variants"]) / jerk(takes))
        for name, clips in groups.items():
            found = [1.0 if clips is group else test(features(group), features(clips), rng) for group in (truth, other)]
            ps.setdefault(name, []).append((found[0], found[1]))
    rows: dict[str, dict[str, float]] = {}
    for name, trials in ps.items():
        rows[name] = {}
        for k, against in enumerate(("the true strokes", "15 other true strokes")):
            values = np.array([row[k] for row in trials])
            rows[name][f"told apart from {against}, of {TRIALS}"] = int((values < 0.05).sum())
            rows[name][f"smallest p, {against}"] = float(values.min())
            rows[name][f"median p, {against}"] = float(np.median(values))
    return rows, ratios, model, groups["variants"], truth


def letters() -> dict[str, dict[str, float]]:
    """Four letters of each kind, variants of them, and as many others of the same hand."""
    path = MOCAP.parent / "handwriting" / "trajectories_train.mat"
    if not path.is_file():
        return {}
    everything, rows = read_handwriting(path), {}
    for letter in LETTERS:
        found = [clip for clip in everything if clip.name.startswith(f"{letter}_")]
        takes, others = found[:TAKES], found[TAKES : TAKES + TRUE]
        model = fit(takes, Config(fps=None), rng=np.random.default_rng(0))
        groups = {"variants": made(model, 0), "replayed": [takes[k % TAKES] for k in range(TRUE)]}
        rng = np.random.default_rng(0)
        rows[letter] = {f"p, {name}": test(features(others), features(clips), rng) for name, clips in groups.items()}
        rows[letter]["jerk, of the takes'"] = jerk(groups["variants"]) / jerk(takes)
    return rows


def draw(model: VariationModel, variants: Sequence[Clip], truth: Sequence[Clip]) -> Any:
    """LAU fig 7: the takes, the true strokes and the variants, and both networks."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 5, figsize=(13, 3.0))
    groups = {"4 takes": truth[:TAKES], "15 true strokes": truth, "15 variants": variants}
    for axis, (title, clips) in zip(axes, groups.items(), strict=False):
        for clip in clips:
            axis.plot(clip.root[:, 0], clip.root[:, 1], lw=0.9, color="tab:orange" if clips is variants else "tab:blue")
        axis.set(title=title, aspect="equal", xlim=(-0.2, 0.2), ylim=(0.03, 0.37))
    names = [name.removeprefix("root.").replace("height", "y") for name in model.dofs.names]
    count = len(names)
    prior = [(p, i) for i, p in np.argwhere(model.networks.prior)]
    between = [(p, 2 * count + i) for i, p in np.argwhere(model.networks.transition)]
    for axis, columns, edges, title in (
        (axes[3], 2, prior, "prior network"),
        (axes[4], 3, between, "transition network"),
    ):
        at = [(k // count, -(k % count)) for k in range(columns * count)]
        for parent, child in edges:
            axis.annotate("", at[child], at[parent], arrowprops={"arrowstyle": "->", "shrinkA": 17, "shrinkB": 17,
                          "connectionstyle": "arc3,rad=0.35"})  # fmt: skip
        for k, place in enumerate(at):
            text = f"{names[k % count]}[{k // count}]" if columns == 2 else f"{names[k % count]}[{TIMES[k // count]}]"
            axis.scatter(*place, s=900, facecolor="white", edgecolor="black", zorder=2)
            axis.text(*place, text, ha="center", va="center", fontsize=7, zorder=3)
        axis.set(title=title, xlim=(-0.5, columns - 0.5), ylim=(0.6 - count, 0.4))
        axis.set_axis_off()
    figure.tight_layout()
    return figure


def main() -> None:
    rows, ratios, model, variants, truth = circles()
    written = letters()
    jerks = f"{min(ratios):.2f} to {max(ratios):.2f}"
    page = PAGE.format(circles=rows_table(rows), letters=rows_table(written) if written else "", jerks=jerks)
    publish("variation_of_strokes", draw(model, variants, truth), {**rows, "letters": written}, page, dpi=80)


PAGE = """# Strokes with known truth

LAU fig 7: circles whose size, place, shape and speed vary, four of 15 as takes. A two-sample test (energy distance of
40 points of each stroke and its length, 300 random splits) against all 15 and against 15 other true strokes, six times.
An unbiased test at 5 % tells samples of one distribution apart in about one of 20.

{circles}

The jerk of the variants is {jerks} times that of the takes.

![Takes, true strokes, variants and both networks](variation_of_strokes.png)

## Letters

Four letters of each kind by one writer (UCI Character Trajectories) against the next 15: variants, and the four takes
replayed.

{letters}
"""


if __name__ == "__main__":
    main()
