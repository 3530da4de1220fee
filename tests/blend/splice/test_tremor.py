"""Tremor of a captured walk stays below the cut, and turns of the action are reported."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from motionloom.blend.splice import HECK, Stages, splice
from motionloom.blend.splice._kernels_tremor import TRACK_SIZE, steadied_turn
from motionloom.blend.splice.body import cut_named
from motionloom.blend.splice.notes import turn_notes
from motionloom.blend.splice.posture import part_pose
from motionloom.blend.splice.splice import posture_difference
from motionloom.blend.splice.tables import pair_table, splice_table
from motionloom.blend.splice.tremor import chest_turns, slow_part, steadied
from motionloom.control import Playback, SpliceLayer, record, run
from motionloom.control.layered import layered
from motionloom.core import Clip, replace
from motionloom.core.poses import commands
from motionloom.kinematics.fk import fk
from motionloom.kinematics.travel import headings, turned
from motionloom.rotation import angle_between, continuous, from_axis_angle, inverse, multiply, normalize
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
    turns = chest_turns(part, part.cloud.mean(0))
    return float(np.degrees(angle_between(turns, slow_part(turns, clip.fps))[SHAKEN].max()))


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
    note = next(n for n in made.clip.origin.notes if "a clip trembles" in n.text)
    assert note.frame is not None
    assert SHAKEN.start - 15 <= note.frame <= SHAKEN.start


def at_own_times(made):
    from motionloom.analysis import at_times

    return at_times(made.upper, made.seconds)


@pytest.mark.parametrize("part", ["shoulders", "chest"])
def test_tremor_of_the_action_does_not_move_its_head(carry, part):
    """Shoulders that tremble beside a steady head would move the head, once they are held to those of a walk.

    A chest that trembles, with all that is on it, is held still by the walk's, and must not tremble again.
    """
    calm, sides = make("walk", turn=0.4, seconds=3, seed=1), (-1.0) ** np.arange(12)
    angles = {"left_shoulder": 20.0, "right_shoulder": -20.0} if part == "shoulders" else {"spine1": 5.0}
    rotations = carry.rotations.copy()
    for name, angle in angles.items():
        joint = carry.skeleton.joint(name)
        shake = from_axis_angle([0.0, 1.0, 0.0] if part == "shoulders" else [1.0, 0.0, 0.0], np.radians(angle) * sides)
        rotations[120:132, joint] = multiply(rotations[120:132, joint], shake)
    shaken = replace(carry, rotations=rotations)
    made, published = splice(shaken, calm).clip, splice(shaken, calm, stages=HECK).clip
    usual = head_speed(splice(carry, calm).clip)
    assert head_speed(made) < 1.2 * usual
    assert head_speed(published) > 1.5 * usual or part == "chest"


def test_a_steady_walk_gives_the_splice_without_that_stage_bit_for_bit(carry):
    calm = make("walk", turn=0.4, seconds=3, seed=1)
    assert_array_equal(
        splice(carry, calm).clip.rotations, splice(carry, calm, stages=Stages(steady=False)).clip.rotations
    )


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


def live_on(reference: Clip, carry: Clip, walk: Clip) -> Clip:
    """The action on a walk, live, with one reference alignment and default settings."""
    live = layered(Playback(walk), SpliceLayer(splice_table({"box": carry}, reference)))
    return record(live, run(live, live.begin([0]), commands(overlay=0), [1 / walk.fps] * len(walk)), walk.fps)


def test_a_live_splice_with_one_reference_leaves_tremor_out_too(carry, walk):
    calm, reference = make("walk", turn=0.4, seconds=3, seed=1), make("walk", seconds=5, seed=9)
    offline = splice(carry, walk).clip
    shaken, still = live_on(reference, carry, walk), live_on(reference, carry, calm)
    assert head_speed(shaken) < 1.3 * head_speed(still) < 0.5 * head_speed(splice(carry, walk, stages=HECK).clip)
    apart = np.linalg.norm(fk(shaken) - fk(offline), axis=-1)
    assert apart[30:].mean() < 0.02
    assert (
        apart[SHAKEN.stop + 15 :].max() < np.linalg.norm(fk(still) - fk(splice(carry, calm).clip), axis=-1).max() + 0.01
    )


def test_a_steady_walk_below_a_live_splice_is_followed_exactly():
    turns = from_axis_angle([0.0, 1.0, 0.0], 0.3 * np.sin(np.arange(120) / 10))
    track = np.full(TRACK_SIZE, -1.0)
    assert all(steadied_turn(tuple(q), track, 1 / 60) == tuple(q) for q in turns)
    jump = multiply(turns[-1], from_axis_angle([1.0, 0.0, 0.0], np.radians(12.0)))
    first = steadied_turn(tuple(jump), track, 1 / 60)
    assert np.degrees(angle_between(np.array(first), turns[-1])) < 5.0
    kept = track.copy()
    assert steadied_turn(tuple(jump), track, 0.0) == first  # no time, no change
    assert_array_equal(track, kept)
    for _ in range(60):
        last = steadied_turn(tuple(jump), track, 1 / 60)
    assert last == tuple(jump)  # a jump that stays is followed


def test_the_slow_part_is_the_weighted_mean_of_reflected_rotations(rng):
    turns = continuous(normalize(np.cumsum(rng.normal(size=(40, 4)), axis=0)))
    reach = 6
    front = multiply(turns[0], multiply(inverse(turns[reach:0:-1]), turns[0]))
    back = multiply(turns[-1], multiply(inverse(turns[-2 : -2 - reach : -1]), turns[-1]))
    longer = continuous(np.concatenate([front, turns, back]))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (0.03 * 60)) ** 2)
    mean = np.stack([weights @ longer[f : f + 2 * reach + 1] for f in range(len(turns))])
    assert_allclose(angle_between(slow_part(turns, 60.0), normalize(mean)), 0.0, atol=1e-7)


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


def test_a_turn_of_the_action_over_its_repetition_is_reported_with_both_times():
    walk = make("walk", seconds=3, fps=30)
    circling = make("walk", seconds=3, fps=30, turn=1.5)
    (note,) = turn_notes(circling, headings(walk), (np.arange(len(walk)) / 30 + 4.0) % 5.0)
    assert "from 4.0 s to its repetition at 2.0 s" in note.text
