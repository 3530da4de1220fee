"""Gaps of captured clips filled by `motionloom clean --fill --like`, against Hermite interpolation.

    python experiments/04_filled_gaps.py

Prints the table of docs/in_betweening.md. Needs ../shared/mocap/cmu; without it, it reports that and stops.
"""

from __future__ import annotations

import numpy as np
from similarity_material import MOCAP, REAL, table

from motionloom.core import Clip
from motionloom.evaluate.inbetween.fill import fill_gap
from motionloom.evaluate.inbetween.gaps import hermite, past_frames
from motionloom.io import load
from motionloom.kinematics.fk import fk
from motionloom.methods.prepare_clips import prepare

FPS = 30.0
GAPS = (0.5, 1.0)  # s
EVERY = 0.4  # s between the beginnings of gaps
CASES = (  # what it is, clip, other takes; the number of neighbours and their weight were chosen on the first group
    ("salsa", "60_05", "60_01 60_02 60_03 60_04"),
    ("salsa", "60_05", ""),
    ("walk", "16_15", "16_11 16_13 16_16"),
    ("walk, like salsa", "16_15", "60_01 60_02"),
    ("sidestep and climb", "83_02", "83_03 83_08 83_09"),
    ("walk", "35_02", "35_01 35_03 35_04 35_05"),
    ("walk, like runs", "35_02", "35_17 35_18"),
    ("walk, like salsa", "35_02", "60_01 60_02"),
    ("run", "35_20", "35_17 35_18 35_19 35_21 35_22"),
    ("drunk walk", "137_16", "137_26 137_29"),
    ("walk sideways", "113_18", "113_19 113_26"),
    ("looking round", "77_01", "77_04 77_09"),
    ("run and jump", "127_25", "127_26 127_29 127_30"),
)


def main() -> None:
    if not REAL:
        print("needs the real clips of ../shared/mocap/cmu, which are not here")
        return
    rows = []
    for what, name, like in CASES:
        clip, *others = prepare([load(MOCAP / f"{n}.bvh") for n in (name, *like.split())], FPS, broken="keep").clips
        for seconds in GAPS:
            found = measured(clip, others, round(seconds * FPS))
            if len(found):
                filled, base, weight = found.mean(0)
                shown = [str(len(found)), f"{filled:.1f}", f"{base:.1f}", f"{weight:.0%}"]
                rows.append([f"{name}, {what}", like or "none", f"{seconds:g} s", *shown])
                print(rows[-1], flush=True)
    print(table(["clip", "`--like`", "gap", "gaps", "filled", "Hermite", "mean weight"], rows))


def measured(clip: Clip, others: list[Clip], gap: int) -> np.ndarray:
    """(gaps, 3) mean distance of joints from the captured ones in cm, filled and interpolated; weight of the others."""
    past, truth, out = past_frames(FPS), fk(clip), []
    for first in range(past, len(clip) - gap - 1, round(EVERY * FPS)):
        inside = slice(first, first + gap)
        made = fill_gap(clip, first, first + gap, others)
        base = hermite(clip[first - past : first + gap + 1], gap)[past:-1]
        errors = [100 * np.linalg.norm(fk(c) - truth[inside], axis=-1).mean() for c in (made.clip[inside], base)]
        out.append([*errors, made.weight])
    return np.array(out).reshape(-1, 3)


if __name__ == "__main__":
    main()
