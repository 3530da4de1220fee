"""Skinned rigs as other programs write them: a person with bones along y, along x, or with arbitrary axes and roll.

Each has joint names of another program, an armature with a turn and a scale above it, a mesh with a material, bound to
the rest pose, and a short animation of its own.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
from gltf_files import Builder

from motionloom.rotation import between, from_axis_angle, inverse, multiply, rotate, to_matrix
from motionloom.samples.person import skeleton

UNREAL = {
    "hips": "pelvis", "spine": "spine_01", "spine1": "spine_02", "spine2": "spine_03", "neck": "neck_01",
    "shoulder": "clavicle", "upper_arm": "upperarm", "forearm": "lowerarm", "shin": "calf", "toe": "ball",
}  # fmt: skip
BLENDER = {"spine1": "spine.001", "spine2": "chest", "upper_arm": "upper_arm", "forearm": "forearm"}


def names_of(style: str) -> list[str]:
    body = skeleton()
    if style == "mixamo":
        return [f"mixamorig:{name}" for name in body.names]
    out = []
    for role in body.roles:
        side, _, part = role.partition("_") if role.startswith(("left_", "right_")) else ("", "", role)
        table = UNREAL if style == "unreal" else BLENDER
        end = {"": "", "left": "_l" if style == "unreal" else ".L", "right": "_r" if style == "unreal" else ".R"}[side]
        out.append(table.get(part, part) + end)
    return out


def axes_of(style: str) -> np.ndarray:
    """(J, 4) world rotations of the joints at rest."""
    body, rng = skeleton(), np.random.default_rng(5)
    out = np.tile([1.0, 0.0, 0.0, 0.0], (len(body), 1))
    along = np.array({"mixamo": [0.0, 1.0, 0.0], "unreal": [1.0, 0.0, 0.0]}.get(style, [0.0, 1.0, 0.0]))
    for j in range(len(body)):
        below = body.children(j)
        line = body.offsets[below[0]] if below else np.array([0.0, 1.0, 0.0])
        out[j] = between(along, line / np.linalg.norm(line))
        if style == "blender":  # any axes, any roll
            axis = rng.normal(size=3)
            out[j] = multiply(out[j], from_axis_angle(axis / np.linalg.norm(axis), rng.uniform(0.5, 2.5)))
    return out


def rig(path: Path, style: str, *, root_bone: bool = False) -> Path:
    """Write a rig: "mixamo", "unreal" or "blender"; `root_bone`: hips and a bone for feet hang on a root."""
    body, names, world = skeleton(), names_of(style), axes_of(style)
    turn, scale = {
        "mixamo": ([2**-0.5, 2**-0.5, 0.0, 0.0], 0.01),
        "unreal": ([2**-0.5, -(2**-0.5), 0.0, 0.0], 0.01),
        "blender": ([1.0, 0.0, 0.0, 0.0], 1.0),
    }[style]
    above = np.array(turn)
    build = Builder()
    nodes = []
    places = np.zeros((len(body), 3))
    for j, name in enumerate(names):
        p = int(body.parents[j])
        before = above if p < 0 else world[p]
        places[j] = body.offsets[j] + (places[p] if p >= 0 else 0.0)
        local = multiply(inverse(before), world[j])
        shift = rotate(inverse(before), body.offsets[j]) / scale
        node = {"name": name, "translation": shift.tolist(), "rotation": local[[1, 2, 3, 0]].tolist()}
        if body.children(j):
            node["children"] = body.children(j)
        nodes.append(node)
    count = len(names)
    armature = {"name": "Armature", "rotation": above[[1, 2, 3, 0]].tolist(), "scale": [scale] * 3, "children": [0]}
    nodes += [armature, {"name": "Body", "mesh": 0, "skin": 0}]
    skin = list(range(count))
    if root_bone:
        armature["children"] = [count + 2]
        nodes += [{"name": "root", "children": [0, count + 3]}, {"name": "ik_foot_root"}]
        skin += [count + 2, count + 3]
    binds = np.tile(np.eye(4), (len(skin), 1, 1))
    for j in range(count):
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = to_matrix(world[j]) * scale, places[j]
        binds[j] = np.linalg.inv(m).T
    points = np.concatenate([places + 0.03 * np.eye(3)[k] for k in range(3)])
    owners = np.zeros((len(points), 4), np.uint8)
    owners[:, 0] = np.tile(np.arange(count), 3)
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))
    low, high = points.min(0).tolist(), points.max(0).tolist()
    attributes = {
        "POSITION": build.accessor(points, "VEC3", min=low, max=high),
        "JOINTS_0": build.accessor(owners, "VEC4", "<u1", 5121),
        "WEIGHTS_0": build.accessor(weights, "VEC4"),
    }
    faces = build.accessor(np.arange(len(points)).reshape(3, count).T.ravel(), "SCALAR", "<u2", 5123)
    build.tree |= {
        "nodes": nodes,
        "scene": 0,
        "scenes": [{"nodes": [count, count + 1]}],
        "materials": [{"name": "Skin", "pbrMetallicRoughness": {"baseColorFactor": [0.8, 0.5, 0.4, 1]}}],
        "meshes": [{"name": "Body", "primitives": [{"attributes": attributes, "indices": faces, "material": 0}]}],
        "skins": [{"joints": skin, "inverseBindMatrices": build.accessor(binds, "MAT4"), "skeleton": 0}],
        "extras": {"studio": "kept"},
    }
    still = nodes[5]["rotation"]
    build.animate(5, "rotation", [0.0, 0.5], [still, still])
    build.tree["buffers"] = [{"byteLength": len(build.data)}]
    write(path, build.tree, build.data)
    return path


def write(path: Path, tree: dict, chunk: bytes) -> None:
    """A GLB file of its JSON and its binary chunk."""
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sIII4s", b"glTF", 2, 28 + len(text) + len(chunk), len(text), b"JSON")
    path.write_bytes(head + text + struct.pack("<I4s", len(chunk), b"BIN\0") + chunk)


def parse(path: Path) -> tuple[dict, bytes]:
    """The JSON and the binary chunk of a GLB file."""
    data = path.read_bytes()
    (size,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def values(tree: dict, chunk: bytes, number: int) -> np.ndarray:
    """The numbers of a float accessor."""
    entry = tree["accessors"][number]
    view = tree["bufferViews"][entry["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[entry["type"]]
    start = view.get("byteOffset", 0) + entry.get("byteOffset", 0)
    return np.frombuffer(chunk, "<f4", entry["count"] * width, start).reshape(entry["count"], width)


def skinned(path: Path, frame: int | None) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """What a player shows at a frame of the last animation (None: at rest): matrices of nodes, points of the mesh.

    glTF as its specification defines it, with 4 x 4 matrices; nothing of motionloom's reader is used.
    """
    tree, chunk = parse(path)
    local = {}
    for n, node in enumerate(tree["nodes"]):
        local[n] = {
            k: node.get(k, d) for k, d in (("translation", [0] * 3), ("rotation", [0, 0, 0, 1]), ("scale", [1] * 3))
        }
    for channel in tree["animations"][-1]["channels"] if frame is not None else ():
        sampler = tree["animations"][-1]["samplers"][channel["sampler"]]
        local[channel["target"]["node"]][channel["target"]["path"]] = values(tree, chunk, sampler["output"])[frame]
    world: dict[int, np.ndarray] = {}

    def place(n: int, above: np.ndarray) -> None:
        m = np.eye(4)
        x, y, z, w = local[n]["rotation"]
        m[:3, :3] = to_matrix(np.array([w, x, y, z])) * np.array(local[n]["scale"], float)
        m[:3, 3] = local[n]["translation"]
        world[n] = above @ m
        for child in tree["nodes"][n].get("children", ()):
            place(child, world[n])

    for n in tree["scenes"][0]["nodes"]:
        place(n, np.eye(4))
    skin, attributes = tree["skins"][0], tree["meshes"][0]["primitives"][0]["attributes"]
    binds = values(tree, chunk, skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    points = values(tree, chunk, attributes["POSITION"])
    view = tree["bufferViews"][tree["accessors"][attributes["JOINTS_0"]]["bufferView"]]
    owners = np.frombuffer(chunk, np.uint8, len(points) * 4, view.get("byteOffset", 0)).reshape(-1, 4)[:, 0]
    moved = np.array(
        [(world[skin["joints"][o]] @ binds[o] @ [*p, 1.0])[:3] for o, p in zip(owners, points, strict=True)]
    )
    return {node["name"]: world[n] for n, node in enumerate(tree["nodes"])}, moved
