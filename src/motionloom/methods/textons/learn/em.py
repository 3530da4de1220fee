"""Learning textons: greedy initialisation, then EM with an exact segmentation (LI 4 and appendix A).

The E-step takes the best segmentation where LI eq. 4 sums over all of them. The objective is one number:
frame likelihoods + one fixed start density per segment + log M + every prior used. No step lowers it: the
segmentation is exact, the dynamics are an exact maximum, and a new basis, mean or dimension is kept only if it does
not lower the objective.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionloom.core import BadRequest, FloatArray, IntArray, Progress, part, silent
from motionloom.core.progress import each, watch
from motionloom.kinematics.charts import Space, along, own_base, recharted, to_coordinates
from motionloom.kinematics.local_frames import Frames
from motionloom.methods.textons.learn.lds import (
    LOG_2PI,
    Dynamics,
    Prior,
    fit,
    fit_error,
    log_prior,
    parameters,
    pool_likelihood,
)
from motionloom.methods.textons.learn.likelihood import likelihood
from motionloom.methods.textons.learn.pooled_prior import pool_of

Say = Callable[[str], None]

GREEDY = 0.3  # of learning: the greedy initialisation


@dataclass(frozen=True, eq=False)
class Segment:
    """A stretch of one clip that one texton describes."""

    clip: int
    start: int
    stop: int
    label: int

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, eq=False)
class Texton:
    """Dynamics, and the base rotations of the chart they live in."""

    dynamics: Dynamics
    base: FloatArray  # (J, 4)


@dataclass(frozen=True, eq=False)
class Rules:
    """What learning is told."""

    shortest: int  # frames, T_min
    keep: float
    largest: int
    tolerance: float
    smoothing: float  # pseudo-count of every transition
    rounds: int
    prior: Prior = Prior()  # noqa: RUF009


@dataclass(frozen=True, eq=False)
class Learnt:
    """The result of learning."""

    textons: tuple[Texton, ...]
    segments: tuple[Segment, ...]
    transitions: FloatArray  # (N, N) smoothed probabilities M
    history: tuple[float, ...]  # the objective after every step

    @property
    def counts(self) -> FloatArray:
        return count_transitions(self.segments, len(self.textons))


class Material:
    """All clips' frames, charted once; textons with wild joints chart them anew."""

    def __init__(self, clips: Sequence[Frames], space: Space) -> None:
        self.clips, self.space = list(clips), space
        self.shared = [to_coordinates(c, space) for c in self.clips]
        self.even = [along(y, space) for y in self.shared]  # without jumps at pi
        everything = np.concatenate(self.even)
        self.channels = everything.shape[1]
        self.spread = float(np.sqrt(everything.var(0).mean()))
        self.start = [_start_density(y, everything, self.even) for y in self.even]
        self.pool = pool_of(self.even)
        self._levels: dict[tuple[float, int, Prior], float] = {}

    def charted(self, segment: Segment, base: FloatArray) -> FloatArray:
        """(n, D) coordinates of a segment in the chart around `base`."""
        return recharted(self.shared[segment.clip][segment.start : segment.stop], self.cut(segment), self.space, base)

    def cut(self, segment: Segment) -> Frames:
        return self.clips[segment.clip][segment.start : segment.stop]

    def likelihood(self, segment: Segment, texton: Texton) -> FloatArray:
        """(n,) log density of every frame of a segment; the first two, which start it, have none."""
        return likelihood(self.charted(segment, texton.base), texton.dynamics, self.space)

    def errors(self, segment: Segment, texton: Texton, within: int | None = None) -> FloatArray:
        """(n,) metres; on the side of the chart that the first `within` frames are on."""
        return fit_error(along(self.charted(segment, texton.base), self.space, within), texton.dynamics)

    def score(self, clip: int, textons: Sequence[Texton], progress: Progress | None = None) -> FloatArray:
        """(T, N) log-likelihood of every frame of a clip under every texton."""
        whole, report = Segment(clip, 0, len(self.clips[clip]), 0), progress or silent()
        rows = []
        for texton in textons:
            report(None, "segmenting")
            rows.append(self.likelihood(whole, texton))
        return np.stack(rows, 1)

    def learn_texton(self, segments: Sequence[Segment], rules: Rules, old: Texton | None = None) -> Texton:
        """A fit to these segments; with `old`, never a worse one: basis and mean change only if the objective gains."""
        base = own_base([self.cut(s) for s in segments], self.space)
        fresh = self._fit(segments, rules, base, None)
        if old is None:
            return fresh
        same = self._fit(segments, rules, old.base, old.dynamics)
        return max((fresh, same, old), key=lambda t: self.value(segments, t, rules))

    def _fit(self, segments: Sequence[Segment], rules: Rules, base: FloatArray, like: Dynamics | None) -> Texton:
        y = [along(self.charted(s, base), self.space) for s in segments]
        found = fit(y, keep=rules.keep, largest=rules.largest, prior=rules.prior, pool=self.pool, like=like)
        return Texton(found, base)

    def value(self, segments: Sequence[Segment], texton: Texton, rules: Rules) -> float:
        """What a texton with these segments contributes to the objective (without starts and transitions)."""
        return sum(float(self.likelihood(s, texton).sum()) for s in segments) + self.log_prior(texton, rules)

    def log_prior(self, texton: Texton, rules: Rules) -> float:
        """What the prior adds for one texton. The pull of the pool is 0 for the one linear system of everything."""
        level = rules.prior.common * self.level(rules)
        return log_prior(texton.dynamics, rules.prior, self.channels, self.pool) - level

    def level(self, rules: Rules) -> float:
        """Mean log density of a frame under the one linear system of everything: what textons are measured by."""
        key = (rules.keep, rules.largest, rules.prior)
        if key not in self._levels:
            one = fit(self.even, keep=rules.keep, largest=rules.largest, prior=replace(rules.prior, common=0.0))
            self._levels[key] = pool_likelihood(one, self.pool)
        return self._levels[key]


