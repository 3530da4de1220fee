"""Variants against noise (LAU 8): the same measures for the method and for five baselines, on an arm and on all joints.

    python experiments/104_variation_baselines.py

The noise is scaled until the mean distance from the mean motion is that of the variants.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from variation_material import FPS, TAKES, VARIANTS, angles_of, cycles, figures, print_table, variants

from motionloom.core import Clip, FloatArray
from motionloom.evaluate.compare.variation_baselines import TAKE_BASELINES, TakeTable, noisy_variant, take_table
from motionloom.methods.variation import Config, VariationModel, fit


def change(clips: Sequence[Clip], mean: FloatArray, model: VariationModel) -> float:
    """Root mean square deviation of clips from the mean of the takes, in time stretched to its length."""
    total = []
    for values in angles_of(model, clips):
        at = np.linspace(0, len(values) - 1, len(mean))
        stretched = np.stack([np.interp(at, np.arange(len(values)), column) for column in values.T], 1)
        total.append(((stretched - mean) ** 2).mean())
    return float(np.sqrt(np.mean(total)))


def matched(name: str, table: TakeTable, wanted: float, mean: FloatArray, model: VariationModel) -> list[Clip]:
    """Variants by a baseline whose noise is as large as the variants' change; by bisection of the amount."""
    low, high = 0.0, 8.0
    make = lambda amount: [noisy_variant(name, table, amount, np.random.default_rng(k)) for k in range(VARIANTS)]
    if name == "replayed takes":
        return make(0.0)
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if change(make(middle), mean, model) < wanted else (low, middle)
    return make(0.5 * (low + high))


def main() -> None:
    walks = cycles()
    model = fit(walks[:TAKES], Config(fps=FPS), rng=np.random.default_rng(0))
    angles = ~model.dofs.displacement
    mean = model.takes.values.mean(0)[::2, angles]
    for title, parts in (("shoulders and elbows", ("left_arm", "right_arm")), ("all joints", ("all",))):
        made = variants(model)
        wanted = change(made, mean, model)
        table = take_table(model.clips, parts)
        columns = {"takes held out": walks[TAKES:], "variation": made}
        columns |= {name: matched(name, table, wanted, mean, model) for name in TAKE_BASELINES}
        print(f"\n{title}; change of the variants {np.degrees(wanted):.2f} deg")
        print_table({name: figures(model.clips, list(clips), model) for name, clips in columns.items()})


if __name__ == "__main__":
    main()
