"""Accessors and buffer views that nothing in a glTF file uses, left out: what animations leave that were removed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

PLAIN = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "KHR_mesh_quantization", "EXT_texture_", "VRM")
Reference = tuple[dict[str, Any], str]  # an object, and its key with the number of an accessor or of a view


def without_unused(tree: dict[str, Any], data: bytes) -> bytes:
    """The binary chunk without unused views; accessors, views and references in `tree` are numbered anew.

    Other bytes stay as they are. Files with extensions whose references are not known stay whole.
    """
    if not all(name.startswith(PLAIN) for name in tree.get("extensionsUsed", [])):
        return data
    _keep_used(tree, "accessors", list(_accessor_users(tree)))
    _keep_used(tree, "bufferViews", list(_view_users(tree)))
    parts: list[bytes] = []
    size = end = 0
    for view in sorted(tree.get("bufferViews", []), key=lambda view: int(view.get("byteOffset", 0))):
        start = view.get("byteOffset", 0)
        stop = start + view["byteLength"]
        if start >= end or not parts:  # else it overlaps the last one
            parts.append(b"\0" * (-size % 4))
            size += len(parts[-1])
            shift = start - start % 4 - size
            end = start - start % 4
        parts.append(data[end : max(end, stop)])
        size += len(parts[-1])
        end = max(end, stop)
        view["byteOffset"] = start - shift
    return b"".join([*parts, b"\0" * (-size % 4)])


def _accessor_users(tree: dict[str, Any]) -> Iterator[Reference]:
    for mesh in tree.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            for table in (primitive.get("attributes", {}), *primitive.get("targets", [])):
                yield from ((table, name) for name in table)
            yield primitive, "indices"
    yield from ((skin, "inverseBindMatrices") for skin in tree.get("skins", []))
    for animation in tree.get("animations", []):
        yield from ((sampler, key) for sampler in animation["samplers"] for key in ("input", "output"))


def _view_users(tree: dict[str, Any]) -> Iterator[Reference]:
    for accessor in tree.get("accessors", []):
        yield accessor, "bufferView"
        yield from ((part, "bufferView") for part in accessor.get("sparse", {}).values() if isinstance(part, dict))
    yield from ((image, "bufferView") for image in tree.get("images", []))


def _keep_used(tree: dict[str, Any], kind: str, users: list[Reference]) -> None:
    """The entries of a kind that are used, and their new numbers in the users."""
    users = [(user, key) for user, key in users if key in user]
    used = {user[key] for user, key in users}
    entries = tree.get(kind, [])
    number = list(accumulate((n in used for n in range(len(entries))), initial=0))
    for user, key in users:
        user[key] = number[user[key]]
    tree[kind] = [entry for n, entry in enumerate(entries) if n in used]
