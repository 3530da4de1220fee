"""Five minutes of salsa that never ends: drift, skate, acceleration, repetition, and how often each texton comes.

    python experiments/73_endless_salsa.py [seconds]

Writes out/experiments/endless_salsa.{png,json} and docs/experiments/endless_salsa.md. Needs ../shared/mocap.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from similarity_material import publish, table
from texton_material import commit, learned, salsa

from motionloom.core import Clip, FloatArray, IntArray
from motionloom.evaluate.evaluation import evaluate_take, source_values
from motionloom.evaluate.measures.prepared_clip import at_rate, pose_features
from motionloom.evaluate.reference import Reference, reference
from motionloom.evaluate.report import QualityReport, SourceValue
from motionloom.kinematics.feet.contacts import part_positions
from motionloom.kinematics.travel import travel
from motionloom.methods.textons import Config, Options, TextonModel
from motionloom.methods.textons.plan.pieces import TextonPiece
from motionloom.methods.textons.plan.random_walk import STAGE_RADIUS
from motionloom.methods.textons.plan.shortest_paths import endless, probabilities, stationary
from motionloom.methods.textons.render.stream import take_frames
from motionloom.plot.figures import new_figure
from motionloom.plot.style import INK, LINE, PAPER, QUIET, SOURCES

SECONDS = 300.0
VARIANTS = {"default": "improved", "as LI": "faithful"}  # of learning and of synthesis
MEASURED = ("skate", "peak acceleration", "jump", "flips", "deepest penetration", "floating", "jerk", "rough frames")
MEASURED += ("coverage", "published coverage", "local diversity", "verbatim run", "loose run", "window distance")
MEASURED += ("original joins", "range violations", "spectrum distance")
RATE = 30.0  # fps at which frames are compared
APART = 2.0  # s: nearer frames of one motion are no repetition


class Made(NamedTuple):
    """A long motion, the textons it is made of, and how fast it was made."""

    clip: Clip
    pieces: list[TextonPiece]
    rate: float  # frames in a second


def long_motion(model: TextonModel, options: Options, seconds: float) -> Made:
    """`TextonModel.stream`, with its pieces written down."""
    rng = np.random.default_rng(0)
    walk = model.walk(options, rng)
    pieces: list[TextonPiece] = []

    def noted(source: Iterator[TextonPiece]) -> Iterator[TextonPiece]:
        for piece in source:
            pieces.append(piece)
            yield piece

    take_frames(
        model.renderer.stream_clips(model.walk(options, rng).endless(), rng, options), 600
    )  # compiled, and tables are made
    start = time.process_time()
    clip = take_frames(
        model.renderer.stream_clips(noted(walk.endless()), rng, options, walk.correct), round(seconds * model.fps)
    )
    return Made(clip, pieces, len(clip) / (time.process_time() - start))


def by_minutes(clip: Clip) -> list[list[str]]:
    """Where the body is and how high, minute by minute: a drift would show."""
    rows = []
    place = travel(clip).place
    feet = part_positions(clip)[..., 1]
    step = round(60 * clip.fps)
    for k, start in enumerate(range(0, len(clip), step)):
        part = slice(start, start + step)
        away = np.linalg.norm(place[part] - place[0], axis=1)
        heights = clip.root[part, 1]
        values = (away.mean(), away.max(), heights.mean(), heights.min(), heights.max(), feet[part].min())
        rows.append([f"{k + 1}", *(f"{v:.2f}" for v in values)])
    return rows


def nearest(frames: FloatArray, among: FloatArray, *, banned: Any = None) -> FloatArray:
    """(F,) distance of each frame's features to the nearest of others; `banned(rows)` gives those that do not count."""
    square = (among**2).sum(1)
    out = np.empty(len(frames))
    for start in range(0, len(frames), 512):
        rows = np.arange(start, min(start + 512, len(frames)))
        d = (frames[rows] ** 2).sum(1)[:, None] + square - 2 * frames[rows] @ among.T
        if banned is not None:
            d[banned(rows)] = np.inf
        out[rows] = np.sqrt(np.maximum(d.min(1), 0.0))
    return out


