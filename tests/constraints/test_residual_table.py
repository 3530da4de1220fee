"""Each residual against a value worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from motionloom.constraints import (
    Avoid,
    LookAt,
    Pace,
    Parameters,
    Plant,
    PoseAt,
    PositionAt,
    Reach,
    Request,
    RootAt,
    RootPath,
    Style,
    StyleAlong,
    check,
    gaze,
    residuals,
    solve,
    tilt_between,
    walked,
)
from motionloom.constraints.path_error import along_path, leg_deviations
from motionloom.core import BadRequest, Clip, Skeleton, SkeletonMismatch, UnknownJoint, Unmet, replace
from motionloom.io import load
from motionloom.kinematics.fk import fk, fk_rotations, local_rotations
from motionloom.kinematics.travel import turned
from motionloom.rotation import angle_between, between, from_axis_angle, inverse, multiply, rotate, yaw


def with_joint(clip, name, turn, frames=slice(None)):
    """The clip with one joint's local rotation multiplied from the right."""
    rotations = clip.rotations.copy()
    joint = clip.skeleton.joint(name)
    rotations[frames, joint] = multiply(rotations[frames, joint], turn)
    return replace(clip, rotations=rotations)


# pose_at


def test_a_frame_keeps_its_own_pose(stroll):
    assert PoseAt(time=1.2, pose=stroll[12:13]).worst(stroll) == 0


def test_a_pose_is_measured_in_radians_per_joint_and_metres_of_height(stroll):
    asked = PoseAt(time=0, pose=stroll[0:1])
    bent = with_joint(stroll, "left_forearm", from_axis_angle([0, 0, 1.0], 0.3))
    low = replace(bent, root=bent.root - [0, 0.1, 0])
    expected = np.zeros(len(stroll.skeleton) + 1)
    expected[stroll.skeleton.joint("left_forearm")] = 0.3
    expected[-1] = -0.1
    np.testing.assert_allclose(asked.residual(low), expected, atol=1e-12)


def test_a_pose_never_fixes_place_or_heading(stroll):
    asked = PoseAt(time=0, pose=stroll[0:1])
    elsewhere = turned(stroll, 2.1, about=(3, -1))
    assert asked.worst(elsewhere) < 1e-12


def test_a_pose_fixes_the_tilt_of_the_root(stroll):
    tilted = with_joint(stroll, "hips", from_axis_angle([1.0, 0, 0], 0.25))
    assert PoseAt(time=0, pose=stroll[0:1]).worst(turned(tilted, 1.0)) == pytest.approx(0.25)


def test_joints_choose_what_a_pose_fixes(stroll):
    tilted = with_joint(stroll, "hips", from_axis_angle([1.0, 0, 0], 0.25))
    upper = PoseAt(time=0, pose=stroll[0:1], joints=("upper",))
    assert upper.worst(tilted) == 0
    arms = PoseAt(time=0, pose=stroll[0:1], joints=("left_arm", "right_hand"))
    assert len(arms.residual(stroll)) == 4


def test_given_rotations_are_local_euler_angles(stand):
    asked = PoseAt(time="end", rotations={"LeftForeArm": {"order": "zyx", "angles": (0.0, 0.0, math.pi / 2)}})
    turn = angle_between(
        stand.rotations[-1, stand.skeleton.joint("left_forearm")], from_axis_angle([1, 0, 0], np.pi / 2)
    )
    np.testing.assert_allclose(asked.residual(stand), [turn])


def test_a_pose_of_another_hierarchy_is_refused(stand, tiny):
    with pytest.raises(SkeletonMismatch, match="the result"):
        PoseAt(time=0, pose=tiny[0:1]).residual(stand)


def test_a_pose_of_a_taller_body_counts_in_leg_lengths(stand):
    s = stand.skeleton
    tall = Skeleton(s.names, s.parents, s.offsets * 1.5, s.roles)
    pose = Clip(tall, stand.root[:1] * 1.5, stand.rotations[:1], 10)
    assert PoseAt(time=0, pose=pose).worst(stand) < 1e-12


def test_a_pose_that_was_never_loaded_says_so(stand):
    with pytest.raises(BadRequest, match=r"walk.bvh#3 has not been loaded"):
        PoseAt(time=0, pose="walk.bvh#3").residual(stand)


def test_the_tilt_between_rotations_is_the_least_angle_over_headings(rng):
    a, b = rng.normal(size=(2, 4))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    turns = np.linspace(-np.pi, np.pi, 200_001)
    slow = angle_between(multiply(yaw(turns), a), b).min()
    assert tilt_between(a, b) == pytest.approx(slow, abs=1e-8)


