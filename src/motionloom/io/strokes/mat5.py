"""MATLAB files of version 5, as far as motion needs them: numbers, text, and cells of these.

Own code, as scipy's reader ends the whole process on some broken files. After MathWorks' "MAT-File Format", chapter 1.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from motionloom.io.reader_notes import Notes

MAX_BYTES = 64 << 20  # bytes of all packed parts after unpacking; the whole set of letters has 12 MB
MAX_PARTS = 100_000  # of a file or a variable
MAX_DEPTH = 8
_MATRIX, _PACKED = 14, 15
_CELL, _CHAR = 1, 4
_STORED = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
    16: "u1",
    17: "u2",
}


def read_mat5(raw: bytes, notes: Notes) -> dict[str, Any]:
    """Variables by name: arrays of numbers, strings, or lists (cells, in the file's order); others are ignored."""
    if len(raw) < 128 or not raw.startswith(b"MATLAB 5.0 MAT-file"):
        raise notes.error("not a MATLAB file of version 5")
    order = {b"IM": "<", b"MI": ">"}.get(raw[126:128])
    if order is None:
        raise notes.error("a MATLAB file whose byte order is not known")
    out: dict[str, Any] = {}
    left = MAX_BYTES
    for kind, data in _elements(raw[128:], order, notes):
        if kind == _PACKED:
            whole = _unpack(data, left, notes)
            left -= len(whole)
            for inner, unpacked in _elements(whole, order, notes):
                _keep(out, inner, unpacked, order, notes)
        else:
            _keep(out, kind, data, order, notes)
    return out


def _keep(out: dict[str, Any], kind: int, data: bytes, order: str, notes: Notes) -> None:
    if kind == _MATRIX:
        name, value = _matrix(data, order, notes, 0)
        if value is not None:
            out[name] = value


def _unpack(data: bytes, limit: int, notes: Notes) -> bytes:
    try:
        stream = zlib.decompressobj()
        found = stream.decompress(data, limit + 1)
    except zlib.error as error:
        raise notes.error(f"a packed part is broken: {error}") from None
    if len(found) > limit:
        raise notes.error(f"its packed parts are over {MAX_BYTES >> 20} MB")
    return found


def _elements(raw: bytes, order: str, notes: Notes) -> list[tuple[int, bytes]]:
    """Type and bytes of each element: eight bytes of tag (or four, with up to four of data), then data, padded."""
    out = []
    at = 0
    while at + 8 <= len(raw):
        first, size = (int(v) for v in np.frombuffer(raw[at : at + 8], order + "u4"))
        if first >> 16:  # a small one: size and type share the first four bytes
            kind, size, start, step = first & 0xFFFF, first >> 16, at + 4, 8
            if size > 4:
                raise notes.error("an element does not fit its place")
        else:
            kind, start = first, at + 8
            step = 8 + size + (0 if kind == _PACKED else -size % 8)
        if start + size > len(raw):
            raise notes.error("the file ends in the middle of an element")
        out.append((kind, raw[start : start + size]))
        if len(out) > MAX_PARTS:
            raise notes.error(f"more than {MAX_PARTS} parts")
        at += step
    return out


def _matrix(data: bytes, order: str, notes: Notes, depth: int) -> tuple[str, Any]:
    """Name and value of one variable; None for kinds that are not read."""
    parts = _elements(data, order, notes)
    if depth > MAX_DEPTH or len(parts) < 3 or len(parts[0][1]) < 4 or len(parts[1][1]) % 4:
        raise notes.error("a variable is broken")
    kind = int(np.frombuffer(parts[0][1][:4], order + "u4")[0]) & 0xFF
    shape = [int(n) for n in np.frombuffer(parts[1][1], order + "i4")]
    name = parts[2][1].decode("latin-1")
    count = 1
    for n in shape:
        count *= n
        if n < 0 or count > MAX_BYTES:
            raise notes.error(f"variable {name[:40]!r}: invalid shape {shape}")
    if kind == _CELL:
        if len(parts) - 3 != count:
            raise notes.error(f"cell {name[:40]!r}: expected {count} members, found {len(parts) - 3}")
        inside = [_matrix(part, order, notes, depth + 1)[1] if k == _MATRIX and part else None for k, part in parts[3:]]
        return name, inside
    if not (kind == _CHAR or 6 <= kind <= 15) or len(parts) < 4 or parts[3][0] not in _STORED:
        return name, None
    stored = np.dtype(order + _STORED[parts[3][0]])
    body = parts[3][1]
    if len(body) != count * stored.itemsize:
        raise notes.error(f"variable {name[:40]!r}: expected {count} values, found {len(body) // stored.itemsize}")
    values = np.frombuffer(body, stored)
    if kind == _CHAR:
        return name, "".join(chr(int(v)) for v in values if 0 < v < 0xD800)
    return name, values.reshape(shape, order="F")
