"""Similarity, judging, weights and alignment report lawful shares, change no number, and can be cancelled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motionloom import samples
from motionloom.analysis import MEASURES, find_similar, judge, measure_named, optimal_attributes
from motionloom.analysis import comparison as comparisons
from motionloom.analysis import dtw as warping
from motionloom.analysis.alignment import align
from motionloom.analysis.dtw import dtw_path
from motionloom.core import Cancelled


@pytest.fixture(scope="module")
def walks():
    return [samples.make("walk", seed=s, seconds=2) for s in range(2)]


def similar(clips, progress):
    found = find_similar(*clips, measure_named("point-cloud"), progress=progress)
    return found.matrix.tobytes(), found.pairs.frames.tobytes()


def judged(clips, progress):
    table = judge([measure_named(name) for name in MEASURES], *clips, progress=progress)
    return [(name, verdict.position, pairs.frames.tobytes()) for name, (verdict, pairs) in table.items()]


def weighed(clips, progress):
    found = optimal_attributes(measure_named("joint-angles"), [clips], grid=np.array([0.1, 1.0]), progress=progress)
    return found.weights, found.scores.tobytes()


def aligned(clips, progress):
    return align(*clips, progress=progress).path.tobytes()


WORK = {"similar": similar, "judge": judged, "optimal weights": weighed, "align": aligned}


@pytest.mark.parametrize("work", WORK)
def test_shares_are_lawful_and_numbers_the_same(work, walks, recorded):
    progress = recorded()
    assert WORK[work](walks, progress) == WORK[work](walks, None)
    assert progress.lawful()


@pytest.mark.parametrize("work", WORK)
def test_a_stop_cancels_at_the_next_report(work, walks, recorded):
    progress = recorded(1)
    with pytest.raises(Cancelled):
        WORK[work](walks, progress)
    assert len(progress.shares) == 1


@pytest.mark.parametrize("name", MEASURES)
def test_a_matrix_in_blocks_of_rows_is_the_whole_one(name, walks, recorded, monkeypatch):
    measure = measure_named(name)
    if hasattr(measure, "precision"):
        measure = replace(measure, precision="double")  # in single, matrix products round by their shape and processor
    whole = measure.matrix(*walks)
    monkeypatch.setattr(comparisons, "ROWS", 7)
    progress = recorded()
    blocks = measure.matrix(*walks, progress)
    assert len(progress.shares) == -(-len(whole) // 7) + 1
    np.testing.assert_allclose(blocks, whole, rtol=1e-9, atol=1e-12 * np.abs(whole).max())


@pytest.mark.parametrize("limit", [None, 3])
def test_time_warping_ends_once_stop_is_set(limit, recorded, monkeypatch):
    from motionloom.analysis._kernels_dtw import path_through

    monkeypatch.setattr(warping, "CANCELLABLE_CELLS", 0)
    cost = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0)))
    assert dtw_path(cost, limit=limit, progress=recorded()).tolist() == [[i, i] for i in range(30)]
    progress = recorded()
    progress.stop[0] = 1
    with pytest.raises(Cancelled):
        dtw_path(cost, limit=limit, progress=progress)
    done, codes, path = np.zeros(1, np.int64), np.empty((30, 30), np.uint8), np.empty((60, 2), np.int64)
    total, begin = path_through(
        cost, (np.zeros(30), np.zeros(30)), limit or 0, False, 0, codes, path, progress.stop, done
    )
    assert (np.isinf(total), begin, int(done[0]) <= 1) == (True, 0, True)
