"""LI 4 and 6 on CMU's salsa: textons found, how well they describe the motion, and what the minimum length changes.

    python experiments/71_textons_of_salsa.py [folds]

Writes out/experiments/textons_of_salsa.{png,json} and docs/experiments/textons_of_salsa.md. Needs ../shared/mocap.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from ar_hmm import Hmm, fit_hmm, hmm_likelihood, paths_by_pose, texton_likelihood
from similarity_material import publish, table
from texton_material import Salsa, apart, commit, learned, salsa

from motionloom.core import FloatArray, IntArray
from motionloom.kinematics.channels.metric import fit_metric_space, from_coordinates, to_coordinates
from motionloom.kinematics.channels.sides import continuous
from motionloom.kinematics.local_frames import joined, observe, restore
from motionloom.methods.textons import Config, Options, TextonModel
from motionloom.methods.textons.fit import learning_settings
from motionloom.methods.textons.learn.em import learn, objective, segment_all
from motionloom.methods.textons.learn.greedy import initial_textons
from motionloom.methods.textons.learn.lds import spectral_radius
from motionloom.methods.textons.learn.training_data import LearningSettings, TrainingData
from motionloom.methods.textons.plan.pieces import piece_of, plan_of
from motionloom.methods.textons.segments import Segment
from motionloom.methods.textons.transition_matrix import count_transitions
from motionloom.plot.figures import new_figure
from motionloom.plot.style import INK, PAPER, QUIET, SOURCES
from motionloom.plot.textons import observed_clip, segment_bands, transition_matrix

FOLDS = 10  # takes that are left out in turn
ODD = "60_06.bvh"  # in this take alone, the head is captured back to front on a neck that is turned the other way
LOOKED_AT = 3  # takes, left out in turn, by which `Config.pooled` was chosen; the others were not looked at for that


def labels_of(segments: Sequence[Segment], clips: Sequence[int]) -> list[IntArray]:
    """The texton of every frame of every clip."""
    out = [np.zeros(n, np.int64) for n in clips]
    for s in segments:
        out[s.clip][s.start : s.stop] = s.label
    return out


def per_frame(scores: Sequence[FloatArray], labels: Sequence[IntArray]) -> float:
    """Mean log density of a frame given the two before it and its state, in nats; across borders too."""
    found = [score[np.arange(len(own)), own][2:] for score, own in zip(scores, labels, strict=True)]
    return float(np.concatenate(found).mean())


def pieces_of(labels: Sequence[IntArray]) -> list[int]:
    """Lengths of all stretches of one state, in frames."""
    out: list[int] = []
    for own in labels:
        edges = np.flatnonzero(np.diff(own)) + 1
        out += np.diff([0, *edges, len(own)]).tolist()
    return out


def row(
    name: str, scores: Sequence[FloatArray], labels: Sequence[IntArray], states: int, value: float | None = None
) -> list[str]:
    lengths = pieces_of(labels)
    told = f"{np.mean(lengths):.1f} ({min(lengths)} to {max(lengths)})"
    frames = sum(len(own) for own in labels)
    raised = "" if value is None else f"{value / frames:.2f}"
    rate = f"{5000 * len(lengths) / frames:.0f}"
    return [name, str(states), str(len(lengths)), rate, told, f"{per_frame(scores, labels):.1f}", raised]


def smoothed(segments: Sequence[Segment], count: int, rules: LearningSettings) -> FloatArray:
    counts = count_transitions(segments, count) + rules.smoothing
    return counts / counts.sum(1, keepdims=True)


def segments_of(model: TextonModel, sizes: Sequence[int]) -> list[Segment]:
    """A model's segments; the last of a clip also holds the two frames that count as what follows it."""
    out: list[Segment] = []
    seen = iter(model.observed)
    for clip, size in enumerate(sizes):
        start = 0
        while start < size:
            o = next(seen)
            stop = start + o.length
            stop = size if size - stop <= 2 else stop
            out.append(Segment(clip, start, stop, o.texton))
            start = stop
    return out


