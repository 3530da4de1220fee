"""Weights of a parametric space by five rules: accuracy, negative weights, sliding feet, smoothness, number of samples.

    python experiments/112_space_weights.py

Writes docs/experiments/space_weights.md and its picture. Takes about two minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from similarity_material import CREDIT, PAGES, REAL
from space_material import REQUESTS, errors, evenness, held_out, sliding, spaces, triangulated

from motionloom.core import FloatArray
from motionloom.methods import learn
from motionloom.methods.verbs.adverbs import Interpolation
from motionloom.plot.figures import new_figure, save_figure

CHOSEN = ("run, turns", "walk, turn x", "punches")
COUNTS = (50, 100, 200, 400, 800)
Rule = Callable[[FloatArray], FloatArray]


def rules(model: Any) -> dict[str, Rule]:
    """Functions from parameters (N, D) to weights (N, K)."""
    space = model.space
    values = (space.values - space.middle) / space.ranges
    radial = Interpolation(values)

    def scaled(asked: FloatArray) -> FloatArray:
        return np.asarray((asked - space.middle) / space.ranges)

    def linear(asked: FloatArray) -> FloatArray:
        rows = np.concatenate([values.T, np.ones((1, len(values)))])
        right = np.concatenate([scaled(asked).T, np.ones((1, len(asked)))])
        return np.asarray((np.linalg.pinv(rows) @ right).T)

    return {
        "linear fit": linear,
        "triangulation": lambda asked: triangulated(values, scaled(asked)),
        "radial basis": lambda asked: np.stack([radial(p) for p in scaled(asked)]),
        "nearest (HECK)": lambda asked: space.weights(asked, rule="nearest").weights,
        "smooth (ours)": lambda asked: space.weights(asked).weights,
    }


def by_samples(clips: list[Any], settings: dict[str, Any]) -> FloatArray:
    """(counts, 2, 2) mean and worst error of nearest and smooth weights."""
    out = []
    for count in COUNTS:
        model = learn("parametric-space", clips, {**settings, "samples": count})
        asked = held_out(model)
        both = [errors(model, asked, model.space.weights(asked, rule=r).weights) for r in ("nearest", "smooth")]
        out.append([[e.mean(), e.max()] for e in both])
    return np.array(out)


def main() -> None:
    if not REAL:
        raise SystemExit("needs the clips of ../shared/mocap")
    table = []
    chosen = {name: made for name, made in spaces().items() if name.startswith(CHOSEN)}
    for name, (clips, settings) in chosen.items():
        model = learn("parametric-space", clips, settings)
        asked = held_out(model)
        for kind, rule in rules(model).items():
            weights = rule(asked)
            off = errors(model, asked, weights)
            even, halved = evenness(model, rule)
            table.append(
                f"| {name} | {kind} | {off.mean():.3f} / {off.max():.2f} | {weights.min():.2f} "
                f"| {sliding(model, weights[:12]):.1f} | {even:.1f} | {halved:.2f} |"
            )
            print(table[-1], flush=True)
    found = by_samples(*next(made for name, made in chosen.items() if name.startswith("punches")))
    figure = new_figure(6, 3.2)
    ax = figure.add_subplot()
    for column, (kind, colour) in enumerate((("nearest (HECK)", "C0"), ("smooth (ours)", "C3"))):
        ax.loglog(COUNTS, found[:, column, 0], color=colour, marker="o", label=f"{kind}, mean")
        ax.loglog(COUNTS, found[:, column, 1], color=colour, marker="o", linestyle=":", label=f"{kind}, worst")
    ax.set_xlabel("blends measured (27 punches, 3 parameters)")
    ax.set_ylabel("error, % of the range")
    ax.legend(fontsize=8)
    save_figure(figure, PAGES / "space_weights.png", dpi=90)
    text = f"""# Weights of a parametric space

The same {REQUESTS} requests, measured parameters of blends that learning has not seen, with weights by five rules.
`least`: the least weight; negative ones leave what the examples show. `sliding`: speed of feet over the contacts of
blends, cm/s, before locking. `even` and `halved` as in [the spaces](spaces.md): a rule that jumps has a large first
number and halves by 1. (`experiments/112_space_weights.py`)

| space | weights | error, mean / worst % | least | sliding | even | halved |
| --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(table)}

The error by the number of measured blends; a linear fit, a triangulation and radial bases measure none:

![error by the number of samples](space_weights.png)

{CREDIT}
"""
    (PAGES / "space_weights.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
