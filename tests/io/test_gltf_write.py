"""GLB out: what we write comes back, and bones are bones that stand."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, Origin, Skeleton, replace
from motionloom.core.testing import assert_same_motion
from motionloom.io import load, save
from motionloom.io.gltf.write import glb_parts
from motionloom.kinematics import fk
from motionloom.kinematics.body.rest_pose import rebased, stance, stands


def parts_of(clip: Clip) -> tuple[dict, bytes]:
    """The JSON and the binary chunk of what would be written."""
    data = b"".join(bytes(part) for part in glb_parts(clip))
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def test_a_clip_comes_back_from_glb(tiny, tmp_path):
    save(tiny, tmp_path / "tiny.glb")
    back = load(tmp_path / "tiny.glb")
    assert_same_motion(back, tiny, metres=1e-6, radians=1e-6)
    assert back.skeleton.roles == tiny.skeleton.roles
    assert back.skeleton.ends == tiny.skeleton.ends


def test_odd_frame_rates_come_back_exactly(tiny, tmp_path):
    for fps in (29.97, 1 / 0.0083333, 59.94, 1000.0):
        save(Clip(tiny.skeleton, tiny.root, tiny.rotations, fps), tmp_path / "odd.glb")
        assert load(tmp_path / "odd.glb").fps == fps


def test_frame_f_lies_at_f_over_fps(tiny):
    tree, data = parts_of(tiny)
    accessor = tree["accessors"][tree["animations"][0]["samplers"][0]["input"]]
    view = tree["bufferViews"][accessor["bufferView"]]
    times = np.frombuffer(data, "<f4", accessor["count"], view["byteOffset"])
    assert np.array_equal(times, (np.arange(10) / 10).astype(np.float32))
    assert accessor["max"] == [pytest.approx(0.9)]


def test_slides_come_back_and_still_joints_have_no_translation_track(tiny, tmp_path):
    slides = np.zeros((10, 3, 3))
    slides[:, 1, 0] = np.linspace(0, 0.1, 10)
    slides[:, 2] = 0.00005
    clip = Clip(tiny.skeleton, tiny.root, tiny.rotations, 10.0, slides=slides)
    save(clip, tmp_path / "slides.glb")
    assert np.abs(fk(load(tmp_path / "slides.glb")) - fk(clip)).max() < 1e-6
    tree, _ = parts_of(clip)
    moved = [c["target"]["node"] for c in tree["animations"][0]["channels"] if c["target"]["path"] == "translation"]
    assert moved == [0, 1]
    assert load(tmp_path / "slides.glb", drop_slides=True).slides is None


def test_the_licence_is_in_the_file(tiny, tmp_path):
    save(replace(tiny, origin=Origin(licence="CC BY-NC 4.0")), tmp_path / "a.glb")
    (tmp_path / "a.licence.txt").unlink()
    assert load(tmp_path / "a.glb").origin.licence == "CC BY-NC 4.0"
    assert parts_of(tiny)[0]["asset"].keys() == {"version", "generator", "extras"}


def test_every_joint_is_a_bone_of_one_skin_with_a_mesh(tiny):
    tree, _ = parts_of(tiny)
    assert tree["skins"][0]["joints"] == [0, 1, 2]
    assert [n["name"] for n in tree["nodes"]] == ["Hips", "Mid", "Top", "bones"]
    assert tree["meshes"][0]["primitives"][0]["attributes"].keys() == {"POSITION", "JOINTS_0", "WEIGHTS_0"}


def test_a_joint_above_the_hips_is_restored_and_folded_away_again(mocap, tmp_path):
    clip = load(mocap / "bandai" / "dataset-1_punch_normal_001.bvh")
    tree, _ = parts_of(clip)
    top = tree["nodes"][tree["scenes"][0]["nodes"][0]]
    assert (top["name"], top["children"]) == ("joint_Root", [0])
    assert len(tree["skins"][0]["joints"]) == len(clip.skeleton) + 1
    save(clip, tmp_path / "punch.glb")
    back = load(tmp_path / "punch.glb")
    assert back.skeleton.names == clip.skeleton.names
    assert np.abs(fk(back) - fk(clip)).max() < 1e-6


@pytest.mark.parametrize(
    "name",
    [
        *("cmu/16_15", "cmu/49_06", "cmu/60_10", "dog/D1_010_KAN01_003", "dog/D1_ex04_KAN02_001"),
        *("bandai/dataset-1_punch_normal_001", "bandai/dataset-2_walk-turn-left_normal_001"),
    ],
)
def test_real_clips_come_back_from_glb(mocap, tmp_path, name):
    clip = load(mocap / f"{name}.bvh")
    save(clip, tmp_path / "clip.glb")
    back = load(tmp_path / "clip.glb")
    assert np.abs(fk(back) - fk(clip)).max() < 1e-5
    assert (back.skeleton.names, back.skeleton.roles, back.fps) == (clip.skeleton.names, clip.skeleton.roles, clip.fps)


def test_a_one_joint_clip_is_written_too(tmp_path):
    turns = np.tile([1.0, 0, 0, 0], (4, 1, 1))
    pen = Clip(Skeleton(("pen",), np.array([-1]), np.zeros((1, 3))), np.arange(12.0).reshape(4, 3), turns, 10.0)
    save(pen, tmp_path / "pen.glb")
    assert np.allclose(load(tmp_path / "pen.glb").root, pen.root)


def test_a_file_is_little_larger_than_its_arrays(mocap):
    clip = load(mocap / "cmu" / "60_08.bvh")
    size = sum(len(bytes(part)) for part in glb_parts(clip))
    assert size <= 1.2 * 4 * (clip.rotations.size + clip.root.size + len(clip))


def test_unit_and_up_axis_are_fixed(tiny, tmp_path):
    with pytest.raises(BadRequest, match="metres with y up"):
        save(tiny, tmp_path / "cm.glb", unit="cm")
    save(tiny, tmp_path / "m.glb", unit="m", up="y")
    with pytest.raises(BadRequest, match="y up"):
        load(tmp_path / "m.glb", up="z")


def test_a_rest_pose_that_stands_is_kept(tiny):
    assert stance(tiny).description == "the skeleton's own rest pose"
    assert np.array_equal(stance(tiny).rotations, np.tile([1.0, 0, 0, 0], (3, 1)))


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("bandai/dataset-1_punch_normal_001", "T-pose"),
        ("dog/D1_007_KAN01_001", "the pose of frame"),
        ("cmu/16_15", "own rest pose"),
    ],
)
def test_real_skeletons_get_a_bind_pose_that_stands(mocap, name, how):
    clip = load(mocap / f"{name}.bvh")
    rest = stance(clip)
    assert how in rest.description
    standing = rebased(clip, rest)
    assert stands(standing.skeleton)
    assert np.abs(fk(standing) - fk(clip)).max() < 1e-9


def test_a_computed_t_pose_has_arms_out_and_legs_down(mocap):
    body = rebased(load(mocap / "bandai" / "dataset-1_punch_normal_001.bvh")).skeleton
    rest = fk(Clip(body, np.zeros((1, 3)), np.tile([1.0, 0, 0, 0], (1, len(body), 1)), 30.0))[0]
    way = lambda a, b: (
        (rest[body.joint(b)] - rest[body.joint(a)]) / np.linalg.norm(rest[body.joint(b)] - rest[body.joint(a)])
    )
    assert np.allclose(way("left_upper_arm", "left_hand"), [1, 0, 0], atol=1e-6)
    assert np.allclose(way("right_upper_arm", "right_hand"), [-1, 0, 0], atol=1e-6)
    assert np.allclose(way("left_thigh", "left_foot"), [0, -1, 0], atol=1e-6)
    assert way("left_foot", "left_toe")[2] > 0.5