# position_at, plant


def test_a_position_is_the_distance_in_metres(stand):
    hand = np.array([0.18 + 0.28, 0.9 + 0.12 + 0.35, 0]) + 0.26 * np.array([math.cos(0.6), 0, math.sin(0.6)])
    assert PositionAt(joint="left_hand", time=1, target=hand).worst(stand) < 1e-9
    away = PositionAt(joint="left_hand", time=1, target=hand + [0.03, 0, 0.04])
    np.testing.assert_allclose(away.residual(stand), [0.05])
    assert not away.met(stand)
    assert PositionAt(joint="LeftHand", time=1, target=hand + [0.03, 0, 0.04], tolerance=0.051).met(stand)


def test_an_unknown_joint_is_named_with_near_ones(stand):
    with pytest.raises(UnknownJoint, match="left_hand"):
        PositionAt(joint="lefthand", time=1, target=(0, 0, 0)).residual(stand)


def test_a_plant_measures_the_way_from_its_mean_place(stroll):
    # three frames at 0, 10, 20 cm: the mean is in the middle
    np.testing.assert_allclose(Plant(joint="left_foot", span=(1.0, 1.3)).residual(stroll), [0.1, 0, 0.1], atol=1e-12)


def test_a_plant_with_a_target_measures_the_way_from_it(stand):
    asked = Plant(joint="hips", span=(0, 0.2), target=(0, 0.9, 0.5))
    np.testing.assert_allclose(asked.residual(stand), [0.5, 0.5])


# root_at, root_path, reach, avoid


def test_root_at_measures_what_it_asks_for(stroll):
    turned_left = turned(stroll, math.pi / 2)  # walks along +x now
    asked = RootAt(time=2, position=(2, 0.3), height=1.0, heading=1.0)
    np.testing.assert_allclose(asked.residual(turned_left), [0.3, -0.1, math.pi / 2 - 1.0], atol=1e-12)
    np.testing.assert_allclose(RootAt(time=2, heading=math.pi).residual(turned_left), [-math.pi / 2])


def test_headings_wrap_around(stand):
    behind = turned(stand, math.pi - 0.1)
    np.testing.assert_allclose(RootAt(time=0, heading=-math.pi + 0.1).residual(behind), [-0.2], atol=1e-9)


def test_a_clip_on_its_path_has_no_residual(stroll):
    path = RootPath(points=((0, 0), (0, 3.9)))
    assert path.worst(stroll) <= 0.06  # half a frame's step of 10 cm, plus the sampling of the path
    aside = replace(stroll, root=stroll.root + [0.5, 0, 0])
    assert path.worst(aside) == pytest.approx(0.5, abs=0.01)


def test_a_clip_that_stops_half_way_is_far_from_the_end(stroll):
    assert RootPath(points=((0, 0), (0, 7.9))).worst(stroll) == pytest.approx(4.0, abs=0.05)


def test_a_clip_that_walks_the_path_backwards_does_not_follow_it(stroll):
    assert RootPath(points=((0, 3.9), (0, 0))).worst(stroll) == pytest.approx(3.9, abs=0.02)


def test_a_loop_must_be_walked_and_not_only_left_out(stand):
    square = RootPath(points=((0, 0), (2, 0), (2, 2), (0, 2), (0, 0)))
    assert square.worst(stand) == pytest.approx(math.sqrt(8), abs=0.01)  # standing still is far from the far corner


def test_a_figure_eight_is_followed_in_its_order(person, gliding):
    t = np.linspace(0, 2 * np.pi, 121)
    eight = np.stack([np.sin(2 * t), 2 * np.sin(t)], 1)
    assert RootPath(points=eight).worst(gliding(person, eight)) < 0.1
    other = np.concatenate([eight[60:], eight[:60]])  # the second lobe first
    assert RootPath(points=eight).worst(gliding(person, other)) > 1.0


def test_times_pin_the_points_of_a_path(stroll):
    assert RootPath(points=((0, 1), (0, 3)), times=(1, 3)).worst(stroll) < 0.06
    late = RootPath(points=((0, 1), (0, 3)), times=(2, 3))
    assert late.worst(stroll) == pytest.approx(1.0, abs=0.02)
    assert len(late.residual(stroll)) == 11
    with pytest.raises(BadRequest, match="increasing times"):
        RootPath(points=((0, 1), (0, 3)), times=(2, 1)).residual(stroll)


