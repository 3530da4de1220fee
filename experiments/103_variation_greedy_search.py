"""The search for edges: greedy with ranked updates against an exhaustive greedy search, on six degrees of freedom.

    python experiments/103_variation_greedy_search.py

The exhaustive search computes the full score of every addition, deletion and reversal in each round and takes the best.
"""

from __future__ import annotations

import numpy as np
from variation_material import TAKES, cycles

from motionloom.core import BoolArray, silent
from motionloom.methods.variation.config import DEFAULT, SCORES
from motionloom.methods.variation.dofs import fit_dofs
from motionloom.methods.variation.learn_transition import climb, resynthesised, transition_budget
from motionloom.methods.variation.networks import own_edges, sorted_nodes
from motionloom.methods.variation.regression import Rules, SequenceFrames, regression_of

DEGREES = 6
SETS = 3


def updates(edges: BoolArray) -> list[BoolArray]:
    """Every network that differs by one edge: added, deleted, or reversed within the frame."""
    count = len(edges)
    fixed, out = own_edges(count), []
    for i in range(count):
        for p in range(3 * count):
            if fixed[i, p] or p == 2 * count + i:
                continue
            new = edges.copy()
            new[i, p] ^= True
            out.append(new)
            if edges[i, p] and p >= 2 * count:
                turned = new.copy()
                turned[p - 2 * count, 2 * count + i] = True
                out.append(turned)
    return [e for e in out if sorted_nodes(e[:, 2 * count :]) is not None]


def exhaustive(material: SequenceFrames, rules: Rules, kind: int) -> tuple[float, int, int]:
    """The score of the exhaustive greedy search, its edges, and how many full scores it computed."""
    edges = own_edges(len(material.values))
    score, computed = float(resynthesised(material, rules, edges, kind, silent())[1].sum()), 1
    while True:
        trials = updates(edges)
        scores = [float(resynthesised(material, rules, e, kind, silent())[1].sum()) for e in trials]
        computed += len(trials)
        best = int(np.argmax(scores))
        if scores[best] <= score + 1e-9:
            return score, int(edges.sum()) - 2 * len(edges), computed
        edges, score = trials[best], scores[best]


def main() -> None:
    walks = cycles(fps=30.0)[:TAKES]
    dofs = fit_dofs(walks)
    whole = [dofs.values(clip) for clip in walks]
    scales, kind = dofs.scales("reach", np.concatenate(whole)), SCORES.index(DEFAULT.score)
    for seed in range(SETS):
        chosen = np.sort(np.random.default_rng(seed).choice(dofs.count, DEGREES, replace=False))
        sequences = [s[:, chosen] for s in whole]
        material, rules = regression_of(sequences, dofs.displacement[chosen], scales[chosen], DEFAULT)
        steps = sum(len(s) - 2 for s in sequences) * DEGREES
        none = resynthesised(material, rules, own_edges(DEGREES), kind, silent())[1].sum() / steps
        best, edges, computed = exhaustive(material, rules, kind)
        search = transition_budget(DEFAULT)
        found = climb(material, rules, search, own_edges(DEGREES), silent())
        longer = climb(material, rules, search._replace(rounds=20, candidates=18), own_edges(DEGREES), silent())
        reached = [(x.score / steps - none) / (best / steps - none) for x in (found, longer)]
        print(
            f"{', '.join(dofs.names[d] for d in chosen)}: no edges {none:.3g}; exhaustive {best / steps:.3g} "
            f"({edges} edges, {computed} full scores); ranked {found.score / steps:.3g} "
            f"({int(found.edges.sum()) - 2 * DEGREES} edges), {reached[0]:.0%} of the gain; with all candidates and 20 "
            f"rounds {longer.score / steps:.3g}, {reached[1]:.0%}"
        )


if __name__ == "__main__":
    main()
