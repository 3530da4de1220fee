"""The improved variant: links, the cheapest way along them, seams, and limbs."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from motionloom.constraints import Request, Style
from motionloom.core import replace, silent
from motionloom.kinematics.feet.contacts import with_contacts
from motionloom.kinematics.fk import fk, world
from motionloom.kinematics.resample import resample
from motionloom.methods import synthesize
from motionloom.methods.texture.cells import unblended
from motionloom.methods.texture.coherent import links as links_module
from motionloom.methods.texture.coherent._kernels import cheapest_choices, follow
from motionloom.methods.texture.coherent.frame_prices import style_prices
from motionloom.methods.texture.coherent.links import COUNT, EXACT_FRAMES, GAP, WINDOW, clip_ends, find_links
from motionloom.methods.texture.coherent.parts import body_parts, features, roughness
from motionloom.methods.texture.coherent.render import crossfaded
from motionloom.methods.texture.coherent.tremble import calmed, quick_turns, tops, turned_joints
from motionloom.rotation import angle_between, from_axis_angle, multiply
from motionloom.samples import make


@pytest.mark.parametrize("exact_frames", [EXACT_FRAMES, 0], ids=["exhaustive", "as in long material"])
def test_links_are_the_most_similar_frames_found_by_comparing_all(rng, monkeypatch, exact_frames):
    """In long material the candidates are similar frames; of so few frames, all of them are."""
    monkeypatch.setattr(links_module, "EXACT_FRAMES", exact_frames)
    rows, fps = rng.normal(size=(60, 3)).cumsum(0) * 0.1, 10.0
    ends, groups = clip_ends([35, 25]), np.ones((1, 60), bool)
    found = find_links(rows, ends, fps, groups, silent())
    deviation = WINDOW * fps
    half, gap = round(2 * deviation), round(GAP * fps)

    def cost(j, b):
        m = [
            m
            for m in range(-half, half + 1)
            if ends.first[j] <= j + m <= ends.last[j] and ends.first[b] <= b + m <= ends.last[b]
        ]
        w = np.exp(-0.5 * (np.array(m) / deviation) ** 2)
        return float((w * [((rows[j + k] - rows[b + k]) ** 2).sum() for k in m]).sum() / w.sum())

    for j in (0, 17, 34, 35, 59):
        all_costs = np.array([cost(j, b) for b in range(60)])
        allowed = []
        for b in range(60):
            far = ends.first[b] != ends.first[j] or abs(b - j) >= gap
            lowest = all(all_costs[c] >= all_costs[b] for c in (b - 1, b + 1) if ends.first[b] <= c < ends.last[b])
            if b != ends.last[b] and far and lowest:
                allowed.append(b)
        best = sorted(allowed, key=lambda b: all_costs[b])[:COUNT]
        own = found.frames[j][found.frames[j] >= 0]
        assert own.tolist() == best
        np.testing.assert_allclose(found.costs[j, : len(own)], all_costs[best], rtol=1e-4)


def test_long_material_has_nearly_the_links_of_short_material(clips, monkeypatch):
    """Only similar frames are compared: hardly a best link is missed, and those to a label lead there."""
    whole = [with_contacts(clip) for clip in clips]
    rows, ends = features(whole, body_parts(whole[0].skeleton)), clip_ends([len(c) for c in whole])
    groups = np.stack([np.ones(len(rows[0]), bool), np.arange(len(rows[0])) > 300])
    for x in rows[:2]:
        exact = find_links(x, ends, whole[0].fps, groups, silent())
        with monkeypatch.context() as patch:
            patch.setattr(links_module, "EXACT_FRAMES", 0)
            patch.setattr(links_module, "CANDIDATES", 48)
            quick = find_links(x, ends, whole[0].fps, groups, silent())
        for best in (0, COUNT):
            same = (exact.frames[:, best] == quick.frames[:, best]) | (
                quick.costs[:, best] < 1.01 * exact.costs[:, best]
            )
            assert same.mean() > 0.97
        into = quick.frames[:, COUNT:]
        assert (into[into >= 0] + 1 > 300).all()
        assert (quick.costs[quick.frames >= 0] >= 0).all()


def test_the_way_along_links_is_the_cheapest_of_all(rng):
    frames, count = 6, 7
    ends = clip_ends([4, 3])
    goes_on = np.arange(count) != ends.last
    links = np.array([[b, (b + 3) % 6 if (b + 3) % 6 != 3 else -1] for b in (4, 5, 0, 1, 2, 0, 1)])
    costs = rng.uniform(0.1, 1, size=links.shape).astype(np.float32)
    prices = rng.uniform(0, 0.5, size=(frames, count)).astype(np.float32)
    usage = np.zeros(count, np.float32)
    last = np.array([False, False, True, False, False, True])
    closed = np.array([True, False, False, True, False, False])
    stay, extra = np.float32(0.4), np.float32(0.3)

    def price(start, moves):
        j, state, total = start, 0, 0.0
        for t, move in enumerate(moves):
            total += prices[t, j]
            if t < frames - 1:
                if move == 0:
                    if not goes_on[j]:
                        return np.inf
                    j += 1
                else:
                    if links[j, move - 1] < 0:
                        return np.inf
                    total += costs[j, move - 1] + (extra if state or closed[t] else 0)
                    j, state = links[j, move - 1] + 1, 1
            if last[t]:
                total += stay if state == 0 else 0
                state = 0
        return total

    choices, values = np.empty((frames, count, 2), np.uint8), np.empty((2, count), np.float32)
    cheapest_choices(
        prices, usage, goes_on, links, costs, last, closed, stay, extra, choices, values, np.zeros(1, np.uint8)
    )
    for start in range(count):
        best = min(price(start, (*moves, 0)) for moves in product(range(3), repeat=frames - 1))
        assert values[0, start] == pytest.approx(best, rel=1e-5)
    out = np.empty(frames, np.int64)
    assert follow(choices, links, last, int(values[0].argmin()), 0, out) >= 0
    assert all(b == a + 1 or b - 1 in links[a] for a, b in pairwise(out))


def test_a_seam_is_crossfaded_also_at_the_ends_of_clips():
    ends = clip_ends([20, 20])
    track = crossfaded(np.array([3, 4, 5, 6, 25, 26, 27, 28]), ends, 2)
    assert track.share[[0, 1, 6, 7]].tolist() == [0, 0, 0, 0]
    assert track.main.tolist() == [3, 4, 5, 6, 25, 26, 27, 28]
    assert track.other[2:6].tolist() == [23, 24, 7, 8]
    assert 0 < track.share[2] < track.share[3] < 0.5
    end = crossfaded(np.array([16, 17, 18, 19, 21, 22, 23, 24]), ends, 2)  # nothing follows 19, and 20 is the first
    assert end.other[2:6].tolist() == [20, 20, 19, 19]
    assert 0 < end.share[2] < end.share[3] < 0.5


def test_parts_share_no_joint_and_the_first_one_has_root_and_legs(clips):
    skeleton = clips[0].skeleton
    parts = body_parts(skeleton)
    assert sorted(j for part in parts for j in part.joints) == list(range(len(skeleton)))
    assert {"hips", "left_foot", "right_foot", "spine"} <= {skeleton.roles[j] for j in parts[0].joints}
    assert [part.name for part in parts[1:]] == ["left_arm", "right_arm", "head"]
    dog = make("dog_walk", seconds=1).skeleton
    assert {part.name for part in body_parts(dog)} == {"legs", "head", "tail"}


def test_limbs_come_from_other_frames_than_the_legs(model):
    clip = synthesize(model, Request(seconds=6), seed=2)
    legs, arm = (clip.skeleton.joint(name) for name in ("left_foot", "left_hand"))
    assert clip.origin.parts == clip.skeleton.names
    same = clip.origin.which[:, legs, 0] == clip.origin.which[:, arm, 0]
    same &= clip.origin.frames[:, legs, 0] == clip.origin.frames[:, arm, 0]
    assert same.mean() < 0.8


def test_the_plan_names_clip_and_frame_of_every_cell(model):
    plan = model.plan(Request(seconds=2), np.random.default_rng([1, 0]))
    which, frames = plan.clip_frames
    assert which.shape == frames.shape == (60, len(model.skeleton))
    assert set(np.unique(which)) <= {0, 1}
    assert frames.max() < 120
    assert plan.energy == ()


def test_a_soft_style_counts_for_a_part_as_much_as_for_its_joints(clips):
    legs, arm, *_ = body_parts(clips[0].skeleton)

    def price(part, **given):
        return style_prices([Style(label="none", weight=1.0, **given)], clips, part, 30)[0].costs.max()

    assert price(legs, joints=(("left_arm", 0.5),)) == 0
    assert price(arm, joints=(("left_arm", 0.5),)) == pytest.approx(0.5 * price(arm))


def test_frames_in_which_a_part_trembles_are_found(clips):
    arm = body_parts(clips[0].skeleton)[1]
    turns = clips[0].rotations.copy()
    turns[50, arm.joints[1]] = multiply(turns[50, arm.joints[1]], from_axis_angle([1.0, 0, 0], 0.5))
    found = roughness([replace(clips[0], rotations=turns), clips[1]], arm)
    assert set(np.argsort(found)[-3:]) == {49, 50, 51}
    assert found[49:52].min() > 2 * roughness(clips, arm).max()


def test_a_limb_does_not_inherit_the_trembling_of_another_trunk(clips):
    """A trunk trembles by 1 degree and its arms make up for it; arms of calm frames stay calm on it."""
    walk = resample(clips[0], 30.0)
    parts = body_parts(walk.skeleton)
    trunk = int(walk.skeleton.parents[tops(parts[1], walk.skeleton)[0]])
    noise = np.radians(1.0) * np.where(np.arange(len(walk)) % 2, 1.0, -1.0)
    turns = walk.rotations.copy()
    turns[:, trunk] = multiply(turns[:, trunk], from_axis_angle([1.0, 0, 0], noise))
    for j in walk.skeleton.children(trunk):
        turns[:, j] = multiply(from_axis_angle([1.0, 0, 0], -noise), turns[:, j])
    rough = replace(walk, rotations=turns)
    quick, n = quick_turns([walk, rough], parts), len(walk)
    frames = np.arange(n)
    tracks = [unblended(frames + n), *[unblended(frames)] * (len(parts) - 1)]  # limbs of the calm clip
    mixed = np.where(np.isin(np.arange(len(walk.skeleton)), parts[0].joints)[:, None], turns, walk.rotations)
    calm = calmed(mixed, tracks, parts, quick, walk.skeleton)
    hand, inner = walk.skeleton.joint("left_hand"), slice(5, -5)
    shaken, made, own = (
        np.linalg.norm(np.diff(fk(replace(walk, rotations=q))[inner, hand], 3, axis=0), axis=1).mean()
        for q in (mixed, calm, walk.rotations)
    )
    assert shaken > 3 * own
    assert made < own + 0.3 * (shaken - own)
    same = calmed(turns, [unblended(frames + n)] * len(parts), parts, quick, walk.skeleton)
    np.testing.assert_allclose(same, turns, atol=1e-12)


def test_a_collar_bone_that_never_turns_in_the_clips_never_turns_in_a_result(clips):
    """The joint below it bears the correction, and the hand is where it was with the collar bone turned."""
    walk = resample(clips[0], 30.0)
    skeleton, parts = walk.skeleton, body_parts(walk.skeleton)
    still = tops(parts[1], skeleton)[0]
    turns = walk.rotations.copy()
    turns[:, still] = turns[0, still]
    walk = replace(walk, rotations=turns)
    (arm,) = turned_joints([walk], parts[1])
    assert skeleton.parents[arm] == still
    quick, frames = quick_turns([walk], parts), np.arange(len(walk))
    tracks = [unblended(frames), *[unblended(frames[::-1])] * (len(parts) - 1)]
    calm = calmed(turns, tracks, parts, quick, skeleton)
    np.testing.assert_array_equal(calm[:, still], turns[:, still])
    moved = quick | {still: quick[arm]}
    del moved[arm]
    turned = calmed(turns, tracks, parts, moved, skeleton)
    hands = [world(skeleton, walk.root, q)[1][:, arm] for q in (calm, turned)]
    np.testing.assert_allclose(angle_between(*hands), 0.0, atol=1e-6)
    assert angle_between(calm[:, arm], turns[:, arm]).max() > 1e-4
