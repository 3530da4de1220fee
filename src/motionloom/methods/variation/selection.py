"""Which clips belong together: takes that are unlike trusted ones (LAU 9), and takes that the others make superfluous.

Unlike ones are found by the likelihood of their re-synthesis by others (eq 4), superfluous ones by mixing others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, BoolArray, Clip, FloatArray, Progress, part, silent
from motionloom.core.progress import each, parts
from motionloom.methods.variation import learn_transition
from motionloom.methods.variation.config import DEFAULT, SCORES, Config
from motionloom.methods.variation.dofs import Dofs, fit_dofs
from motionloom.methods.variation.regression import Rules, SequenceFrames, regression_of
from motionloom.methods.variation.takes import cubic_at
from motionloom.methods.variation.timing import align_takes, common_clock, far_takes, unlike_takes

TRAINED = 6  # clips that judge the others
JUDGED = 2  # clips that they judge at a time
PERCENTILE = 10.0  # of the likelihoods of trusted clips: less likely ones are dropped
WIDTH = 0.5  # K_W with which clips are judged, at least
LEAST = 3  # clips: one to judge, and two that judge it
ROUNDING = 1e-6  # errors that differ by less than this share of the tolerance count as equal
JUDGEMENT = 2.0  # a clip that is judged takes as long as so many clips that are re-synthesised in a search
WORST = 3  # degrees of freedom named in a reason
STAGE = "judging clips"


class Dropped(NamedTuple):
    """A clip that is unlike the others, in the round in which it was dropped."""

    name: str
    round: int  # from 1
    likelihood: float  # per frame and degree of freedom
    threshold: float  # of that round
    worst: tuple[str, ...]  # the degrees of freedom that the others predict worst
    times: float = 0.0  # as far from the others as these are from each other, where that is why it was dropped


class Selection(NamedTuple):
    """The clips that are kept, those that are dropped, and the threshold between them."""

    kept: tuple[str, ...]
    likelihoods: tuple[float, ...]  # of those that are kept, in the last round
    dropped: tuple[Dropped, ...]
    threshold: float  # of the last round
    trusted: tuple[float, ...]  # likelihoods of the trusted clips in that round


class Superfluous(NamedTuple):
    """A clip that the ones that are kept re-synthesise."""

    name: str
    error: float  # m: root mean square over frames and degrees of freedom, at the tips of limbs


class Compression(NamedTuple):
    """Clips that can be left out, in this order, and the errors of those that are kept."""

    superfluous: tuple[Superfluous, ...]
    kept: tuple[Superfluous, ...]
    tolerance: float  # m


def select_clips(
    clips: Sequence[Clip],
    trusted: Sequence[Clip],
    config: Config = DEFAULT,
    *,
    rng: Generator | None = None,
    progress: Progress | None = None,
) -> Selection:
    """Drop the least likely clip until all are as likely as trusted ones (LAU 9).

    In a round clips are judged two at a time by up to six others: by how likely they are if those re-synthesise them
    from their first two frames. One search learns each split's network in the first round; later rounds keep it. All of
    these networks judge all clips: the one that was learned without a clip need not know what is odd about it. The
    threshold is the tenth percentile of the trusted clips, judged by each other and by the same networks: what was
    learned on odd clips makes good ones less likely too, and the trusted ones by as much. So that they are judged by as
    many, some of the other clips judge them too where they are fewer than eight.

    Before the least likely one, clips are dropped that learning would call unlike the others (`timing.unlike_takes`),
    so that it accepts what is kept.
    """
    rng, report = rng or np.random.default_rng(0), part(progress or silent(), 0.0, 1.0)
    for group, what in ((clips, "clips"), (trusted, "trusted clips")):
        if len(group) < LEAST:
            raise BadRequest(f"expected at least {LEAST} {what} to judge each other, found {len(group)}")
    dofs = fit_dofs([*trusted, *clips])
    judge = _Judge([dofs.values(clip) for clip in trusted], dofs, config, rng)
    values, left = [dofs.values(clip) for clip in clips], list(range(len(clips)))
    names = [clip.name or f"clip {k}" for k, clip in enumerate(clips)]
    dropped: list[Dropped] = []
    learning, rounds = _learning_rounds(config, len(clips) + len(trusted)), 1 + len(clips) // 4  # as a first estimate
    first = part(report, 0.0, learning / (learning + rounds))
    for turn in range(1, len(clips) + 1):
        whole = learning + rounds
        step = part(report, (learning + turn - 1) / whole, (learning + turn) / whole)
        now = [values[k] for k in left]
        found = judge.likelihoods(now, TRAINED, part(step, 0.0, 0.5), learning=first)
        most = min(TRAINED, len(left) - len(_splits(len(left))[0]))
        known = judge.trusted_likelihoods(most, now, part(step, 0.5, 1.0))
        threshold = float(np.percentile(known, PERCENTILE, method="inverted_cdf"))
        each_clip = found.mean(1)
        odd = _unlike(now, judge.trusted, dofs, clips[0].fps)
        least = max(odd, key=odd.__getitem__) if odd else int(each_clip.argmin())
        if (not odd and each_clip[least] >= threshold) or len(left) <= LEAST:
            break
        worst = tuple(dofs.names[d] for d in np.argsort(found[least])[:WORST])
        times = odd.get(least, 0.0)
        dropped.append(Dropped(names[left[least]], turn, float(each_clip[least]), threshold, worst, times))
        del left[least]
        rounds = turn + max(int((each_clip < threshold).sum()), len(odd))
    report(1.0, STAGE)
    kept = tuple(names[k] for k in left)
    return Selection(kept, tuple(map(float, each_clip)), tuple(dropped), threshold, tuple(map(float, known)))


def _unlike(values: Sequence[FloatArray], trusted: Sequence[FloatArray], dofs: Dofs, fps: float) -> dict[int, float]:
    """The clips (F, D), but for trusted ones, that learning would refuse or call unlike the others, and how far they
    are, in units of how far the others are from each other: among trusted ones, then by themselves."""
    further = [t for t in trusted if not any(np.array_equal(t, v) for v in values)]
    for group in ([*values, *further], list(values)) if further else (list(values),):
        known = [k for k, v in enumerate(group) if any(np.array_equal(v, t) for t in trusted)]
        clock = align_takes(group, dofs.scales("reach", np.concatenate(group)), fps)
        odd = unlike_takes(clock.costs, known) or far_takes(clock)
        odd = {k: times for k, times in odd.items() if k not in known}
        if odd:
            return odd
    return {}


class _Judge:
    """Likelihoods of clips by others; networks are those of the splits of the clips that come first."""

    def __init__(self, trusted: Sequence[FloatArray], dofs: Dofs, config: Config, rng: Generator) -> None:
        self.trusted, self.dofs, self.config, self.rng = trusted, dofs, _for_likelihoods(config), rng
        self.networks: list[BoolArray] = []
        self.known: dict[int, FloatArray] = {}

    def likelihoods(
        self,
        values: Sequence[FloatArray],
        most: int,
        progress: Progress,
        further: Sequence[FloatArray] = (),
        learning: Progress | None = None,
    ) -> FloatArray:
        """(S, D) the mean log likelihood of each degree of freedom per frame of each clip, by at most `most` others.

        Where they are fewer, `further` clips judge them too. The networks are learned the first time.
        """
        splits, count, values = _splits(len(values)), len(values), [*values, *further]
        others = [[k for k in range(count) if k not in judged] for judged in splits]
        judges = [sorted(self.rng.choice(rest, min(most, len(rest)), replace=False).tolist()) for rest in others]
        for chosen in judges:
            missing = min(most - len(chosen), len(further))
            if missing > 0:
                chosen += sorted(self.rng.choice(np.arange(count, len(values)), missing, replace=False).tolist())
        if not self.networks:
            for train, step in zip(judges, parts(learning or silent(), [1.0] * len(judges)), strict=True):
                self.networks.append(_learned([values[k] for k in train], self.dofs, self.config, self.rng, step))
        out = np.empty((count, self.dofs.count))
        for split in each(range(len(splits)), progress, STAGE):
            for k in splits[split]:
                sequences = [*(values[t] for t in judges[split]), values[k]]
                out[k] = np.mean([self._judged(sequences, network) for network in self.networks], axis=0)
        return out

    def trusted_likelihoods(self, most: int, clips: Sequence[FloatArray], progress: Progress) -> FloatArray:
        """(S,) those of the trusted clips, by at most `most` others; `clips` are those that are left."""
        enough = len(self.trusted) - len(_splits(len(self.trusted))[0]) >= most
        if not enough or most not in self.known:
            further = [] if enough else [c for c in clips if not any(np.array_equal(c, t) for t in self.trusted)]
            self.known[most] = self.likelihoods(self.trusted, most, progress, further).mean(1)
        progress(1.0, STAGE)
        return self.known[most]

    def _judged(self, sequences: Sequence[FloatArray], network: BoolArray) -> FloatArray:
        """(D,) the mean log likelihood per frame of the last sequence, re-synthesised by the others."""
        material, rules = _material(sequences, self.dofs, self.config)
        score, last = SCORES.index(self.config.score), len(sequences) - 1
        found = learn_transition.resynthesised(material, rules, network, score, silent(), first=last)[1]
        return np.asarray(found[-1] / max(len(sequences[-1]) - 2, 1))


def _learning_rounds(config: Config, judged: int) -> float:
    """How many rounds of judging so many clips take as long as learning the networks."""
    return config.rounds * (config.candidates + 0.5 * config.tries) * TRAINED / (JUDGEMENT * max(judged, 1))


def _splits(count: int) -> list[list[int]]:
    """Pairs that are judged by the others; of three clips, one at a time: two at least judge."""
    size = max(1, min(JUDGED, count - 2))
    return [list(range(k, min(k + size, count))) for k in range(0, count, size)]


def _for_likelihoods(config: Config) -> Config:
    """The settings by which clips are judged: the squared error is no likelihood, and a narrow kernel a sharp one."""
    if config.score != "squared":
        return config
    return dataclasses.replace(config, score="growing", kernel_width=max(config.kernel_width, WIDTH))


def _material(sequences: Sequence[FloatArray], dofs: Dofs, config: Config) -> tuple[SequenceFrames, Rules]:
    scales = dofs.scales(config.scale, np.concatenate(sequences))
    return regression_of(sequences, dofs.displacement, scales, config)


def _learned(
    sequences: Sequence[FloatArray], dofs: Dofs, config: Config, rng: Generator, progress: Progress
) -> BoolArray:
    """The transition network of one search start."""
    material, rules = _material(sequences, dofs, config)
    search = learn_transition.transition_budget(config)
    return learn_transition.learn_transition(material, rules, search, rng=rng, progress=progress).edges


def compress_clips(clips: Sequence[Clip], tolerance: float, *, progress: Progress | None = None) -> Compression:
    """Leave out, one by one, the clip that the others re-synthesise best, while it is within `tolerance` (m).

    Re-synthesis is that of the default variant: on the common clock of all clips, the mixture of the others (weights
    that sum to 1) that comes nearest. At least two clips are kept.
    """
    report = progress or silent()
    if len(clips) < LEAST:
        raise BadRequest(f"expected at least {LEAST} clips, found {len(clips)}")
    dofs = fit_dofs(clips)
    values = [dofs.values(clip) for clip in clips]
    names = [clip.name or f"clip {k}" for k, clip in enumerate(clips)]
    reach = dofs.scales("reach", np.concatenate(values))
    clock = common_clock(values, reach, clips[0].fps, part(report, 0.0, 0.9))
    takes = np.stack([cubic_at(v, f) for v, f in zip(values, clock, strict=True)]) * reach
    left, out = list(range(len(clips))), []
    for _ in each(range(len(clips) - 2), part(report, 0.9, 1.0), "re-synthesising clips"):
        errors = _mixing_errors(takes[left])
        least = int((errors <= errors.min() + ROUNDING * tolerance).argmax())  # of equal ones, the first
        if errors[least] > tolerance:
            break
        out.append(Superfluous(names[left[least]], float(errors[least])))
        del left[least]
    report(1.0, "re-synthesising clips")
    errors = _mixing_errors(takes[left])
    kept = tuple(Superfluous(names[k], float(e)) for k, e in zip(left, errors, strict=True))
    return Compression(tuple(out), kept, tolerance)


def _mixing_errors(takes: FloatArray) -> FloatArray:
    """(S,) how far each take (S, U, D) is from the best mixture of the others: root mean square."""
    rows = takes.reshape(len(takes), -1)
    out = np.empty(len(rows))
    for k in range(len(rows)):
        others = np.delete(rows, k, 0)
        mean = others.mean(0)
        basis = others[1:] - others[0]
        weights = np.linalg.lstsq(basis.T, rows[k] - mean, rcond=1e-6)[0] if len(basis) else np.zeros(0)
        out[k] = np.sqrt(((rows[k] - mean - weights @ basis) ** 2).mean())
    return out
