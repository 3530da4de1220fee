"""The laws of progress, for every method: shares never decrease and end at 1, nothing changes, cancelling works."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Request, RootPath
from motionloom.core import Cancelled
from motionloom.methods import METHODS, attempt, learn, save_model, synthesize

PATH = RootPath(points=((0, 0), (0, 2), (1, 3)), weight=1.0)


def asked(method):
    """A request that makes the method search, where it can."""
    kinds = [kind for kind, _ in METHODS[method].module().MODEL.honours]
    return Request(seconds=3, constraints=(PATH,) if RootPath in kinds else ())


@pytest.mark.parametrize("method", METHODS)
def test_learning_reports_lawful_shares_and_learns_the_same(method, models, tiny_clips, tmp_path, recorded):
    progress = recorded()
    save_model(learn(method, tiny_clips, progress=progress), tmp_path / "with.loom")
    save_model(models[method], tmp_path / "without.loom")
    assert progress.lawful()
    assert len(set(progress.shares)) > 4
    assert all(progress.stages)
    assert (tmp_path / "with.loom").read_bytes() == (tmp_path / "without.loom").read_bytes()


@pytest.mark.parametrize("method", METHODS)
def test_synthesis_reports_lawful_shares_and_makes_the_same(method, models, recorded):
    progress = recorded()
    clip = synthesize(models[method], asked(method), seed=3, progress=progress)
    assert progress.lawful()
    plain = synthesize(models[method], asked(method), seed=3)
    assert np.array_equal(clip.root, plain.root)
    assert np.array_equal(clip.rotations, plain.rotations)


@pytest.mark.parametrize("method", METHODS)
def test_a_stop_that_is_set_before_cancels_at_once(method, models, tiny_clips, recorded):
    for work in (
        lambda p: learn(method, tiny_clips, progress=p),
        lambda p: attempt(models[method], asked(method), progress=p),
    ):
        progress = recorded()
        progress.stop[0] = 1
        with pytest.raises(Cancelled):
            work(progress)
        assert progress.shares == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("calls", [1, 3])
def test_a_stop_cancels_at_the_next_report(method, calls, models, tiny_clips, recorded):
    progress = recorded(calls)
    with pytest.raises(Cancelled):
        learn(method, tiny_clips, progress=progress)
    assert len(progress.shares) == calls
    progress = recorded(calls)
    with pytest.raises(Cancelled):
        attempt(models[method], asked(method), progress=progress)
    assert len(progress.shares) == calls