def _start_density(y: FloatArray, everything: FloatArray, clips: Sequence[FloatArray]) -> FloatArray:
    """(T,) log density of frames b, b + 1 as the start of a segment, the same for all textons and never refitted.

    The pose is Gaussian over all frames and the step from b to b + 1 Gaussian over all steps, channel by channel.
    """
    steps = np.concatenate([np.diff(c, axis=0) for c in clips])
    pose, step = everything.var(0) + 1e-8, steps.var(0) + 1e-8
    out = np.full(len(y), -np.inf)
    at = -0.5 * (((y[:-1] - everything.mean(0)) ** 2 / pose) + np.log(pose) + LOG_2PI).sum(1)
    on = -0.5 * ((np.diff(y, axis=0) ** 2 / step) + np.log(step) + LOG_2PI).sum(1)
    out[:-1] = at + on
    return out


def count_transitions(segments: Sequence[Segment], count: int) -> FloatArray:
    """(N, N) how often a texton was followed by another; borders between clips do not count."""
    counts = np.zeros((count, count))
    for a, b in itertools.pairwise(segments):
        if a.clip == b.clip:
            counts[a.label, b.label] += 1
    return counts


def _probabilities(counts: FloatArray, smoothing: float) -> FloatArray:
    smooth = counts + smoothing
    return smooth / smooth.sum(1, keepdims=True)


def greedy(material: Material, rules: Rules, progress: Progress | None = None) -> tuple[list[Texton], list[Segment]]:
    """LI 4: fit a texton to T_min frames and extend it until it no longer fits; try the known ones before a new one.

    The fit error is in metres, RMS over channels and over the last quarter of T_min frames; the threshold is
    `tolerance` times the deviation of the whole material. Here textons are fitted to their own frames alone: what they
    have in common would let each of them fit nearly everything.
    """
    alone = replace(rules, prior=replace(rules.prior, common=0.0))
    limit, short = rules.tolerance * material.spread, rules.shortest
    window = max(3, short // 4)
    textons: list[Texton] = []
    segments: list[Segment] = []
    report, passed, total = progress or silent(), 0, sum(len(c) for c in material.clips)
    for clip, frames in enumerate(material.clips):
        start = 0
        passed += len(material.clips[clip - 1]) if clip else 0
        while start < len(frames):
            report((passed + start) / total, "finding the first textons")
            piece = Segment(clip, start, min(start + short, len(frames)), 0)
            if len(frames) - start < short:  # what is left goes to the segment before
                last = segments.pop()
                segments.append(replace(last, stop=len(frames)))
                break
            errors = [_rms(material.errors(piece, t)[2:]) for t in textons]
            if errors and min(errors) <= limit:
                label = int(np.argmin(errors))
            else:
                label = len(textons)
                textons.append(material.learn_texton([piece], alone))
            texton = textons[label]
            onward = material.errors(Segment(clip, start, len(frames), label), texton, short)
            squares = np.convolve(onward**2, np.ones(window) / window, mode="valid")  # [k]: frames k .. k + window - 1
            beyond = np.flatnonzero(squares[short - window + 1 :] > limit**2)
            stop = start + short + int(beyond[0]) if len(beyond) else len(frames)
            segments.append(Segment(clip, start, stop, label))
            start = stop
    for label in range(len(textons)):
        mine = [s for s in segments if s.label == label]
        textons[label] = material.learn_texton(mine, rules)
    return textons, segments


def _rms(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(values**2)))


