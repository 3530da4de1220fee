"""glTF: what we write comes back, what others write is read, and what is broken or sly is refused."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, FormatError, Skeleton
from motionloom.core.testing import assert_same_motion
from motionloom.io import load, save
from motionloom.io.glb_write import glb_parts
from motionloom.kinematics import fk
from motionloom.kinematics.stance import rebased, stance, stands
from motionloom.rotation import from_axis_angle, rotate, slerp


def parts_of(clip: Clip) -> tuple[dict, bytes]:
    """The JSON and the binary chunk of what would be written."""
    data = b"".join(bytes(part) for part in glb_parts(clip))
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


class Builder:
    """A small glTF file written by hand, as other programs write them."""

    def __init__(self) -> None:
        self.tree: dict = {
            "asset": {"version": "2.0"},
            "nodes": [],
            "animations": [],
            "accessors": [],
            "bufferViews": [],
        }
        self.data = b""

    def accessor(self, values, kind: str, dtype: str = "<f4", code: int = 5126, **more) -> int:
        raw = np.asarray(values, dtype).tobytes()
        self.tree["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(raw)})
        self.data += raw + b"\0" * (-len(raw) % 4)
        entry = {
            "bufferView": len(self.tree["bufferViews"]) - 1,
            "componentType": code,
            "count": len(values),
            "type": kind,
        }
        self.tree["accessors"].append(entry | more)
        return len(self.tree["accessors"]) - 1

    def animate(self, node: int, path: str, times, values, way: str = "LINEAR", **more) -> None:
        if not self.tree["animations"]:
            self.tree["animations"].append({"samplers": [], "channels": []})
        animation = self.tree["animations"][0]
        kind = "VEC4" if path == "rotation" else "VEC3"
        sampler = {
            "input": self.accessor(times, "SCALAR"),
            "output": self.accessor(values, kind, **more),
            "interpolation": way,
        }
        animation["channels"].append({"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}})
        animation["samplers"].append(sampler)

    def write(self, path: Path, **changes) -> Path:
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        self.tree["buffers"] = [{"byteLength": len(self.data), "uri": uri}]
        tree = {k: v for k, v in (self.tree | changes).items() if v != [] or k == "nodes"}
        path.write_text(json.dumps(tree))
        return path


@pytest.fixture
def arm_file() -> Builder:
    """Hips at 1 m with a head 0.5 m above, as plain nodes."""
    build = Builder()
    build.tree["nodes"] = [
        {"name": "Hips", "translation": [0, 1, 0], "children": [1]},
        {"name": "Head", "translation": [0, 0.5, 0]},
    ]
    return build


QUARTER = [0, 0, 0.5**0.5, 0.5**0.5]  # x y z w: 90 degrees about z


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


# rest pose


def test_a_rest_pose_that_stands_is_kept(tiny):
    assert stance(tiny).said == "the skeleton's own rest pose"
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
    assert how in rest.said
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


# files of others


def test_plain_animated_nodes_are_read(arm_file, tmp_path):
    arm_file.animate(1, "rotation", [0, 0.5, 1], [[0, 0, 0, 1], QUARTER, QUARTER])
    clip = load(arm_file.write(tmp_path / "arm.gltf"), fps=2)
    assert clip.skeleton.names == ("Hips", "Head") or clip.skeleton.names == ("Head",)
    assert len(clip) == 3
    assert "no skin: plain nodes are taken as joints" in clip.origin.notes


def with_skin(build: Builder) -> Builder:
    build.tree["skins"] = [{"joints": [0, 1]}]
    return build


def test_linear_keys_are_slerped(arm_file, tmp_path):
    with_skin(arm_file).animate(1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    clip = load(arm_file.write(tmp_path / "arm.gltf"), fps=4)
    third = slerp([1.0, 0, 0, 0], [0.5**0.5, 0, 0, 0.5**0.5], np.array([0, 0.25, 0.5, 0.75, 1]))
    assert np.allclose(clip.rotations[:, 1], third, atol=1e-6)


def test_step_keys_hold(arm_file, tmp_path):
    with_skin(arm_file).animate(0, "translation", [0, 0.5, 1], [[0, 1, 0], [1, 1, 0], [2, 1, 0]], "STEP")
    clip = load(arm_file.write(tmp_path / "arm.gltf"), fps=4)
    assert clip.root[:, 0].tolist() == [0, 0, 1, 1, 2]


def test_cubic_keys_follow_their_tangents(arm_file, tmp_path):
    # x(t) = t^3 on [0, 2]: value 0, slope 0; value 8, slope 12
    keys = [[0, 1, 0], [0, 1, 0], [0, 0, 0], [12, 0, 0], [8, 1, 0], [0, 0, 0]]
    keys[0] = [0, 0, 0]
    with_skin(arm_file).animate(0, "translation", [0, 2], keys, "CUBICSPLINE")
    clip = load(arm_file.write(tmp_path / "arm.gltf"), fps=2)
    assert np.allclose(clip.root[:, 0], np.array([0, 0.5, 1, 1.5, 2]) ** 3, atol=1e-5)
    assert np.allclose(clip.root[:, 1], 1)


def test_keys_in_normalised_integers_are_read(arm_file, tmp_path):
    half = round(0.5**0.5 * 32767)
    keys = [[0, 0, 0, 32767], [0, 0, half, half]]
    with_skin(arm_file).animate(1, "rotation", [0, 1], keys, dtype="<i2", code=5122, normalized=True)
    clip = load(arm_file.write(tmp_path / "arm.gltf"), fps=1)
    assert np.allclose(clip.rotations[1, 1], [0.5**0.5, 0, 0, 0.5**0.5], atol=1e-4)


def test_keys_that_are_sparse_accessors_are_read(arm_file, tmp_path):
    with_skin(arm_file).animate(0, "translation", [0, 1], [[0, 1, 0], [0, 1, 0]])
    at = arm_file.accessor([1], "SCALAR", "<u2", 5123)
    new = arm_file.accessor([[5, 1, 0]], "VEC3")
    output = arm_file.tree["accessors"][arm_file.tree["animations"][0]["samplers"][0]["output"]]
    output["sparse"] = {
        "count": 1,
        "indices": {"bufferView": arm_file.tree["accessors"][at]["bufferView"], "componentType": 5123},
        "values": {"bufferView": arm_file.tree["accessors"][new]["bufferView"]},
    }
    assert load(arm_file.write(tmp_path / "arm.gltf"), fps=1).root[:, 0].tolist() == [0, 5]


def test_rest_rotations_of_other_files_become_the_rest_pose(arm_file, tmp_path):
    arm_file.tree["nodes"][0]["rotation"] = QUARTER  # the head lies at -x at rest
    with_skin(arm_file).animate(0, "translation", [0, 1], [[0, 1, 0], [0, 1, 1]])
    clip = load(arm_file.write(tmp_path / "arm.gltf"), fps=1)
    assert np.allclose(clip.skeleton.offsets[1], [-0.5, 0, 0], atol=1e-6)
    assert np.allclose(np.abs(clip.rotations[..., 0]), 1)
    assert np.allclose(fk(clip)[1, 1], [-0.5, 1, 1], atol=1e-6)


def test_an_armature_above_the_joints_goes_into_the_root(arm_file, tmp_path):
    """Blender's y-up turn and a scale of 0.01 above centimetre bones."""
    nodes = arm_file.tree["nodes"]
    nodes[0]["translation"], nodes[1]["translation"] = [0, 0, 100], [0, 0, 50]
    nodes.append({"name": "Armature", "children": [0], "rotation": [-(0.5**0.5), 0, 0, 0.5**0.5], "scale": [0.01] * 3})
    with_skin(arm_file).animate(1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    clip = load(arm_file.write(tmp_path / "arm.gltf"), fps=1)
    assert np.allclose(fk(clip)[0], [[0, 1, 0], [0, 1.5, 0]], atol=1e-6)


def test_a_root_bone_above_the_hips_is_folded_into_their_motion(tmp_path):
    build = Builder()
    build.tree["nodes"] = [
        {"name": "root", "children": [1]},
        {"name": "pelvis", "translation": [0, 1, 0], "children": [2, 3, 4]},
        {"name": "thigh_l", "translation": [0.1, 0, 0]},
        {"name": "thigh_r", "translation": [-0.1, 0, 0]},
        {"name": "spine_01", "translation": [0, 0.2, 0]},
    ]
    build.tree["skins"] = [{"joints": [0, 1, 2, 3, 4]}]
    build.animate(0, "translation", [0, 1], [[0, 0, 0], [0, 0, 3]])
    clip = load(build.write(tmp_path / "unreal.gltf"), fps=1)
    assert clip.skeleton.names[0] == "pelvis"
    assert clip.root.tolist() == [[0, 1, 0], [0, 1, 3]]
    assert any("folded into the root" in note for note in clip.origin.notes)


def test_a_file_without_animation_is_one_frame(arm_file, tmp_path):
    clip = load(with_skin(arm_file).write(tmp_path / "arm.gltf"))
    assert len(clip) == 1
    assert np.allclose(fk(clip)[0, 1], [0, 1.5, 0])


def test_matrix_nodes_are_taken_apart(arm_file, tmp_path):
    turn = from_axis_angle([0, 0, 1.0], 0.5)
    m = np.eye(4)
    m[:3, :3] = np.stack([rotate(turn, axis) for axis in np.eye(3)], 1)
    m[:3, 3] = [0, 1, 0]
    del arm_file.tree["nodes"][0]["translation"]
    arm_file.tree["nodes"][0]["matrix"] = m.T.ravel().tolist()
    clip = load(with_skin(arm_file).write(tmp_path / "arm.gltf"))
    assert np.allclose(fk(clip)[0, 1], [0, 1, 0] + rotate(turn, [0, 0.5, 0]), atol=1e-6)


def test_uneven_keys_are_sampled_evenly_and_said(arm_file, tmp_path):
    with_skin(arm_file).animate(
        0, "translation", [0, 0.03, 0.1, 0.13, 0.2], [[t, 1, 0] for t in (0, 0.03, 0.1, 0.13, 0.2)]
    )
    clip = load(arm_file.write(tmp_path / "arm.gltf"))
    assert np.allclose(clip.root[:, 0], np.arange(len(clip)) / clip.fps, atol=1e-6)
    assert any("not on even frames" in note for note in clip.origin.notes)


# refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t["nodes"][1].update(children=[0]), "cycle"),
        (lambda t: t["nodes"][1].update(children=[1]), "on itself"),
        (lambda t: t["nodes"][0].update(children=[1, 1]), "hangs on two"),
        (lambda t: t["nodes"][0].update(children=[7]), "expected one of 2 nodes, found 7"),
        (lambda t: t["accessors"][1].update(count=1000), "out of bounds"),
        (lambda t: t["accessors"][1].update(byteOffset=1 << 30), "out of bounds"),
        (lambda t: t["bufferViews"][1].update(byteLength=1 << 30), "out of bounds"),
        (lambda t: t["accessors"][1].update(count=-1), "expected a whole count"),
        (lambda t: t["accessors"][1].update(componentType=1), "unknown component type"),
        (lambda t: t["animations"][0]["samplers"][0].update(output=99), "expected one of 2 accessors"),
        (lambda t: t["animations"][0]["samplers"][0].update(interpolation="BEZIER"), "unknown interpolation"),
        (lambda t: t["nodes"][0].update(translation=[0, 1]), "expected 3 numbers"),
        (lambda t: t["skins"][0].update(joints=[]), "no joints"),
        (lambda t: t["asset"].update(version="1.0"), "expected glTF 2.x"),
        (lambda t: t.update(extensionsRequired=["EXT_meshopt_compression"]), "compressed"),
        (lambda t: t.update(nodes=[]), "no nodes"),
    ],
)
def test_broken_files_are_refused(arm_file, tmp_path, change, message):
    with_skin(arm_file).animate(1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    change(arm_file.tree)
    with pytest.raises(FormatError, match=message):
        load(arm_file.write(tmp_path / "arm.gltf"))


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin",
        "/etc/passwd",
        "file:///etc/passwd",
        "http://example.org/a.bin",
        "a/../../b.bin",
        "..%2fsecret.bin",
        "..\\x",
        "C:\\x",
    ],
)
def test_addresses_that_leave_the_folder_are_refused(arm_file, tmp_path, uri):
    (tmp_path / "secret.bin").write_bytes(b"\0" * 1000)
    (tmp_path / "sub").mkdir()
    with_skin(arm_file).animate(1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    path = arm_file.write(tmp_path / "sub" / "arm.gltf")
    tree = json.loads(path.read_text())
    tree["buffers"][0]["uri"] = uri
    path.write_text(json.dumps(tree))
    with pytest.raises(FormatError, match="leaves the file's folder: refused"):
        load(path)


def test_a_link_that_leaves_the_folder_is_refused_and_a_file_beside_is_read(arm_file, tmp_path):
    with_skin(arm_file).animate(1, "rotation", [0, 1], [[0, 0, 0, 1], QUARTER])
    (tmp_path / "sub").mkdir()
    path = arm_file.write(tmp_path / "sub" / "arm.gltf")
    (tmp_path / "far.bin").write_bytes(arm_file.data)
    (tmp_path / "sub" / "link.bin").symlink_to(tmp_path / "far.bin")
    (tmp_path / "sub" / "near arm.bin").write_bytes(arm_file.data)
    tree = json.loads(path.read_text())
    tree["buffers"][0]["uri"] = "link.bin"
    path.write_text(json.dumps(tree))
    with pytest.raises(FormatError, match="leaves the file's folder"):
        load(path)
    tree["buffers"][0]["uri"] = "near%20arm.bin"
    path.write_text(json.dumps(tree))
    assert len(load(path, fps=1)) == 2


def test_two_keys_far_apart_do_not_make_a_billion_frames(arm_file, tmp_path):
    with_skin(arm_file).animate(1, "rotation", [0, 9e6], [[0, 0, 0, 1], QUARTER])
    with pytest.raises(FormatError, match="too many"):
        load(arm_file.write(tmp_path / "arm.gltf"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"glTF\x02\0\0\0", "ends in its header"),
        (b"glTF\x01\0\0\0" + b"\0" * 20, "expected GLB version 2"),
        (b"glTF\x02\0\0\0\xff\xff\xff\x7f" + b"\0" * 20, "cut short"),
        (b"HIERARCHY\n", "not a glTF file"),
        (b"{}", "no 'asset'"),
        (b"{" * 100_000, "JSON cannot be read"),
        (b"", "empty"),
    ],
)
def test_what_is_no_gltf_is_said(tmp_path, data, message):
    (tmp_path / "x.glb").write_bytes(data)
    with pytest.raises(FormatError, match=message):
        load(tmp_path / "x.glb")