def repetition(clip: Clip, takes: Sequence[Clip]) -> dict[str, FloatArray]:
    """Distances to the nearest source frame; of source frames to other takes; and of the motion to its own past."""
    sources = [pose_features(at_rate(c, RATE)) for c in takes]
    owner = np.concatenate([np.full(len(s), k) for k, s in enumerate(sources)])
    everything = np.concatenate(sources)
    made = pose_features(at_rate(clip, RATE))
    lag = round(APART * RATE)
    number = np.arange(len(made))
    return {
        "made, to the source": nearest(made, everything),
        "source, to its other takes": nearest(everything, everything, banned=lambda r: owner[r][:, None] == owner),
        "made, to its own past": nearest(made[lag + 1 :], made, banned=lambda r: number > (r + lag + 1)[:, None] - lag),
    }


def shares(model: TextonModel, made: Made, options: Options) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The share of each texton in the result, in the distribution that the walk follows, and in that of M.

    Walks that leave segments anywhere are to show all frames equally often, so their shares are of frames; those over
    whole segments follow the chances of joins, and their shares are of visits.
    """
    count = len(model.textons)
    of: IntArray = np.array([o.texton for o in model.observed])
    if options.joins == "anywhere":
        seen = np.bincount([p.texton for p in made.pieces], weights=[p.length for p in made.pieces], minlength=count)
        usable = model.walk(options, np.random.default_rng(0)).usable
        told = np.bincount(np.repeat(of, [len(o.frames) for o in model.observed]), weights=usable, minlength=count)
        seen, told = seen / seen.sum(), told / told.sum()
    else:
        seen = np.bincount([p.texton for p in made.pieces], minlength=count) / len(made.pieces)
        told = model.joins(options).share(of, count)
    learned = np.zeros(count)
    inside = endless(model.counts)
    learned[inside] = stationary(probabilities(model.counts[np.ix_(inside, inside)]))
    return seen, told, learned


def half_difference(a: FloatArray, b: FloatArray) -> float:
    """Half the sum of differences: the share of visits that would have to move; 0 alike, 1 nothing in common."""
    return 0.5 * float(np.abs(a - b).sum())


def picture(model: TextonModel, found: dict[str, Any], histograms: dict[str, Any]) -> Any:
    """The way over the ground, distances to the nearest frame, and the texton histograms."""
    figure = new_figure(13, 6.5)
    top, bottom = figure.subfigures(2, 1)
    left, right = top.subplots(1, 2, width_ratios=[1, 1.8])
    place = travel(found["clip"]).place
    left.plot(place[:, 0], place[:, 1], color=INK, lw=0.5, alpha=0.7)
    left.set_aspect("equal")
    left.set(xlabel="m", ylabel="m", title="five minutes from above")
    for (name, values), colour in zip(found["repetition"].items(), SOURCES, strict=False):
        right.hist(values, bins=np.linspace(0, 3, 80), density=True, histtype="step", lw=1.6, color=colour, label=name)
    right.set(xlabel="distance to the nearest frame", title="repetition")
    right.legend(frameon=False, fontsize=8, labelcolor=INK)
    ax = bottom.subplots()
    at = np.arange(len(model.textons))
    for k, (name, values) in enumerate(histograms.items()):
        ax.bar(at + 0.27 * (k - 1), values, width=0.27, color=SOURCES[k], label=name)
    ax.set(xlabel="texton", title="how often each texton comes", xticks=at)
    ax.tick_params(axis="x", labelsize=6)
    ax.legend(frameon=False, fontsize=8, labelcolor=INK)
    for each in (left, right, ax):
        each.set_facecolor(PAPER)
        each.grid(color=LINE, lw=0.5)
        each.set_axisbelow(True)
        each.title.set(color=INK, fontsize=9)
        each.tick_params(colors=QUIET)
    return figure


def measured(clip: Clip, source: Reference, own: dict[str, SourceValue]) -> QualityReport:
    return evaluate_take(clip, source, own=own)


def main() -> None:
    config = Config()
    source = salsa(config)
    if source is None:
        return
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    models = {name: learned(source, Config(variant=variant)) for name, variant in VARIANTS.items()}
    chosen = {name: Options(variant=variant) for name, variant in VARIANTS.items()}
    model = models["default"]
    clips = [c for c in source.clips if len(c) >= 2 * round(config.shortest * source.clips[0].fps)]
    beside = reference(clips)
    own = source_values(beside)
    made = {name: long_motion(models[name], chosen[name], seconds) for name in VARIANTS}
    reports = {name: measured(m.clip, beside, own) for name, m in made.items()}
    rows = []
    for measure in MEASURED:
        values = [reports[name].values[measure] for name in VARIANTS]
        cells = ["n/a" if v.value is None else f"{v.value:.3g}" for v in values]
        ratios = ["" if v.ratio is None else f"{v.ratio:.2f}" for v in values]
        self_ = own[measure].value
        rows.append([measure, values[0].unit, "" if self_ is None else f"{self_:.3g}", *cells, *ratios])
    rows.append(["made at (processor time)", "frames/s", "", *(f"{m.rate:,.0f}" for m in made.values()), "", ""])
    first = made["default"]
    again = repetition(first.clip, clips)
    distances = [
        [name, *(f"{np.quantile(v, q):.2f}" for q in (0.01, 0.1, 0.5, 0.9)), f"{(v < 0.1).mean():.1%}"]
        for name, v in again.items()
    ]
    counted = {name: shares(models[name], made[name], chosen[name]) for name in VARIANTS}
    visits = [
        [
            name,
            str(len(made[name].pieces)),
            f"{half_difference(s, t):.2f}",
            f"{half_difference(s, m):.2f}",
            f"{half_difference(t, m):.2f}",
        ]
        for name, (s, t, m) in counted.items()
    ]
    expected = []
    rng = np.random.default_rng(0)
    for _, t, _ in counted.values():  # what chance alone makes of so many visits
        draws = rng.multinomial(len(first.pieces), t / t.sum(), size=200) / len(first.pieces)
        expected.append(float(np.mean([half_difference(d, t) for d in draws])))
    names = ("came", "the walk's own chances", "stationary distribution of M")
    figure = picture(
        model,
        {"clip": first.clip, "repetition": again},
        dict(zip(names, counted["default"], strict=True)),
    )
    far = float(np.linalg.norm(travel(first.clip).place - travel(first.clip).place[0], axis=1).max())
    slid = reports["as LI"].values["skate"].ratio or 0.0
    near, usual = (float(np.median(again[name])) for name in ("made, to the source", "source, to its other takes"))
    page = f"""
