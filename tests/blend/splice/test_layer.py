"""Splicing at run time: equal to the offline splice with pairwise timing, and lawful as a layer."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motionloom.blend.splice import splice
from motionloom.blend.splice.body import cut_named
from motionloom.blend.splice.tables import gait_cycle, pair_table, phase_begin, phases_of, splice_table
from motionloom.control import Playback, SpliceLayer, record, run
from motionloom.control.layered import layered
from motionloom.core import BadRequest, Clip
from motionloom.core.poses import Poses, commands
from motionloom.kinematics.fk import fk
from motionloom.methods.live import join, select
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make("walk", turn=0.5, seconds=3, seed=1, fps=30)


@pytest.fixture(scope="module")
def carry() -> Clip:
    return make("carry", seconds=5, seed=2, fps=30)


@pytest.fixture(scope="module")
def table(carry):
    cup = make("carry", thing="cup", seconds=5, seed=3, fps=30)
    return splice_table({"box": carry, "cup": cup}, make("walk", seconds=5, seed=9, fps=30))


def played(live, steer, clip):
    return record(live, run(live, live.begin([0]), steer, [1 / clip.fps] * len(clip)), clip.fps)


def test_live_equals_offline_with_pairwise_timing_and_stored_posture(carry, walk):
    made = splice(carry, walk)
    live = layered(Playback(walk, clip_phase=True), SpliceLayer(pair_table(made, walk), memory=np.inf))
    assert_allclose(fk(played(live, commands(overlay=0), walk)), fk(made.clip), atol=1e-6)


def test_with_one_reference_the_splice_is_near_the_offline_one(carry, walk, table):
    made = splice(carry, walk).clip
    clip = played(layered(Playback(walk), SpliceLayer(table)), commands(overlay=0), walk)
    apart = np.linalg.norm(fk(clip) - fk(made), axis=-1)
    assert apart[30:].mean() < 0.02


def test_without_an_action_nothing_changes_and_legs_never_do(walk, table):
    live = layered(Playback(walk), SpliceLayer(table))
    assert_array_equal(played(live, commands(), walk).rotations, walk.rotations)
    clip = played(live, commands(overlay=1), walk)
    lower = [j for j in range(len(walk.skeleton)) if j not in cut_named(walk.skeleton).joints]
    assert_array_equal(clip.rotations[:, lower], walk.rotations[:, lower])


def test_actions_switch_smoothly(walk, table):
    live = layered(Playback(walk), SpliceLayer(table))
    steer = lambda time, poses: commands(overlay=-1 if time < 0.7 or time > 2.2 else 0 if time < 1.5 else 1)
    clip = played(live, steer, walk)
    hand = walk.skeleton.joint("left_hand")
    speed = np.linalg.norm(np.diff(fk(clip)[:, hand] - clip.root, axis=0), axis=1) * clip.fps
    assert speed.max() < 4.0  # an arm's length in a third of a second, and its own swing
    assert np.abs(np.diff(speed)).max() < 1.0


def test_phases_of_a_faster_walk_run_faster():
    cycle = gait_cycle(make("walk", seconds=5, seed=9, fps=30))
    slow, fast = (phases_of(make("walk", speed=s, seconds=4, seed=4, fps=30), cycle) for s in (1.0, 1.8))
    assert (np.diff(slow) > 0).all()
    assert np.ptp(fast) > 1.2 * np.ptp(slow)


def test_rows_are_independent_and_no_time_changes_nothing(walk, table):
    live = layered(Playback(walk), SpliceLayer(table))
    both, alone = live.begin([0, 1]), live.begin([1])
    asked = commands(overlay=[0, 1])
    for _ in range(20):
        both, poses = live.step(both, asked, 1 / 30)
        alone, single = live.step(alone, commands(overlay=1), 1 / 30)
    assert_array_equal(poses.rotations[1], single.rotations[0])
    again, _ = live.step(both, asked, 0.0)
    for a, b in zip(again.layers[0], both.layers[0], strict=True):
        assert_array_equal(a, b)
    begin = live.begin([0])
    same, poses = live.step(begin, commands(overlay=0), 0.0)
    for a, b in zip(same.layers[0], begin.layers[0], strict=True):
        assert_array_equal(a, b)
    assert_array_equal(poses.rotations[0], walk.rotations[0])
    swapped = join([select(both, np.array([1])), select(both, np.array([0]))])
    _, other = live.step(swapped, commands(overlay=[1, 0]), 1 / 30)
    _, same = live.step(both, asked, 1 / 30)
    assert_array_equal(other.rotations[::-1], same.rotations)


def test_phases_of_a_method_need_one_alignment_to_the_reference(carry):
    """A method whose cycle begins 0.37 cycles after the reference's; its phase jumps once, as from node to node."""
    walk = make("walk", seconds=7, seed=4, fps=30)
    true = phases_of(walk, gait_cycle(walk))
    given = (true + 0.37) % 1.0
    begin = phase_begin(walk, given, walk)
    assert (begin - 0.63 + 0.5) % 1.0 - 0.5 == pytest.approx(0.0, abs=0.02)
    layer = SpliceLayer(splice_table({"box": carry}, walk), begin_phase=begin)
    state, shown = layer.begin(np.array([0]), walk.skeleton), []
    for f in range(180):
        phase = (given[[f]] + (0.3 if f == 90 else 0.0)) % 1.0
        poses = Poses(walk.root[[f]], walk.rotations[[f]], np.zeros((1, 4), bool), phase)
        state, _ = layer.step(state, poses, commands(overlay=0), 1 / 30)
        shown.append(state.phase[0])
    off = np.array(shown) - true[:180]
    off -= np.round(off[10])
    assert np.abs(off[10:90]).max() < 0.02
    assert np.abs(np.diff(shown)).max() < 0.15  # a jump of the given phase is made up, not shown
    assert np.abs(off[100:]).max() < 0.02


def test_mistakes_are_explained(walk, table):
    live = layered(Playback(walk), SpliceLayer(table))
    with pytest.raises(BadRequest, match="no action 2; actions: 0 box, 1 cup"):
        live.step(live.begin([0]), commands(overlay=2), 1 / 30)
    with pytest.raises(BadRequest, match="not cyclic"):
        splice_table({"stairs": make("steps", seed=3, fps=30)}, make("walk", seconds=4, fps=30))