def test_the_pairing_along_a_path_agrees_with_the_plain_recurrence(rng):
    place, points = rng.normal(size=(9, 2)), rng.normal(size=(4, 2)) * 0.1
    samples = along_path(points)
    d = np.linalg.norm(place[:, None] - samples, axis=2)
    table: dict[tuple[int, int], float] = {}
    for f in range(len(place)):
        for s in range(len(samples)):
            before = [table[p] for p in ((f - 1, s), (f, s - 1), (f - 1, s - 1)) if p in table]
            table[f, s] = max(d[f, s], min(before)) if before else d[f, s]
    assert leg_deviations(place, points).max() == pytest.approx(table[len(place) - 1, len(samples) - 1])


def test_the_mean_distance_from_a_path_is_that_to_its_nearest_point(stroll):
    """Not that of the pairing, which only keeps its largest distance small."""
    beside = replace(stroll, root=stroll.root * [0, 1, 0] + np.linspace(0, 1, len(stroll))[:, None] ** 2 * [0.3, 0, 4])
    path = RootPath(points=((0.0, 0.0), (0.0, 4.0)))
    assert path.mean_distance(beside) == pytest.approx(beside.root[:, 0].mean())
    assert path.mean_distance(beside) <= path.residual(beside).mean()


def test_the_pairing_with_a_path_of_kilometres_stays_within_its_budget(monkeypatch):
    """A soft path of 3 km took 25 s: samples of the path become fewer as the motion becomes longer."""
    monkeypatch.setattr("motionloom.constraints.path_error.MAX_PAIRS", 3000)
    points = np.array([[0.0, 0.0], [0.0, 3000.0]])
    place = np.stack([np.full(1000, 0.25), np.linspace(0, 3000, 1000)], 1)
    off = leg_deviations(place, points)  # 3 samples of the path, 1500 m apart
    assert off[[0, -1]] == pytest.approx(0.25)
    assert len(along_path(points, most=3)) == 3


def test_reach_counts_the_best_moment_until_its_time(stroll):
    assert Reach(position=(0, 2), by=3).worst(stroll) < 1e-9
    np.testing.assert_allclose(Reach(position=(0, 3.5), by=3).residual(stroll), [0.5])
    # 30 degrees off where 15 count as the 25 cm of tolerance: 50 cm
    asked = Reach(position=(0, 2), heading=math.radians(30), by=3)
    np.testing.assert_allclose(asked.residual(stroll), [0, 0.5], atol=1e-9)
    assert Reach(position=(0, 2), heading=math.radians(14), by=3).met(stroll)
    assert Reach(position=(0, 2.0), by=3).arrival(stroll) == 20


def test_avoid_measures_how_deep_inside(stroll):
    depth = Avoid(center=(0.3, 2.0), radius=0.5).residual(stroll)
    nearest = np.linalg.norm(fk(stroll)[20][:, [0, 2]] - [0.3, 2.0], axis=1).min()  # a hand, not the hips at 0.3 m
    assert nearest < 0.29
    assert depth[20] == pytest.approx(0.5 - nearest)
    assert depth[0] == 0
    assert depth.shape == (40,)


# style, parameters


def test_style_is_the_share_of_frames_without_the_label(stroll):
    np.testing.assert_allclose(Style(label="sneak", span=(1, 3)).residual(stroll), [0.5])
    assert Style(label="sneak", span=(2, 4)).met(stroll)
    np.testing.assert_allclose(Style(label="dance").residual(stroll), [1.0])


def test_a_style_along_the_way_counts_metres_walked(stroll):
    np.testing.assert_allclose(walked(stroll)[[10, 20, 39]], [1.0, 2.0, 3.9])
    np.testing.assert_allclose(StyleAlong(label="sneak", stretch=(1, 3)).residual(stroll), [0.5], atol=0.03)
    assert StyleAlong(label="sneak", stretch=(2, 3.5)).met(stroll)
    np.testing.assert_allclose(StyleAlong(label="sneak", stretch=(5, 6)).residual(stroll), [1.0])  # not so far


def test_hips_that_sway_do_not_walk_farther(person, gliding):
    t = np.arange(100) / 10
    straight, swaying = (gliding(person, np.stack([side * np.sin(2 * np.pi * t), 1.3 * t], 1)) for side in (0.0, 0.05))
    assert walked(swaying)[-1] == pytest.approx(walked(straight)[-1], rel=0.01)


