"""Motions on other bodies: other rest poses, sizes, spines, and back again."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, End, Skeleton, replace
from motionloom.io import load
from motionloom.kinematics import fk
from motionloom.kinematics.body.rest_pose import Stance, rebased
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.retarget import retarget
from motionloom.kinematics.retarget_pose import matched_pose
from motionloom.kinematics.root_bone import with_root_bone
from motionloom.rotation import IDENTITY, angle_between, between, from_axis_angle, inverse, multiply, rotate
from motionloom.samples import make

BONES = [("thigh", "shin"), ("shin", "foot"), ("upper_arm", "forearm"), ("forearm", "hand")]


@pytest.fixture(scope="module")
def walk() -> Clip:
    return make("walk", seconds=2, fps=30, turn=0.3)


def directions(clip: Clip) -> np.ndarray:
    """(F, bones, 3) which way the bones of the limbs point."""
    places, joint = fk(clip), clip.skeleton.joint
    pairs = [(joint(f"{side}_{a}"), joint(f"{side}_{b}")) for side in ("left", "right") for a, b in BONES]
    lines = np.stack([places[:, b] - places[:, a] for a, b in pairs], 1)
    return lines / np.linalg.norm(lines, axis=-1, keepdims=True)


def degrees_apart(a: Clip, b: Clip) -> float:
    cosine = np.clip(np.einsum("fbi,fbi->fb", directions(a), directions(b)), -1, 1)
    return float(np.degrees(np.arccos(cosine)).max())


def with_rest(clip: Clip, **bends: float) -> Clip:
    """The same motion on a skeleton whose rest pose has these joints turned about z, in degrees."""
    pose = np.tile(IDENTITY, (len(clip.skeleton), 1))
    for role, angle in bends.items():
        pose[clip.skeleton.joint(role)] = from_axis_angle([0, 0, 1.0], np.radians(angle))
    return rebased(clip, Stance(np.zeros(3), pose, "for a test"))


def collapsed(clip: Clip) -> Clip:
    """The same motion on a skeleton whose bones all lie along x at rest, as in Bandai-Namco's files."""
    body = clip.skeleton
    world = np.tile(IDENTITY, (len(body), 1))
    for j in range(len(body)):
        under = body.children(j)
        line = body.offsets[under[0]] if under else np.zeros(3)
        if j and np.linalg.norm(line) > 1e-6:
            axis = np.eye(3)[np.abs(line).argmax()] * np.sign(line[np.abs(line).argmax()])
            world[j] = between(axis, [1.0, 0, 0])
        elif j:
            world[j] = world[body.parents[j]]
    local = world.copy()
    local[1:] = multiply(inverse(world[body.parents[1:]]), world[1:])
    return rebased(clip, Stance(np.zeros(3), local, "for a test"))


@pytest.mark.parametrize("height", [0.0, 0.1])
def test_on_its_own_body_a_motion_stays_as_it_is(walk, height):
    walk = replace(walk, root=walk.root + [0.0, height, 0.0])
    same, report = retarget(walk, walk, plant=False)
    assert np.abs(fk(same) - fk(walk)).max() < 1e-9
    assert report.scale == 1
    assert report.riding == ()


def test_planting_on_its_own_body_changes_next_to_nothing(walk):
    assert np.abs(fk(retarget(walk, walk)[0]) - fk(walk)).max() < 5e-3


def test_a_bone_above_the_hips_changes_nothing_of_the_body(walk):
    """Neither in the source nor in the target: the pelvis keeps its own turn, and the bone stays on the floor."""
    other = make("walk", seconds=1, speed=1.5)
    plain, _ = retarget(walk, other)
    on_bone, _ = retarget(walk, with_root_bone(other))
    np.testing.assert_allclose(fk(on_bone)[:, 1:], fk(plain), atol=1e-9)
    np.testing.assert_allclose(fk(on_bone)[:, 0], plain.root * [1, 0, 1], atol=1e-9)
    back, report = retarget(with_root_bone(walk), other)
    np.testing.assert_allclose(fk(back), fk(plain), atol=1e-9)
    assert report.lost == ()


@pytest.mark.parametrize(
    "bends",
    [
        {"left_upper_arm": -45.0, "right_upper_arm": 45.0},  # A pose
        {"left_upper_arm": -85.0, "right_upper_arm": 85.0},  # N pose
        {"left_thigh": 15.0, "right_thigh": -15.0},  # legs apart
        {"left_upper_arm": -45.0, "left_forearm": -10.0, "right_thigh": -5.0},
    ],
)
def test_the_rest_pose_of_either_body_does_not_matter(walk, bends):
    other = with_rest(walk, **bends)
    assert np.abs(fk(other) - fk(walk)).max() < 1e-9
    for source, to in ((walk, other), (other, walk)):
        made, _ = retarget(source, to, plant=False)
        assert np.abs(fk(made) - fk(walk)).max() < 1e-6


