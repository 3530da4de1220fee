"""How many textons: the cost of a number of them by BIC or MDL, and textons that do not recur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motionloom.core import FloatArray
from motionloom.methods.textons.learn.lds import Dynamics, Texton, parameter_count
from motionloom.methods.textons.learn.training_data import LearningSettings, TrainingData
from motionloom.methods.textons.segments import Segment
from motionloom.methods.textons.transition_matrix import count_transitions


def criterion(
    data: TrainingData,
    textons: Sequence[Texton],
    segments: Sequence[Segment],
    transitions: FloatArray,
    settings: LearningSettings,
    kind: str,
) -> float:
    """The cost of a number of textons in nats; smaller is better.

    -log p of frames, starts of segments and labels (log M; 1/N for the first of each clip), without priors, whose
    normalisation differs from number to number. BIC adds k/2 log n over all parameters and frames. MDL adds each
    texton's parameters at the precision that its own frames allow, and log n for every border; a label is paid for
    once, by log M. Parameters that the pooled prior fixes are not paid for: see `free_parameters`.
    """
    frames = sum(len(c) for c in data.clips)
    count = len(textons)
    own = np.array([sum(len(s) for s in segments if s.label == i) for i in range(count)])
    sizes = np.array([free_parameters(t.dynamics, n, settings) for t, n in zip(textons, own, strict=True)])
    cost = -sum(
        float(data.likelihood(s, textons[s.label]).sum()) + float(data.start[s.clip][s.start]) for s in segments
    )
    cost -= float((count_transitions(segments, count) * np.log(transitions)).sum())
    cost += len({s.clip for s in segments}) * np.log(count)
    if kind == "bic":
        return float(cost + 0.5 * (sizes.sum() + count * (count - 1)) * np.log(frames))
    borders = (len(segments) - len({s.clip for s in segments})) * np.log(frames)
    return float(cost + 0.5 * (sizes * np.log(np.maximum(own, 2))).sum() + borders)


def free_parameters(dynamics: Dynamics, frames: int, settings: LearningSettings) -> float:
    """Parameters of a texton that its own frames determine: with a pool that counts as c frames, n / (n + c) of them.

    A closed form with a conjugate prior is the mean of both, weighted by their frames.
    """
    return parameter_count(dynamics) * frames / max(frames + settings.prior.common, 1.0)


def recurring_textons(
    data: TrainingData, textons: Sequence[Texton], segments: Sequence[Segment], settings: LearningSettings
) -> list[Texton]:
    """The textons that recur, and those seen once that describe their segment better than any other does.

    A fit to a single segment always describes that segment best, so each half of it is described by a fit to the other
    half, and both are compared with the other textons (two-fold cross-validation). The texton that loses most is
    dropped first; what it leaves to others counts as theirs from then on.
    """
    mine = [[s for s in segments if s.label == i] for i in range(len(textons))]
    kept = list(range(len(textons)))
    once = [i for i in kept if len(mine[i]) == 1]
    own, others = {}, {}
    for i in once:
        whole = mine[i][0]
        middle = (whole.start + whole.stop) // 2
        halves = replace(whole, stop=middle), replace(whole, start=middle)
        fits = [data.learn_texton([half], settings) for half in reversed(halves)]
        own[i] = sum(_total(data, half, fit) for half, fit in zip(halves, fits, strict=True))
        others[i] = [sum(_total(data, half, t) for half in halves) for t in textons]
        others[i][i] = -np.inf
    for i in sorted(once, key=lambda i: own[i] - max(others[i])):
        if own[i] < max(others[i][k] for k in kept):
            kept.remove(i)
    return [textons[i] for i in kept]


def _total(data: TrainingData, segment: Segment, texton: Texton) -> float:
    return float(data.likelihood(segment, texton)[2:].sum())