@pytest.mark.parametrize("stretch", [(2, 1), (1,), (-1, 2), "far"])
def test_a_stretch_has_two_lengths_in_order(stretch):
    with pytest.raises(BadRequest, match=r"style_along\.stretch"):
        StyleAlong(label="sneak", stretch=stretch)


# pace


def test_a_pace_is_the_speed_outside_of_its_range_averaged_over_a_second(stroll):
    speed = np.linalg.norm(stroll.root[-1] - stroll.root[0]) / (len(stroll) - 1) * stroll.fps
    assert Pace(speed=speed).worst(stroll) == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(Pace(speed=(speed + 0.2, 9.0)).residual(stroll), 0.2, atol=1e-9)
    np.testing.assert_allclose(Pace(speed=(0, speed - 0.3), stretch=(1, 2)).residual(stroll), 0.3, atol=1e-9)
    np.testing.assert_allclose(Pace(speed=1.4, stretch=(500, 600)).residual(stroll), [1.4])  # not so far
    half = replace(stroll, root=np.where(np.arange(len(stroll))[:, None] < 20, stroll.root, stroll.root[20]))
    first = Pace(speed=speed, span=(0, "20f"))
    assert first.worst(half) == pytest.approx(0, abs=1e-9)  # what follows the span does not count
    assert Pace(speed=speed).worst(half) == pytest.approx(speed)  # the second half stands


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ("speed: [2, 1]", r"pace\.speed"),
        ("speed: -1", r"pace\.speed"),
        ("speed: 1, span: [0, 1], stretch: [0, 1]", r"pace\.stretch"),
        ("speed: 1, stretch: [2, 1]", r"pace\.stretch"),
    ],
)
def test_a_wrong_pace_is_an_error(wrong, where):
    with pytest.raises(BadRequest, match=where):
        Request.from_yaml(f"constraints: [{{pace: {{{wrong}}}}}]")


def test_a_pace_is_written_as_it_is_read():
    for text in ("{speed: 1.4}", "{speed: [1.2, 1.4], span: [0, 5]}", "{speed: 3, stretch: [0, 5], weight: 2}"):
        request = Request.from_yaml(f"constraints: [{{pace: {text}}}]")
        assert Request.from_yaml(request.to_yaml()) == request


# look_at


def test_a_look_is_the_angle_between_gaze_and_target(stand):
    height = 0.9 + 0.12 + 0.4 + 0.12
    np.testing.assert_allclose(gaze(stand)[0][0], [0, height, 0], atol=1e-12)
    ahead = LookAt(target=(0, height, 2), span=(1, 2))
    assert ahead.worst(stand) < 1e-9
    assert len(ahead.residual(stand)) == 10
    np.testing.assert_allclose(LookAt(target=(2, height, 2)).residual(stand), np.full(40, math.pi / 4))


def test_yaw_and_pitch_are_seen_from_the_body(stand):
    body = turned(stand, 1.0)
    looking = with_joint(body, "head", multiply(yaw(0.5), from_axis_angle([1.0, 0, 0], -0.2)))
    assert LookAt(yaw=0.5, pitch=0.2).worst(looking) < 1e-9
    np.testing.assert_allclose(LookAt(yaw=-0.5).residual(with_joint(body, "head", yaw(0.5))), np.full(40, 1.0))


def test_eyes_look_where_they_are(seeing, gliding):
    clip = gliding(seeing, np.zeros((5, 2)))
    for eye in ("left_eye", "right_eye"):
        clip = with_joint(clip, eye, yaw(0.3))
    assert LookAt(yaw=0.3, pitch=0.0).worst(clip) < 1e-9
    np.testing.assert_allclose(gaze(clip)[0][0], [0, 0.9 + 0.12 + 0.4 + 0.12 + 0.1, 0.08], atol=1e-12)


