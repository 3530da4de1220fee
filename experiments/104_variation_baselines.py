"""Variants against noise (LAU 8): the same measures for the method and for five baselines, on an arm and on all joints.

    python experiments/104_variation_baselines.py

The noise is scaled until the mean distance from the mean motion is that of the variants. Writes
out/experiments/variation_baselines.{png,json} and docs/experiments/variation_baselines.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from similarity_material import publish
from texture_material import rows_table
from variation_material import FPS, ROWS, TAKES, VARIANTS, angles_of, cycles, figures, variants

from motionloom.core import Clip, FloatArray
from motionloom.evaluate.compare.variation_baselines import TAKE_BASELINES, TakeTable, noisy_variant, take_table
from motionloom.methods.variation import Config, VariationModel, fit

PLACES = {"shoulders and elbows": ("left_arm", "right_arm"), "all joints": ("all",)}
SHOWN = "LeftArm.1"  # the degree of freedom that is drawn


def changes(clips: Sequence[Clip], mean: FloatArray, model: VariationModel) -> FloatArray:
    """(N,) root mean square deviation of each clip from the mean of the takes, in time stretched to its length."""
    out = []
    for values in angles_of(model, clips):
        at = np.linspace(0, len(values) - 1, len(mean))
        stretched = np.stack([np.interp(at, np.arange(len(values)), column) for column in values.T], 1)
        out.append(np.sqrt(((stretched - mean) ** 2).mean()))
    return np.array(out)


def matched(name: str, table: TakeTable, wanted: float, mean: FloatArray, model: VariationModel) -> list[Clip]:
    """Variants by a baseline whose noise is as large as the variants' change; by bisection of the amount."""
    low, high = 0.0, 8.0
    make = lambda amount: [noisy_variant(name, table, amount, np.random.default_rng(k)) for k in range(VARIANTS)]
    if name == "replayed takes":
        return make(0.0)
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if changes(make(middle), mean, model).mean() < wanted else (low, middle)
    return make(0.5 * (low + high))


def draw(groups: dict[str, Sequence[Clip]], model: VariationModel) -> Any:
    """One degree of freedom of all clips, with those of the takes."""
    import matplotlib.pyplot as plt

    column = model.dofs.names.index(SHOWN) if SHOWN in model.dofs.names else -1
    figure, axes = plt.subplots(1, len(groups), figsize=(2.2 * len(groups), 2.6), sharey=True)
    for axis, (name, clips) in zip(axes, groups.items(), strict=True):
        for group, colour, width in ((clips, "tab:orange", 0.7), (model.clips, "tab:blue", 1.4)):
            for clip in group:
                axis.plot(np.arange(len(clip)) / FPS, model.dofs.values(clip)[:, column], color=colour, lw=width)
        axis.set_title(name, fontsize=8)
        axis.set_xlabel("s", fontsize=8)
    figure.tight_layout()
    return figure


def main() -> None:
    walks = cycles()
    model = fit(walks[:TAKES], Config(fps=FPS), rng=np.random.default_rng(0))
    mean = model.takes.values.mean(0)[::2, ~model.dofs.displacement]
    made = variants(model)
    wanted = changes(made, mean, model)
    tables, found, drawn = {}, {}, {}
    for place, parts in PLACES.items():
        table = take_table(model.clips, parts)
        groups: dict[str, Sequence[Clip]] = {"takes held out": walks[TAKES:], "variation": made}
        groups |= {name: matched(name, table, float(wanted.mean()), mean, model) for name in TAKE_BASELINES}
        found[place] = {
            name: {"change, degrees": float(np.degrees(changes(clips, mean, model).mean()))}
            | dict(zip(ROWS[:-1], figures(model.clips, list(clips), model), strict=False))
            for name, clips in groups.items()
        }
        tables[place] = rows_table(found[place])
        drawn = drawn or groups
        print(place, tables[place], sep="\n", flush=True)
    sections = "\n\n".join(f"## Noise on {place}\n\n{table}" for place, table in tables.items())
    size = f"{np.degrees(wanted.mean()):.2f} ± {np.degrees(wanted.std(ddof=1)):.2f}"
    publish("variation_baselines", draw(drawn, model), found, PAGE.format(sections=sections, size=size), dpi=70)


PAGE = """# Variants against noise

15 variants of four walk cycles (CMU 35) and 15 clips of each baseline (LAU 8): a take with smoothed noise of the takes'
deviation at each moment (*warped statistics*), with *Perlin noise* or with noise along principal components, a constant
*convex combination* of takes with noise, and *replayed takes* (cycle animation). Takes keep their own timing. The
amount of noise is such that clips are as far from the mean motion as variants are: {size} degrees (mean and standard
deviation over variants; LAU asks for a difference within one deviation). [All measures](variation_of_walks.md).

{sections}

![A shoulder in takes (blue) and in clips with noise on shoulders and elbows](variation_baselines.png)
"""


if __name__ == "__main__":
    main()
