"""A rig keeps its axes, mesh, skin and materials: GLB in, the same GLB out with another animation."""

from __future__ import annotations

import numpy as np
import pytest
from rig_files import parse, rig, skinned, values, write

from motionloom.core import BadRequest
from motionloom.io import load, save
from motionloom.io.gltf.rig import rig_of, with_rig_axes
from motionloom.io.gltf.unused import without_unused
from motionloom.kinematics.fk import fk
from motionloom.recipes import retarget
from motionloom.rotation import angle_between, inverse, multiply, to_matrix
from motionloom.samples import make

STYLES = ("mixamo", "unreal", "blender")


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("walk") / "walk.bvh"
    save(make("walk", seed=2, seconds=1.0), path)
    return load(path)


@pytest.mark.parametrize("style", STYLES)
def test_motion_on_a_rig_is_the_same_file_with_another_animation(tmp_path, walk, style):
    hero = rig(tmp_path / "hero.glb", style)
    body = load(hero)
    assert {"hips", "left_foot", "right_hand", "head"} <= set(body.skeleton.roles)
    made = retarget(walk, body).clip
    save(made, tmp_path / "out.glb")
    before, chunk = parse(hero)
    after, new_chunk = parse(tmp_path / "out.glb")
    for kind in ("nodes", "meshes", "skins", "materials", "scenes", "extras"):
        assert after[kind] == before[kind]
    used = [*after["meshes"][0]["primitives"][0]["attributes"].values(), after["skins"][0]["inverseBindMatrices"]]
    for number in used:  # mesh and skin, byte for byte
        assert view_bytes(after, new_chunk, number) == view_bytes(before, chunk, number)
    (animation,) = after["animations"]
    assert animation["name"] == "out"  # as the file: engines show it in a list
    places = fk(made)
    for frame in (0, len(made) // 2, len(made) - 1):
        shown, _ = skinned(tmp_path / "out.glb", frame)
        for j, name in enumerate(made.skeleton.names):
            np.testing.assert_allclose(shown[name][:3, 3], places[frame, j], atol=1e-4)
    again = load(tmp_path / "out.glb")
    np.testing.assert_allclose(fk(again), places, atol=1e-4)


def test_the_root_bone_of_a_rig_moves_over_the_floor_below_the_hips(tmp_path, walk):
    """As in Unreal: a root with the pelvis and bones for feet on it. Pelvis and limbs are as without that root."""
    body = load(rig(tmp_path / "hero.glb", "unreal", root_bone=True))
    assert body.skeleton.names[0] == "root"
    made = retarget(walk, body).clip
    plain = retarget(walk, load(rig(tmp_path / "plain.glb", "unreal"))).clip
    save(made, tmp_path / "out.glb")
    for frame in (0, len(made) // 2, len(made) - 1):
        shown, _ = skinned(tmp_path / "out.glb", frame)
        for j, name in enumerate(plain.skeleton.names):
            np.testing.assert_allclose(shown[name][:3, 3], fk(plain)[frame, j], atol=1e-4)
        under = shown["pelvis"][:3, 3] * [1, 0, 1]
        np.testing.assert_allclose(shown["root"][:3, 3], under, atol=1e-4)
        np.testing.assert_allclose(shown["ik_foot_root"], shown["root"], atol=1e-4)
    turned = multiply(made.rotations[:, 0], inverse(made.rotations[0, 0]))
    assert np.abs(turned[:, [1, 3]]).max() < 1e-9  # about the vertical alone


def view_bytes(tree, chunk, number):
    """The bytes of the buffer view that an accessor is in."""
    view = tree["bufferViews"][tree["accessors"][number]["bufferView"]]
    return chunk[view["byteOffset"] :][: view["byteLength"]]


def test_nothing_is_left_of_an_animation_that_was_replaced(tmp_path, walk):
    made = retarget(walk, load(rig(tmp_path / "hero.glb", "mixamo"))).clip
    save(made, tmp_path / "long.glb")
    save(made[:3], tmp_path / "direct.glb")
    save(load(tmp_path / "long.glb")[:3], tmp_path / "short.glb")
    (_, direct), (tree, short) = parse(tmp_path / "direct.glb"), parse(tmp_path / "short.glb")
    assert len(short) == len(direct)
    points = [skinned(tmp_path / name, 2)[1] for name in ("short.glb", "direct.glb")]
    np.testing.assert_allclose(*points, atol=1e-5)
    assert len(tree["bufferViews"]) == len({accessor["bufferView"] for accessor in tree["accessors"]})


def test_data_of_an_animation_that_the_mesh_uses_too_stays(tmp_path):
    """The first view is the animation's alone; the second is shared, and overlapped by a third at an odd place."""
    views = [{"byteOffset": a, "byteLength": n, "buffer": 0} for a, n in ((0, 8), (9, 6), (12, 8), (20, 4))]
    accessors = [{"bufferView": 0}, {"bufferView": 1}, {"bufferView": 2}]
    tree = {
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 2}, "targets": [{"POSITION": 1}]}]}],
        "images": [{"bufferView": 3}],
        "animations": [],
    }
    data = without_unused(tree, bytes(range(24)))
    assert data == bytes(range(8, 24))
    assert [(view["byteOffset"], view["byteLength"]) for view in tree["bufferViews"]] == [(1, 6), (4, 8), (12, 4)]
    assert tree["meshes"] == [{"primitives": [{"attributes": {"POSITION": 1}, "targets": [{"POSITION": 0}]}]}]
    assert tree["images"] == [{"bufferView": 2}]
    unknown = {"extensionsUsed": ["KHR_draco_mesh_compression"], "bufferViews": views}
    assert without_unused(unknown, b"whole") == b"whole"


