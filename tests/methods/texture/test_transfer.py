"""Motion transfer: a is to a' as b is to the result."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, SkeletonMismatch
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.fk import fk
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel
from motionloom.methods.texture.transfer_by_analogy import corresponding, transfer
from motionloom.rotation import rotate, yaw
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk() -> Clip:
    return resample(make("walk", seconds=4, seed=1), 30.0)


def test_frames_belong_together_where_the_feet_do_the_same(walk):
    at = np.linspace(0, 1, len(walk)) ** 1.2 * (len(walk) - 1)
    frames = np.round(at).astype(int)
    warped = Clip(walk.skeleton, walk.root[frames], walk.rotations[frames], walk.fps)
    assert np.abs(corresponding(warped, walk) - frames).max() <= 3


def test_a_clip_is_to_itself_as_another_is_to_itself(walk):
    found = transfer(walk, walk, walk, seed=1)
    assert len(found.clip) == len(walk)
    assert found.rate == pytest.approx(1.0, abs=0.05)
    assert (np.abs(found.moments - np.arange(len(walk))) <= 2).all()
    free = transfer(walk, walk, walk, seed=1, weight=0.0)
    assert found.gap < 0.5 * free.gap


def test_a_quick_person_makes_a_quick_dog(walk):
    dog, quick = make("dog_walk", seconds=4), make("walk", seconds=4, speed=1.9, seed=2)
    found, slow = (transfer(walk, dog, other, seed=1) for other in (quick, walk))
    assert found.clip.skeleton.names == dog.skeleton.names
    assert found.rate > 1.1 * slow.rate


def test_clips_without_a_whole_step_cycle_are_not_played_faster(walk):
    slow = make("walk", seconds=4, speed=0.8, seed=3)
    assert transfer(walk, slow, walk[:12]).rate == 1.0 != transfer(walk, slow, walk).rate


@pytest.mark.parametrize("body", ["walk", "dog_walk"])
def test_the_result_steps_as_the_third_clip_does(walk, body):
    """The correlation of how far the left foot is ahead of the right one, hind feet of a dog; less without the term."""

    def ahead(clip):
        legs = {foot.name: foot.ankle for foot in feet(clip.skeleton)}
        across = fk(clip)[:, legs["left_foot"]] - fk(clip)[:, legs["right_foot"]]
        return rotate(yaw(-travel(clip).heading), across)[:, 2]

    styled, quick = make(body, seconds=4, speed=0.9, seed=2), make("walk", seconds=4, speed=1.9, seed=3)
    wanted = ahead(resample(quick, 30.0))
    found, free = (
        [np.corrcoef(ahead(transfer(walk, styled, quick, seed=seed, weight=w).clip), wanted)[0, 1]
         for seed in range(2)] for w in (0.5, 0.0)
    )  # fmt: skip
    assert min(found) > 0.8
    assert min(found) > min(free) + 0.1


def test_what_cannot_be_compared_is_an_error(walk):
    dog, stroke = make("dog_walk", seconds=2), make("stroke")
    with pytest.raises(SkeletonMismatch, match="a and b need one skeleton"):
        transfer(walk, walk, dog)
    with pytest.raises(BadRequest, match="no foot in common"):
        corresponding(walk, stroke)


def test_clips_of_one_frame_are_an_error(walk):
    for clips in ((walk[:1], walk, walk), (walk, walk[:2], walk), (walk, walk, walk[:1])):
        with pytest.raises(BadRequest, match="at least 3 frames"):
            transfer(*clips)