def test_where_bones_lie_along_one_axis_at_rest_the_head_faces_where_the_body_does(stand):
    """The same standing body written with every bone along +x, as Bandai-Namco's and the dogs' files are."""
    s = stand.skeleton
    world = fk_rotations(stand)[1]
    bones = np.where(np.linalg.norm(s.offsets, axis=1, keepdims=True) > 0, s.offsets, [[0, 1.0, 0]])
    twist = between([1.0, 0, 0], np.array([bones[max(s.children(j), default=j)] for j in range(len(s))]))
    odd = multiply(world, twist)  # each joint's x now lies along its bone
    offsets = s.offsets.copy()
    for j in range(1, len(s)):
        offsets[j] = rotate(inverse(odd[0, s.parents[j]]), rotate(world[0, s.parents[j]], s.offsets[j]))
    body = Skeleton(s.names, s.parents, offsets, s.roles)
    clip = Clip(body, stand.root, local_rotations(body, odd), stand.fps)
    np.testing.assert_allclose(fk(clip), fk(stand), atol=1e-9)
    assert LookAt(yaw=0, pitch=0).worst(clip) < 1e-9
    looking = solve(clip, [LookAt(yaw=0.6, pitch=0.1, span=(1, 2))])
    assert LookAt(yaw=0.6, pitch=0.1, span=(1, 2)).worst(looking) < 0.05


def test_heads_of_real_captures_face_forward_on_the_whole(mocap):
    for name in ("cmu/16_15.bvh", "dog/D1_010_KAN01_002.bvh", "bandai/dataset-2_raise-up-both-hands_normal_001.bvh"):
        clip = load(mocap / name)[1:]
        assert np.median(LookAt(yaw=0, pitch=0).residual(clip)) < math.radians(35), name


def test_a_path_of_looks_moves_between_its_points(stand):
    height = 0.9 + 0.12 + 0.4 + 0.12
    asked = LookAt(path=((1, 0, height, 2), (3, 2, height, 2)))
    angles = asked.residual(stand)
    assert angles[5] < 1e-9
    assert angles[20] == pytest.approx(math.atan2(1, 2))
    assert angles[35] == pytest.approx(math.atan2(2, 2))
    with pytest.raises(BadRequest, match="increasing times"):
        LookAt(path=((1, 0, 1, 2), (1, 2, 1, 2))).residual(stand)


def test_a_body_without_a_head_cannot_look(stroll):
    stick = Skeleton(("A", "B"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0, 1, 0]]))
    clip = Clip(stick, np.zeros((2, 3)), np.tile([1.0, 0, 0, 0], (2, 2, 1)), 10)
    with pytest.raises(UnknownJoint, match=r"no joint 'head'.*assign the role"):
        LookAt(yaw=0).residual(clip)


# tables


def test_times_outside_of_the_clip_are_errors(stroll):
    for asked in (
        PoseAt(time=9, pose=stroll[0:1]),
        PositionAt(joint="head", time=9, target=(0, 0, 0)),
        Plant(joint="head", span=(3, 9)),
        RootAt(time=9, heading=0),
        RootPath(points=((0, 0), (1, 1)), times=(0, 9)),
        Style(label="sneak", span=(3, 9)),
        Parameters(values={"speed": 1}, span=(3, 9)),
        LookAt(yaw=0, span=(3, 9)),
    ):
        with pytest.raises(BadRequest, match=rf"^{asked.key()}\.\S+: expected a time in the result, which lasts 4 s"):
            asked.residual(stroll)


def test_by_is_the_latest_so_a_clip_that_ends_before_is_judged_by_all_of_it(stroll):
    late, end = Reach(position=(0, 2), by=9), Reach(position=(0, 2))
    np.testing.assert_array_equal(late.residual(stroll), end.residual(stroll))
    with pytest.raises(BadRequest, match=r"reach\.by: expected a time in the result, which lasts 4 s"):
        late.fits(stroll.skeleton, len(stroll), stroll.fps)  # of a length that was asked for


def test_the_residual_table_says_what_is_met(stroll):
    request = Request(
        seconds=4,
        parameters={"speed": 1.0},
        constraints=(RootAt(time=4, position=(0, 3.9)), RootAt(time=0, heading=1.0, weight=2)),
    )
    rows = check(stroll, request)
    assert [(r.hard, r.met) for r in rows] == [(True, True), (True, True), (False, False)]
    assert rows[2].worst == pytest.approx(1.0)
    assert (rows[2].unit, rows[2].tolerance) == ("m", 0.02)
    assert "root_at: {time: 0.0, heading: 1.0rad, weight: 2.0}" in rows[2].constraint


def test_an_unmet_hard_constraint_raises_with_the_clip_and_the_table(stroll):
    with pytest.raises(Unmet, match=r"root_at.*0.5 m, allowed 0.02") as caught:
        check(stroll, [RootAt(time=4, position=(0.5, 3.9)), Avoid(center=(5, 5), radius=1)])
    assert caught.value.best is stroll
    assert [r.met for r in caught.value.residuals] == [False, True]
    assert residuals(stroll, []) == []
