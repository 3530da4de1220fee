"""Tremor of a captured walk stays below the cut, and turns of the action are reported."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motionloom.blend.splice import HECK, splice
from motionloom.blend.splice.body import cut_named
from motionloom.blend.splice.posture import part_pose
from motionloom.blend.splice.splice import posture_difference
from motionloom.blend.splice.tables import pair_table
from motionloom.blend.splice.tremor import chest_turns, steadied, tremor
from motionloom.control import Playback, SpliceLayer, record, run
from motionloom.control.layered import layered
from motionloom.core import Clip, replace
from motionloom.core.poses import commands
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import turned
from motionloom.rotation import from_axis_angle, multiply
from motionloom.samples import make

SHAKEN = slice(60, 72)


@pytest.fixture(scope="module")
def carry() -> Clip:
    return make("carry", seconds=5, seed=2)


@pytest.fixture(scope="module")
def walk() -> Clip:
    """A walk whose spine shakes for a fifth of a second by 6 degrees to each side, as captures do in bad frames."""
    clip = make("walk", turn=0.4, seconds=3, seed=1)
    rotations = clip.rotations.copy()
    sides = np.radians(6.0) * (-1.0) ** np.arange(SHAKEN.stop - SHAKEN.start)
    spine = clip.skeleton.joint("spine")
    rotations[SHAKEN, spine] = multiply(rotations[SHAKEN, spine], from_axis_angle([0.3, 1.0, 0.8], sides))
    return replace(clip, rotations=rotations)


def chest_tremor(clip: Clip) -> float:
    """Degrees: the largest tremor of the chest in the shaken frames."""
    part = part_pose(clip, cut_named(clip.skeleton))
    return float(np.degrees(tremor(chest_turns(part, part.cloud.mean(0)), clip.fps)[SHAKEN].max()))


def head_speed(clip: Clip) -> float:
    head = fk(clip)[:, clip.skeleton.joint("head")]
    return float(np.linalg.norm(np.diff(head, axis=0), axis=1).max() * clip.fps)


def test_the_upper_body_does_not_tremble_with_the_walk(carry, walk):
    made, published = splice(carry, walk), splice(carry, walk, stages=HECK)
    assert chest_tremor(walk) > 4
    assert chest_tremor(published.clip) > 4
    assert chest_tremor(made.clip) < 0.5
    calm = splice(carry, make("walk", turn=0.4, seconds=3, seed=1)).clip
    assert head_speed(made.clip) < 1.1 * head_speed(calm) < 0.5 * head_speed(published.clip)
    lower = [j for j in range(len(walk.skeleton)) if j not in cut_named(walk.skeleton).joints]
    assert_array_equal(made.clip.rotations[:, lower], walk.rotations[:, lower])
    assert np.degrees(posture_difference(made.clip, at_own_times(made))) < 0.01
    note = next(n for n in made.clip.origin.notes if "trembles" in n.text)
    assert note.frame is not None
    assert SHAKEN.start - 15 <= note.frame <= SHAKEN.start


def at_own_times(made):
    from motionloom.analysis import at_times

    return at_times(made.upper, made.seconds)


def test_a_steady_walk_gives_the_published_splice_bit_for_bit(carry):
    calm = make("walk", turn=0.4, seconds=3, seed=1)
    assert_array_equal(splice(carry, calm).clip.rotations, splice(carry, calm, stages=HECK).clip.rotations)


def test_a_trembling_clip_spliced_with_itself_is_unchanged(walk):
    assert_allclose(splice(walk, walk).clip.rotations, walk.rotations, atol=1e-9)


def test_turning_a_trembling_walk_turns_the_result(carry, walk):
    there, here = splice(carry, turned(walk, 1.1)).clip, turned(splice(carry, walk).clip, 1.1)
    assert_allclose(fk(there), fk(here), atol=1e-8)


def test_live_equals_offline_on_a_trembling_walk(carry, walk):
    made = splice(carry, walk)
    live = layered(Playback(walk, clip_phase=True), SpliceLayer(pair_table(made, walk), memory=np.inf))
    clip = record(live, run(live, live.begin([0]), commands(overlay=0), [1 / walk.fps] * len(walk)), walk.fps)
    assert_allclose(fk(clip), fk(made.clip), atol=1e-6)


def test_steady_rotations_keep_their_bits():
    angles = 0.3 * np.sin(np.arange(200) / 15)
    turns = from_axis_angle([0.0, 1.0, 0.0], angles)
    calm, trembles = steadied(turns, 60.0)
    assert not trembles.any()
    assert_array_equal(calm, turns)


def test_an_action_that_turns_round_is_reported():
    circling, walk = make("carry", turn=1.5, seconds=5, seed=2), make("walk", seconds=3, seed=1)
    found = [n for n in splice(circling, walk).clip.origin.notes if "turns by" in n.text]
    assert found
    assert all(n.level == "warning" for n in found)
    straight = splice(make("carry", seconds=5, seed=2), walk)
    assert not any("turns by" in n.text for n in straight.clip.origin.notes)
    along = make("walk", turn=1.5, seconds=3, seed=1)
    assert not any("turns by" in n.text for n in splice(circling, along).clip.origin.notes)
