"""An autoregressive hidden Markov model with the textons' own emissions, and likelihoods of held-out motion.

The state may change at every frame: there are no segments, no shortest length and no key poses. Everything else is as
in the texton model: each state's basis, mean, second-order dynamics and prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.core import FloatArray, IntArray
from motionloom.methods.textons.learn.lds import Texton
from motionloom.methods.textons.learn.training_data import LearningSettings, TrainingData
from motionloom.methods.textons.segments import Segment

ROUNDS = 8  # of EM; after the first few the likelihood hardly rises


@dataclass(frozen=True, eq=False)
class Hmm:
    """States with their dynamics, transition probabilities from frame to frame, and the best path of each clip."""

    states: tuple[Texton, ...]
    transitions: FloatArray  # (N, N)
    paths: tuple[IntArray, ...]


def fit_hmm(
    material: TrainingData, start: Sequence[Texton] | None, paths: Sequence[IntArray], rules: LearningSettings
) -> Hmm:
    """Hard EM (the best path where Baum-Welch sums, as the textons' own) from given paths, and states if there are."""
    paths = list(paths)
    if start is None:
        used = sorted({i for path in paths for i in np.unique(path).tolist() if _runs([path], i)})
        paths = [np.searchsorted(used, np.where(np.isin(path, used), path, used[0])) for path in paths]
        start = [material.learn_texton(_runs(paths, i), rules) for i in range(len(used))]
    states = list(start)
    for _ in range(ROUNDS):
        states = [
            material.learn_texton(own, rules, old) if (own := _runs(paths, i)) else old for i, old in enumerate(states)
        ]
        transitions = _transitions(paths, len(states), rules.smoothing)
        found = [viterbi(material.score(c, states), np.log(transitions)) for c in range(len(paths))]
        if all(np.array_equal(a, b) for a, b in zip(found, paths, strict=True)):
            break
        paths = found
    return Hmm(tuple(states), _transitions(paths, len(states), rules.smoothing), tuple(paths))


def paths_by_pose(material: TrainingData, count: int) -> list[IntArray]:
    """Frames by which of `count` poses they are most like (k-means from frames that lie evenly in the material)."""
    y = np.concatenate(material.even)
    centres = y[np.linspace(0, len(y) - 1, count).astype(int)]
    for _ in range(20):
        label = ((centres**2).sum(1) - 2 * y @ centres.T).argmin(1)
        centres = np.stack([y[label == i].mean(0) if (label == i).any() else centres[i] for i in range(count)])
    return np.split(label, np.cumsum([len(c) for c in material.even])[:-1])


def _runs(paths: Sequence[IntArray], state: int) -> list[Segment]:
    """Stretches of one state, each with the two frames before it, from which its first frame is predicted."""
    out = []
    for clip, path in enumerate(paths):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], (path == state).astype(np.int8), [0]])))
        out += [Segment(clip, max(0, int(a) - 2), int(b), state) for a, b in edges.reshape(-1, 2)]
    return [s for s in out if len(s) > 2]


def _transitions(paths: Sequence[IntArray], count: int, smoothing: float) -> FloatArray:
    counts = np.full((count, count), smoothing)
    for path in paths:
        np.add.at(counts, (path[:-1], path[1:]), 1.0)
    return counts / counts.sum(1, keepdims=True)


def viterbi(score: FloatArray, log_a: FloatArray) -> IntArray:
    """(T,) the best path; frames 0 and 1, which nothing predicts, have score 0."""
    best = score[0].copy()
    came = np.zeros(score.shape, np.int32)
    for t in range(1, len(score)):
        ways = best[:, None] + log_a
        came[t] = ways.argmax(0)
        best = ways.max(0) + score[t]
    path = np.empty(len(score), np.int64)
    path[-1] = int(best.argmax())
    for t in range(len(score) - 1, 0, -1):
        path[t - 1] = came[t, path[t]]
    return path


def hmm_likelihood(score: FloatArray, transitions: FloatArray) -> float:
    """log p(frames 2 ... | frames 0 and 1), summed over all paths: the forward algorithm, from even odds."""
    return texton_likelihood(score, transitions, 1, 1.0)


def texton_likelihood(score: FloatArray, transitions: FloatArray, shortest: int, mean: float) -> float:
    """The same where a state lasts `shortest` frames at least, and `mean` on average (the rest geometric).

    LI models no lengths, so without this a border would cost nothing and the number would be no likelihood. The first
    frames after a border are predicted from the frames before it, as in the other models. In logarithms: a texton that
    must be kept may be hundreds of nats worse than another, for many frames.
    """
    count = len(transitions)
    leave = 1.0 / (max(mean - shortest, 0.0) + 1.0)
    with np.errstate(divide="ignore"):
        go, stay, log_m = np.log(leave), np.log(1 - leave), np.log(transitions)
    alpha = np.full((shortest, count), -np.inf)  # by frames since the last border
    alpha[0] = -np.log(count)
    for t in range(2, len(score)):
        ripe = alpha[-1]
        fresh = np.logaddexp.reduce(go + ripe[:, None] + log_m, axis=0)
        alpha = np.concatenate([fresh[None], alpha[:-1]])
        alpha[-1] = np.logaddexp(alpha[-1], stay + ripe)
        alpha += score[t]
    return float(np.logaddexp.reduce(alpha, axis=None))
