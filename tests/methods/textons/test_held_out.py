"""Likelihoods of held-out takes (experiments/ar_hmm.py): every model has one density over the same frames."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motionloom.io import load
from motionloom.kinematics.channels.metric import fit_metric_space
from motionloom.kinematics.local_frames import joined, observe
from motionloom.methods.prepare_clips import prepare
from motionloom.methods.textons import Config, TextonModel
from motionloom.methods.textons.fit import learning_settings
from motionloom.methods.textons.learn.em import learn
from motionloom.methods.textons.learn.lds import Dynamics, log_likelihood
from motionloom.methods.textons.learn.training_data import TrainingData
from motionloom.methods.textons.segments import Segment

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def models() -> Any:
    spec = importlib.util.spec_from_file_location("ar_hmm", ROOT / "experiments" / "ar_hmm.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def every_path(score, transitions, shortest, mean):
    """log p(frames 2 ... | frames 0 and 1), by writing out every path of labels and borders from frame 1 on."""
    frames, count = score.shape
    leave = 1 / (max(mean - shortest, 0) + 1)
    total = -np.inf
    for borders in itertools.product((False, True), repeat=frames - 2):  # before frames 2, 3, ...
        edges = [1, *(t for t, on in zip(range(2, frames), borders, strict=True) if on), frames]
        lengths = np.diff(edges)
        if (lengths[:-1] < shortest).any():
            continue
        lasts = np.prod((1 - leave) ** (lengths[:-1] - shortest) * leave) * (1 - leave) ** max(
            lengths[-1] - shortest, 0
        )
        for labels in itertools.product(range(count), repeat=len(lengths)):
            path = np.prod([transitions[i, j] for i, j in itertools.pairwise(labels)]) / count * lasts
            if path > 0:
                own = np.repeat(labels, lengths)[1:]
                total = np.logaddexp(total, np.log(path) + score[np.arange(2, frames), own].sum())
    return total


@pytest.mark.parametrize(("shortest", "mean"), [(1, 1.0), (2, 2.0), (2, 3.5), (3, 4.0)])
def test_the_likelihood_of_textons_is_the_sum_over_every_path(models, shortest, mean):
    rng = np.random.default_rng(shortest)
    score, transitions = 2 * rng.normal(size=(8, 2)), rng.dirichlet(np.ones(2), size=2)
    assert_allclose(
        models.texton_likelihood(score, transitions, shortest, mean), every_path(score, transitions, shortest, mean)
    )


def test_the_likelihood_of_the_hmm_is_the_sum_over_every_path(models):
    rng = np.random.default_rng(0)
    score, transitions = rng.normal(size=(7, 3)), rng.dirichlet(np.ones(3), size=3)
    assert_allclose(models.hmm_likelihood(score, transitions), every_path(score, transitions, 1, 1.0))


def test_textons_that_are_far_from_a_frame_do_not_make_the_likelihood_vanish(models):
    score = np.zeros((40, 2))
    score[10:, 0], score[10:, 1] = -2000.0, -10.0
    found = models.texton_likelihood(score, np.array([[0.9, 0.1], [0.1, 0.9]]), 30, 60.0)
    assert np.isfinite(found)


def system(rng, size):
    """Two channels, of which a basis of `size` holds the states."""
    basis = np.linalg.qr(rng.normal(size=(2, 2)))[0][:, :size]
    noise = np.tril(0.05 * rng.normal(size=(size, size))) + 0.3 * np.eye(size)
    a1, a2 = (0.5 * rng.normal(size=(size, size)) for _ in range(2))
    return Dynamics(rng.normal(size=2), basis, a1, a2, 0.2 * rng.normal(size=size), noise, 0.1 + rng.random())


@pytest.mark.parametrize("kind", ["textons", "hmm", "one"])
def test_the_density_of_the_next_frame_adds_up_to_one_over_all_channels(models, kind):
    """Textons, the HMM and one system all speak of the same two channels, whatever the sizes of their bases."""
    rng = np.random.default_rng(3)
    states = [system(rng, size) for size in (1, 2, 1)][: 1 if kind == "one" else 3]
    transitions = rng.dirichlet(np.ones(len(states)), size=len(states))
    shortest, mean = (2, 3.0) if kind == "textons" else (1, 1.0)
    past = rng.normal(size=(4, 2))
    total = lambda y: models.texton_likelihood(
        np.stack([log_likelihood(y, d) for d in states], 1), transitions, shortest, mean
    )
    axis = np.arange(-9, 9, 0.15)
    before = total(past)
    density = [np.exp(total(np.concatenate([past, [[a, b]]])) - before) for a in axis for b in axis]
    assert_allclose(np.sum(density) * 0.15**2, 1.0, atol=2e-3)


def test_textons_foretell_a_salsa_take_better_than_one_linear_system_does(models, mocap):
    config = Config(fps=30.0)
    rules = learning_settings(config, 30.0)
    ready = prepare(
        [load(mocap / f"cmu/60_{k:02d}.bvh") for k in (1, 2, 3, 4)], config.fps, margin=TextonModel.glitch_margin
    )
    parts = [
        [observe(c) for c, k in zip(ready.clips, ready.owners, strict=True) if (k == 0) == out and len(c) >= 60]
        for out in (False, True)
    ]
    space = fit_metric_space(joined(parts[0]), ready.clips[0].skeleton)
    material, unseen = (TrainingData(part, space) for part in parts)
    found = learn(material, rules)
    one = material.learn_texton([Segment(c, 0, len(f), 0) for c, f in enumerate(parts[0])], rules)
    mean = float(np.mean([len(s) for s in found.segments]))
    textons = single = 0.0
    for c in range(len(parts[1])):
        score = unseen.score(c, found.textons)
        textons += models.texton_likelihood(score, found.transitions, rules.shortest, mean)
        single += float(unseen.score(c, [one])[2:].sum())
    frames = sum(len(f) - 2 for f in parts[1])
    assert len(found.textons) > 10
    assert textons / frames > single / frames + 2
