"""The file of a rig with another animation: mesh, skin, materials, textures and all other nodes stay byte for byte."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.core.files import read_regular
from motionloom.io.gltf.binary import Binary, glb_bytes, keys_of
from motionloom.io.gltf.container import Document, parse_document
from motionloom.io.gltf.rig import Rig, with_rig_axes
from motionloom.io.gltf.unused import without_unused
from motionloom.io.reader_notes import Notes
from motionloom.rotation import from_matrix, inverse, multiply, rotate

MIN_SLIDE = 1e-6  # m


def rig_parts(clip: Clip, rig: Rig, name: str, *, keep: bool = False) -> list[Any] | None:
    """The bytes of the rig's file with the clip as its animation; None if that file is gone or has changed.

    Animations of the file are replaced, with what only they use, or with `keep` kept before the new one.
    """
    try:
        data = read_regular(rig.file)
    except OSError:
        return None
    if sha256(data).hexdigest() != rig.sha256:
        return None
    document = parse_document(data, data[:4096], Path(rig.file).parent, Notes(rig.file))
    tree = json.loads(json.dumps(document.tree))
    tree["animations"] = kept = tree.get("animations", []) if keep else []
    data = without_unused(tree, b"".join(_merged(document, tree)))
    binary = Binary([data], tree.get("bufferViews", []), tree.get("accessors", []))
    tree["animations"] = [*kept, _animation(with_rig_axes(clip, rig), rig, binary, name)]
    for n in rig.nodes:
        _split_matrix(tree["nodes"][n])
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


def _split_matrix(node: dict[str, Any]) -> None:
    """Translation, rotation and scale instead of a matrix, which nodes that move must not have."""
    if "matrix" in node:
        m = np.array(node.pop("matrix"), float).reshape(4, 4).T
        size = np.linalg.norm(m[:3, :3], axis=0)
        turn = from_matrix(m[:3, :3] / size)[[1, 2, 3, 0]]
        node |= {"translation": m[:3, 3].tolist(), "rotation": turn.tolist(), "scale": size.tolist()}


def _slides(clip: Clip) -> dict[int, FloatArray]:
    """By joint: how far it is (F, 3) from its place, for joints that slide."""
    if clip.slides is None:
        return {}
    return {j: clip.slides[:, j] for j in range(1, len(clip.skeleton)) if np.abs(clip.slides[:, j]).max() > MIN_SLIDE}


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
