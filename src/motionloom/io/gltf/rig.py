"""The rig of a glTF file: its own joint axes, and the file itself with another animation.

Reading lays the local frames of joints along the world's axes in the rest pose (`rest_pose.rebased`). For a rig that is
undone here: node rotations are those that its bones, skin and engine expect. Mesh, skin, materials, textures and all
other nodes of the file stay byte for byte; only animations change.
"""

from __future__ import annotations

import dataclasses
import json
import struct
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from motionloom.core import Clip, End, FloatArray, FormatError, Skeleton, replace
from motionloom.core.files import read_regular
from motionloom.io.gltf.binary import Binary, keys_of
from motionloom.io.gltf.container import Document, parse_document
from motionloom.io.reader_notes import Notes
from motionloom.kinematics.fk import world
from motionloom.rotation import IDENTITY, inverse, multiply, rotate

MIN_SLIDE = 1e-6  # m
HEADER = "gltf"  # in `Origin.header`


class Rig(NamedTuple):
    """A clip's skeleton as its glTF file has it."""

    file: str  # absolute path
    sha256: str
    joints: tuple[str, ...]  # names of the joints in the clip
    nodes: tuple[int, ...]  # their nodes
    rest: tuple[tuple[float, ...], ...]  # local rotations of the rest pose, w x y z
    above: tuple[float, ...]  # what stands above the hips, at rest: place (3), rotation (4)
    offsets: tuple[tuple[float, ...], ...]  # of the joints in the clip, m
    scales: tuple[float, ...]  # metres per unit of each node's translation
    axes: str = "world"  # local frames of joints in BVH: along the "world" axes at rest, or those of the "rig"

    def header(self) -> dict[str, Any]:
        """The value for `Origin.header`."""
        return dict(self._asdict())


def rig_of(clip: Clip) -> Rig | None:
    """The rig of the file that a clip's skeleton came from, if it still has that file's joints and bones."""
    known = clip.origin.header.get(HEADER)
    if not known:
        return None
    rig = Rig(**known)
    same = rig.joints == clip.skeleton.names and np.allclose(rig.offsets[1:], clip.skeleton.offsets[1:], atol=1e-5)
    return rig if same else None


def with_rig_axes(clip: Clip, rig: Rig) -> Clip:
    """The clip with the local frames that the rig's joints have: the inverse of `rebased` for its rest pose.

    With the world rotations G of that pose, local rotations become G_parent^-1 L G, offsets and slides G_parent^-1 o.
    """
    body = clip.skeleton
    turns = world(body, np.zeros((1, 3)), np.array(rig.rest)[None])[1][0]
    back = inverse(turns)
    above = np.concatenate([IDENTITY[None], back[body.parents[1:]]])
    ends = tuple(End(e.joint, tuple(rotate(back[e.joint], e.offset).tolist()), e.name) for e in body.ends)
    return replace(
        clip,
        skeleton=Skeleton(body.names, body.parents, rotate(above, body.offsets), body.roles, ends),
        rotations=multiply(above, multiply(clip.rotations, turns)),
        slides=None if clip.slides is None else rotate(above, clip.slides),
    )


def rig_parts(clip: Clip, rig: Rig, name: str, *, keep: bool = False) -> list[Any] | None:
    """The bytes of the rig's file with the clip as its animation; None if that file is gone or has changed.

    Animations of the file are replaced, or with `keep` kept before the new one.
    """
    try:
        data = read_regular(rig.file)
    except OSError:
        return None
    if sha256(data).hexdigest() != rig.sha256:
        return None
    document = parse_document(data, data[:4096], Path(rig.file).parent, Notes(rig.file))
    tree = json.loads(json.dumps(document.tree))
    binary = Binary(_merged(document, tree), tree.get("bufferViews", []), tree.get("accessors", []))
    kept = tree.get("animations", []) if keep else []
    tree["animations"] = [*kept, _animation(with_rig_axes(clip, rig), rig, binary, name)]
    tree["asset"].get("extras", {}).pop("motionloom", None)
    return glb_bytes(tree, binary, rig.file)


