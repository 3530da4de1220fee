"""The improved variant: keys and other constraints of requests are met by `render` itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from motionloom.constraints import (
    Ground,
    Pace,
    Plant,
    PoseAlong,
    PoseAt,
    PositionAt,
    Request,
    RootAt,
    RootPath,
    Start,
    Style,
)
from motionloom.core import BadRequest, UnsupportedConstraint, replace, with_labels
from motionloom.io import load
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.feet.contacts import contacts, foot_parts, part_positions, runs
from motionloom.kinematics.feet.skate_measures import planted_speed
from motionloom.kinematics.fk import fk
from motionloom.kinematics.pace import pace, step_speed
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import travel
from motionloom.methods import attempt, learn, synthesize
from motionloom.methods.synthesis import rendered
from motionloom.methods.texture.correct_path_and_pace import from_touch_down
from motionloom.methods.texture.faithful.keys import read_keys
from motionloom.methods.texture.lead_into_keys import RISE_SPEED, with_keys
from motionloom.rotation import angle_between, from_axis_angle, multiply
from motionloom.samples import make


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
    other = with_labels(clips[1], {"turning": np.ones(len(clips[1]), bool)})
    below, above = Style(label="straight", joints=("lower",)), Style(label="turning", joints=("upper",))
    both, asked = learn("texture", [first, other]), Request(seconds=2, constraints=(below, above))
    with pytest.raises(BadRequest, match="'turning' at once, and hips, legs and trunk come from one frame"):
        synthesize(both, asked)
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


@pytest.mark.parametrize(
    "beside",
    [
        RootAt(time=3.0, position=(-0.3, 3.4)),
        RootAt(time=3.0, position=(-0.3, 3.4), weight=200.0),
        RootAt(time=3.0, heading=0.3),
        RootAt(time=2.0, position=(0.0, 1.8), weight=1e-6),
        RootPath(points=((0, 0), (0.4, 4)), tolerance=0.3),
    ],
    ids=str,
)
@pytest.mark.parametrize("weight", [None, 50.0], ids=["hard point", "soft point"])
def test_a_point_far_from_the_path_leaves_the_other_keys_where_they_are(model, beside, weight):
    hand = PositionAt(joint="left_hand", time=2.0, target=(1.1, 1.2, 2.2), weight=weight)
    _, clip = rendered(model, Request(seconds=4, constraints=(beside, hand)), np.random.default_rng([4, 0]))
    assert hand.worst(clip) < (1e-9 if weight is None else 0.03)
    if beside.weight is None or beside.weight > 1:
        assert beside.worst(clip) <= beside.limit


def test_a_soft_path_is_left_for_a_point_only_near_it(model):
    path = RootPath(points=((0, 0), (0, 5)), weight=20.0)
    hand = PositionAt(joint="left_hand", time=2.0, target=(1.2, 1.2, 2.2))
    _, clip = rendered(model, Request(seconds=5, constraints=(path, hand)), np.random.default_rng([4, 0]))
    aside = np.abs(travel(clip).place[:, 0])
    assert hand.worst(clip) < 1e-9
    assert aside[60] > 0.4
    assert aside[110:].max() < 0.2


def test_a_given_heading_at_the_start_of_a_path_turns_the_body_and_not_the_path(model):
    path = RootPath(points=((0, 0), (0, 3)))
    asked = Request(seconds=3, start=Start(heading=0.7), constraints=(path,))
    _, clip = rendered(model, asked, np.random.default_rng([2, 0]))
    assert path.worst(clip) <= path.tolerance
    assert abs(travel(clip).heading[0] - 0.7) < 1e-9


def test_a_far_point_is_reached_as_calmly_as_the_examples_move(model):
    def acceleration(clip):
        hand = fk(clip)[:, clip.skeleton.joint("left_hand")]
        return np.linalg.norm(np.diff(hand, 2, axis=0), axis=1).max() * clip.fps**2

    _, free = rendered(model, Request(seconds=4), np.random.default_rng([4, 0]))
    x, y, z = fk(free)[60, free.skeleton.joint("left_hand")].tolist()
    hand = PositionAt(joint="left_hand", time=2.0, target=(x, y + 0.7, z + 0.2))
    _, clip = rendered(model, Request(seconds=4, constraints=(hand,)), np.random.default_rng([4, 0]))
    assert hand.worst(clip) < 1e-9
    assert acceleration(clip) < 1.2 * max(map(acceleration, model.clips))


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


@pytest.mark.parametrize("seconds", [1.5, 1.8, 2.6, 3.1])
def test_whole_strides_fill_a_loop_of_any_length(model, seconds):
    def steps(clip, rounds):
        """Seconds from each touch-down to the next one of the other foot."""
        down = [(at, foot) for foot in ("left", "right") for at, _ in runs(np.tile(stands(clip, foot), rounds)) if at]
        down.sort()
        return [(b[0] - a[0]) / clip.fps for a, b in itertools.pairwise(down) if a[1] != b[1]]

    def stands(clip, foot):
        return np.any([clip.label(p.label) for p in foot_parts(clip.skeleton) if p.foot.name.startswith(foot)], axis=0)

    usual = [step for clip in model.clips for step in steps(clip, 1)]
    for seed in (1, 2):
        clip = synthesize(model, Request(seconds=seconds, options={"loop": True}), seed=seed)
        assert len(clip) == round(seconds * 30)
        rate = [float(n.text.split()[3]) for n in clip.origin.notes if n.text.startswith("steps are played")] or [1.0]
        even = np.array(steps(clip, 3)) * rate[0]  # as fast as they were captured
        assert even.min() > min(usual) - 0.12
        assert even.max() < max(usual) + 0.12


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


@pytest.mark.parametrize(
    "far", [RootAt(time=1.0, position=(50, 50)), PositionAt(time=1.0, joint="left_hand", target=(40, 1, 0))]
)
def test_a_key_that_no_motion_of_the_clips_can_reach_is_reported(model, far):
    found = attempt(model, Request(seconds=2, constraints=(far,)))
    assert not found.met
    assert "the hips would move at" in found.reason
    assert not any(row.met for row in found.residuals)
    assert attempt(model, Request(seconds=2, constraints=(RootAt(time=1.0, position=(0.2, 1.4)),))).met


def test_keys_that_make_the_body_faster_than_the_clips_give_a_warning(model):
    def warnings(key):
        clip = synthesize(model, Request(seconds=3, constraints=(key,)))
        return [note.text for note in clip.origin.notes if note.level == "warning"]

    assert warnings(RootAt(time=2.0, position=(0.2, 2.6))) == []
    fast = warnings(RootAt(time=2.0, position=(0.0, 4.0)))
    assert len(fast) == 1
    assert "the hips move at" in fast[0]


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


def test_hips_that_follow_pinned_feet_stay_within_the_speeds_of_the_clips(mocap):
    """Keys of 35_07 on the way of other walks."""
    held = resample(load(mocap / "cmu" / "35_07.bvh"), 30.0)[1:]
    model = learn("texture", [load(mocap / "cmu" / f"35_0{n}.bvh") for n in (1, 2, 4, 5)])
    path, frames = travel(held), (0, len(held) // 2, len(held) - 1)
    keys = [RootAt(time=f"{f}f", position=tuple(path.place[f]), heading=float(path.heading[f])) for f in frames]
    request = Request(frames=len(held), constraints=tuple(keys))

    def fastest(clip):
        return step_speed(clip, 0.25).max()

    top = max(map(fastest, model.clips))
    made = synthesize(model, request, seed=2)
    assert fastest(made) < 1.0005 * top
    assert max(key.worst(made) for key in keys) < 1e-9
    assert planted_speed(made, contacts(made)) < 0.01
