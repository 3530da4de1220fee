"""Measuring, comparing and checking report lawful shares, change no number, and can be cancelled."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom import samples
from motionloom.constraints import Request
from motionloom.core import Cancelled
from motionloom.evaluate.capture_checks.check import check_clips
from motionloom.evaluate.compare.compare import compare_methods
from motionloom.evaluate.evaluation import evaluate_take, source_values, spread_of
from motionloom.evaluate.measures.coverage_diversity import _BLOCK, window_scores
from motionloom.evaluate.measures.prepared_clip import take
from motionloom.evaluate.measures.verbatim import verbatim_run
from motionloom.evaluate.reference import reference


@pytest.fixture(scope="module")
def walks():
    return [samples.make("walk", seed=s, seconds=3) for s in range(3)]


def table(comparison):
    return [(e.name, e.reason, [r.as_dict() for r in e.reports]) for e in comparison.entries]


WORK = {
    "evaluate": lambda clips, p: evaluate_take(clips[0], reference(clips[1:], progress=None), progress=p).as_dict(),
    "source values": lambda clips, p: source_values(reference(clips), progress=p),
    "spread": lambda clips, p: spread_of([take(c) for c in clips], reference(clips), progress=p),
    "compare": lambda clips, p: table(
        compare_methods(clips, Request(seconds=2), methods=["cuts"], count=1, progress=p)
    ),
    "check": lambda clips, p: check_clips([*clips, clips[0]], progress=p),
}


@pytest.mark.parametrize("work", WORK)
def test_shares_are_lawful_and_numbers_the_same(work, walks, recorded):
    progress = recorded()
    assert str(WORK[work](walks, progress)) == str(WORK[work](walks, None))
    assert progress.lawful()
    assert len(set(progress.shares)) > 4


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("calls", [1, 4])
def test_a_stop_cancels_at_the_next_report(work, calls, walks, recorded):
    progress = recorded(calls)
    with pytest.raises(Cancelled):
        WORK[work](walks, progress)
    assert len(progress.shares) == calls


def test_windows_are_reported_block_by_block(recorded):
    progress = recorded()
    window_scores(np.zeros((3 * _BLOCK + 1, 2)), [np.ones((40, 2))], progress=progress)
    assert progress.shares == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_a_search_for_copies_ends_once_stop_is_set(walks, recorded):
    from motionloom.evaluate.measures._kernels import longest_run

    progress = recorded()
    progress.stop[0] = 1
    with pytest.raises(Cancelled):
        verbatim_run(walks[0], walks, progress=progress)
    a, keys, order = walks[0].rotations, np.zeros(len(walks[0])), np.arange(len(walks[0]))
    done = np.zeros(1, np.int64)
    found = longest_run(a, a, keys, keys, order, 0.1, 0.99, order, progress.stop, done)
    assert (tuple(found), int(done[0])) == ((0, -1, -1), 0)