# Five minutes of endless salsa

The stream of a model of CMU's subject 60 ([textons of salsa](textons_of_salsa.md)), {seconds:g} s, seed 0. *default*:
{len(model.textons)} textons, segments left wherever they come near to another, driven as observed segments were, plants
cleaned. *as LI*: `variant: faithful` in learning and in synthesis: {len(models["as LI"].textons)} textons, each fitted
to its own segments alone, white noise between key poses that are drawn at random, only transitions that were seen, feet
as they come. Measures as in [quality](../quality.md). Made at commit {commit()}.

![path over the ground, repetition, histogram](endless_salsa.png)

{table(["measure", "unit", "source", *VARIANTS, "default / source", "as LI / source"], rows)}

The source's own *window distance* is that between its takes, and its *loose run* that of a take in the others.

## Drift

Distance from the start, height of the hips and of the lowest foot part, minute by minute, in metres (default).

{table(["minute", "away, mean", "largest", "hips, mean", "lowest", "highest", "lowest foot"], by_minutes(first.clip))}

## Repetition

Distance of a frame's features (6-D rotations) to the nearest frame: of the source; of the other takes, for source
frames; of the motion itself, more than {APART:g} s before. Quantiles, and the share of frames nearer than 0.1.

{table(["", "1 %", "10 %", "50 %", "90 %", "below 0.1"], distances)}

## Textons

Half the sum of the differences of two distributions over textons (0 equal, 1 disjoint): the result, the distribution
that the walk follows (default: all frames equally often; as LI: the chances of joins), and the stationary distribution
of the counted M. Chance alone gives about {expected[0]:.2f} for so many pieces.

{table(["", "pieces", "result / walk", "result / M", "walk / M"], visits)}

The dance stays on the floor and about its stage of {STAGE_RADIUS:g} m: it is never more than {far:.1f} m away. Half of
its frames are nearer than {near:.2f} to some source frame, where source frames are {usual:.2f} from those of other
takes. As LI describes it, the motion is farther from the source, and its feet slide {slid:.1f} times as fast as the
source's: white noise moves feet that stand, and nothing corrects them. In five minutes the same segments come several
times: that is the left peak of the motion's distance to its own past.
"""
    numbers = {"rows": rows, "distances": distances, "visits": visits, "expected": expected, "commit": commit()}
    publish("endless_salsa", figure, numbers, page, dpi=70)


if __name__ == "__main__":
    main()
