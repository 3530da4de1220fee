"""Variants of one clip with a structure learned on four (LAU fig 4): jumps (CMU 118) and swimming strokes (126_11).

    python experiments/86_variation_of_one_clip.py

Do the degrees of freedom that vary least in the takes also vary least in the variants? Needs ../shared/mocap.
"""

from __future__ import annotations

import numpy as np
from similarity_material import MOCAP, REAL
from variation_material import VARIANTS, cycles, variants

from motionloom.core import Clip, FloatArray
from motionloom.io import load
from motionloom.kinematics.resample import resample
from motionloom.methods.variation import Config, VariationModel, fit

FPS = 30.0
JUMP = 1.6  # s about the highest point of the hips


def jumps() -> list[Clip]:
    """The highest jump of each of four clips."""
    out = []
    for path in sorted(MOCAP.glob("118_*.bvh"))[:4]:
        clip = resample(load(path, trim_tpose=True), FPS)
        half = round(0.5 * JUMP * FPS)
        middle = int(clip.root[half:-half, 1].argmax()) + half
        out.append(clip[middle - half : middle + half])
    return out


def spread(sequences: list[FloatArray]) -> FloatArray:
    """(D,) the deviation of each degree of freedom between sequences stretched to one length."""
    count = min(map(len, sequences))
    rows = [
        np.stack([np.interp(np.linspace(0, len(s) - 1, count), np.arange(len(s)), c) for c in s.T], 1)
        for s in sequences
    ]
    return np.asarray(np.sqrt(np.var(rows, axis=0).mean(0)))


def ranks_agree(model: VariationModel, takes: list[Clip]) -> float:
    """Spearman's correlation of the spread of degrees of freedom in takes and in variants."""
    from scipy.stats import spearmanr

    angles = ~model.dofs.displacement
    known = spread([model.dofs.values(c) for c in takes])[angles]
    made = spread([model.dofs.values(c) for c in variants(model, VARIANTS, hold_feet=False)])[angles]
    return float(spearmanr(known, made).statistic)


def main() -> None:
    if not REAL:
        print("needs the real clips of ../shared/mocap, which are not here: skipped")
        return
    for name, takes in (("jumps", jumps()), ("walk cycles", cycles(fps=FPS)[:4])):
        whole = fit(takes, Config(fps=FPS), rng=np.random.default_rng(0))
        one = fit(takes[:1], Config(fps=FPS), structure=whole)
        print(
            f"{name}: rank correlation of the spread of {whole.dofs.count} degrees of freedom in four takes and in "
            f"{VARIANTS} variants: of four {ranks_agree(whole, takes):.2f}, of one {ranks_agree(one, takes):.2f}"
        )
        for note in whole.notes:
            print(f"  {note.text}")


if __name__ == "__main__":
    main()
