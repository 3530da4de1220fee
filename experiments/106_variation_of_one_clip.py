"""Variants of strokes, jumps, throws and raised hands; variants of one clip with a structure learned on four; streams.

    python experiments/106_variation_of_one_clip.py

LAU figs 4 and 5. Do the degrees of freedom that vary least in the takes also vary least in the variants? Needs
../shared/mocap. Writes out/experiments/variation_of_one_clip.{png,json} and docs/experiments/variation_of_one_clip.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from similarity_material import MOCAP, REAL, publish
from texture_material import rows_table
from variation_material import ROWS, VARIANTS, angles_of, cycles, figures, table, variants

from motionloom.constraints import Request
from motionloom.core import Clip, FloatArray
from motionloom.evaluate.measures.jumps import transition_jumps
from motionloom.io import load
from motionloom.kinematics.body.proportions import on_skeleton
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.methods.synthesis import rendered
from motionloom.methods.variation import Config, VariationModel, fit
from motionloom.methods.variation.dofs import fit_dofs
from motionloom.methods.variation.selection import select_clips
from motionloom.methods.variation.timing import align_takes

FPS = 30.0
TAKES = 4
JUMP = 1.6  # s about the highest point of the hips
THROW = (0.7, 0.6)  # s before and after the left hand is fastest
QUICK = 2.5  # m/s: the left hand is faster in throws alone
APART = 1.2  # s between two throws, or two strokes
STREAM = 30.0  # s
SHOWN = ROWS[:9]


def hand_heights(clip: Clip) -> FloatArray:
    """(F,) of the right hand over the hips."""
    return np.asarray(fk(clip)[:, clip.skeleton.joint("right_hand"), 1] - clip.root[:, 1])


def peaks(values: FloatArray, fps: float, least: float) -> list[int]:
    """The frames of the peaks above `least`, `APART` from each other."""
    from scipy.signal import find_peaks

    return [int(k) for k in find_peaks(values, height=least, distance=max(1, round(APART * fps)))[0]]


def distances(clips: list[Clip]) -> FloatArray:
    """(N, N) mean squared distance of every two clips along their time-warping path."""
    dofs = fit_dofs(clips)
    values = [dofs.values(clip) for clip in clips]
    return align_takes(values, dofs.scales("reach", np.concatenate(values)), clips[0].fps).costs


def jumps() -> list[Clip]:
    """The highest jump of each of four clips."""
    out = []
    for path in sorted(MOCAP.glob("118_*.bvh"))[:TAKES]:
        clip = resample(load(path, trim_tpose=True), FPS)
        half = round(0.5 * JUMP * FPS)
        middle = int(clip.root[half:-half, 1].argmax()) + half
        out.append(clip[middle - half : middle + half])
    return out


def throws() -> list[Clip]:
    """Four throws of one performer, with the left hand, at 60 fps: of all five, the four most like each other."""
    out = []
    for name in ("143_20", "143_22"):
        clip = load(MOCAP / f"{name}.bvh", trim_tpose=True, fps=60.0)  # as it was captured, whatever the file says
        before, after = (round(t * clip.fps) for t in THROW)
        hand = fk(clip)[:, clip.skeleton.joint("left_hand")] - clip.root
        speeds = np.linalg.norm(np.gradient(hand, axis=0), axis=1) * clip.fps
        out += [clip[k - before : k + after] for k in peaks(speeds, clip.fps, QUICK)]
    return [out[k] for k in sorted(np.argsort(distances(out).sum(1), kind="stable")[:TAKES])]


def strokes() -> list[Clip]:
    """Four strokes of a swimmer, from one peak of the right hand to the next."""
    clip = resample(load(MOCAP / "126_11.bvh", trim_tpose=True), FPS)
    at = peaks(hand_heights(clip), FPS, 0.2)
    return [clip[a : b + 1] for a, b in pairwise(at)][:TAKES]


def raised_hands() -> tuple[list[Clip], str]:
    """Four of the clips that selection keeps, by the six that are nearest to each other; and what it dropped."""
    paths = sorted((MOCAP.parent / "bandai").glob("*raise-up-both-hands*.bvh"))
    first = load(paths[0])
    clips = [on_skeleton(load(path), first.skeleton) for path in paths]
    costs = distances(clips)
    middle = int(np.sort(costs, axis=1)[:, :6].sum(1).argmin())
    trusted = [clips[k] for k in np.argsort(costs[middle])[:6]]
    found = select_clips(clips, trusted, Config(fps=FPS, rounds=1), rng=np.random.default_rng(0))
    kept = [clip for clip in clips if clip.name in found.kept]
    return kept[:TAKES], f"{len(found.kept)} of {len(clips)} clips of raised hands are kept by `select`"


def spread(sequences: list[FloatArray]) -> FloatArray:
    """(D,) the deviation of each degree of freedom between sequences stretched to one length."""
    count = min(map(len, sequences))
    rows = [
        np.stack([np.interp(np.linspace(0, len(s) - 1, count), np.arange(len(s)), c) for c in s.T], 1)
        for s in sequences
    ]
    return np.asarray(np.sqrt(np.var(rows, axis=0).mean(0)))


def nearest_takes(model: VariationModel) -> float:
    """The median distance of a take from the nearest other one, in units of that between all."""
    apart = table(angles_of(model, model.clips))[..., 0]
    nearest = np.where(np.eye(len(apart), dtype=bool), np.inf, apart).min(1)
    return float(np.median(nearest) / np.median(apart[np.tril_indices(len(apart), -1)]))


def knee_acceleration(clip: Clip) -> float:
    """The largest acceleration of a knee, m/s^2."""
    knees = [clip.skeleton.joint(f"{side}_shin") for side in ("left", "right")]
    return float(np.linalg.norm(np.diff(fk(clip)[:, knees], n=2, axis=0), axis=2).max() * clip.fps**2)


def fastest_turns(model: VariationModel, clips: Sequence[Clip]) -> list[float]:
    """The largest turn of a joint in a frame of each clip, against its own largest in the one clip of the model."""
    return [transition_jumps(clip, model.clips, np.ones(len(clip), bool)).own_largest for clip in clips]


def ranks_agree(model: VariationModel, takes: list[Clip]) -> float:
    """Spearman's correlation of the spread of degrees of freedom in takes and in variants."""
    from scipy.stats import spearmanr

    angles = ~model.dofs.displacement
    known = spread([model.dofs.values(c) for c in takes])[angles]
    made = spread([model.dofs.values(c) for c in variants(model, VARIANTS, hold_feet=False)])[angles]
    return float(spearmanr(known, made).statistic)


