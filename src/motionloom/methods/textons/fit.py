"""Learning a texton model from clips."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, Note, Progress, is_found, part, silent
from motionloom.core.note import info
from motionloom.kinematics.channels.metric import fit_metric_space
from motionloom.kinematics.feet.contacts import foot_parts, with_contacts
from motionloom.kinematics.feet.grounding import contact_heights, footing_of
from motionloom.kinematics.local_frames import Frames, joined, observe
from motionloom.kinematics.travel import from_root_motion
from motionloom.methods.textons.config import DEFAULT, Config
from motionloom.methods.textons.learn.em import LearnedTextons, learn
from motionloom.methods.textons.learn.greedy import initial_textons
from motionloom.methods.textons.learn.lds import Prior
from motionloom.methods.textons.learn.selection import criterion
from motionloom.methods.textons.learn.training_data import LearningSettings, TrainingData
from motionloom.methods.textons.model import TextonModel
from motionloom.methods.textons.plan import shortest_paths as paths
from motionloom.methods.textons.plan.joins import join_distances
from motionloom.methods.textons.render.join_check import gentle_joins
from motionloom.methods.textons.render.synthesis import Synthesizer
from motionloom.methods.textons.segments import ObservedSegment
from motionloom.methods.textons.transition_matrix import count_transitions

ENOUGH = 60.0  # s of clips
HALVINGS = 16  # of the tolerance (each by the root of two) until there are as many textons as requested
TOLERANCES = (0.5, 0.65, 0.8, 1.0, 1.3, 1.7)  # tried for BIC and MDL first,
MAX_MORE = 6  # and beyond the end at which the best one is, so many more: the first three each
TOLERANCE_STEP = 1.3  # times farther, and each later one by this factor more than the one before


def fit(
    clips: Sequence[Clip], config: Config = DEFAULT, *, rng: Generator | None = None, progress: Progress | None = None
) -> TextonModel:
    """Learn textons from clips of one skeleton at one frame rate (see `methods.prepare`). Learning is deterministic."""
    settings = learning_settings(config, clips[0].fps)
    shortest = settings.shortest
    short = [c for c in clips if len(c) < 2 * shortest]
    if len(short) == len(clips):
        longest = max(clips, key=len)
        raise BadRequest(
            f"{longest.name or 'the longest clip'} lasts {longest.seconds:.2f} s; textons of at least "
            f"{config.shortest:g} s need clips of at least {2 * config.shortest:g} s"
        )
    clips = [c for c in clips if len(c) >= 2 * shortest]
    left = [f"{c.name}: {c.seconds:.1f} s left out, shorter than two textons" for c in short]
    if (material := sum(c.seconds for c in clips)) < ENOUGH:
        left.append(f"{material:.0f} s of material: textons need a minute or more for variety")
    seen = [observe(clip) for clip in clips]
    space = fit_metric_space(joined(seen), clips[0].skeleton)
    if not space.size:
        raise BadRequest("nothing moves in these clips: there is no dynamics to learn")
    data = TrainingData(seen, space)
    report = progress or silent()
    learned, chosen, curve = _learn(data, settings, config, part(report, 0.0, 0.8))
    standing = [with_contacts(clip) for clip in clips]
    names = tuple(part.label for part in foot_parts(clips[0].skeleton))  # feet alone: hands that touch are not grounded
    heights = contact_heights(standing)
    styles = tuple(sorted({n for c in clips for n in c.label_names if not is_found(n) and c.label(n).any()}))
    observed = _observed(standing, seen, learned, names, heights, styles)
    model = TextonModel(
        skeleton=clips[0].skeleton,
        config=config,
        fps=clips[0].fps,
        notes=info(*left, *chosen),
        space=space,
        textons=learned.textons,
        observed=tuple(observed),
        contact_names=names,
        heights=heights,
        label_names=styles,
        counts=count_transitions(learned.segments, len(learned.textons)),
        gentle=np.ones((len(observed), len(observed)), bool),
        noise=1.0,
        history=learned.history,
        selection_curve=curve,
    )
    report(0.85, "trying joins")
    gentle = gentle_joins(model.synthesizer, join_distances(model.segments), part(report, 0.85, 0.95))
    report(0.95, "measuring the noise")
    model = dataclasses.replace(model, gentle=gentle, noise=_usual_noise(model.synthesizer))
    return dataclasses.replace(model, notes=(*model.notes, Note(_summary(model))))


def learning_settings(config: Config, fps: float) -> LearningSettings:
    """The settings of learning, with times in frames."""
    prior = Prior(config.ridge, config.noise_floor, config.noise_weight, config.pooled * fps)
    shortest = max(4, round(config.shortest * fps))
    limits = (config.variance, config.dimensions, config.tolerance, config.smoothing, config.rounds)
    return LearningSettings(shortest, *limits, prior, config.recurring)


def _learn(
    data: TrainingData, settings: LearningSettings, config: Config, progress: Progress
) -> tuple[LearnedTextons, tuple[str, ...], FloatArray]:
    if config.textons is not None:
        return _at_most(data, settings, config.textons, progress)
    if config.selection == "tolerance":
        return learn(data, settings, progress=progress), (), np.zeros((0, 3))
    return _selected(data, settings, config.selection, progress)


def _selected(
    data: TrainingData, settings: LearningSettings, kind: str, progress: Progress
) -> tuple[LearnedTextons, tuple[str, ...], FloatArray]:
    """The tolerance of the least cost: the range is extended until the least cost is inside, or cannot be."""
    room = sum(len(c) // settings.shortest for c in data.clips)
    found: dict[float, tuple[float, LearnedTextons]] = {}
    ends = np.linspace(0.0, 1.0, len(TOLERANCES) + MAX_MORE + 1)

    def attempt(tolerance: float) -> None:
        rules = dataclasses.replace(settings, tolerance=tolerance)
        k = len(found)
        learned = learn(data, rules, progress=part(progress, ends[k], ends[k + 1]))
        cost = criterion(data, learned.textons, learned.segments, learned.transitions, rules, kind)
        found[tolerance] = (cost, learned)

    for tolerance in TOLERANCES:
        attempt(tolerance)
    for k in range(MAX_MORE):
        order = sorted(found)
        best = min(order, key=lambda t: found[t][0])
        count, farther = len(found[best][1].textons), TOLERANCE_STEP ** max(1, k - 1)
        changes = count == 1 or found[best][0] < found[order[1]][0]  # or do smaller tolerances change nothing any more?
        if best == order[-1] and count > 1:
            attempt(best * farther)
        elif best == order[0] and count < room and changes:
            attempt(best / farther)
        else:
            break
    progress(1.0, "choosing the number of textons")
    order = sorted(found)
    best = min(order, key=lambda t: (found[t][0], -t))
    curve = np.array([[t, len(found[t][1].textons), found[t][0]] for t in order])
    table = ", ".join(f"{len(found[t][1].textons)} at {t:.3g} ({found[t][0]:,.0f} nats)" for t in order)
    end = {order[0]: ", the smallest tried", order[-1]: ", the largest tried"}.get(best, "")
    text = f"{kind.upper()} chose {len(found[best][1].textons)} textons (tolerance {best:.3g}{end}) among {table}"
    return found[best][1], (text,), curve


def _at_most(
    data: TrainingData, settings: LearningSettings, most: int, progress: Progress
) -> tuple[LearnedTextons, tuple[str, ...], FloatArray]:
    """At most `most` textons: the first tolerance with enough of them, and those that cover the most frames."""
    room = sum(len(c) // settings.shortest for c in data.clips)
    if most > room:
        raise BadRequest(
            f"config.textons: {most} textons were requested, but these clips contain at most {room} segments of "
            f"{settings.shortest} frames (use more clips, fewer textons, or a smaller `shortest`)"
        )
    tolerance = settings.tolerance
    for k in range(HALVINGS):
        here = part(progress, 0.5 * k / HALVINGS, 0.5 * (k + 1) / HALVINGS)
        textons, segments = initial_textons(data, dataclasses.replace(settings, tolerance=tolerance), here)
        if len(textons) >= most:
            break
        tolerance /= 2**0.5
    used = [sum(len(s) for s in segments if s.label == i) for i in range(len(textons))]
    kept = np.sort(np.argsort(used)[::-1][:most])
    learned = learn(data, settings, start=[textons[i] for i in kept], progress=part(progress, 0.5, 1.0))
    text = f"{most} textons requested, {len(learned.textons)} found (tolerance {tolerance:.2g})"
    return learned, (text,), np.zeros((0, 3))


def _observed(
    clips: Sequence[Clip],
    seen: Sequence[Frames],
    learned: LearnedTextons,
    names: Sequence[str],
    heights: FloatArray,
    styles: Sequence[str],
) -> list[ObservedSegment]:
    stand, has = ([_labels(c, some) for c in clips] for some in (names, styles))
    feet = [footing_of(f, on, c.skeleton, heights, c.fps) for c, f, on in zip(clips, seen, stand, strict=True)]
    out = []
    for s in learned.segments:
        clip = clips[s.clip]
        cut = slice(s.start, min(s.stop + 2, len(clip)))  # at a clip's end, its own last two frames
        frames = seen[s.clip][cut]
        numbers = np.rint(clip.origin.main()[1]).astype(int) if clip.origin.known else np.arange(len(clip))
        at, to = int(numbers[s.start]), int(numbers[s.stop - 1])
        pace = (to - at) / (len(s) - 1)
        path = from_root_motion(frames.root[:-1, :3] / clip.fps)
        move = np.array([*path.place[-1], path.heading[-1]])
        own = feet[s.clip]
        feet_do = (own.contacts[cut], own.slip[cut], has[s.clip][cut], own.low[cut])
        out.append(ObservedSegment(s.label, clip.name, at, pace, len(s), frames, *feet_do, move))
    return out


def _labels(clip: Clip, names: Sequence[str]) -> BoolArray:
    """(F, L) which of these labels each frame has."""
    none = np.zeros(len(clip), bool)
    rows = [clip.label(n) if n in clip.label_names else none for n in names]
    return np.array(rows, bool).reshape(len(names), len(clip)).T


def _summary(model: TextonModel) -> str:
    """Numbers of textons and segments, and the share of them that can follow each other without end."""
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
        f"frames, can follow each other without end; with {_counted(near, 'join')} nearer than {limit}, "
        f"and without those of high acceleration, {lengths[joins.inside].sum() / total:.0%}"
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _usual_noise(synthesizer: Synthesizer) -> float:
    """The amount of noise with which samples stray from the mean run as far as the observed segments do.

    For every observed segment: its distance from the mean run between its own ends, relative to that of samples with
    full noise (RMS, metres); the median of the ratios, at most 1.
    """
    rng = np.random.default_rng(0)
    ratios = []
    for seen in synthesizer.segments.observed:
        dynamics = synthesizer.textons[seen.texton].dynamics
        x = (synthesizer.charts.unbroken(seen.frames, seen.texton) - dynamics.mean) @ dynamics.basis
        ends = x[[0, 1, -2, -1]]
        mean = synthesizer.run(seen.texton, ends, np.zeros_like(x))
        sample = synthesizer.run(seen.texton, ends, rng.standard_normal(x.shape))
        strayed = float(np.sqrt(((sample - mean) ** 2).mean()))
        if strayed > 0:
            ratios.append(float(np.sqrt(((x - mean) ** 2).mean())) / strayed)
    return float(min(1.0, np.median(ratios))) if ratios else 1.0
