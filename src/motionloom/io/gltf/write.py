"""GLB writer: a skeleton, a thin mesh of its bones bound to it, and one animation with a key for every frame.

A clip whose skeleton came from a glTF file is written as that file with this animation (`rig`).

glTF is in metres, y up, right-handed, as we are. The mesh is there so that importers build an armature: bones without
skin are plain nodes to Blender, Godot and three.js. Rotations of all joints are keyed, translations only of the root
and of joints that slide. Nodes stand in the bind pose, which is `stance(clip)`. Joints that stood above the hips in the
source are there again. What glTF has no place for (frame rate,
roles, end sites) is in `asset.extras.motionloom`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionloom.core import BadRequest, Clip, FloatArray
from motionloom.io.atomic_files import write_file
from motionloom.io.bvh.body import restore_wrappers
from motionloom.io.bvh.tracks import wrappers_of
from motionloom.io.gltf.binary import UINT8, UINT16, UINT32, Binary, glb_bytes, keys_of
from motionloom.io.gltf.replace_animation import rig_parts
from motionloom.io.gltf.rig import rig_of
from motionloom.io.units_and_axes import unit_of, up_of
from motionloom.kinematics.body.rest_pose import stance
from motionloom.kinematics.fk import world
from motionloom.rotation import multiply, rotate, to_matrix

MIN_SLIDE = 1e-4  # m; a joint that slides less than this around its place gets no translation track
VERTICES, INDICES = 34962, 34963
# an octahedron about a bone: base, four around it at a fifth of the way, tip; and its eight faces
_FACES = np.array([[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [5, 1, 2], [5, 2, 3], [5, 3, 4], [5, 4, 1]])


def write_glb(
    clip: Clip,
    path: str | Path,
    *,
    unit: str | float | None = None,
    up: str | None = None,
    extras: Mapping[str, Any] | None = None,
) -> None:
    """Write a clip as GLB (binary glTF 2.0); unit and up axis are fixed by the format.

    `extras` are stored as those of the animation, as JSON, unless the clip is written on the rig that it came from.
    """
    if (unit is not None and unit_of(unit) != 1.0) or (up is not None and up_of(up) != "y"):
        raise BadRequest("glTF is in metres with y up: it has no other unit or up axis")
    write_file(path, glb_parts(clip, path, extras))


def glb_parts(clip: Clip, path: str | Path = "", extras: Mapping[str, Any] | None = None) -> list[Any]:
    """The bytes of the file, in pieces: on the rig that the clip came from, or on a thin mesh of its bones."""
    rig = rig_of(clip)
    if rig is not None and (found := rig_parts(clip, rig, Path(path).stem or Path(clip.name).stem or "motion")):
        return found
    binary = Binary()
    document = _document(clip, binary, Path(path).stem)
    if extras is not None:
        document["animations"][0]["extras"] = dict(extras)
    return glb_bytes(document, binary, path)


def _document(clip: Clip, binary: Binary, name: str) -> dict[str, Any]:
    """Everything but the buffers."""
    body = clip.skeleton
    count = len(body)
    rest = stance(clip)
    offsets, moving = _places(clip)
    places, turns = world(body, rest.root[None], rest.rotations[None])
    wrappers = wrappers_of(clip, 1.0, "y")
    root, hips = restore_wrappers(wrappers, rest.root[None], rest.rotations[:1])
    offsets[0], poses = root[0], np.concatenate([hips, rest.rotations[1:]])
    nodes: list[dict[str, Any]] = []
    for j, joint in enumerate(body.names):
        node: dict[str, Any] = {"name": joint, "translation": _short(offsets[j])}
        if not np.array_equal(poses[j], [1, 0, 0, 0]):
            node["rotation"] = _short(poses[j, [1, 2, 3, 0]])
        if below := body.children(j):
            node["children"] = below
        nodes.append(node)
    nodes.append({"name": "bones", "mesh": 0, "skin": 0})
    above = range(count + 1, count + 1 + len(wrappers))
    for n, wrapper in zip(above, wrappers, strict=True):
        name = wrapper["name"] if wrapper["name"] not in body.names else wrapper["name"] + "#0"
        turn = _short(np.array(wrapper["rotation"])[[1, 2, 3, 0]])
        child = n + 1 if n + 1 in above else 0
        nodes.append({"name": name, "translation": _short(wrapper["position"]), "rotation": turn, "children": [child]})
    top = above[0] if wrappers else 0
    around = _around(wrappers)
    matrices = _inverse_binds(np.concatenate([places[0], around[0]]), np.concatenate([turns[0], around[1]]))
    binds = binary.accessor(binary.view(matrices), "MAT4", len(matrices))
    own = {
        "fps": clip.fps,
        "roles": list(body.roles),
        "ends": [[e.joint, *_short(np.array(e.offset)), e.name] for e in body.ends],
        "bind_pose": rest.description,
        "wrappers": len(wrappers),
    }
    asset: dict[str, Any] = {"version": "2.0", "generator": "motionloom", "extras": {"motionloom": own}}
    if clip.origin.licence:
        asset["copyright"] = clip.origin.licence
    return {
        "asset": asset,
        "scene": 0,
        "scenes": [{"nodes": [top, count]}],
        "nodes": nodes,
        "meshes": [{"name": "bones", "primitives": [_mesh(clip, places[0], turns[0], binary)]}],
        "skins": [{"joints": [*range(count), *above], "inverseBindMatrices": binds, "skeleton": top}],
        "animations": [_animation(clip, wrappers, moving, binary, name or Path(clip.name).stem or "motion")],
    }


def _places(clip: Clip) -> tuple[FloatArray, list[int]]:
    """The local places (J, 3) of joints that stay in theirs, and which joints (but the root) move."""
    offsets = np.array(clip.skeleton.offsets)
    if clip.slides is None:
        return offsets, []
    low, high = clip.slides.min(0), clip.slides.max(0)
    moving = [j for j in range(1, len(offsets)) if (high[j] - low[j]).max() > 2 * MIN_SLIDE]
    return offsets + (low + high) / 2, moving


def _around(wrappers: list[dict[str, Any]]) -> tuple[FloatArray, FloatArray]:
    """World places (W, 3) and rotations (W, 4) of joints above the hips, which stand still."""
    place, turn = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    places, turns = np.empty((len(wrappers), 3)), np.empty((len(wrappers), 4))
    for n, wrapper in enumerate(wrappers):
        place, turn = place + rotate(turn, wrapper["position"]), multiply(turn, wrapper["rotation"])
        places[n], turns[n] = place, turn
    return places, turns


def _animation(
    clip: Clip, wrappers: list[dict[str, Any]], moving: list[int], binary: Binary, name: str
) -> dict[str, Any]:
    """One animation: frame f is at f / fps seconds. Each joint's keys lie together in the one view of all rotations."""
    frames, count = len(clip), len(clip.skeleton)
    times = (np.arange(frames) / clip.fps).astype(np.float32)
    input_ = binary.accessor(
        binary.view(times), "SCALAR", frames, min=[0.0], max=[float(str(times[-1])) if frames > 1 else 0.0]
    )
    tracks = [("rotation", j, j, "VEC4", 16) for j in range(count)]
    root, rotations = clip.root, clip.rotations
    if wrappers:
        root, hips = restore_wrappers(wrappers, root, rotations[:, 0])
        rotations = np.concatenate([hips[:, None], rotations[:, 1:]], axis=1)
    turns = binary.view(keys_of(rotations))
    moved = np.stack([root, *(offsets_of(clip, j) for j in moving)]).astype(np.float32)
    shifts = binary.view(moved)
    tracks += [("translation", j, k, "VEC3", 12) for k, j in enumerate([0, *moving])]
    samplers: list[dict[str, int]] = []
    channels: list[dict[str, Any]] = []
    for path, joint, place, kind, size in tracks:
        view = turns if path == "rotation" else shifts
        output = binary.accessor(view, kind, frames, byteOffset=place * frames * size)
        channels.append({"sampler": len(samplers), "target": {"node": joint, "path": path}})
        samplers.append({"input": input_, "output": output})
    return {"name": name, "channels": channels, "samplers": samplers}