def test_a_rest_pose_with_all_bones_along_x_is_understood_from_the_motion(walk):
    heap = collapsed(walk)
    rest = fk(replace(heap, rotations=np.tile(IDENTITY, (len(heap), len(heap.skeleton), 1))))[0]
    assert rest[heap.skeleton.joint("left_foot"), 1] > rest[0, 1] - 0.2  # its legs do not hang down
    for source, to in ((walk, heap), (heap, walk)):
        made, _ = retarget(source, to, plant=False)
        assert degrees_apart(made, walk) < 1e-3
        assert np.abs(fk(made) - fk(walk)).max() < 0.03
        back, _ = retarget(made, source, like=to, plant=False)
        assert np.abs(fk(back) - fk(source)).max() < 1e-6


def test_a_guard_is_not_taken_for_a_straight_trunk():
    punch = make("punch", fps=30)
    spine = punch.skeleton.joint("spine1")
    turned = punch.rotations.copy()
    turned[:, spine] = multiply(from_axis_angle([0, 1.0, 0], np.radians(25)), turned[:, spine])
    guard = replace(punch, rotations=turned)  # the trunk is twisted in every frame
    made, _ = retarget(collapsed(guard), punch, plant=False)
    chest = [c.skeleton.joint(f"{side}_upper_arm") for c in (made, guard) for side in ("left", "right")]
    lines = [fk(made)[:, chest[0]] - fk(made)[:, chest[1]], fk(guard)[:, chest[2]] - fk(guard)[:, chest[3]]]
    yaws = [np.unwrap(np.arctan2(v[:, 0], v[:, 2])) for v in lines]
    assert np.degrees(np.abs(yaws[0] - yaws[1])).max() < 8


def test_a_body_of_twice_the_size_takes_steps_of_twice_the_length(walk):
    body = walk.skeleton
    ends = tuple(End(e.joint, tuple(2 * np.array(e.offset)), e.name) for e in body.ends)
    giant = Skeleton(body.names, body.parents, 2 * body.offsets, body.roles, ends)
    made, report = retarget(walk, giant)
    assert report.scale == pytest.approx(2)
    assert degrees_apart(made, walk) < 3
    ankles = [f.ankle for f in feet(body)]
    assert np.abs((fk(made) - 2 * fk(walk))[:, ankles][..., [0, 2]]).max() < 0.03


def without(clip: Clip, name: str) -> Clip:
    """The clip on a skeleton that lacks one joint; its children hang on its parent."""
    body, places = clip.skeleton, fk(clip)
    from motionloom.kinematics import fk_rotations, local_rotations

    keep = [j for j in range(len(body)) if body.names[j] != name]
    gone = body.names.index(name)
    parents = [int(body.parents[j]) if body.parents[j] != gone else int(body.parents[gone]) for j in keep]
    offsets = [body.offsets[j] + (body.offsets[gone] if body.parents[j] == gone else 0) for j in keep]
    renamed = {j: k for k, j in enumerate(keep)}
    roles = [body.roles[j] for j in keep]
    spine = [k for k, r in enumerate(roles) if r.startswith("spine")]
    for n, k in enumerate(spine):
        roles[k] = f"spine{n or ''}"
    skeleton = Skeleton(
        tuple(body.names[j] for j in keep),
        np.array([renamed.get(p, -1) for p in parents]),
        np.array(offsets),
        tuple(roles),
        tuple(End(renamed[e.joint], e.offset, e.name) for e in body.ends if e.joint in renamed),
    )
    turns = fk_rotations(clip)[1][:, keep]
    return Clip(skeleton, places[:, 0], local_rotations(skeleton, turns), clip.fps)


@pytest.mark.parametrize("name", ["Spine1", "LeftShoulder", "LeftToeBase"])
def test_a_joint_more_or_less_is_handled_by_roles(walk, name):
    fewer = without(walk, name)
    there, report = retarget(walk, fewer, plant=False)
    assert degrees_apart(there, walk) < 1e-3
    back, _ = retarget(there, walk, plant=False)
    assert degrees_apart(back, walk) < 1e-3
    assert np.abs(fk(back) - fk(walk)).max() < 0.05
    assert len(report.matched) >= 20


