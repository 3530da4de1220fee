"""Expectation and maximisation with an exact segmentation (LI 4 and appendix A).

The E-step takes the best segmentation where LI eq. 4 sums over all of them. The objective is one number:
frame likelihoods + one fixed start density per segment + log M + every prior used. No step lowers it: the
segmentation is exact, the dynamics are an exact maximum, and a new basis, mean or dimension is kept only if it does
not lower the objective.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionloom.core import BadRequest, FloatArray, Progress, part, silent
from motionloom.core.progress import each
from motionloom.methods.textons.learn.greedy import initial_textons
from motionloom.methods.textons.learn.lds import Texton
from motionloom.methods.textons.learn.segmentation import segment_all
from motionloom.methods.textons.learn.selection import recurring_textons
from motionloom.methods.textons.learn.training_data import LearningSettings, TrainingData
from motionloom.methods.textons.segments import Segment
from motionloom.methods.textons.transition_matrix import count_transitions

GREEDY_SHARE = 0.3  # share of the greedy initialisation in the progress of learning


@dataclass(frozen=True, eq=False)
class LearnedTextons:
    """The result of learning."""

    textons: tuple[Texton, ...]
    segments: tuple[Segment, ...]
    transitions: FloatArray  # (N, N) smoothed probabilities M
    history: tuple[float, ...]  # the objective after every step

    @property
    def counts(self) -> FloatArray:
        return count_transitions(self.segments, len(self.textons))


def learn(
    data: TrainingData,
    settings: LearningSettings,
    *,
    start: Sequence[Texton] | None = None,
    progress: Progress | None = None,
) -> LearnedTextons:
    """Greedy initialisation (or the textons `start`), then EM until the segmentation stays the same (or `rounds`)."""
    short = [i for i, c in enumerate(data.clips) if len(c) < 2 * settings.shortest]
    if short:
        raise BadRequest(
            f"clip {short[0]} has {len(data.clips[short[0]])} frames; textons of at least {settings.shortest} frames "
            f"need clips of at least {2 * settings.shortest}"
        )
    report = progress or silent()
    if start is None:
        textons, segments = initial_textons(data, settings, part(report, 0.0, GREEDY_SHARE))
        if settings.recurring:
            textons = recurring_textons(data, textons, segments, settings)
            even = np.full((len(textons), len(textons)), 1 / len(textons))
            segments, _ = segment_all(data, textons, even, settings.shortest)
    else:
        textons, even = list(start), np.full((len(start), len(start)), 1 / len(start))
        segments, _ = segment_all(data, textons, even, settings.shortest)
    history: list[float] = []
    transitions = _probabilities(count_transitions(segments, len(textons)), settings.smoothing)
    for round_ in range(settings.rounds):
        size = (1.0 - GREEDY_SHARE) / settings.rounds
        begin = GREEDY_SHARE + size * round_
        before = [(s.clip, s.start, s.label) for s in segments]
        segmenting = part(report, begin, begin + size / 2)
        segments, value = segment_all(data, textons, transitions, settings.shortest, segmenting)
        priors = sum(data.log_prior(t, settings) for t in textons) + _transition_prior(transitions, settings)
        history.append(value + priors)
        fitting = part(report, begin + size / 2, begin + size)
        textons = [
            data.learn_texton(mine, settings, old) if (mine := [s for s in segments if s.label == i]) else old
            for i, old in enumerate(each(textons, fitting, "fitting textons"))
        ]
        transitions = _probabilities(count_transitions(segments, len(textons)), settings.smoothing)
        history.append(objective(data, textons, segments, transitions, settings))
        if before == [(s.clip, s.start, s.label) for s in segments]:
            break
    used = sorted({s.label for s in segments})
    segments = [replace(s, label=used.index(s.label)) for s in segments]
    transitions = _probabilities(count_transitions(segments, len(used)), settings.smoothing)
    return LearnedTextons(tuple(textons[i] for i in used), tuple(segments), transitions, tuple(history))


def objective(
    data: TrainingData,
    textons: Sequence[Texton],
    segments: Sequence[Segment],
    transitions: FloatArray,
    settings: LearningSettings,
) -> float:
    """The number that no step of learning lowers."""
    total = _transition_prior(transitions, settings)
    for i, texton in enumerate(textons):
        total += data.value([s for s in segments if s.label == i], texton, settings)
    total += sum(float(data.start[s.clip][s.start]) for s in segments)
    return total + float((count_transitions(segments, len(textons)) * np.log(transitions)).sum())


def _probabilities(counts: FloatArray, smoothing: float) -> FloatArray:
    smooth = counts + smoothing
    return smooth / smooth.sum(1, keepdims=True)


def _transition_prior(transitions: FloatArray, settings: LearningSettings) -> float:
    return float(settings.smoothing * np.log(transitions).sum())