def offsets_of(clip: Clip, joint: int) -> FloatArray:
    """The local places (F, 3) of a joint that slides."""
    assert clip.slides is not None
    return clip.skeleton.offsets[joint] + clip.slides[:, joint]


def _inverse_binds(places: FloatArray, turns: FloatArray) -> NDArray[np.float32]:
    """(J, 4, 4), column by column: from the bind pose in the world to each joint's own frame."""
    out = np.zeros((len(places), 4, 4), np.float32)
    back = np.swapaxes(to_matrix(turns), 1, 2)
    out[:, :3, :3] = np.swapaxes(back, 1, 2)
    out[:, 3, :3] = -np.einsum("jab,jb->ja", back, places)
    out[:, 3, 3] = 1
    return out


def _mesh(clip: Clip, places: FloatArray, turns: FloatArray, binary: Binary) -> dict[str, Any]:
    """A slim octahedron for every bone, moved by the joint where the bone starts."""
    body = clip.skeleton
    bones = [(int(body.parents[j]), places[j]) for j in range(1, len(body))]
    bones += [(e.joint, places[e.joint] + rotate(turns[e.joint], np.array(e.offset))) for e in body.ends]
    bones = [(j, tip) for j, tip in bones if np.linalg.norm(tip - places[j]) > 1e-5]
    bones = bones or [(0, places[0] + [0.0, 0.1, 0.0])]  # one joint, or all in one place: something must be there
    owners = np.array([j for j, _ in bones])
    start, tip = places[owners], np.array([t for _, t in bones])
    line = tip - start
    length = np.linalg.norm(line, axis=1, keepdims=True)
    other = np.where(np.abs(line[:, 1:2]) < 0.9 * length, [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])
    side = np.cross(line / length, other)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    up = np.cross(side, line / length)
    waist, wide = start + 0.2 * line, 0.08 * length
    corners = np.stack([start, waist + wide * side, waist + wide * up, waist - wide * side, waist - wide * up, tip], 1)
    points = corners.reshape(-1, 3).astype(np.float32)
    owner = np.zeros((len(points), 4), np.uint8 if len(body) <= 256 else np.uint16)
    owner[:, 0] = np.repeat(owners, 6)
    weights = np.zeros((len(points), 4), np.uint8)
    weights[:, 0] = 255
    faces = (np.arange(len(bones))[:, None, None] * 6 + _FACES).ravel()
    wide_faces = len(points) > 65535
    index = binary.view(faces.astype(np.uint32 if wide_faces else np.uint16), INDICES)
    low, high = (_short(f(points, axis=0)) for f in (np.min, np.max))
    joints = UINT8 if owner.dtype == np.uint8 else UINT16
    return {
        "attributes": {
            "POSITION": binary.accessor(binary.view(points, VERTICES), "VEC3", len(points), min=low, max=high),
            "JOINTS_0": binary.accessor(binary.view(owner, VERTICES), "VEC4", len(points), joints),
            "WEIGHTS_0": binary.accessor(binary.view(weights, VERTICES), "VEC4", len(points), UINT8, normalized=True),
        },
        "indices": binary.accessor(index, "SCALAR", len(faces), UINT32 if wide_faces else UINT16),
    }


def _short(values: NDArray[Any]) -> list[float]:
    """Numbers as the shortest decimals that are the same in single precision."""
    return [float(str(v)) for v in np.asarray(values, np.float32) + np.float32(0)]