@pytest.mark.parametrize("style", STYLES)
def test_the_rest_pose_on_its_own_rig_changes_nothing(tmp_path, style):
    hero = rig(tmp_path / "hero.glb", style)
    save(load(hero), tmp_path / "out.glb")
    (rest, skin), (shown, points) = skinned(hero, None), skinned(tmp_path / "out.glb", 0)
    for name, matrix in rest.items():
        np.testing.assert_allclose(shown[name], matrix, atol=1e-6)
    np.testing.assert_allclose(points, skin, atol=1e-5)


@pytest.mark.parametrize("style", STYLES)
def test_the_animation_of_a_rig_does_not_change_how_motion_is_put_on_it(tmp_path, walk, style):
    """The rest pose counts, which stands, whatever turn the armature has: here the only take turns the head aside."""
    tree, chunk = parse(rig(tmp_path / "hero.glb", style))
    still = retarget(walk, load(tmp_path / "hero.glb")).clip
    (sampler,) = tree["animations"][0]["samplers"]
    view = tree["bufferViews"][tree["accessors"][sampler["output"]]["bufferView"]]
    start, aside = view["byteOffset"], np.tile(np.float32([0.6, 0.0, 0.0, 0.8]), 2).tobytes()
    write(tmp_path / "hero.glb", tree, chunk[:start] + aside + chunk[start + len(aside) :])
    made = retarget(walk, load(tmp_path / "hero.glb")).clip
    np.testing.assert_allclose(fk(made), fk(still), atol=1e-6)


def test_joints_that_the_rig_places_by_matrices_get_rotations_and_can_move(tmp_path, walk):
    """glTF does not allow a node to have both a matrix and an animation."""
    hero = rig(tmp_path / "hero.glb", "unreal")
    made = retarget(walk, load(hero)).clip
    save(made, tmp_path / "plain.glb")
    tree, chunk = parse(hero)
    for node in tree["nodes"][3:9]:
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = to_matrix(np.array(node.pop("rotation"))[[3, 0, 1, 2]]), node.pop("translation")
        node["matrix"] = m.T.ravel().tolist()
    write(hero, tree, chunk)
    save(retarget(walk, load(hero)).clip, tmp_path / "out.glb")
    assert not any("matrix" in node for node in parse(tmp_path / "out.glb")[0]["nodes"])
    points = [skinned(tmp_path / name, 7)[1] for name in ("out.glb", "plain.glb")]
    np.testing.assert_allclose(*points, atol=1e-5)


@pytest.mark.parametrize("style", STYLES)
def test_the_skin_follows_the_bones(tmp_path, walk, style):
    """Each point of the mesh hangs on one joint, 3 cm from it: it stays there, whatever the axes of the joint."""
    hero = rig(tmp_path / "hero.glb", style)
    made = retarget(walk, load(hero)).clip
    save(made, tmp_path / "out.glb")
    _, points = skinned(tmp_path / "out.glb", 7)
    apart = np.linalg.norm(points.reshape(3, -1, 3) - fk(made)[7], axis=2)
    np.testing.assert_allclose(apart, 0.03, atol=1e-4)


@pytest.mark.parametrize("style", STYLES)
def test_bvh_has_the_axes_of_the_rig(tmp_path, walk, style):
    body = load(rig(tmp_path / "hero.glb", style))
    made = retarget(walk, body).clip
    save(made, tmp_path / "rig.bvh")
    save(made, tmp_path / "out.glb")
    tree, chunk = parse(tmp_path / "out.glb")
    found = load(tmp_path / "rig.bvh")
    np.testing.assert_allclose(fk(found), fk(made), atol=1e-4)
    outputs = {c["target"]["node"]: tree["animations"][0]["samplers"][c["sampler"]]["output"]
               for c in tree["animations"][0]["channels"] if c["target"]["path"] == "rotation"}  # fmt: skip
    for j in range(1, len(made.skeleton)):  # local rotations in the file are those of the bones
        x, y, z, w = values(tree, chunk, outputs[j]).T
        assert angle_between(found.rotations[:, j], np.stack([w, x, y, z], 1)).max() < 1e-3
    save(retarget(walk, body, axes="world").clip, tmp_path / "world.bvh")
    plain = load(tmp_path / "world.bvh")
    np.testing.assert_allclose(plain.skeleton.offsets[1:], body.skeleton.offsets[1:], atol=1e-5)
    with pytest.raises(BadRequest, match="rig or world"):
        retarget(walk, body, axes="bones")


def test_a_rig_that_is_gone_or_changed_gives_a_plain_file(tmp_path, walk):
    hero = rig(tmp_path / "hero.glb", "mixamo")
    made = retarget(walk, load(hero)).clip
    hero.write_bytes(hero.read_bytes() + b"\0\0\0\0")
    save(made, tmp_path / "out.glb")
    tree, _ = parse(tmp_path / "out.glb")
    assert tree["meshes"][0]["name"] == "bones"
    np.testing.assert_allclose(fk(load(tmp_path / "out.glb")), fk(made), atol=1e-4)


def test_axes_of_the_rig_are_the_inverse_of_those_of_the_world(tmp_path):
    body = load(rig(tmp_path / "hero.glb", "blender"))
    own = rig_of(body)
    assert own is not None
    np.testing.assert_allclose(fk(with_rig_axes(body, own)), fk(body), atol=1e-9)
    assert angle_between(with_rig_axes(body, own).rotations[0, 1:], np.array(own.rest)[1:]).max() < 1e-6