def what_segmentation_changes(
    material: TrainingData, rules: LearningSettings, model: TextonModel
) -> tuple[list[list[str]], Hmm]:
    """Rows: greedy, exact, after EM, with a shorter minimum, and without any segments."""
    clips = range(len(material.clips))
    sizes = [len(c) for c in material.clips]
    textons, segments = initial_textons(material, rules)
    scores = [material.score(c, textons) for c in clips]
    chances = smoothed(segments, len(textons), rules)
    value = objective(material, textons, segments, chances, rules)
    rows = [row("greedy initialisation", scores, labels_of(segments, sizes), len(textons), value)]
    exact, _ = segment_all(material, textons, chances, rules.shortest)
    value = objective(material, textons, exact, chances, rules)
    rows.append(row("the same textons, exact segmentation", scores, labels_of(exact, sizes), len(textons), value))
    own = [material.score(c, model.textons) for c in clips]
    labels = labels_of(segments_of(model, sizes), sizes)
    rows.append(row(f"after EM, T_min {rules.shortest} frames", own, labels, len(model.textons), model.history[-1]))
    shortest = rules.shortest // 2
    found = learn(material, replace(rules, shortest=shortest))
    scores = [material.score(c, found.textons) for c in clips]
    told = labels_of(found.segments, sizes)
    rows.append(row(f"after EM, T_min {shortest} frames", scores, told, len(found.textons), found.history[-1]))
    hmm = fit_hmm(material, model.textons, labels, rules)
    scores = [material.score(c, hmm.states) for c in clips]
    rows.append(row("autoregressive HMM, no minimum", scores, hmm.paths, len(hmm.states)))
    blank = fit_hmm(material, None, paths_by_pose(material, len(model.textons)), rules)
    scores = [material.score(c, blank.states) for c in clips]
    rows.append(row("the same, started from like poses", scores, blank.paths, len(blank.states)))
    one = material.learn_texton([Segment(c, 0, sizes[c], 0) for c in clips], rules)
    scores = [material.score(c, [one]) for c in clips]
    rows.append(row("one linear dynamic system", scores, [np.zeros(n, np.int64) for n in sizes], 1))
    return rows, hmm


class Held(NamedTuple):
    """A take left out: its frames, its log-likelihood a frame by each model, and how many textons were learned."""

    frames: int
    textons: float
    alone: float  # textons fitted to their own frames alone
    hmm: float
    one: float
    learned: int


def held_out(source: Salsa, config: Config, folds: int) -> list[Held]:
    """Every take left out in turn."""
    fps = source.clips[0].fps
    rules, alone = learning_settings(config, fps), learning_settings(replace(config, pooled=0.0), fps)
    rows = []
    for fold in range(folds):
        inside, outside = (
            [c for c, k in zip(source.clips, source.owners, strict=True) if (k == fold) == out] for out in (False, True)
        )
        train = [observe(c) for c in inside if len(c) >= 2 * rules.shortest]
        test = [observe(c) for c in outside if len(c) >= 2 * rules.shortest]
        space = fit_metric_space(joined(train), inside[0].skeleton)
        material, unseen = TrainingData(train, space), TrainingData(test, space)
        learned, single = learn(material, rules), learn(material, alone)
        sizes = [len(c) for c in train]
        hmm = fit_hmm(material, learned.textons, labels_of(learned.segments, sizes), rules)
        one = material.learn_texton([Segment(c, 0, n, 0) for c, n in enumerate(sizes)], alone)
        total = np.zeros(4)
        for c in range(len(test)):
            total += (
                *(
                    texton_likelihood(
                        unseen.score(c, found.textons),
                        found.transitions,
                        rules.shortest,
                        float(np.mean([len(s) for s in found.segments])),
                    )
                    for found in (learned, single)
                ),
                hmm_likelihood(unseen.score(c, hmm.states), hmm.transitions),
                float(unseen.score(c, [one])[2:].sum()),
            )
        frames = sum(len(c) - 2 for c in test)
        rows.append(Held(frames, *(total / frames).tolist(), len(learned.textons)))
        print(f"fold {fold}: {rows[-1]}", flush=True)
    return rows


def mean_of(rows: Sequence[Held]) -> FloatArray:
    """(4,) log-likelihoods a frame over several takes, by frames."""
    values = np.array(rows)
    return np.asarray(values[:, 0] @ values[:, 1:5] / values[:, 0].sum())


