"""The choices of LAU one by one: how well takes are re-synthesised from their first two frames by the others.

    python experiments/107_variation_ablation.py [--takes 2 3 4 6 8]

Error: root mean square over frames and degrees of freedom in radians, in units of the error of the mean pose.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence

import numpy as np
from variation_material import TAKES, cycles

from motionloom.core import BoolArray, FloatArray, silent
from motionloom.methods.variation.config import DEFAULT, SCORES, Config
from motionloom.methods.variation.dofs import Dofs, fit_dofs
from motionloom.methods.variation.learn_transition import Search, climb, resynthesised
from motionloom.methods.variation.networks import own_edges
from motionloom.methods.variation.regression import Rules, kernel_width, material_of

CHANGES: dict[str, dict[str, object]] = {
    "default": {},
    "radians": {"scale": "radians"},
    "deviations": {"scale": "deviation"},
    "values": {"target": "value"},
    "no velocity": {"velocity": 0.0},
    "velocity 5": {"velocity": 5.0},
    "k 15": {"neighbours": 15},
    "k 60": {"neighbours": 60},
    "K_W 0.1": {"kernel_width": 0.1},
    "K_W 0.2": {"kernel_width": 0.2},
    "K_W 1": {"kernel_width": 1.0},
    "floor 1e-4": {"floor": 1e-4},
    "floor 0.1": {"floor": 0.1},
    "score one-step": {"score": "one-step"},
    "score propagated": {"score": "propagated"},
    "score squared": {"score": "squared"},
}


def error(sequences: Sequence[FloatArray], dofs: Dofs, config: Config, edges: str = "learnt") -> tuple[float, int]:
    """The error of re-synthesis, and how many edges there are; `edges` is none, learnt or full."""
    scales = dofs.scales(config.scale, np.concatenate(sequences))
    delta = config.target == "delta"
    material = material_of(sequences, dofs.displacement, scales, delta=delta, floor=config.floor)
    width = kernel_width(material, config.kernel_width)
    rules = Rules(config.neighbours, width, config.velocity**2, True, delta)
    kind = SCORES.index(config.score)
    network: BoolArray = own_edges(dofs.count)
    if edges == "learnt":
        search = Search(config.rounds, config.candidates, config.tries, config.parents, 0, kind)
        network = climb(material, rules, search, network, silent()).edges
    elif edges == "full":
        network[:, : 2 * dofs.count] = True
    made = resynthesised(material, rules, network, kind if kind else 1, silent())[0]
    angles = ~dofs.displacement
    off = (made - material.values)[angles]
    still = (material.values - material.values.mean(1, keepdims=True))[angles]
    return float(np.sqrt((off**2).mean() / (still**2).mean())), int(network.sum()) - 2 * dofs.count


def main() -> None:
    walks = cycles(fps=30.0)
    dofs = fit_dofs(walks)
    values = [dofs.values(clip) for clip in walks]
    if "--takes" in sys.argv:
        for count in map(int, sys.argv[sys.argv.index("--takes") + 1 :]):
            print(f"{count} takes: error {error(values[:count], dofs, DEFAULT)[0]:.2f}")
        return
    for name, change in CHANGES.items():
        found, edges = error(values[:TAKES], dofs, dataclasses.replace(DEFAULT, **change))  # type: ignore[arg-type]
        print(f"{name:18} error {found:.2f} ({edges} edges)", flush=True)
    for edges_ in ("none", "full"):
        print(f"{edges_ + ' edges':18} error {error(values[:TAKES], dofs, DEFAULT, edges_)[0]:.2f}", flush=True)


if __name__ == "__main__":
    main()
