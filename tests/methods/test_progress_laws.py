"""The laws of progress, for every method: shares never decrease and end at 1, nothing changes, cancelling works."""

from __future__ import annotations

from itertools import repeat

import numpy as np
import pytest

from motionloom.constraints import Request, RootPath
from motionloom.control import run
from motionloom.control.graph_walks import random_walk
from motionloom.core import Cancelled
from motionloom.core.poses import commands
from motionloom.kinematics.resample import resample
from motionloom.methods import METHODS, attempt, learn, save_model, synthesize
from motionloom.methods.graph.build import blend_check as rough
from motionloom.methods.graph.build import ground_alignment as laying
from motionloom.methods.graph.build.transitions import build_with_report
from motionloom.methods.graph.diagnose.coverage import coverage
from motionloom.methods.graph.model import graph_model
from motionloom.methods.live import live_of
from motionloom.methods.two_level_graph.performance import BLOCK, act_out

PATH = RootPath(points=((0, 0), (0, 2), (1, 3)), weight=1.0)


def asked(method):
    """A request that makes the method search, where it can."""
    kinds = [kind for kind, _ in METHODS[method].module().MODEL.honours]
    return Request(seconds=3, constraints=(PATH,) if RootPath in kinds else ())


@pytest.mark.parametrize("method", METHODS)
def test_learning_reports_lawful_shares_and_learns_the_same(method, models, inputs, tmp_path, recorded):
    progress = recorded()
    save_model(learn(method, inputs[method], progress=progress), tmp_path / "with.loom")
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


@pytest.mark.parametrize("method", ["cuts", "motion-graph", "two-level-graph", "textons"])
def test_long_motion_reports_while_it_is_rendered_and_finished(method, models, recorded):
    short, long = recorded(), recorded()
    attempt(models[method], Request(seconds=5), progress=short)
    attempt(models[method], Request(seconds=90), progress=long)
    assert long.lawful()
    assert len(set(long.shares)) > len(set(short.shares)) + 12  # units of work, not a fixed number of stages
    assert {"rendering", "joining"} & set(long.stages)
    assert len(set(long.stages)) > 3


@pytest.mark.parametrize("method", METHODS)
def test_planning_alone_reports_lawful_shares(method, models, recorded):
    progress = recorded()
    models[method].plan(asked(method), np.random.default_rng(0), progress)
    assert progress.lawful()


@pytest.mark.parametrize(("method", "least"), [("cuts", 1), ("hierarchical-graph", 20)])
def test_random_motion_reports_what_is_drawn(method, least, models, recorded):
    """A walk of a quarter of an hour by a hierarchical graph took 14 s of processor time without a report."""
    progress = recorded()
    models[method].plan(Request(seconds=20), np.random.default_rng(0), progress)
    assert progress.stages.count("drawing") >= least


@pytest.mark.parametrize("method", METHODS)
def test_a_stop_that_is_set_before_cancels_at_once(method, models, inputs, recorded):
    (model, request), rng = models[method].adapted(asked(method)), np.random.default_rng(0)
    plan, inner = model.plan(request, rng), model.inner_request(request)
    for work in (
        lambda p: learn(method, inputs[method], progress=p),
        lambda p: model.plan(request, rng, p),
        lambda p: model.render(plan, inner, model.options(request), rng, p),
        lambda p: attempt(models[method], asked(method), progress=p),
    ):
        progress = recorded()
        progress.stop[0] = 1
        with pytest.raises(Cancelled):
            work(progress)
        assert progress.shares == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("calls", [1, 3])
def test_a_stop_cancels_at_the_next_report(method, calls, models, inputs, recorded):
    progress = recorded(calls)
    with pytest.raises(Cancelled):
        learn(method, inputs[method], progress=progress)
    assert len(progress.shares) == calls
    progress = recorded(calls)
    with pytest.raises(Cancelled):
        attempt(models[method], asked(method), progress=progress)
    assert len(progress.shares) == calls


@pytest.mark.parametrize("method", ["motion-graph", "two-level-graph", "hierarchical-graph"])
def test_walks_and_coverage_report_lawful_shares_and_stay_the_same(method, models, recorded):
    progress = recorded()
    walk, plain = (random_walk(models[method], 4, seed=2, progress=p) for p in (progress, None))
    assert progress.lawful()
    assert np.array_equal(walk.clip.rotations, plain.clip.rotations)
    progress = recorded()
    found, other = (coverage(graph_model(models[method]).graph, progress=p) for p in (progress, None))
    assert progress.lawful()
    assert np.array_equal(found.speed, other.speed)


def test_acting_reports_each_block_of_the_performance(models, tiny_clips, recorded):
    progress, model = recorded(), models["two-level-graph"]
    played, plain = (act_out(model, tiny_clips[0], progress=p) for p in (progress, None))
    assert progress.lawful()
    blocks = -(-len(resample(tiny_clips[0], model.fps)) // BLOCK)
    assert progress.stages.count("finding the likeliest route") >= 2 * (blocks + 1)  # all guesses, then the best
    assert np.array_equal(played.clip.rotations, plain.clip.rotations)
    assert played.clip.origin.made == plain.clip.origin.made


def test_steps_of_a_live_character_report_their_share(models, recorded):
    live, progress = live_of(models["motion-graph"]), recorded()
    steps = [poses.root for _, poses in run(live, live.begin([3]), commands(), [1 / 60] * 120, progress=progress)]
    assert progress.shares == [0.0, 50 / 120, 100 / 120, 1.0]
    plain = [poses.root for _, poses in run(live, live.begin([3]), commands(), [1 / 60] * 120)]
    assert np.array_equal(steps, plain)
    with pytest.raises(Cancelled):
        list(run(live, live.begin([3]), commands(), repeat(1 / 60), progress=recorded(2)))


def test_a_graph_is_aligned_and_checked_in_short_calls_with_the_same_result(tiny_clips, recorded, monkeypatch):
    whole = build_with_report(tiny_clips)
    monkeypatch.setattr(laying, "TRANSITIONS_PER_CALL", 7)
    monkeypatch.setattr(rough, "TRANSITIONS_PER_CALL", 7)
    progress = recorded()
    short = build_with_report(tiny_clips, progress=progress)
    assert progress.lawful()
    assert progress.stages.count("aligning transitions") >= len(whole.rough.marked) // 7
    assert progress.stages.count("checking transitions") >= 2 * (len(whole.rough.marked) // 7)
    for name in ("a", "b", "turn", "shift"):
        assert np.array_equal(getattr(whole.graph.transitions, name), getattr(short.graph.transitions, name))
