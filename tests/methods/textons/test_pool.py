"""What textons have in common pulls at each of them, as a prior that counts as frames."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motionloom.kinematics.channels.metric import fit_metric_space
from motionloom.kinematics.local_frames import joined, observe
from motionloom.methods.textons.learn.em import learn as learn_textons
from motionloom.methods.textons.learn.lds import Dynamics, Prior, fit, log_likelihood, log_prior, pool_likelihood
from motionloom.methods.textons.learn.pooled_prior import pool_of
from motionloom.methods.textons.learn.training_data import LearningSettings, TrainingData
from motionloom.methods.textons.segments import Segment

FIT = {"keep": 0.99, "largest": 3}


def swaying(rng, frames, *, centre=0.0, channels=5):
    """Five channels that all sway the same way, around a centre."""
    turn = 0.995 * np.array([[np.cos(0.2), -np.sin(0.2)], [np.sin(0.2), np.cos(0.2)]])
    x = np.zeros((frames, 2))
    x[0] = rng.normal(size=2)
    for t in range(1, frames):
        x[t] = turn @ x[t - 1] + 0.02 * rng.normal(size=2)
    seen = np.random.default_rng(5).normal(size=(2, channels))
    return centre + x @ seen + 0.005 * rng.normal(size=(frames, channels))


def test_the_pool_counts_as_so_many_frames_among_a_textons_own(rng):
    own, others = swaying(rng, 60), [swaying(rng, 42), swaying(rng, 82)]
    like = fit([own, *others], **FIT, prior=Prior())
    with_pool = fit([own], **FIT, prior=Prior(common=120), pool=pool_of(others), like=like)  # 40 + 80 predicted frames
    with_frames = fit([own, *others], **FIT, prior=Prior(), like=like)
    for name in ("a1", "a2", "drift", "noise", "outside"):
        assert_allclose(getattr(with_pool, name), getattr(with_frames, name), atol=1e-9)


def test_the_likelihood_of_the_pool_is_the_mean_over_its_frames(rng):
    clips = [swaying(rng, 50), swaying(rng, 70, centre=1.0)]
    d = fit(clips[:1], **FIT, prior=Prior())
    frames = np.concatenate([log_likelihood(c, d)[2:] for c in clips])
    assert_allclose(pool_likelihood(d, pool_of(clips)), frames.mean())


def test_the_fit_with_a_pool_is_the_maximum_of_likelihood_and_prior(rng):
    y, pool, prior = swaying(rng, 40), pool_of([swaying(rng, 200, centre=0.3)]), Prior(common=50)
    best = fit([y], **FIT, prior=prior, pool=pool)
    value = lambda d: log_likelihood(y, d).sum() + log_prior(d, prior, y.shape[1], pool)
    for scale in (1e-2, 1e-3, 1e-4):
        for _ in range(10):
            step = lambda a, scale=scale: a + scale * rng.normal(size=np.shape(a))
            noise = np.tril(step(best.noise))
            noise[np.diag_indices(best.size)] = np.abs(np.diag(noise)) + 1e-6
            outside = best.outside * np.exp(scale * rng.normal())
            other = Dynamics(best.mean, best.basis, step(best.a1), step(best.a2), step(best.drift), noise, outside)
            assert value(other) <= value(best) + 1e-9


def test_with_much_weight_a_texton_becomes_the_one_system_of_everything(rng):
    clips = [swaying(rng, 300), swaying(rng, 300, centre=0.5)]
    one = fit([c[2:] for c in clips], **FIT, prior=Prior())
    near = fit([clips[0][:20]], **FIT, prior=Prior(common=1e7), pool=pool_of(clips))
    unseen = swaying(np.random.default_rng(9), 300)
    assert_allclose(log_likelihood(unseen, near)[2:].mean(), log_likelihood(unseen, one)[2:].mean(), atol=0.05)


def test_a_texton_seen_once_foretells_a_second_instance_better_with_the_pool(rng):
    clips = [swaying(rng, 300, centre=c) for c in (-0.3, 0.0, 0.1, 0.4)]
    pool, seen, again = pool_of(clips), clips[1][:40], clips[2]  # the second is seen a little off the first
    alone = fit([seen], **FIT, prior=Prior(), pool=pool)
    helped = fit([seen], **FIT, prior=Prior(common=40), pool=pool)
    assert log_likelihood(again, helped)[2:].mean() > log_likelihood(again, alone)[2:].mean() + 1


@pytest.mark.parametrize("common", [0.0, 20.0, 90.0, 1000.0])
def test_learning_with_a_pool_never_lowers_its_objective(takes, common):
    frames = [observe(t) for t in takes]
    material = TrainingData(frames, fit_metric_space(joined(frames), takes[0].skeleton))
    rules = LearningSettings(15, 0.98, 15, 0.5, 0.1, 8, Prior(common=common))
    learnt = learn_textons(material, rules)
    assert len(learnt.history) >= 4
    assert np.diff(learnt.history).min() > -1e-6 * abs(learnt.history[-1])


def test_the_pull_of_the_pool_is_nothing_for_the_one_system_and_less_for_all_others(takes):
    frames = [observe(t) for t in takes]
    material = TrainingData(frames, fit_metric_space(joined(frames), takes[0].skeleton))
    rules = LearningSettings(15, 0.98, 15, 0.5, 0.1, 8, Prior(ridge=0.0, floor=0.0, weight=0.0, common=90.0))
    one = material.learn_texton([Segment(c, 0, len(f), 0) for c, f in enumerate(frames)], rules)
    assert_allclose(material.log_prior(one, rules), 0.0, atol=0.5)
    alone = LearningSettings(15, 0.98, 15, 0.5, 0.1, 8, Prior())
    assert material.log_prior(material.learn_texton([Segment(0, 30, 60, 0)], alone), rules) < -1000
