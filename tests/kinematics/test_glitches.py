"""Glitches put into a clean clip on purpose: found where they are, and mended."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom import samples
from motionloom.core import Clip, replace
from motionloom.kinematics.capture.glitches import broken_frames, glitches, mended, rest_frames
from motionloom.kinematics.fk import fk
from motionloom.rotation import angle_between, exp, log, multiply


@pytest.fixture(scope="module")
def walk() -> Clip:
    return samples.make("walk", seed=1)


def bent(clip: Clip, joint: str, frames: slice, degrees: float) -> Clip:
    rotations = clip.rotations.copy()
    j = clip.skeleton.joint(joint)
    rotations[frames, j] = multiply(rotations[frames, j], exp([np.radians(degrees), 0, 0]))
    return replace(clip, rotations=rotations)


def test_a_clean_walk_and_a_clean_run_have_no_glitch(walk):
    assert glitches(walk) == []
    assert glitches(samples.make("run", seed=2)) == []


def test_a_burst_is_found_with_its_joint_frames_and_size(walk):
    spoilt = bent(walk, "left_forearm", slice(100, 103), 80)
    (found,) = glitches(spoilt)
    assert (found.joint, found.start, found.stop, found.kind) == (
        walk.skeleton.joint("left_forearm"),
        100,
        103,
        "burst",
    )
    assert np.degrees(found.size) == pytest.approx(80, abs=5)
    assert np.flatnonzero(broken_frames(spoilt)).tolist() == [100, 101, 102]


def test_a_short_burst_is_mended_by_its_neighbours_with_what_hangs_on_it_and_nothing_else(walk):
    spoilt = bent(walk, "left_forearm", slice(100, 103), 80)
    again, done = mended(spoilt)
    assert len(done) == 1
    assert angle_between(again.rotations, walk.rotations).max() < np.radians(1)
    below = walk.skeleton.below(walk.skeleton.joint("left_forearm"))
    assert np.array_equal(np.delete(again.rotations, below, axis=1), np.delete(walk.rotations, below, axis=1))
    assert glitches(again) == []


def test_a_chest_that_makes_up_for_wrong_hips_is_mended_with_them(walk):
    """The hips jump by 70 degrees for three frames, two joints above turn back by 15 each: neither is a jump."""
    rotations = walk.rotations.copy()
    wrong, hips = exp([0, np.radians(70), 0]), walk.skeleton.joint("hips")
    rotations[100:103, hips] = multiply(rotations[100:103, hips], wrong)
    for role in ("spine", "neck"):
        j = walk.skeleton.joint(role)
        rotations[100:103, j] = multiply(exp([0, np.radians(-15), 0]), rotations[100:103, j])
    again, done = mended(replace(walk, rotations=rotations))
    assert {g.joint for g in done} == {hips}
    assert np.abs(fk(again) - fk(walk)).max() < 0.01


def test_wrong_first_frames_hold_the_first_good_one(walk):
    spoilt = bent(walk, "right_thigh", slice(0, 2), 90)
    (found,) = glitches(spoilt)
    assert (found.start, found.stop, found.kind) == (0, 2, "edge")
    again, _ = mended(spoilt)
    j = walk.skeleton.joint("right_thigh")
    assert angle_between(again.rotations[:2, j], walk.rotations[2, j]).max() < 1e-9


def test_a_step_that_stays_cannot_be_mended(walk):
    spoilt = bent(walk, "right_foot", slice(300, None), 120)
    (found,) = glitches(spoilt)
    assert (found.start, found.stop, found.kind) == (300, len(walk), "flip")
    again, done = mended(spoilt)
    assert again is spoilt
    assert done == []


def test_frames_between_two_flips_are_wrong_and_left_out(walk):
    spoilt = bent(walk, "left_upper_arm", slice(90, 140), 150)
    (found,) = glitches(spoilt)
    assert (found.start, found.stop, found.kind) == (90, 140, "flip")
    assert np.flatnonzero(broken_frames(spoilt)).tolist() == list(range(90, 140))


@pytest.mark.parametrize(("degrees", "kinds"), [(20, ["step"]), (8, [])])
def test_a_lone_step_below_3600_degrees_per_second_is_found(degrees: float, kinds: list[str]) -> None:
    walk = samples.make("walk", seed=1, fps=120)  # 30 degrees in a frame are 3600 degrees per second
    assert [g.kind for g in glitches(bent(walk, "head", slice(200, None), degrees))] == kinds


def test_a_clip_may_end_in_a_quick_swing_as_it_has_others() -> None:
    """Steps of a dog's foreleg at 60 fps; a loop ends where the leg has just begun to swing."""
    walk = samples.make("walk", seed=1, fps=60)
    swing = np.array([2.5, 2.8, 18.4, 25.7, 25.6, 23.0, 17.1, 15.3, 3.8, 2.0])
    turned = np.cumsum(np.tile(np.concatenate([swing, -swing]), 20))[: 20 * 15 + 4]  # the last step is that of 25.7
    rotations = walk.rotations[: len(turned)].copy()
    rotations[:, walk.skeleton.joint("head")] = exp(np.radians(turned)[:, None] * [1.0, 0, 0])
    clip = Clip(walk.skeleton, walk.root[: len(turned)], rotations, walk.fps)
    assert glitches(clip) == []
    assert [g.kind for g in glitches(bent(clip, "head", slice(len(clip) - 1, None), 40))] == ["edge"]


@pytest.mark.parametrize("every", [1, 4])
def test_a_glitch_is_found_after_resampling_too(mocap, every: int) -> None:
    from motionloom.io import load

    clip = load(mocap / "cmu" / "16_15.bvh")[1:]
    clip = Clip(clip.skeleton, clip.root[::every], clip.rotations[::every], clip.fps / every)
    (found,) = [g for g in glitches(clip) if g.joint == clip.skeleton.joint("left_upper_arm")]
    assert (found.start, found.kind) == (0, "edge")


