"""HECK fig. 3.5: time alignment of walks of different speed, and its error against the known steps of the samples.

    python experiments/54_time_alignment.py

Writes out/experiments/time_alignment.{png,json} and docs/experiments/time_alignment.md.
"""

from __future__ import annotations

import numpy as np
from similarity_material import PAGES, publish, table

from motionloom.analysis import PointCloud
from motionloom.analysis.alignment import align, align_cycles
from motionloom.analysis.alignment_curve import AlignmentCurve, from_key_times
from motionloom.analysis.warp import at_times
from motionloom.core import Clip, FloatArray
from motionloom.plot.figures import new_figure
from motionloom.plot.transitions import alignment_picture
from motionloom.samples import make

PARTS = ("left_heel", "left_toe", "right_heel", "right_toe")
PAIRS = ((1.4, 0.9), (1.4, 1.1), (1.4, 1.7), (1.0, 1.9))  # m/s
SEEDS = (0, 1, 2)
STRIDES = 3


def events(clip: Clip) -> dict[str, FloatArray]:
    """Seconds at which each heel and toe comes down and leaves: the truth that samples know."""
    out = {}
    for part in PARTS:
        on = clip.label(f"contact:{part}").astype(int)
        out[f"{part} down"] = (np.flatnonzero(np.diff(on) > 0) + 0.5) / clip.fps
        out[f"{part} up"] = (np.flatnonzero(np.diff(on) < 0) + 0.5) / clip.fps
    return out


def strides(clip: Clip) -> Clip:
    """STRIDES strides, from the second time that the left heel comes down."""
    starts = np.flatnonzero(np.diff(clip.label("contact:left_heel").astype(int)) > 0) + 1
    return clip[starts[1] : starts[1 + STRIDES] + 1]


def starts(clip: Clip) -> FloatArray:
    """Seconds at which the left heel comes down, the clip's own ends included."""
    inside = events(clip)["left_heel down"]
    return np.concatenate([[0.0], inside[: STRIDES - 1], [(len(clip) - 1) / clip.fps]])


def errors(curve: AlignmentCurve, a: Clip, b: Clip) -> dict[str, FloatArray]:
    """Frames by which each event of A lands beside the same event of B; kinds that both have equally often."""
    one, other = events(a), events(b)
    return {
        name: (curve.matching(times) - other[name]) * b.fps
        for name, times in one.items()
        if len(times) == len(other[name])
    }


def main() -> None:
    methods = {
        "even stretching": lambda a, b: from_key_times([[0.0, (len(c) - 1) / c.fps] for c in (a, b)]),
        "cycles (left heel)": lambda a, b: align_cycles([a, b], starts=[starts(a), starts(b)], smooth=False),
        "warping, any slope": lambda a, b: align(a, b, limit=None).curve,
        "warping, 3 steps in a row": lambda a, b: align(a, b).curve,
        "warping, 1 step in a row": lambda a, b: align(a, b, limit=1).curve,
        "warping, windows of 11 frames": lambda a, b: align(a, b, measure=PointCloud(radius=5)).curve,
    }
    off: dict[str, list[FloatArray]] = {name: [] for name in methods}
    per_pair = {}
    kinds: dict[str, dict[str, list[FloatArray]]] = {}
    for slow, fast in PAIRS:
        here: dict[str, list[FloatArray]] = {name: [] for name in methods}
        for seed in SEEDS:
            a = strides(make("walk", seed=seed, speed=slow, seconds=8.0))
            b = strides(make("walk", seed=seed + 10, speed=fast, seconds=8.0))
            for name, method in methods.items():
                wrong = errors(method(a, b), a, b)
                here[name].append(np.concatenate(list(wrong.values())))
                for kind, e in wrong.items():
                    kinds.setdefault(kind, {}).setdefault(name, []).append(e)
        per_pair[f"{slow:g} and {fast:g} m/s"] = {
            name: float(np.abs(np.concatenate(e)).mean()) for name, e in here.items()
        }
        for name, e in here.items():
            off[name] += e
    rows = []
    for name, e in off.items():
        size = np.abs(np.concatenate(e))
        rows.append([name, f"{size.mean():.2f}", f"{np.percentile(size, 95):.2f}", f"{size.max():.2f}"])

    a = strides(make("walk", seed=0, speed=1.4, seconds=8.0))
    t = np.arange(len(a)) / a.fps
    true = t + 0.12 * np.sin(2 * np.pi * t / t[-1])
    copy = align(a, at_times(a, true)).curve.matching(t, of=1, to=0)
    warp_error = float(np.abs(copy - true).max() * a.fps)

    b = strides(make("walk", seed=10, speed=0.9, seconds=8.0))
    found = align(a, b)
    figure = new_figure(7.6, 5.4)
    ax = alignment_picture(found, ("walk at 1.4 m/s", "walk at 0.9 m/s"), (a.fps, b.fps), ax=figure.add_subplot())
    one, other = events(a), events(b)
    for name, times in one.items():
        if len(times) == len(other[name]):
            ax.plot(other[name], times, "o", mfc="none", mec="white", ms=6, lw=1)
    ax.set_title("HECK fig. 3.5: path, curve, and the true steps (rings)", fontsize=10, loc="left")
    pairs = [[name, *(f"{v:.2f}" for v in values.values())] for name, values in per_pair.items()]
    shown = ("even stretching", "cycles (left heel)", "warping, 3 steps in a row")
    by_kind = []
    for kind, errors_of in kinds.items():
        each = [np.concatenate(errors_of[name]) for name in shown]
        by_kind.append([kind, *(f"{np.abs(e).mean():.2f} ({e.mean():+.2f})" for e in each)])
    page = f"""
# Time alignment of walks of different speed

HECK fig. 3.5. {STRIDES} strides of two sample walks each, {len(PAIRS)} pairs of speeds, {len(SEEDS)} pairs of seeds.
The samples know when every heel and toe comes down and leaves; the error of an alignment is how far such an event of
the first walk lands beside the same event of the second, in frames of 1/60 s. Contacts are known to half a frame.

![matrix, path and curve](time_alignment.png)

{table(["alignment", "mean", "95 %", "largest"], rows)}

By pair, mean error in frames:

{table(["pair", *methods], pairs)}

By event, mean error in frames (and mean with its sign):

{table(["event", *shown], by_kind)}

A walk against a copy of itself that runs up to 0.12 s early and late: the curve recovers the warp to
{warp_error:.2f} frames everywhere.

Findings: the walks begin and end together here, so even stretching is already within a frame or two; warping
takes a quarter of that error away, most where speeds differ most. What is left is not noise of the path: slow walkers
stand longer and roll off later within the stride, so the moment at which the whole body looks alike and the moment at
which a toe leaves are not the same; a cloud of all joints follows the body. Limits on slope and the length of the
window hardly matter for steady walks (they do for clips that speed up and slow down: see the tests of `align`).
"""
    numbers = {
        "methods": {r[0]: [float(x) for x in r[1:]] for r in rows},
        "pairs": per_pair,
        "warped copy, largest error in frames": warp_error,
    }
    publish("time_alignment", figure, numbers, page, dpi=70)
    (PAGES / "time_alignment.md").write_text(page.strip() + "\n\nClips: the built-in samples.\n")


if __name__ == "__main__":
    main()
