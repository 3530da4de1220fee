"""Small glTF files for the tests, written by hand, as other programs write them."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np

QUARTER = [0, 0, 0.5**0.5, 0.5**0.5]  # x y z w: 90 degrees about z


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


def arm() -> Builder:
    """Hips at 1 m with a head 0.5 m above, as plain nodes."""
    build = Builder()
    build.tree["nodes"] = [
        {"name": "Hips", "translation": [0, 1, 0], "children": [1]},
        {"name": "Head", "translation": [0, 0.5, 0]},
    ]
    return build


def with_skin(build: Builder) -> Builder:
    build.tree["skins"] = [{"joints": [0, 1]}]
    return build