def _animation(clip: Clip, rig: Rig, binary: Binary, name: str) -> dict[str, Any]:
    """Rotations of all joints and translations of the hips and of joints that slide, in the file's own frames."""
    place, turn = np.array(rig.above[:3]), np.array(rig.above[3:])
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(inverse(turn), rotations[:, 0])
    root = rotate(inverse(turn), clip.root - place) / rig.scales[0]
    times = (np.arange(len(clip)) / clip.fps).astype(np.float32)
    last = float(str(times[-1])) if len(clip) > 1 else 0.0
    clock = binary.accessor(binary.view(times), "SCALAR", len(clip), min=[0.0], max=[last])
    samplers: list[dict[str, int]] = []
    channels: list[dict[str, Any]] = []

    def add(node: int, path: str, view: int, kind: str, offset: int) -> None:
        output = binary.accessor(view, kind, len(clip), byteOffset=offset)
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": clock, "output": output})

    turns = binary.view(keys_of(rotations))
    for k, node in enumerate(rig.nodes):
        add(node, "rotation", turns, "VEC4", 16 * k * len(clip))
    moved = {0: root} | {j: (clip.skeleton.offsets[j] + slides) / rig.scales[j] for j, slides in _slides(clip).items()}
    shifts = binary.view(np.stack(list(moved.values())).astype(np.float32))
    for k, j in enumerate(moved):
        add(rig.nodes[j], "translation", shifts, "VEC3", 12 * k * len(clip))
    return {"name": name, "channels": channels, "samplers": samplers}


def _slides(clip: Clip) -> dict[int, FloatArray]:
    """By joint: how far it is (F, 3) from its place, for joints that slide."""
    if clip.slides is None:
        return {}
    return {j: clip.slides[:, j] for j in range(1, len(clip.skeleton)) if np.abs(clip.slides[:, j]).max() > MIN_SLIDE}


def with_axes(clip: Clip, axes: str) -> Clip:
    """The clip with a choice of local frames for BVH, where its skeleton came from a glTF file: see `Rig.axes`."""
    rig = rig_of(clip)
    if rig is None or rig.axes == axes:
        return clip
    header = {**clip.origin.header, HEADER: rig._replace(axes=axes).header()}
    return replace(clip, origin=dataclasses.replace(clip.origin, header=header))


def _merged(document: Document, tree: dict[str, Any]) -> list[bytes]:
    """All buffers and external images of a document as one binary chunk; views and images in `tree` follow."""
    parts: list[bytes] = []
    size = 0

    def put(data: bytes) -> int:
        nonlocal size
        start = size
        parts.extend([data, b"\0" * (-len(data) % 4)])
        size += len(data) + -len(data) % 4
        return start

    starts = [put(document.buffer(k)) for k in range(len(document.all("buffers")))]
    for view in tree.get("bufferViews", []):
        view["byteOffset"] = view.get("byteOffset", 0) + starts[view["buffer"]]
        view["buffer"] = 0
    for k, image in enumerate(tree.get("images", [])):
        uri = image.get("uri")
        if uri is None:
            continue
        data = document.fetched(uri, f"image {k}")
        kind = "image/png" if data[:4] == b"\x89PNG" else "image/jpeg"
        image.pop("uri")
        tree.setdefault("bufferViews", []).append({"buffer": 0, "byteOffset": put(data), "byteLength": len(data)})
        image |= {"bufferView": len(tree["bufferViews"]) - 1, "mimeType": kind}
    return parts


def glb_bytes(tree: dict[str, Any], binary: Binary, path: str | Path) -> list[Any]:
    """A GLB file in pieces: header, JSON chunk, binary chunk."""
    tree["buffers"] = [{"byteLength": binary.size}]
    tree["bufferViews"], tree["accessors"] = binary.views, binary.accessors
    text = json.dumps(tree, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + binary.size
    if total >= 1 << 32:
        raise FormatError("a GLB file can be 4 GB at most; these frames need more", path=path)
    head = struct.pack("<4sIII4s", b"glTF", 2, total, len(text), b"JSON")
    return [head, text, struct.pack("<I4s", binary.size, b"BIN\0"), *binary.parts]
