"""Walks drawn block by block: branches, counts of changes of speed, and the pace of results from captures."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Request
from motionloom.core import silent
from motionloom.io import load
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.pace import SPEED_CHANGE, changes_along, standing
from motionloom.methods import learn, synthesize
from motionloom.methods.textons import Options
from motionloom.methods.textons.plan.drawn_walk import MARGINS, DrawnWalk, UsualPace, draw_walk, jolts, usual_pace


def drawn(model, blocks, seed=0):
    found = DrawnWalk(model.walk(Options(), np.random.default_rng(seed)), np.random.default_rng(5), UsualPace())
    for _ in range(blocks):
        found = found.fork()
        found.extend()
    return found


def test_branches_of_a_walk_do_not_affect_each_other(model):
    start = drawn(model, 2)
    before, place = len(start.pieces), start.walk.place.copy()
    branches = [start.fork() for _ in range(4)]
    for branch in branches:
        for _ in range(4):
            branch.extend()
    assert len(start.pieces) == before
    assert (start.walk.place == place).all()
    assert all(b.pieces[:before] == start.pieces for b in branches)
    assert len({tuple((p.observed, p.span) for p in b.pieces) for b in branches}) > 1


def test_the_path_is_that_of_the_rendered_pieces(model):
    pieces, seed = draw_walk(model.walk(Options(), np.random.default_rng(1)), 600, UsualPace(), silent())
    made = model.renderer.uncleaned_clip(pieces, 600, np.random.default_rng(seed), Options())
    noise = np.random.default_rng(seed)
    _, path = model.renderer.next_path(None, iter(pieces), noise, Options(), model.walk(Options(), noise).correct)
    np.testing.assert_allclose(path, made.root[: len(path), [0, 2]], atol=1e-9)


def test_changes_of_speed_are_counted_once_across_blocks(model):
    """Blocks forget all but the last seconds of the path; together they count what the whole path has."""
    found = drawn(model, 12, seed=3)
    path = model.renderer.uncleaned_clip(
        found.pieces, sum(p.length for p in found.pieces), np.random.default_rng(5), Options()
    ).root[:, [0, 2]]
    change = changes_along(path, model.fps)
    whole = [len(runs(change[: found.frames] > SPEED_CHANGE + margin)) for margin in MARGINS]
    assert max(whole) > 3
    assert np.abs(found.counts[:-2] - whole).max() <= 1  # one more where a change lasts beyond the last frame counted


def test_a_pace_beyond_the_usual_is_in_excess():
    usual = UsualPace(changes=6.0, standing=0.1)
    assert usual.excess(changes=3, standing=0.0, jolts=0, seconds=20.0, total=60.0) == 0
    assert usual.excess(changes=5, standing=0.0, jolts=0, seconds=20.0, total=60.0) == 2
    assert usual.excess(changes=0, standing=8.0, jolts=0, seconds=20.0, total=60.0) == 2
    assert usual.excess(changes=3, standing=0.0, jolts=1, seconds=20.0, total=60.0) == 1
    assert UsualPace().excess(changes=100, standing=20.0, jolts=0, seconds=20.0, total=60.0) == 0


def test_a_jolt_is_counted_once():
    speeds = np.repeat([1.0, 2.0], 45)  # m/s: faster by 1 m/s in a frame, 5 m/s^2 over 0.2 s
    path = np.stack([np.cumsum(speeds) / 30, np.zeros(90)], 1)
    assert jolts(path, 30.0, 4.0).sum() == 1
    assert jolts(path, 30.0, 5.1).sum() == 0


@pytest.mark.long
@pytest.mark.parametrize("seed", [7, 12])
def test_walks_of_captures_change_their_speed_and_accelerate_no_more_than_the_clips(captured_walks, seed):
    model, usual = captured_walks
    made = synthesize(model, Request(seconds=30.0), seed=seed)
    own = usual_pace([made.root[:, [0, 2]]], made.fps)
    assert own.changes <= usual.changes
    assert own.acceleration <= usual.acceleration


@pytest.fixture(scope="module")
def captured_walks(mocap):
    clips = [load(mocap / f"cmu/16_{k}.bvh", trim_tpose=True) for k in (11, 13, 15, 16, 17, 19, 21, 23, 25, 27, 29)]
    return learn("textons", clips), usual_pace([c.root[:, [0, 2]] for c in clips], clips[0].fps)


@pytest.mark.long
def test_a_dog_does_not_sit_most_of_the_time(mocap):
    """It sat for 23 of 30 s; it stands or sits for a fifth of the clips."""
    clips = [load(path) for number in ("009", "010") for path in sorted((mocap / "dog").glob(f"D1_{number}_*.bvh"))]
    model = learn("textons", clips)
    for seed in (7, 11):
        made = synthesize(model, Request(seconds=30.0), seed=seed)
        assert standing(made).mean() < 0.5
