"""glTF's container: the JSON document, its buffers, and accessors as arrays. Everything is checked before it is used.

Buffers are the GLB's own chunk, `data:` addresses, or files in the same folder or below it: an address that leaves the
folder is refused, and so is one that names another machine.
"""

from __future__ import annotations

import base64
import binascii
import struct
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from motionloom.core import FloatArray
from motionloom.core.files import read_regular
from motionloom.core.text import read_json
from motionloom.io.reader_notes import Notes
from motionloom.io.sniff import what_is

MAX_JSON = 256 << 20
_TYPES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}


class Document:
    """A glTF document: JSON objects by kind and number, and accessors as float arrays."""

    def __init__(self, tree: dict[str, Any], chunk: bytes, folder: Path, notes: Notes, digest: str = "") -> None:
        self.tree, self.chunk, self.folder, self.notes = tree, chunk, folder, notes
        self.sha256 = digest  # of the file
        self._buffers: dict[int, bytes] = {}
        self._lists: dict[str, list[dict[str, Any]]] = {}  # that were checked

    def all(self, kind: str) -> list[dict[str, Any]]:
        """All objects of a kind: "nodes", "skins", "animations" ..."""
        if kind not in self._lists:
            found = self.tree.get(kind, [])
            if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
                raise self.notes.error(f"{kind!r} is not a list of objects")
            self._lists[kind] = found
        return self._lists[kind]

    def index(self, value: Any, kind: str, where: str) -> int:
        """A number that points into a list of the document."""
        count = len(self.all(kind))
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < count:
            raise self.notes.error(f"{where}: expected one of {count} {kind}, found {_shown(value)}")
        return value

    def numbers(self, value: Any, count: int, where: str) -> FloatArray:
        """A list of so many finite numbers."""
        good = isinstance(value, list) and len(value) == count
        if not good or not all(isinstance(v, (int, float)) and abs(v) < 1e9 for v in value):
            raise self.notes.error(f"{where}: expected {count} numbers, found {_shown(value)}")
        return np.array(value, float)

    def accessor(self, number: Any, where: str) -> FloatArray:
        """The data of an accessor as (count, components) floats; normalised integers become -1..1."""
        at = self.index(number, "accessors", where)
        entry = self.all("accessors")[at]
        where = f"accessor {at}"
        count = self._whole(entry.get("count"), where, "count")
        width = _TYPES.get(str(entry.get("type")))
        dtype = self._dtype(entry, where)
        if width is None or count < 1:
            raise self.notes.error(f"{where}: type {_shown(entry.get('type'))} and count {count} cannot be read")
        if entry.get("bufferView") is None:
            if "sparse" not in entry or count * width > 50_000_000:
                raise self.notes.error(f"{where}: has no data")
            raw: NDArray[Any] = np.zeros((count, width), dtype)
        else:
            raw = self._slice(entry["bufferView"], entry.get("byteOffset", 0), count, width, dtype, where)
        if "sparse" in entry:
            raw = self._sparse(raw, entry["sparse"], dtype, where)
        if raw.dtype.kind == "f" and not np.isfinite(raw).all():
            raise self.notes.error(f"{where}: holds values that are not finite")
        out = raw.astype(float)
        if entry.get("normalized") is True and raw.dtype.kind in "iu":
            out = np.maximum(out / np.iinfo(raw.dtype).max, -1.0)
        return out

    def _sparse(self, raw: NDArray[Any], sparse: Any, dtype: Any, where: str) -> NDArray[Any]:
        """`raw` with some of its elements replaced."""
        if not isinstance(sparse, dict):
            raise self.notes.error(f"{where}: 'sparse' must be an object")
        at, new = sparse.get("indices"), sparse.get("values")
        if not isinstance(at, dict) or not isinstance(new, dict):
            raise self.notes.error(f"{where}: 'sparse' has no indices or no values")
        count = self._whole(sparse.get("count"), where, "sparse count")
        numbers = self._slice(at.get("bufferView"), at.get("byteOffset", 0), count, 1, self._dtype(at, where), where)
        index = numbers[:, 0]
        if index.dtype.kind != "u" or (count and int(index.max()) >= len(raw)):
            raise self.notes.error(f"{where}: a sparse index is out of range")
        out = raw.copy()
        out[index] = self._slice(new.get("bufferView"), new.get("byteOffset", 0), count, raw.shape[1], dtype, where)
        return out

    def _slice(self, view: Any, offset: Any, count: int, width: int, dtype: Any, where: str) -> NDArray[Any]:
        """(count, width) values at `offset` of a buffer view, rows `byteStride` apart."""
        entry = self.all("bufferViews")[self.index(view, "bufferViews", where)]
        data = self.buffer(entry.get("buffer"), where)
        start = self._whole(entry.get("byteOffset", 0), where, "byteOffset")
        length = self._whole(entry.get("byteLength"), where, "byteLength")
        offset = self._whole(offset, where, "byteOffset")
        row = width * dtype.itemsize
        stride = self._whole(entry.get("byteStride", row), where, "byteStride")
        needed = offset + stride * (count - 1) + row if count else 0
        if start + length > len(data) or needed > length or stride < row:
            raise self.notes.error(
                f"{where}: out of bounds: needs {needed} bytes of a view of {length}, of a buffer of {len(data)}"
            )
        flat = np.frombuffer(data, np.uint8, max(needed - offset, 0), start + offset)
        rows = np.lib.stride_tricks.as_strided(flat, (count, row), (stride, 1), writeable=False) if count else flat
        return np.ascontiguousarray(rows).view(dtype).reshape(count, width)

    def buffer(self, number: Any, where: str = "buffers") -> bytes:
        """The bytes of a buffer."""
        at = self.index(number, "buffers", where)
        if at not in self._buffers:
            entry = self.all("buffers")[at]
            length = self._whole(entry.get("byteLength"), f"buffer {at}", "byteLength")
            data = self.chunk if entry.get("uri") is None else self.fetched(entry["uri"], f"buffer {at}")
            if len(data) < length:
                raise self.notes.error(f"buffer {at}: expected {length} bytes, found {len(data)}")
            self._buffers[at] = data
        return self._buffers[at]

    def fetched(self, uri: Any, where: str) -> bytes:
        """The bytes behind a `uri`: inside the document, or a file that does not leave the folder."""
        if not isinstance(uri, str):
            raise self.notes.error(f"{where}: 'uri' must be text")
        if uri.startswith("data:"):
            head, comma, body = uri.partition(",")
            if not comma or not head.endswith(";base64"):
                raise self.notes.error(f"{where}: a data uri that is not base64")
            try:
                return base64.b64decode(body, validate=True)
            except (binascii.Error, ValueError):
                raise self.notes.error(f"{where}: broken base64") from None
        name = unquote(uri)
        if ":" in name or "\\" in name or "\0" in name or name.startswith("/") or ".." in Path(name).parts:
            raise self.notes.error(f"{where}: {_shown(uri)} leaves the file's folder: refused")
        try:
            path = (self.folder / name).resolve()
            if not path.is_relative_to(self.folder.resolve()):
                raise self.notes.error(f"{where}: {_shown(uri)} leaves the file's folder: refused")
            return read_regular(path)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise self.notes.error(f"{where}: {_shown(uri)} cannot be read: {why}") from None

    def _dtype(self, entry: dict[str, Any], where: str) -> Any:
        code = entry.get("componentType")
        if not isinstance(code, int) or code not in _DTYPES:
            raise self.notes.error(f"{where}: unknown component type {_shown(code)}")
        return np.dtype(_DTYPES[code])

    def _whole(self, value: Any, where: str, what: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 40:
            raise self.notes.error(f"{where}: expected a whole {what}, found {_shown(value)}")
        return value


def buffer_files(path: Path) -> list[Path]:
    """The files beside a glTF file that hold its buffers."""
    buffers = open_document(path, Notes(str(path))).all("buffers")
    uris = [unquote(uri) for b in buffers if isinstance(uri := b.get("uri"), str) and not uri.startswith("data:")]
    return [path.parent / uri for uri in uris]


def open_document(path: str | Path, notes: Notes) -> Document:
    """Read a `.glb` or `.gltf` file, whichever it is inside."""
    try:
        data = read_regular(path)
    except OSError as error:
        raise notes.error(f"cannot be read: {error.strerror or error}") from None
    return parse_document(data, data[:4096], Path(path).parent, notes)


def parse_document(data: bytes, head: bytes, folder: Path, notes: Notes) -> Document:
    """The same from bytes."""
    chunk = b""
    text = data
    if head[:4] == b"glTF":
        text, chunk = _chunks(data, notes)
    elif not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        raise notes.error(f"not a glTF file: this is {what_is(head) or 'something else'}")
    if len(text) > MAX_JSON:
        raise notes.error(f"its JSON is larger than {MAX_JSON >> 20} MB")
    try:
        tree = read_json(text)
    except ValueError as error:
        raise notes.error(f"its JSON cannot be read: {str(error)[:120]}") from None
    if not isinstance(tree, dict) or not isinstance(tree.get("asset"), dict):
        raise notes.error("not a glTF file: its JSON has no 'asset'")
    version = str(tree["asset"].get("version"))
    if not version.startswith("2."):
        raise notes.error(f"expected glTF 2.x, found version {version[:20]!r}")
    required = tree.get("extensionsRequired", [])
    if isinstance(required, list) and any("compression" in str(name) for name in required):
        raise notes.error(f"needs {required[0]!s:.60}: compressed files are not read; export without compression")
    return Document(tree, chunk, folder, notes, sha256(data).hexdigest())


def _chunks(data: bytes, notes: Notes) -> tuple[bytes, bytes]:
    """The JSON and the binary chunk of a GLB file."""
    if len(data) < 20:
        raise notes.error("a GLB file that ends in its header")
    version, total = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise notes.error(f"expected GLB version 2, found {version}")
    if total > len(data):
        raise notes.error(f"cut short: {total} bytes are declared, {len(data)} are there")
    found: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= total:
        size, kind = struct.unpack_from("<I4s", data, at)
        if at + 8 + size > total:
            raise notes.error(f"a chunk of {size} bytes at byte {at} reaches beyond the file")
        found.setdefault(kind, data[at + 8 : at + 8 + size])
        at += 8 + size
    if b"JSON" not in found:
        raise notes.error("a GLB file without a JSON chunk")
    return found[b"JSON"], found.get(b"BIN\0", b"")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
