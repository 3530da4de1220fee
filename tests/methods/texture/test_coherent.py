"""The improved variant: links, the cheapest way along them, seams, limbs, and keys that are met by `render`."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

from motionloom.constraints import Ground, Pace, Plant, PoseAlong, PoseAt, PositionAt, Request, RootAt, RootPath, Style
from motionloom.core import Clip, UnsupportedConstraint, replace, silent, with_labels
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import foot_parts, part_positions, runs, with_contacts
from motionloom.kinematics.fk import fk, world
from motionloom.kinematics.pace import pace
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel
from motionloom.methods import attempt, learn, synthesize
from motionloom.methods.synthesis import rendered
from motionloom.methods.texture.cells import unblended
from motionloom.methods.texture.closing import from_touch_down
from motionloom.methods.texture.coherent import links as links_module
from motionloom.methods.texture.coherent._kernels import cheapest_choices, follow
from motionloom.methods.texture.coherent.links import COUNT, EXACT_FRAMES, GAP, WINDOW, clip_ends, find_links
from motionloom.methods.texture.coherent.parts import body_parts, features, roughness
from motionloom.methods.texture.coherent.render import crossfaded
from motionloom.methods.texture.coherent.tremble import calmed, quick_turns, tops, turned_joints
from motionloom.methods.texture.coherent.wanted import style_prices
from motionloom.methods.texture.faithful.keys import read_keys
from motionloom.methods.texture.lead_into_keys import RISE_SPEED, with_keys
from motionloom.rotation import angle_between, from_axis_angle, multiply
from motionloom.samples import make


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return [make("walk", seed=1, seconds=4), make("walk", seed=2, speed=1.0, turn=0.2, seconds=4)]


@pytest.fixture(scope="module")
def model(clips):
    return learn("texture", clips)


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


def hard_keys(clips):
    held = clips[1]
    return {
        "pose": PoseAt(time=1.0, pose=held[40:41]),
        "arm": PoseAt(time="70f", pose=held[11:12], joints=("left_arm",)),
        "place and heading": RootAt(time=2.5, position=(0.3, 2.8), heading=0.2),
        "place": RootAt(time=1.5, position=(0.1, 1.6)),
        "heading": RootAt(time=3.0, heading=0.5),
        "height": RootAt(time=3.5, height=float(clips[0].root[:, 1].mean())),
        "legs": PoseAlong(clip=resample(held, 30.0)[20:50], span=("30f", "60f"), joints=("lower",)),
        "hand": PositionAt(joint="left_hand", time=1.0, target=(0.4, 1.1, 1.3)),
        "foot": Plant(joint="left_foot", span=(1.0, 1.2)),
        "path": RootPath(points=((0, 0), (0.4, 1.5), (0, 3)), tolerance=0.2),
    }


@pytest.mark.parametrize("variant", ["improved", "faithful"])
@pytest.mark.parametrize("name", [*hard_keys([make("walk", seconds=4)] * 2), "several"])
def test_hard_keys_are_in_the_cells_without_the_solver(model, clips, name, variant, without_solver):
    known = hard_keys(clips)
    keys = [known[k] for k in ("pose", "place and heading", "arm", "height")] if name == "several" else [known[name]]
    asked = Request(seconds=4, constraints=tuple(keys), options={"variant": variant})
    _, clip = rendered(model, asked, np.random.default_rng([2, 0]))
    for key in keys:
        assert key.worst(clip) <= (key.tolerance if isinstance(key, RootPath) else 1e-9)


def test_a_cell_with_a_hard_key_has_no_source(model, clips):
    key = PoseAt(time=1.0, pose=clips[1][40:41], joints=("left_arm",))
    plan, clip = rendered(model, Request(seconds=2, constraints=(key,)), np.random.default_rng([2, 0]))
    arm = key.target(clip.skeleton).joints
    assert (plan.source[30, arm] == -1).all()
    assert (plan.source[29, arm] >= 0).all()
    assert (clip.origin.which[30, arm] == -1).all()
    assert (clip.origin.which[30, 0] >= 0).any()


def test_cells_around_a_key_lead_into_it_and_others_stay(clips):
    walk = resample(clips[0], 30.0)
    frame = PoseAt(time="60f", pose=resample(clips[1], 30.0)[33:34])
    asked = Request(frames=len(walk), constraints=(frame, RootAt(time="60f", position=(0.2, 2.4), weight=1.0)))
    made = with_keys(walk, read_keys(asked, walk.skeleton, len(walk), 30.0), asked.constraints)
    assert frame.worst(made) < 1e-12
    half = (travel(walk).place[60] + (0.2, 2.4)) / 2  # a weight of 1 closes half of the gap
    np.testing.assert_allclose(travel(made).place[60], half, atol=1e-9)
    np.testing.assert_allclose(made.rotations[:48, 1:], walk.rotations[:48, 1:], atol=1e-12)
    np.testing.assert_allclose(made.rotations[73:, 1:], walk.rotations[73:, 1:], atol=1e-12)
    steps = [angle_between(c.rotations[1:, 1:], c.rotations[:-1, 1:]).max() for c in (made, walk)]
    assert steps[0] < 1.5 * steps[1]


def test_a_soft_key_pulls_the_more_the_heavier_it_is(model):
    gaps = []
    for weight in (0.0, 0.5, 4.0):
        key = RootAt(time=2.0, position=(0.5, 2.5), weight=weight)
        _, clip = rendered(model, Request(seconds=3, constraints=(key,)), np.random.default_rng([2, 0]))
        gaps.append(float(np.linalg.norm(travel(clip).place[60] - (0.5, 2.5))))
    assert gaps[2] < gaps[1] < gaps[0]


def test_a_hard_style_is_shown_throughout_and_an_unknown_one_refused(clips):
    first = with_labels(clips[0], {"straight": np.ones(len(clips[0]), bool)})
    model = learn("texture", [first, clips[1]])
    asked = Request(seconds=4, constraints=(Style(label="straight", span=(1.5, 4)),))
    clip = synthesize(model, asked, seed=3)
    assert clip.label("straight")[45:].all()
    with pytest.raises(UnsupportedConstraint, match="there is no label 'strait'; did you mean 'straight'"):
        synthesize(model, Request(seconds=2, constraints=(Style(label="strait"),)))


def test_arms_are_made_for_given_legs_and_a_clip_is_continued_at_both_ends(model, clips):
    legs = resample(clips[1], 30.0)[20:80]
    asked = PoseAlong(clip=legs, span=("30f", "90f"), joints=("lower",))
    _, clip = rendered(model, Request(seconds=4, constraints=(asked,)), np.random.default_rng([3, 0]))
    assert asked.worst(clip) < 1e-9
    steps, own = (np.linalg.norm(np.diff(travel(c).place, axis=0), axis=1) for c in (clip[30:89], legs[:59]))
    np.testing.assert_allclose(steps, own, atol=1e-9)  # the body travels as the legs do
    arm = clip.skeleton.joint("left_forearm")
    assert not np.array_equal(clip.rotations[30:90, arm], legs.rotations[:, arm])


def test_a_hand_passes_through_a_point(model):
    hand = PositionAt(joint="left_hand", time=1.0, target=(0.4, 1.1, 1.3))
    _, clip = rendered(model, Request(seconds=3, constraints=(hand,)), np.random.default_rng([4, 0]))
    assert hand.worst(clip) < 1e-9


def test_a_faithful_result_has_points_and_given_joints_too(model, clips):
    hand = PositionAt(joint="left_hand", time=0.5, target=(0.3, 1.0, 0.8))
    legs = PoseAlong(clip=resample(clips[0], 30.0)[:15], span=(1, 1.5), joints=("left_leg",))
    asked = Request(seconds=2, options={"variant": "faithful"}, constraints=(hand, legs))
    plan, clip = rendered(model, asked, np.random.default_rng([4, 0]))
    assert hand.worst(clip) < 1e-9
    assert legs.worst(clip) < 1e-9
    assert (plan.source[30:45, clip.skeleton.joint("left_foot")] == -1).all()
    assert len(plan.energy) == 1


def test_the_last_frame_of_a_loop_leads_on_to_its_first(model, clips):
    key = PoseAt(time=0.1, pose=clips[0][30:31], joints=("left_arm",))
    clip = synthesize(model, Request(seconds=2, options={"loop": True}, constraints=(key,)), seed=1)
    steps = angle_between(clip.rotations[1:, 1:], clip.rotations[:-1, 1:])
    seam = angle_between(clip.rotations[-1, 1:], clip.rotations[0, 1:])
    assert (seam <= 1.2 * steps.max(0) + 0.01).all()
    assert abs(clip.root[-1, 1] - clip.root[0, 1]) <= 1.2 * np.abs(np.diff(clip.root[:, 1])).max()
    assert key.met(clip)
    there = RootAt(time=1.0, position=(0.0, 1.0))
    with pytest.raises(UnsupportedConstraint, match="a loop repeats, and places in the world do not"):
        synthesize(model, Request(seconds=2, options={"loop": True}, constraints=(there,)))


def test_feet_stand_on_ground_with_heights(model):
    grid = np.array([(x, z, 0.1 * z) for x in (-3.0, 3.0) for z in (-2.0, 6.0)])
    clip = synthesize(model, Request(seconds=3, ground=Ground(grid)), seed=1)
    flat = synthesize(model, Request(seconds=3), seed=1)
    for i, part in enumerate(foot_parts(clip.skeleton)):
        over = part_positions(clip)[clip.label(part.label), i]
        usual = part_positions(flat)[flat.label(part.label), i, 1].mean()
        np.testing.assert_allclose(over[:, 1] - 0.1 * over[:, 2], usual, atol=0.02)


def test_a_hard_path_is_followed_by_render_itself(model):
    path = RootPath(points=((0, 0), (0.4, 1.5), (0, 3)))
    _, clip = rendered(model, Request(seconds=2.6, constraints=(path,)), np.random.default_rng([2, 0]))
    assert path.worst(clip) <= path.tolerance


def test_a_pace_is_kept_by_render_itself_and_approached_if_soft(model):
    free, hard, soft = (
        rendered(model, Request(seconds=4, constraints=asked), np.random.default_rng([2, 0]))[1]
        for asked in ((), (Pace(speed=1.2),), (Pace(speed=1.2, weight=1.0),))
    )
    asked = Pace(speed=1.2)
    assert asked.worst(hard) <= asked.tolerance
    assert abs(pace(soft).mean() - 1.2) < abs(pace(free).mean() - 1.2)
    with pytest.raises(UnsupportedConstraint, match="only over a span of time"):
        synthesize(model, Request(seconds=2, constraints=(Pace(speed=1.2, stretch=(0, 1)),)))


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


@pytest.mark.parametrize(
    "far", [RootAt(time=1.0, position=(50, 50)), PositionAt(time=1.0, joint="left_hand", target=(40, 1, 0))]
)
def test_a_key_that_no_motion_of_the_clips_can_reach_is_reported(model, far):
    found = attempt(model, Request(seconds=2, constraints=(far,)))
    assert not found.met
    assert "the hips would move at" in found.reason
    assert attempt(model, Request(seconds=2, constraints=(RootAt(time=1.0, position=(0.2, 1.4)),))).met


@pytest.mark.parametrize(
    "key",
    [
        "root_at: {time: 3, height: 0.8}",
        "plant: {joint: left_foot, span: [2.5, 3.5]}",
        "plant: {joint: right_foot, span: [1.0, 1.6]}",
    ],
)
def test_keys_of_height_and_plants_leave_feet_above_the_floor_and_hips_calm(model, key):
    def lowest(clip):
        return fk(clip)[:, [j for foot in feet(clip.skeleton) for j in (foot.ankle, foot.toe)], 1].min()

    def hip_speed(clip):
        return np.abs(np.diff(clip.root[:, 1])).max() * clip.fps

    for seed in range(2):
        made = synthesize(model, Request.from_yaml(f"{{seconds: 5, constraints: [{{{key}}}]}}"), seed=seed)
        assert lowest(made) > min(map(lowest, model.clips)) - 0.002
        assert hip_speed(made) < max(map(hip_speed, model.clips)) + RISE_SPEED


def test_a_plant_begins_at_touch_down_and_ends_when_the_heel_rises(model):
    """A foot that stands already is not moved to where it is planted."""
    clip = model.clips[0]
    a, b = next(run for run in runs(clip.label("contact:left_heel")) if run[0] > 0)
    asked = Plant(joint="left_foot", span=(f"{a + 2}f", f"{b - 2}f")), Plant(joint="left_hand", span=("3f", "5f"))
    foot, hand = from_touch_down(clip, asked)
    assert (foot.frames(len(clip), 30.0), hand.frames(len(clip), 30.0)) == (range(a, b), range(3, 5))
    longer = Plant(joint="left_foot", span=(f"{a + 2}f", f"{b + 3}f"))
    assert from_touch_down(clip, [longer])[0].frames(len(clip), 30.0) == range(a, b + 3)


def test_poses_of_arms_far_from_the_examples_are_met(model, clips):
    turned = multiply(clips[0].rotations[0], from_axis_angle([0, 0, 1.0], 2.8))
    pose = replace(clips[0][:1], rotations=turned[None])
    key = PoseAt(time=1.5, pose=pose, joints=("left_arm",))
    assert min(angle_between(c.rotations[:, c.skeleton.joint("left_upper_arm")], turned[
        c.skeleton.joint("left_upper_arm")]).min() for c in model.clips) > 1.5  # fmt: skip
    for made in (rendered(model, Request(seconds=3, constraints=(key,)), np.random.default_rng(0))[1],
                 synthesize(model, Request(seconds=3, constraints=(key,)))):  # fmt: skip
        assert key.worst(made) < 1e-9


def test_a_given_clip_that_is_faster_than_the_examples_is_shown(model):
    fast = resample(make("walk", seed=5, speed=2.2, seconds=2), 30.0)
    assert np.median(pace(fast)) > 1.3 * max(np.median(pace(c)) for c in model.clips)
    along = PoseAlong(clip=fast, span=("20f", f"{20 + len(fast)}f"))
    made = synthesize(model, Request(seconds=4, constraints=(along,)))
    assert along.worst(made) < 1e-9


def test_a_label_with_a_colon_is_a_style(clips):
    happy = [np.arange(len(clip)) < 70 for clip in clips]
    model = learn("texture", [with_labels(c, {"mood:happy": h}) for c, h in zip(clips, happy, strict=True)])
    assert model.styles == ("mood:happy", "walk")
    made = synthesize(model, Request.from_yaml("{seconds: 2, constraints: [{style: {label: 'mood:happy'}}]}"))
    assert made.label("mood:happy").all()


@pytest.mark.parametrize("other", ["-180deg", "540deg"])
def test_equal_headings_are_one_hard_value(clips, other):
    keys = f"[{{root_at: {{time: 1, heading: 180deg}}}}, {{root_at: {{time: 1, heading: {other}}}}}]"
    request = Request.from_yaml(f"{{seconds: 2, constraints: {keys}}}")
    assert read_keys(request, clips[0].skeleton, 60, 30.0).root_weights[30, 2] == np.inf


def test_points_and_plants_are_key_cells_and_keys_do_not_count_as_mixed(model):
    hand = PositionAt(joint="left_hand", time=1.0, target=(0.4, 1.2, 1.0))
    request = Request(seconds=2, constraints=(hand, Plant(joint="left_foot", span=(0.5, 1.0))))
    plan = model.plan(request, np.random.default_rng(0))
    keys = plan.key_cells(request.constraints, model.skeleton, model.fps)
    assert keys[30, model.skeleton.joint("left_hand")]
    assert keys[15:30, model.skeleton.joint("left_foot")].all()
    source = np.repeat(np.arange(4)[:, None], 3, 1)
    source[1, 2] = -1
    assert plan._replace(source=source).mixed == 0.0