def reconstructions(model: TextonModel) -> tuple[list[list[str]], dict[str, float]]:
    """Per texton: errors of its basis, of the mean run between the ends of each segment, and with its own push."""
    rng = np.random.default_rng(0)
    rows, everything = [], []
    for i, texton in enumerate(model.textons):
        dynamics = texton.dynamics
        errors = []
        for k in model.of_texton(i):
            seen = observed_clip(model, k)
            y = continuous(to_coordinates(model.observed[k].frames[: len(seen)], model.space, texton.base), model.space)
            flat = dynamics.mean + (y - dynamics.mean) @ dynamics.basis @ dynamics.basis.T
            basis = restore(from_coordinates(flat, model.space, texton.base), model.skeleton, model.fps)
            plan = plan_of([piece_of(model.segments, k)])
            made = [
                model.render_uncleaned(plan, rng, Options(drive=push, noise=0.0, drive_variation=0.0))
                for push in ("noise", "observed")
            ]
            errors.append([100 * float(np.sqrt((apart(c, seen) ** 2).mean())) for c in (basis, *made)])
        mean = np.mean(errors, axis=0)
        lengths = [model.observed[k].length for k in model.of_texton(i)]
        everything.append((len(lengths), sum(lengths), *mean))
        if len(lengths) > 1:
            told = f"{min(lengths)} to {max(lengths)}"
            radius = f"{spectral_radius(dynamics):.3f}"
            rows.append([str(i), str(len(lengths)), told, str(dynamics.size), radius, *(f"{e:.1f}" for e in mean)])
    table_ = np.array(everything)
    once = table_[table_[:, 0] == 1]
    if len(once):
        spread = f"{int(once[:, 1].min())} to {int(once[:, 1].max())}"
        rows.append([f"{len(once)} more", "1 each", spread, "", "", *(f"{e:.1f}" for e in once[:, 2:].mean(0))])
    weights = table_[:, 1]
    return rows, dict(
        zip(("basis", "mean run", "pushed"), (table_[:, 2:] * weights[:, None]).sum(0) / weights.sum(), strict=True)
    )


def picture(model: TextonModel, hmm: Hmm) -> object:
    """Bands, transitions, and how long segments last with and without a minimum."""
    figure = new_figure(13, 9)
    top, bottom = figure.subfigures(2, 1, height_ratios=[1, 1.15])
    segment_bands(model, ax=top.subplots())
    left, right = bottom.subplots(1, 2)
    transition_matrix(model, ax=left)
    ends = np.geomspace(1, 400, 40)
    for values, name, colour in (
        (pieces_of(hmm.paths), "autoregressive HMM, no minimum", SOURCES[1]),
        ([o.length for o in model.observed], "textons, T_min 1 s", SOURCES[0]),
    ):
        right.hist(values, bins=ends, color=colour, alpha=0.8, label=f"{name}: {len(values)} segments")
    right.set_xscale("log")
    right.set_xlabel("frames that a segment lasts (60 = 1 s)", color=QUIET)
    right.set_ylabel("segments", color=QUIET)
    right.legend(frameon=False, fontsize=8, labelcolor=INK)
    right.set_facecolor(PAPER)
    return figure


