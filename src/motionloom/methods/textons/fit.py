"""Learning a texton model from clips."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, Clip, FloatArray, Note, Progress, part, silent
from motionloom.core.note import info
from motionloom.kinematics.charts import along, space_of, to_coordinates
from motionloom.kinematics.feet.contacts import foot_parts, with_contacts
from motionloom.kinematics.feet.grounding import contact_heights, footing
from motionloom.kinematics.local_frames import Frames, joined, observe
from motionloom.kinematics.travel import from_root_motion
from motionloom.methods.textons.config import DEFAULT, Config
from motionloom.methods.textons.learn.em import Learnt, Material, Rules, count_transitions, criterion, greedy, learn
from motionloom.methods.textons.learn.join_check import gentle_joins
from motionloom.methods.textons.learn.lds import Prior
from motionloom.methods.textons.learn.segments import Observed
from motionloom.methods.textons.model import TextonModel
from motionloom.methods.textons.plan import shortest_paths as paths
from motionloom.methods.textons.plan.transitions import join_distances

HALVINGS = 16  # of the tolerance (each by the root of two) until there are as many textons as asked for
TRIED = (0.5, 0.6, 0.7, 0.8, 0.95, 1.1)  # tolerances tried for BIC and MDL


def fit(
    clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None, progress: Progress | None = None
) -> TextonModel:
    """Learn textons from clips of one skeleton at one frame rate (see `methods.prepare`). No chance is involved."""
    rules = rules_of(config, clips[0].fps)
    shortest = rules.shortest
    short = [c for c in clips if len(c) < 2 * shortest]
    if len(short) == len(clips):
        longest = max(clips, key=len)
        raise BadRequest(
            f"{longest.name or 'the longest clip'} lasts {longest.seconds:.2f} s; textons of at least "
            f"{config.shortest:g} s need clips of at least {2 * config.shortest:g} s"
        )
    clips = [c for c in clips if len(c) >= 2 * shortest]
    left = [f"{c.name}: {c.seconds:.1f} s left out, shorter than two textons" for c in short]
    seen = [observe(clip) for clip in clips]
    space = space_of(joined(seen), clips[0].skeleton)
    if not space.size:
        raise BadRequest("nothing moves in these clips: there is no dynamics to learn")
    material = Material(seen, space)
    report = progress or silent()
    learnt, chosen = _learn(material, rules, config, part(report, 0.0, 0.8))
    standing = [with_contacts(clip) for clip in clips]
    names = tuple(part.label for part in foot_parts(clips[0].skeleton))  # feet alone: hands that touch are not grounded
    heights = contact_heights(standing)
    observed = _observed(standing, seen, learnt, names, heights)
    model = TextonModel(
        skeleton=clips[0].skeleton,
        config=config,
        fps=clips[0].fps,
        notes=info(*left, *chosen),
        space=space,
        textons=learnt.textons,
        observed=tuple(observed),
        contact_names=names,
        heights=heights,
        counts=count_transitions(learnt.segments, len(learnt.textons)),
        gentle=np.ones((len(observed), len(observed)), bool),
        noise=1.0,
        history=learnt.history,
    )
    report(0.85, "trying joins")
    model = dataclasses.replace(model, gentle=gentle_joins(model, join_distances(model), part(report, 0.85, 0.95)))
    report(0.95, "measuring the noise")
    return dataclasses.replace(model, noise=_usual_noise(model), notes=(*model.notes, Note(_summary(model))))


def rules_of(config: Config, fps: float) -> Rules:
    """The settings of learning, in frames."""
    prior = Prior(config.ridge, config.floor, common=config.common * fps)
    shortest = max(4, round(config.shortest * fps))
    return Rules(shortest, config.variance, config.dimensions, config.tolerance, config.smoothing, config.rounds, prior)


def _learn(material: Material, rules: Rules, config: Config, progress: Progress) -> tuple[Learnt, tuple[str, ...]]:
    if config.textons is not None:
        return _at_most(material, rules, config.textons, progress)
    if config.count == "tolerance":
        return learn(material, rules, progress=progress), ()
    tried = [(t, dataclasses.replace(rules, tolerance=t)) for t in TRIED]
    ends = np.linspace(0.0, 1.0, len(tried) + 1)
    learnt = [
        (t, r, learn(material, r, progress=part(progress, ends[k], ends[k + 1]))) for k, (t, r) in enumerate(tried)
    ]
    costs = [criterion(material, found, r, config.count) for _, r, found in learnt]
    tolerance, _, found = learnt[int(np.argmin(costs))]
    table = ", ".join(f"{len(m.textons)} ({c:,.0f})" for (_, _, m), c in zip(learnt, costs, strict=True))
    end = {TRIED[0]: ", the smallest tried", TRIED[-1]: ", the largest tried"}.get(tolerance, "")
    chose = f"{config.count.upper()} chose {len(found.textons)} textons (tolerance {tolerance:g}{end}) among {table}"
    return found, (chose,)


def _at_most(material: Material, rules: Rules, most: int, progress: Progress) -> tuple[Learnt, tuple[str, ...]]:
    """As many textons as asked for, or fewer: the tolerance at which there are enough, and the longest of these."""
    room = sum(len(c) // rules.shortest for c in material.clips)
    if most > room:
        raise BadRequest(
            f"config.textons: {most} textons were asked for, but these clips hold at most {room} segments of "
            f"{rules.shortest} frames (give more clips, fewer textons, or a smaller `shortest`)"
        )
    tolerance = rules.tolerance
    for k in range(HALVINGS):
        here = part(progress, 0.5 * k / HALVINGS, 0.5 * (k + 1) / HALVINGS)
        textons, segments = greedy(material, dataclasses.replace(rules, tolerance=tolerance), here)
        if len(textons) >= most:
            break
        tolerance /= 2**0.5
    used = [sum(len(s) for s in segments if s.label == i) for i in range(len(textons))]
    kept = np.sort(np.argsort(used)[::-1][:most])
    learnt = learn(material, rules, start=[textons[i] for i in kept], progress=part(progress, 0.5, 1.0))
    return learnt, (f"{most} textons asked for, {len(learnt.textons)} found (tolerance {tolerance:.2g})",)


def _observed(
    clips: Sequence[Clip], seen: Sequence[Frames], learnt: Learnt, names: Sequence[str], heights: FloatArray
) -> list[Observed]:
    stand = [np.stack([c.label(n) for n in names], 1) if names else np.zeros((len(c), 0), bool) for c in clips]
    feet = [footing(f, on, c.skeleton, heights, c.fps) for c, f, on in zip(clips, seen, stand, strict=True)]
    out = []
    for s in learnt.segments:
        clip = clips[s.clip]
        cut = slice(s.start, min(s.stop + 2, len(clip)))  # at a clip's end, its own last two frames
        frames = seen[s.clip][cut]
        numbers = np.rint(clip.origin.main()[1]).astype(int) if clip.origin.known else np.arange(len(clip))
        at, to = int(numbers[s.start]), int(numbers[s.stop - 1])
        pace = (to - at) / (len(s) - 1)
        path = from_root_motion(frames.root[:-1, :3] / clip.fps)
        move = np.array([*path.place[-1], path.heading[-1]])
        own = feet[s.clip]
        feet_do = (own.contacts[cut], own.slip[cut], own.low[cut])
        out.append(Observed(s.label, clip.name, at, pace, len(s), frames, *feet_do, move))
    return out


def _summary(model: TextonModel) -> str:
    """How many textons and segments there are, and how much of them can go on for ever."""
    lengths = np.array([o.covers for o in model.observed])
    total = lengths.sum()
    kept = paths.endless(model.counts)
    seen = lengths[np.isin(model.textons_of, kept)].sum() / total
    joins = model.joins(model.usual_options)
    near = int((joins.allowed & ~joins.seen).sum())
    limit = f"{100 * joins.limit:.0f} cm" if joins.limit >= 0.02 else f"{1000 * joins.limit:.2g} mm"
    return (
        f"{_counted(len(model.textons), 'texton')} in {_counted(len(lengths), 'segment')} of {lengths.min()} to "
        f"{lengths.max()} frames; by transitions that were seen, {_counted(len(kept), 'texton')}, {seen:.0%} of the "
        f"frames, can follow each other for ever; with {_counted(near, 'join')} nearer than {limit}, "
        f"and without those that throw the body, {lengths[joins.inside].sum() / total:.0%}"
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _usual_noise(model: TextonModel) -> float:
    """The amount of noise with which samples stray from the mean run as far as the observed segments do.

    For every observed segment: how far it lies from the mean run between its own ends, against how far samples with
    full noise do (RMS, metres); the median of the ratios, at most 1.
    """
    rng = np.random.default_rng(0)
    ratios = []
    for seen in model.observed:
        texton = model.textons[seen.texton]
        y = along(to_coordinates(seen.frames, model.space, texton.base), model.space)
        x = (y - texton.dynamics.mean) @ texton.dynamics.basis
        ends = x[[0, 1, -2, -1]]
        mean = model.bench.run(seen.texton, ends, np.zeros_like(x))
        sample = model.bench.run(seen.texton, ends, rng.standard_normal(x.shape))
        strayed = float(np.sqrt(((sample - mean) ** 2).mean()))
        if strayed > 0:
            ratios.append(float(np.sqrt(((x - mean) ** 2).mean())) / strayed)
    return float(min(1.0, np.median(ratios))) if ratios else 1.0
