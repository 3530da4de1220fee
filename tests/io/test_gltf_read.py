"""glTF in: what other programs write is read."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from motionloom.io import load
from motionloom.kinematics import fk
from motionloom.rotation import from_axis_angle, rotate, slerp

_spec = importlib.util.spec_from_file_location("gltf_files", Path(__file__).with_name("gltf_files.py"))
assert _spec is not None
assert _spec.loader is not None
files = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(files)
Builder, QUARTER, with_skin = files.Builder, files.QUARTER, files.with_skin


@pytest.fixture
def arm_file():
    """Hips at 1 m with a head 0.5 m above, as plain nodes."""
    return files.arm()


def test_plain_animated_nodes_are_read(arm_file, tmp_path):
    arm_file.animate(1, "rotation", [0, 0.5, 1], [[0, 0, 0, 1], QUARTER, QUARTER])
    clip = load(arm_file.write(tmp_path / "arm.gltf"), fps=2)
    assert clip.skeleton.names == ("Head",)  # what stands still above it is its place
    assert np.allclose(clip.root, [0, 1.5, 0])
    assert len(clip) == 3
    assert "no skin: plain nodes are taken as joints" in [note.text for note in clip.origin.notes]


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
    assert any("folded into the root" in str(note) for note in clip.origin.notes)


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
    assert any("not on even frames" in str(note) for note in clip.origin.notes)