def main() -> None:
    config = Config()
    source = salsa(config)
    if source is None:
        return
    folds = int(sys.argv[1]) if len(sys.argv) > 1 else FOLDS
    start = time.perf_counter()
    model = learned(source, config)
    took = time.perf_counter() - start
    rules = learning_settings(config, source.clips[0].fps)
    long = [c for c in source.clips if len(c) >= 2 * rules.shortest]
    seen = [observe(c) for c in long]
    material = TrainingData(seen, fit_metric_space(joined(seen), long[0].skeleton))
    changes, hmm = what_segmentation_changes(material, rules, model)
    errors, overall = reconstructions(model)
    rows = held_out(source, config, folds)
    mean = mean_of(rows)
    takes = [
        [source.takes[k].name, str(r.frames), *(f"{v:.1f}" for v in r[1:5]), str(r.learned)] for k, r in enumerate(rows)
    ]
    takes.append(["all, by frames", str(sum(r.frames for r in rows)), *(f"{v:.1f}" for v in mean), ""])
    names = [source.takes[k].name for k in range(len(rows))]
    for told, some in (
        (f"all but {ODD}", [r for name, r in zip(names, rows, strict=True) if name != ODD]),
        (f"all but the first {LOOKED_AT}", rows[LOOKED_AT:]),
    ):
        if some:
            takes.append([told, str(sum(r.frames for r in some)), *(f"{v:.1f}" for v in mean_of(some)), ""])
    better = sum(r.textons > r.one for r in rows)
    frames = sum(len(c) for c in long)
    once = sum(len(model.of_texton(i)) == 1 for i in range(len(model.textons)))
    lengths = [o.length for o in model.observed]
    dims = [t.dynamics.size for t in model.textons]
    grows = sum(spectral_radius(t.dynamics) > 1 for t in model.textons)
    brief = float(np.mean(np.array(pieces_of(hmm.paths)) < 15))
    page = f"""
# Textons of CMU's salsa

LI 4 and 6, subject 60: ten takes, {frames} frames at {model.fps:g} fps after what is broken in the captures was left
out. `motionloom learn textons 60_*.bvh -o salsa.loom` with its defaults, at commit {commit()}.

![segments, transitions, lengths](textons_of_salsa.png)

{len(model.textons)} textons in {len(model.observed)} segments of {min(lengths)} to {max(lengths)} frames (LI: 246
textons of 60 to 172 frames from 49,800), {min(dims)} to {max(dims)} dimensions (LI: 12 to 15). Learning took
{took:.0f} s here (`./run bench` has the figure of a quiet machine). {once} textons were seen once only: there is no
second instance from which to tell what varies. Eigenvalues above 1, with which a run without
ends grows: in {grows} of {len(model.textons)}.

## What the minimum length and the exact segmentation change

All rows are on the same {frames} frames. Log-likelihood is per frame, in nats, given the two frames before it and the
frame's state ({material.channels} channels); higher is better. The objective, per frame too, is what learning raises:
it also counts a start density for each segment, transitions and priors. Segments that repeat a texton count as one.
The autoregressive HMM has the same emissions and the same prior, but its state may change at every frame. It starts
from the learned textons; once more it starts as such models usually do, from clusters of poses that are alike.

{table(["", "states", "segments", "per 5,000 frames", "mean length", "log-likelihood", "objective"], changes)}

## Held-out takes

Learnt on nine takes, tested on the tenth ({folds} of ten folds); log p(frames | first two frames) a frame, summed
over all paths (forward algorithm), so that switching often is paid for. For textons, lengths beyond T_min are
geometric with the mean seen in training: LI models none, and without a length model there is no likelihood to
compare. All models are densities of the same {material.channels} channels (tests check them against sums over every
path, and that they add up to one). "Alone" are textons as LI fits them, each to its own frames; the others are also
fitted to {config.pooled:g} s of all the material (`pooled`), and so are the states of the HMM.

{table(["take left out", "frames", "textons", "alone", "autoregressive HMM", "one LDS", "textons learned"], takes)}

## Reconstruction

Errors in cm, RMS over joints and frames, of: the texton's basis alone (what the dimensions leave out); the mean run
between a segment's own two ends (LI eq. 8 without noise); and the same run pushed as the segment was.
{overall["basis"]:.1f}, {overall["mean run"]:.1f} and {overall["pushed"]:.1f} cm over all frames.

{table(["texton", "segments", "frames", "dimensions", "radius", "basis", "mean run", "pushed"], errors)}

Findings. Without a minimum the same dynamics switch {changes[4][2]} times instead of {changes[2][2]}, and
{brief:.0%} of the stretches last less than a quarter of a second, although this HMM was started from the textons;
started from poses it switches {changes[5][2]} times. Such stretches follow the frames better, and nobody could edit
them. The exact segmentation and EM raise the objective a little over the greedy start; most of what is found, greedy
finds.

Fitted alone, textons describe a take that was left out worse than one linear dynamic system does
({mean[1]:.1f} against {mean[3]:.1f} nats): many were seen once, so their mean, their basis and their noise are those
of one instance. Fitted to a little of everything as well, they describe it better than one system
({mean[0]:.1f}; on {better} of {folds} takes), as they do what they were learned from (table above). How much that
little is was chosen by the first {LOOKED_AT} takes; the others were not looked at for it. {ODD} is badly described by
all models: only there is the head captured back to front. The HMM, which may leave a texton that does not fit at
once, is {mean[2] - mean[0]:+.1f} nats from the textons: that is the price of the minimum length.

What it costs: all textons have about {np.mean(dims):.0f} dimensions, up to the limit of {config.dimensions}, where
LI's have 12 to 15; and their dynamics are less particular, so that a mean run between two ends tells less about what
a segment did there (alone it misses by 6.8 cm).

What is still bad: {once} of {len(model.textons)} textons were seen once. From two and a half minutes of salsa that
hardly repeats itself, textons are above all a way to put this very dance together anew; LI had five times the frames.

The basis loses 1 to 2 cm. Between its own two ends a mean run misses the original by several: the ends do not say
what happens between them, and for LI noise fills that in. Pushed as observed, a texton is its segment.
"""
    numbers = {
        "changes": changes,
        "held out": [r._asdict() for r in rows],
        "reconstruction": overall,
        "seconds": took,
        "brief": brief,
    }
    publish("textons_of_salsa", picture(model, hmm), numbers, page, dpi=70)


if __name__ == "__main__":
    main()
