"""The binary chunk of a GLB file: pieces of data, with the views and accessors into them; and the whole file."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionloom.core import FloatArray, FormatError

FLOAT, UINT8, UINT16, UINT32 = 5126, 5121, 5123, 5125


class Binary:
    """The binary chunk: pieces of 4-byte aligned data, and the views and accessors into them; new ones are appended."""

    def __init__(
        self,
        parts: Sequence[bytes] = (),
        views: Sequence[dict[str, Any]] = (),
        accessors: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.parts: list[Any] = list(parts)
        self.views: list[dict[str, Any]] = list(views)
        self.accessors: list[dict[str, Any]] = list(accessors)
        self.size = sum(map(len, parts))

    def view(self, data: NDArray[Any], target: int | None = None) -> int:
        """A view on this data, which is put at the end."""
        raw = np.ascontiguousarray(data)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.size, "byteLength": raw.nbytes}
        if target is not None:
            view["target"] = target
        pad = -raw.nbytes % 4
        self.parts += [raw.data, b"\0" * pad]
        self.size += raw.nbytes + pad
        self.views.append(view)
        return len(self.views) - 1

    def accessor(self, view: int, kind: str, count: int, component: int = FLOAT, **more: Any) -> int:
        entry = {"bufferView": view, "componentType": component, "count": count, "type": kind}
        self.accessors.append(entry | {k: v for k, v in more.items() if v})
        return len(self.accessors) - 1


def keys_of(rotations: FloatArray) -> NDArray[np.float32]:
    """(F, J, 4) w x y z to (J, F, 4) x y z w, with neighbours on one hemisphere: importers interpolate plainly."""
    frames, joints = rotations.shape[:2]
    out = np.empty((joints, frames, 4), np.float32)
    by_joint = rotations.transpose(1, 0, 2)
    out[..., :3] = by_joint[..., 1:]
    out[..., 3] = by_joint[..., 0]
    flips = np.einsum("jfc,jfc->jf", out[:, 1:], out[:, :-1]) < 0
    if flips.any():
        odd = np.cumsum(flips, axis=1, dtype=np.int32) & 1
        out[:, 1:] *= (1 - 2 * odd).astype(np.float32)[..., None]  # three times as fast as by a mask
    return out


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