def stream(model: VariationModel) -> tuple[dict[str, float], FloatArray]:
    """How a stream compares with the takes, and its degree of freedom that moves most."""
    _, clip = rendered(model, Request(seconds=STREAM), np.random.default_rng(0))
    made, known = model.dofs.values(clip), np.concatenate(model.sequences)
    angles = np.flatnonzero(~model.dofs.displacement)
    middle, half = 0.5 * (known.max(0) + known.min(0)), 0.5 * np.ptp(known, axis=0)
    most = angles[int(known[:, angles].std(0).argmax())]
    return {
        "largest value, of its range": float((np.abs(made - middle) / half)[:, angles].max()),
        "deviation, of the takes'": float(np.median(made[:, angles].std(0) / known[:, angles].std(0))),
        "jerk, of the takes'": float(
            np.sqrt((np.diff(made[:, angles], n=3, axis=0) ** 2).mean())
            / np.sqrt(np.mean([(np.diff(known[:, angles], n=3, axis=0) ** 2).mean() for known in model.sequences]))
        ),
    }, made[:, most]


def draw(streams: dict[str, tuple[list[FloatArray], FloatArray]]) -> Any:
    """Each stream below its takes, which are repeated in a row."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(streams), 1, figsize=(9, 2.2 * len(streams)), squeeze=False)
    for axis, (name, (takes, made)) in zip(axes[:, 0], streams.items(), strict=True):
        row = np.concatenate(takes)
        axis.plot(np.arange(len(row)) / FPS, row, color="tab:blue", label="takes, one after the other")
        axis.plot(np.arange(len(made)) / FPS, made, color="tab:orange", label="stream")
        axis.set(title=name, xlabel="s", ylabel="rad", xlim=(0, 20))
    axes[0, 0].legend(loc="upper right", fontsize=8)
    figure.tight_layout()
    return figure


def main() -> None:
    if not REAL:
        print("needs the real clips of ../shared/mocap, which are not here: skipped")
        return
    hands, kept = raised_hands()
    print(kept, flush=True)
    materials = {"walk": cycles(fps=FPS)[:TAKES], "swimming": strokes(), "raised hands": hands, "jump": jumps(),
                 "throw": throws()}  # fmt: skip
    found: dict[str, dict[str, float]] = {}
    lasting: dict[str, dict[str, float]] = {}
    shown: dict[str, tuple[list[FloatArray], FloatArray]] = {}
    for name, takes in materials.items():
        config = Config(fps=takes[0].fps)
        whole = fit(takes, config, rng=np.random.default_rng(0))
        ones = [fit([take], config, structure=whole) for take in takes]
        rows = dict(zip(ROWS, figures(whole.clips, variants(whole), whole), strict=True))
        found[name] = {"takes to the nearest take": nearest_takes(whole), **{key: rows[key] for key in SHOWN}}
        known, made = ([knee_acceleration(c) for c in group] for group in (takes, variants(whole)))
        found[name] |= {"knees": float(np.median(made)), "knees, worst": max(made)}
        found[name] |= {"knees of takes": float(np.median(known)), "worst of takes": max(known)}
        found[name] |= {"ranks of four": ranks_agree(whole, takes), "ranks of one": ranks_agree(ones[0], takes)}
        turns = [fastest_turns(one, variants(one, hold_feet=False)) for one in ones]
        others = [fastest_turns(one, [c for c in whole.clips if c is not whole.clips[k]]) for k, one in enumerate(ones)]
        found[name] |= {"fastest turn of one": float(np.max(turns)), "of other takes": float(np.median(others))}
        print(name, {key: round(value, 3) for key, value in found[name].items()}, flush=True)
        if whole.loop is not None and name in ("walk", "swimming"):
            lasting[name], curve = stream(whole)
            most = whole.sequences
            column = int(np.concatenate(most)[:, ~whole.dofs.displacement].std(0).argmax())
            shown[name] = ([v[:, ~whole.dofs.displacement][:, column] for v in most], curve)
    page = PAGE.format(table=rows_table(found), streams=rows_table(lasting), kept=kept, variants=VARIANTS)
    publish("variation_of_one_clip", draw(shown), {**found, "streams": lasting}, page, dpi=70)


PAGE = """# Variants of other motions, and of one clip