def test_names_carry_over_joints_without_a_role(walk):
    names = tuple("Cape" if n == "LeftEye" else n for n in walk.skeleton.names)
    roles = tuple("" if r == "left_eye" else r for r in walk.skeleton.roles)
    body = walk.skeleton
    caped = replace(walk, skeleton=Skeleton(names, body.parents, body.offsets, roles, body.ends))
    waved = caped.rotations.copy()
    cape = names.index("Cape")
    waved[:, cape] = from_axis_angle([1.0, 0, 0], np.linspace(0, 1, len(walk)))
    made, _ = retarget(replace(caped, rotations=waved), caped, plant=False)
    assert angle_between(made.rotations[:, cape], waved[:, cape]).max() < 1e-6


def test_hands_on_the_floor_stay_on_it():
    wheel = make("cartwheel", fps=30)
    body = wheel.skeleton
    arms = [j for j, r in enumerate(body.roles) if r.endswith(("forearm", "hand"))]
    offsets = body.offsets.copy()
    offsets[arms] *= 1.15
    longer = Skeleton(body.names, body.parents, offsets, body.roles, body.ends)
    made, _ = retarget(wheel, replace(wheel, skeleton=longer))
    hand = body.joint("left_hand")
    low = fk(wheel)[:, hand, 1] < 0.10
    assert low.any()
    assert np.abs(fk(made)[low, hand, 1] - fk(wheel)[low, hand, 1]).max() < 0.02
    assert np.abs(fk(retarget(wheel, made, plant=False)[0])[low, hand, 1] - fk(wheel)[low, hand, 1]).max() > 0.03


def test_provenance_labels_and_the_licence_stay(walk):
    owned = replace(walk, origin=walk.origin.__class__(name="walk.bvh", licence="CC BY 4.0"))
    made, _ = retarget(owned, with_rest(walk, left_upper_arm=-40))
    assert made.origin.licence == "CC BY 4.0"
    assert made.name == "walk.bvh"
    assert set(walk.label_names) <= set(made.label_names)
    assert "retargeted from walk.bvh" in str(made.origin.notes[-1])


def test_two_legs_do_not_go_on_four(walk):
    with pytest.raises(BadRequest, match="walks on 2 feet, the other one on 4"):
        retarget(walk, make("dog_walk", seconds=1))


def test_in_the_matched_pose_limbs_point_where_they_must(walk):
    for clip in (walk, with_rest(walk, left_upper_arm=-60), collapsed(walk)):
        turns, body = matched_pose(clip), clip.skeleton
        for role, child, way in (("left_thigh", "left_shin", [0, -1, 0]), ("right_forearm", "right_hand", [-1, 0, 0])):
            bone = rotate(turns[body.joint(role)], body.offsets[body.joint(child)])
            assert bone / np.linalg.norm(bone) == pytest.approx(way, abs=1e-6)


def test_real_bodies_there_and_back(mocap):
    cmu = load(mocap / "cmu" / "16_15.bvh", trim_tpose=True)[:240]
    bandai = load(mocap / "bandai" / "dataset-2_walk-turn-left_normal_001.bvh")
    there, report = retarget(cmu, bandai)
    assert report.result.b < report.source.b
    assert degrees_apart(retarget(cmu, bandai, plant=False)[0], cmu) < 1e-3
    back, _ = retarget(there, cmu, like=bandai)
    error = np.linalg.norm(fk(back) - fk(cmu), axis=-1)
    assert error.mean() < 0.015
    assert error.max() < 0.06


@pytest.mark.parametrize("height", [0.0, 0.15, -0.9])
def test_a_body_whose_own_clip_is_off_the_floor_stands_on_it(walk, height):
    """A target with other leg proportions and no toes, whose own clip is above or below y = 0."""
    body = walk.skeleton
    keep = [j for j, role in enumerate(body.roles) if not role.endswith("_toe")]
    place = {j: k for k, j in enumerate(keep)}
    offsets = body.offsets[keep].copy()
    roles = [body.roles[j] for j in keep]
    for k, role in enumerate(roles):
        offsets[k] *= {"shin": 1.2, "foot": 0.8}.get(role.partition("_")[2], 1.0)
    parents = [-1 if body.parents[j] < 0 else place[int(body.parents[j])] for j in keep]
    target = Skeleton(tuple(body.names[j] for j in keep), parents, offsets, tuple(roles))
    still = Clip(target, np.zeros((40, 3)), walk.rotations[:40, keep], 30.0)
    lowest = fk(still)[..., 1].min()
    still = replace(still, root=np.tile([0.0, height - lowest, 0.0], (40, 1)))
    made, _ = retarget(walk, still)
    soles = fk(made)[..., 1].min(1)
    assert np.percentile(soles, 5) > -0.01
    assert np.median(soles) < 0.09  # at most the height of an ankle above the floor
