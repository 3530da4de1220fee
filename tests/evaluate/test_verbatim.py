"""The longest copied piece, against a slow version and cases made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, Skeleton, concatenate, replace
from motionloom.evaluate.measures.verbatim import MAX_ANGLE, VerbatimRun, verbatim_run
from motionloom.kinematics.travel import moved, turned
from motionloom.rotation import angle_between, exp, multiply


@pytest.fixture
def wander(arm: Skeleton, rng: np.random.Generator) -> Clip:
    """Ninety frames of three joints that never come back to a pose."""
    steps = np.cumsum(rng.normal(size=(90, 3, 3)) * 0.05, axis=0)
    return Clip(arm, np.cumsum(rng.normal(size=(90, 3)), axis=0), exp(steps), 30.0)


def slow_run(result: Clip, source: Clip, within: float) -> int:
    same = (angle_between(result.rotations[:, None], source.rotations[None]) <= within).all(axis=2)
    best = 0
    for i in range(len(result)):
        for j in range(len(source)):
            n = 0
            while i + n < len(result) and j + n < len(source) and same[i + n, j + n]:
                n += 1
            best = max(best, n)
    return best


def test_a_copy_is_one_run_of_its_whole_length(wander):
    assert verbatim_run(wander, [wander]) == VerbatimRun(90, 0, 0, 0)
    assert verbatim_run(turned(moved(wander, (3, 1)), 0.8), [wander]).length == 90


def test_a_piece_is_found_where_it_came_from(wander):
    result = concatenate([wander[70:80], wander[20:45], wander[5:12]])
    assert verbatim_run(result, [wander[:10], wander]) == VerbatimRun(25, 10, 1, 20)


def test_a_run_does_not_cross_from_one_clip_to_the_next(wander):
    assert verbatim_run(wander[30:60], [wander[:45], wander[45:]]).length == 15


def test_joints_can_be_left_out(wander):
    rotations = wander.rotations.copy()
    rotations[30:, 2] = multiply(rotations[30:, 2], exp([0.3, 0, 0]))  # one joint turned, as cleaned feet are
    result = replace(wander, rotations=rotations)
    assert verbatim_run(result, [wander]).length == 30
    assert verbatim_run(result, [wander], without=[2]) == VerbatimRun(90, 0, 0, 0)


def test_half_a_degree_is_the_limit(wander):
    near = replace(wander, rotations=multiply(wander.rotations, exp([0.9 * MAX_ANGLE, 0, 0])))
    far = replace(wander, rotations=multiply(wander.rotations, exp([1.1 * MAX_ANGLE, 0, 0])))
    assert verbatim_run(near, [wander]).length == 90
    assert verbatim_run(far, [wander]) == VerbatimRun(0, -1, -1, -1)


def test_the_fast_version_agrees_with_the_slow_one(arm, rng):
    def coarse(frames: int) -> Clip:  # poses from a small set, so that short runs are common
        rotations = exp(0.2 * rng.integers(0, 2, size=(frames, 3, 3)))
        rotations[:, 0] = [1, 0, 0, 0]  # the heading is left out: keep the root still
        return Clip(arm, np.zeros((frames, 3)), rotations, 30.0)

    lengths = set()
    for _ in range(5):
        a, b = coarse(60), coarse(80)
        lengths.add(verbatim_run(a, [b]).length)
        assert verbatim_run(a, [b]).length == slow_run(a, b, MAX_ANGLE)
    assert max(lengths) > 1


def test_the_sources_are_looked_at_in_the_results_frame_rate(wander):
    half = wander[::2]
    assert verbatim_run(replace(half, fps=15.0), [wander]).length == 45


def test_a_copy_may_begin_at_any_frame_of_a_faster_source(wander):
    thirds = replace(wander[2::3], fps=10.0)  # frames 2, 5, 8 ... of 30 a second
    assert verbatim_run(thirds, [wander[:6], wander]) == VerbatimRun(30, 0, 1, 2)