{variants} variants of four takes each, before feet are cleaned: walk cycles (CMU 35), swimming strokes (126_11),
raised hands (Bandai), jumps (118) and throws (143_20 and 143_22, at 60 fps). Distances are in units of the takes'
median distance from each other; timing, lengths, acceleration and jerk are relative to the takes' ([all
measures](variation_of_walks.md)). *Fastest turn of one* is the largest turn of a joint in a frame of variants of one
take alone (the worst of 15 of each take), against the largest of that joint in the take; *of other takes* is the same
of another take, in the median: takes differ more in this than variants from the one clip that they are made of.
*Ranks* is Spearman's correlation of how much each degree of freedom varies between takes and between variants (LAU
fig 4): of all four takes, and of the first take alone with the structure of the four. *Knees* is the largest
acceleration of a knee in a clip, m/s²: the median over variants and the worst, and the same of the takes as captured.
*Takes to the nearest take* is how far a take is from the nearest of the other three, in the median. All other
measures are relative to the takes as learned from, without errors of single frames.

{table}

{kept}.

## Streams

30 s of walking and swimming (LAU fig 5):

{streams}

![The degree of freedom that moves most, in takes and in a stream](variation_of_one_clip.png)

Raised hands: Bandai Namco Research (CC BY-NC 4.0).
"""


if __name__ == "__main__":
    main()