def test_a_slight_glitch_is_mended_before_learning_and_costs_no_frame() -> None:
    from motionloom.methods.prepare_clips import prepare

    walk = samples.make("walk", seed=1, fps=120)
    spoilt = bent(walk, "head", slice(200, 202), 12)
    assert len(glitches(spoilt)) == 1
    assert not broken_frames(spoilt).any()
    (clip,) = prepare([spoilt], 120).clips
    assert angle_between(clip.rotations, walk.rotations).max() < np.radians(1.0)


def test_a_long_burst_is_left_alone(walk):
    rotations = walk.rotations.copy()
    j = walk.skeleton.joint("head")
    rotations[100:130:2, j] = multiply(rotations[100:130:2, j], exp([2.0, 0, 0]))
    spoilt = replace(walk, rotations=rotations)
    assert mended(spoilt)[1] == []
    assert broken_frames(spoilt)[100:129].all()


def test_the_roots_place_can_jump_too(walk):
    root = walk.root.copy()
    root[200] += [0, 0, 0.5]
    (found,) = glitches(replace(walk, root=root))
    assert (found.joint, found.start, found.stop) == (-1, 200, 201)
    assert found.size == pytest.approx(0.5, abs=0.05)
    again, _ = mended(replace(walk, root=root))
    assert np.abs(again.root - walk.root).max() < 0.01


def test_real_captures_glitch_in_the_first_frames_after_the_t_pose(mocap):
    from motionloom.io import load

    clip = load(mocap / "cmu" / "16_23.bvh")[1:]
    found = [g for g in glitches(clip) if g.joint == clip.skeleton.joint("right_upper_arm")]
    # after the jump by 88 degrees in frame 3 the arm turns by 5 to 8 degrees a frame up to frame 7, then by 1 to 4
    assert [(g.start, g.stop, g.kind) for g in found] == [(0, 7, "edge")]
    assert np.degrees(found[0].size) > 60


def test_fast_punches_at_thirty_frames_per_second_are_no_glitches(mocap):
    from motionloom.io import load

    for name in ("dataset-1_punch_normal_001.bvh", "dataset-1_punch_normal_002.bvh"):
        assert not broken_frames(load(mocap / "bandai" / name)).any()


def test_pieces_without_broken_frames_keep_their_frame_numbers(walk):
    from motionloom.kinematics.capture.glitches import whole_pieces

    assert whole_pieces(walk) == [walk]
    spoilt = bent(bent(walk, "left_forearm", slice(100, 103), 80), "head", slice(110, 111), 80)
    first, second = whole_pieces(spoilt)  # the seven frames between the two are too short to be of use
    assert len(first) == 100
    assert len(second) == len(walk) - 111
    assert not second.origin.known or second.origin.main()[1][0] == 111
    assert whole_pieces(bent(walk, "left_toe", slice(100, 103), 80))[0].seconds == walk.seconds  # a toe is no reason


@pytest.mark.parametrize(("shake", "found"), [(0.5, 1), (4.0, 0)])
def test_a_spike_is_eight_times_off_what_is_usual_around_it(shake: float, found: int) -> None:
    """A head that shakes by 0.5 or 4 degrees is off the middle by 1 or 8; one frame of 15 more is a spike, or not.

    (25 degrees on a shake of 2, which was no spike, are a lone step now: 29 degrees in a frame among steps of 4.)
    """
    walk = samples.make("walk", seed=1, fps=120)
    head = walk.skeleton.joint("head")
    turn = np.radians(shake) * (-1.0) ** np.arange(len(walk))
    turn[200] += np.radians(15.0)
    rotations = walk.rotations.copy()
    rotations[:, head] = exp(turn[:, None] * [0, 1.0, 0])
    assert len([g for g in glitches(replace(walk, rotations=rotations)) if g.joint == head]) == found


@pytest.mark.parametrize(("metres", "kinds"), [(0.15, ["step"]), (0.09, [])])
def test_nobody_runs_faster_than_13_metres_a_second(metres: float, kinds: list[str]) -> None:
    walk = samples.make("walk", seed=1, fps=120)  # 18 and 11 m/s, and 1.3 of its own at most
    root = walk.root.copy()
    root[200:, 0] += metres
    assert [g.kind for g in glitches(replace(walk, root=root)) if g.joint == -1] == kinds


def test_a_loop_through_the_rest_pose_has_no_broken_frame():
    dog = samples.make("dog_walk", seconds=3, fps=30)
    phase = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(len(dog)) / 45)  # 0 in frames 0 and 45: the rest pose
    from_rest = log(dog.rotations[20])
    loop = replace(dog, rotations=exp(phase[:, None, None] * from_rest))
    assert not rest_frames(loop).any()
    assert not broken_frames(loop).any()
    jumping = loop.rotations.copy()
    jumping[70:72] = [1.0, 0, 0, 0]  # the same pose, from one frame to the next
    assert np.flatnonzero(rest_frames(replace(loop, rotations=jumping))).tolist() == [70, 71]


def test_a_paw_may_turn_quickly_where_it_lands_and_a_tail_costs_no_frames():
    dog = samples.make("dog_walk", seconds=2, fps=60)
    landing = bent(dog, "left_toe", slice(60, 66), 30)  # 1800 degrees per second, as captured dogs in a gallop
    assert glitches(landing) == []
    wild = bent(dog, "tail", slice(60, 63), 80)
    (found,) = glitches(wild)
    assert found.joint == dog.skeleton.joint("tail")
    assert not broken_frames(wild).any()
    assert angle_between(mended(wild)[0].rotations, dog.rotations).max() < np.radians(2)
