"""Feet of made motion: as they did where observed, and not through the floor."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from motionloom.core import Clip, replace
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import foot_parts, part_positions, with_contacts
from motionloom.kinematics.feet.grounding import (
    Footing,
    _pitch,
    contact_heights,
    footing_of,
    ground_root,
    ground_slips,
    joined_footing,
    lift_sunk_feet,
    low_contacts,
    match_foot_heights,
    part_places,
)
from motionloom.kinematics.feet.smoothing import away_from
from motionloom.kinematics.local_frames import Frames, observe
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import placed
from motionloom.rotation import angle_between, exp, multiply, rotate
from motionloom.samples import make


def feet_of(take):
    clip = with_contacts(take)
    on = np.stack([clip.label(p.label) for p in foot_parts(clip.skeleton)], 1)
    return clip, observe(clip), on, contact_heights([clip])


@pytest.fixture(scope="module")
def takes() -> list[Clip]:
    """Two dances and a walk."""
    chosen = (("dance", 0), ("dance", 1), ("walk", 2))
    return [resample(make(name, seconds=8, seed=seed), 30) for name, seed in chosen]


def test_slips_are_the_steps_of_foot_parts_over_the_ground(takes):
    clip, frames, _, _ = feet_of(takes[2])
    found = ground_slips(frames, part_places(frames, clip.skeleton), clip.fps)
    world = np.diff(part_positions(clip)[..., [0, 2]], axis=0)
    assert_allclose(np.linalg.norm(found[:-1], axis=-1), np.linalg.norm(world, axis=-1), atol=1e-9)


def test_frames_that_do_as_observed_stay_as_they_are(takes):
    clip, frames, on, heights = feet_of(takes[0])
    seen = footing_of(frames, on, clip.skeleton, heights, clip.fps)
    again = ground_root(frames, seen, clip.skeleton, heights, clip.fps)
    assert_allclose(again.root[:, :3], frames.root[:, :3], atol=1e-9)
    floor = again.root[:, 3] - frames.root[:, 3]
    assert np.ptp(floor) < 1e-9  # the floor of the take is put where the floor is


def test_a_root_that_slides_and_floats_is_put_back_over_its_feet(takes):
    clip, frames, on, heights = feet_of(takes[2])
    seen = footing_of(frames, on, clip.skeleton, heights, clip.fps)
    t = np.arange(len(frames)) / clip.fps
    root = frames.root.copy()
    root[:, 0] += 0.3
    root[:, 3] += 0.05 * np.sin(t)
    fixed = ground_root(Frames(frames.turns, root), seen, clip.skeleton, heights, clip.fps)
    plain = ground_root(frames, seen, clip.skeleton, heights, clip.fps)
    middle = slice(20, -20)  # the Gaussian has no neighbours at the ends
    assert np.abs(fixed.root[middle, 0] - plain.root[middle, 0]).max() < 0.05
    assert np.abs(fixed.root[middle, 3] - plain.root[middle, 3]).max() < 0.01


def test_without_contacts_nothing_is_grounded(takes):
    clip, frames, on, heights = feet_of(takes[0])
    none = Footing(np.zeros_like(on), np.zeros((*on.shape, 2)), np.zeros(on.shape))
    assert ground_root(frames, none, clip.skeleton, heights, clip.fps) is frames


def test_feet_that_sink_are_lifted_and_others_stay(takes):
    clip, _, _, heights = feet_of(takes[0])
    sunk = replace(clip, root=clip.root - [0.0, 0.04, 0.0])
    up = lift_sunk_feet(sunk, heights)
    deep = lambda c: float((heights - part_positions(c)[..., 1]).max())
    assert deep(sunk) > 0.03
    assert deep(up) < 0.02
    arms = [j for j, role in enumerate(clip.skeleton.roles) if "arm" in role or role in ("hips", "spine", "head")]
    assert_allclose(up.rotations[:, arms], sunk.rotations[:, arms], atol=0)
    assert_allclose(up.root, sunk.root, atol=0)
    high = replace(clip, root=clip.root + [0.0, 0.1, 0.0])
    assert_allclose(lift_sunk_feet(high, heights).rotations, high.rotations, atol=0)


def test_lifting_after_plants_are_pinned_moves_no_planted_foot(takes):
    clip, _, on, heights = feet_of(takes[0])
    sunk = replace(clip, root=clip.root - [0.0, 0.04, 0.0])
    up = part_positions(lift_sunk_feet(sunk, heights, standing=False)) - part_positions(sunk)
    for i, part in enumerate(foot_parts(clip.skeleton)):
        stands = clip.label(part.label)
        assert np.abs(up[stands, i]).max() < 1e-9
    assert up[..., 1].max() > 0.01  # others are lift_sunk_feet
    assert on.any()


def test_a_part_that_hangs_above_the_floor_has_no_contact(takes):
    clip, _, on, heights = feet_of(takes[0])
    assert (low_contacts(clip, on, heights) == on).mean() > 0.99
    high = replace(clip, root=clip.root + [0.0, 0.1, 0.0])
    assert not low_contacts(high, on, heights).any()


def test_footings_follow_each_other(takes):
    clip, frames, on, heights = feet_of(takes[0])
    seen = footing_of(frames, on, clip.skeleton, heights, clip.fps)
    parts = [seen.part(slice(a, b)) for a, b in ((0, 40), (40, len(on)))]
    for whole, part in zip(seen, joined_footing(parts), strict=True):
        assert_allclose(whole, part)


def test_where_a_body_stands_says_nothing_about_its_feet(takes):
    clip, frames, _, _ = feet_of(takes[1])
    other = observe(placed(clip, (3.0, -2.0), 1.2))
    assert_allclose(part_places(other, clip.skeleton), part_places(frames, clip.skeleton), atol=1e-9)


def heights_above(clip, heights):
    return part_positions(clip)[..., 1] - heights


def test_feet_that_are_as_high_as_observed_stay_as_they_are(takes):
    clip, _, _, heights = feet_of(takes[0])
    again = match_foot_heights(clip, heights_above(clip, heights), np.ones(len(clip)), heights)
    assert_allclose(again.rotations, clip.rotations, atol=1e-12)


def test_feet_of_bent_legs_are_as_high_and_as_level_as_observed_but_for_frames_that_must_stay(takes):
    clip, _, _, heights = feet_of(takes[2])
    wanted = heights_above(clip, heights)
    legs = [j for foot in feet(clip.skeleton) for j in (foot.thigh, foot.shin, foot.ankle)]
    rotations = clip.rotations.copy()
    rotations[:, legs] = multiply(rotations[:, legs], exp(np.random.default_rng(0).normal(size=(len(legs), 3)) * 0.06))
    bent = replace(clip, rotations=rotations, root=clip.root - [0.0, 0.03, 0.0])  # low enough for legs to reach
    loose = away_from(np.array([0, 30]), len(clip), 6)
    mended = match_foot_heights(bent, wanted, loose, heights)
    assert_allclose(mended.rotations[[0, 30]], bent.rotations[[0, 30]], atol=1e-12)
    now, was = heights_above(mended, heights), heights_above(bent, heights)
    for heel, toe in ((0, 1), (2, 3)):
        for of in (lambda h: h[:, [heel, toe]].min(1), lambda h: h[:, toe] - h[:, heel]):  # noqa: B023
            before, after = (np.abs(of(h) - of(wanted))[loose == 1] for h in (was, now))
            assert np.median(after) < 0.3 * np.median(before)
            assert np.quantile(after, 0.9) < 0.01  # heights are smoothed a little, so that knees do not snap


def test_a_foot_that_passes_through_straight_down_is_not_turned_about():
    """In a high swing toes point down, then back: ahead of the heel becomes behind it from one frame to the next."""
    down = np.radians(np.arange(0, 180, 3.0))
    foot = 0.2 * np.stack([np.zeros_like(down), -np.sin(down), np.cos(down)], 1)
    turn = _pitch(foot, np.full(len(foot), -0.05), np.ones(len(foot)))
    assert np.degrees(angle_between(turn[1:], turn[:-1])).max() < 6
    level = rotate(turn, foot)[down < np.radians(30)]
    assert_allclose(level[:, 1], -0.05, atol=0.003)  # near level it is pitched as asked, but for what is slight


def test_feet_of_a_dog_which_have_no_heels_are_as_high_as_observed():
    clip = with_contacts(resample(make("dog_walk", seconds=3), 30))
    heights = contact_heights([clip])
    wanted = heights_above(clip, heights)
    sway = 0.03 * np.sin(np.arange(len(clip)) / 5)
    lower = replace(clip, root=clip.root - (0.05 + sway[:, None]) * [0.0, 1.0, 0.0])
    mended = match_foot_heights(lower, wanted, np.ones(len(clip)), heights)
    off = [np.abs(heights_above(c, heights) - wanted) for c in (lower, mended)]
    assert np.isfinite(mended.rotations).all()
    assert np.median(off[0]) > 0.04
    assert np.quantile(off[1], 0.9) < 0.01


def test_legs_do_not_make_up_for_a_body_that_leaps_lower_than_observed(takes):
    """Feet that were 50 cm above the floor: legs that rose as far would fold through the hips."""
    clip, frames, _, heights = feet_of(takes[2])
    was = part_places(frames, clip.skeleton)[..., 1] - heights
    raised = match_foot_heights(clip, was + 0.5, np.ones(len(clip)), heights)
    rise = part_positions(raised)[..., 1] - part_positions(clip)[..., 1]
    assert 0.2 * leg_length(clip.skeleton) < rise.max() < 0.31 * leg_length(clip.skeleton)
    assert angle_between(raised.rotations[1:], raised.rotations[:-1]).max() < np.radians(20)