def segment_all(
    material: Material,
    textons: Sequence[Texton],
    transitions: FloatArray,
    shortest: int,
    progress: Progress | None = None,
) -> tuple[list[Segment], float]:
    """The E-step: the best segmentation of every clip, and its value (frames, starts and transitions)."""
    from motionloom.methods.textons.learn._kernels import best_segmentation

    found: list[Segment] = []
    value = 0.0
    log_m = np.log(transitions)
    report = progress or silent()
    for clip in each(range(len(material.clips)), report, "segmenting", [len(c) for c in material.clips]):
        score = material.score(clip, textons, report)
        own = (score, material.start[clip], log_m, shortest, report.stop)
        labels, starts, best = watch(report, "segmenting", best_segmentation, *own)
        stops = [*starts[1:].tolist(), len(material.clips[clip])]
        found += [Segment(clip, int(a), int(b), int(i)) for a, b, i in zip(starts, stops, labels, strict=True)]
        value += float(best)
    return found, value


def learn(
    material: Material,
    rules: Rules,
    *,
    start: Sequence[Texton] | None = None,
    say: Say = lambda _: None,
    progress: Progress | None = None,
) -> Learnt:
    """Greedy initialisation (or these textons to start with), then EM until the segmentation stays (or `rounds`)."""
    short = [i for i, c in enumerate(material.clips) if len(c) < 2 * rules.shortest]
    if short:
        raise BadRequest(
            f"clip {short[0]} has {len(material.clips[short[0]])} frames; textons of at least {rules.shortest} frames "
            f"need clips of at least {2 * rules.shortest}"
        )
    report = progress or silent()
    if start is None:
        textons, segments = greedy(material, rules, part(report, 0.0, GREEDY))
    else:
        textons, even = list(start), np.full((len(start), len(start)), 1 / len(start))
        segments, _ = segment_all(material, textons, even, rules.shortest)
    say(f"greedy: {len(textons)} textons, {len(segments)} segments")
    history: list[float] = []
    transitions = _probabilities(count_transitions(segments, len(textons)), rules.smoothing)
    for round_ in range(rules.rounds):
        size = (1.0 - GREEDY) / rules.rounds
        begin = GREEDY + size * round_
        was = [(s.clip, s.start, s.label) for s in segments]
        segmenting = part(report, begin, begin + size / 2)
        segments, value = segment_all(material, textons, transitions, rules.shortest, segmenting)
        priors = sum(material.log_prior(t, rules) for t in textons) + _transition_prior(transitions, rules)
        history.append(value + priors)
        fitting = part(report, begin + size / 2, begin + size)
        textons = [
            material.learn_texton(mine, rules, old) if (mine := [s for s in segments if s.label == i]) else old
            for i, old in enumerate(each(textons, fitting, "fitting textons"))
        ]
        transitions = _probabilities(count_transitions(segments, len(textons)), rules.smoothing)
        history.append(objective(material, textons, segments, transitions, rules))
        say(f"round {round_ + 1}: objective {history[-1]:.0f}, {len(segments)} segments")
        if was == [(s.clip, s.start, s.label) for s in segments]:
            break
    used = sorted({s.label for s in segments})
    segments = [replace(s, label=used.index(s.label)) for s in segments]
    counts = count_transitions(segments, len(used))
    return Learnt(
        tuple(textons[i] for i in used), tuple(segments), _probabilities(counts, rules.smoothing), tuple(history)
    )


def objective(
    material: Material, textons: Sequence[Texton], segments: Sequence[Segment], transitions: FloatArray, rules: Rules
) -> float:
    """The one number that learning never lowers."""
    total = _transition_prior(transitions, rules)
    for i, texton in enumerate(textons):
        total += material.value([s for s in segments if s.label == i], texton, rules)
    total += sum(float(material.start[s.clip][s.start]) for s in segments)
    return total + float((count_transitions(segments, len(textons)) * np.log(transitions)).sum())


def _transition_prior(transitions: FloatArray, rules: Rules) -> float:
    return float(rules.smoothing * np.log(transitions).sum())


def criterion(material: Material, learnt: Learnt, rules: Rules, kind: str) -> float:
    """What a number of textons costs, smaller is better, in nats.

    BIC: -log L + k/2 log n over all parameters and frames. MDL: the same, but each texton's parameters are paid for
    at the precision its own frames allow, and every segment's border and label are paid for too. log L is the
    objective, with its priors.
    """
    frames = sum(len(c) for c in material.clips)
    likelihood = objective(material, learnt.textons, learnt.segments, learnt.transitions, rules)
    own: IntArray = np.array([sum(len(s) for s in learnt.segments if s.label == i) for i in range(len(learnt.textons))])
    sizes = np.array([parameters(t.dynamics) for t in learnt.textons])
    count = len(learnt.textons)
    if kind == "bic":
        return -likelihood + 0.5 * (sizes.sum() + count * (count - 1)) * np.log(frames)
    borders = len(learnt.segments) * (np.log(frames) + np.log(count))
    return -likelihood + float(0.5 * (sizes * np.log(np.maximum(own, 2))).sum()) + borders
