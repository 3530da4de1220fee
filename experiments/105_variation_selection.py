"""Selecting takes (LAU 9): eight walk cycles and outliers; the odd clips alone; and four of one odd kind alone.

    python experiments/105_variation_selection.py

Needs ../shared/mocap (CMU subjects 35, 16, 132, 137).
"""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
from similarity_material import MOCAP, REAL
from variation_material import ROWS, TAKES, cycles, figures, variants

from motionloom.analysis.alignment import cycle_times
from motionloom.core import Clip, replace
from motionloom.io import load
from motionloom.kinematics.body.proportions import on_skeleton
from motionloom.methods.learning import prepare
from motionloom.methods.variation import Config, VariationModel, fit
from motionloom.methods.variation.selection import compress_clips, select_clips

FPS = 30.0
KINDS = {"run (CMU 35)": ("35_17", "35_18", "35_19", "35_20"), "zombie (104_41)": ("104_41",)}
LONGEST = 2.3  # s: a cycle of a zombie
ODD = ("132_02", "137_16", "16_35", "104_41")  # arms out, drunk, run, zombie


def main() -> None:
    if not REAL:
        print("needs the real clips of ../shared/mocap, which are not here: skipped")
        return
    walks = [_named(c, f"walk {k + 1}") for k, c in enumerate(cycles(fps=FPS))]
    others = [_named(c, f"other {k + 1}") for k, c in enumerate(cycles("16_[1-3]?", fps=FPS)[:8])]
    later = [_named(c, f"later {k + 1}") for k, c in enumerate(cycles(fps=FPS, number=1))]
    odd = [_named(c, name) for name in ODD for c in cycles(name, fps=FPS, least=0.5)[:1]]
    body = walks[0].skeleton
    others, odd = ([on_skeleton(c, body) for c in group] for group in (others, odd))
    for title, clips, known in (
        ("8 walks and the odd ones, trusted: the walks", [*walks, *odd], walks),
        ("the next cycles of the same walks and the odd ones, trusted: the walks", [*later, *odd], walks),
        ("the odd ones alone, trusted: the walks", odd, walks),
        ("walks of another subject, trusted: the walks", others, walks),
    ):
        start = time.process_time()
        found = select_clips(clips, known, Config(fps=FPS), rng=np.random.default_rng(0))
        print(f"\n{title}: threshold {found.threshold:.2f}, {time.process_time() - start:.0f} s of processor time")
        for item in found.dropped:
            odds = f"{item.likelihood:.2f} (threshold {item.threshold:.2f})"
            print(f"  dropped {item.name} in round {item.round}: {odds}, {', '.join(item.worst)}")
        print("  kept", ", ".join(f"{n} {x:.2f}" for n, x in zip(found.kept, found.likelihoods, strict=True)))
    for name, files in KINDS.items():  # odd among walks, takes of one motion among themselves
        takes = mended([t for path in files for t in strides(path)][:TAKES])
        found = select_clips(takes, takes, Config(fps=FPS), rng=np.random.default_rng(0))
        model = fit(takes, Config(fps=FPS), rng=np.random.default_rng(0))
        rows = figures(model.clips, variants(model), model)
        print(f"\n{name}, {len(takes)} alone: kept {len(found.kept)}; the motion {repeats(model)}")
        print("  " + ", ".join(f"{row} {x:.2f}" for row, x in zip(ROWS[:9], rows, strict=False)))
    fewer = compress_clips(walks, 0.02)
    print("\nsuperfluous:", ", ".join(f"{i.name} {100 * i.error:.1f} cm" for i in fewer.superfluous) or "none")
    print("kept:", ", ".join(f"{i.name} {100 * i.error:.1f} cm" for i in fewer.kept))


def strides(name: str) -> list[Clip]:
    """All cycles of a clip."""
    clip = load(MOCAP / f"{name}.bvh", trim_tpose=True)
    steps = [round(float(t) * clip.fps) for t in cycle_times(clip)]
    return [clip[a : b + 1] for a, b in pairwise(steps) if 0.5 < (b - a) / clip.fps < LONGEST]


def mended(takes: list[Clip]) -> list[Clip]:
    """The takes as `motionloom learn` prepares them: the fingers of 35_19 turn by 170 degrees in single frames."""
    return list(prepare(takes, FPS, broken="mend").clips)


def repeats(model: VariationModel) -> str:
    return "does not repeat" if model.loop is None else "repeats"


def _named(clip: Clip, name: str) -> Clip:
    return replace(clip, origin=replace(clip.origin, name=name))


if __name__ == "__main__":
    main()
