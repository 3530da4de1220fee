"""The header and the parameters of a C3D file.

After "The C3D File Format: A Technical User Guide" (Motion Lab Systems). Three kinds of machine wrote such files, and
each has its own numbers: Intel, DEC and MIPS.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from motionloom.core import FloatArray
from motionloom.io.reader_notes import Notes

BLOCK = 512  # bytes; places in the file are counted in blocks, from 1
MARK = 0x50  # the second byte of every C3D file
INTEL, DEC, MIPS = 84, 85, 86
_MOST = 10_000  # parameters; more is a broken file
_CHARACTER, _BYTE, _INTEGER, _REAL = -1, 1, 2, 4

Value = tuple[str, ...] | FloatArray
"""Of a parameter: its strings, or its numbers (1-D)."""


class Header(NamedTuple):
    """The first block of the file."""

    points: int
    analog: int  # samples per frame, of all channels together
    first: int  # frame numbers; at most 65535
    last: int
    scale: float  # negative: points are floats, in the file's unit already
    data: int  # byte at which the frames start
    rate: float


def reals(raw: bytes, processor: int) -> FloatArray:
    """Numbers of four bytes each, as this kind of machine wrote them."""
    if processor == MIPS:
        return np.frombuffer(raw, ">f4").astype(float)
    if processor == DEC:  # swapped words, and an exponent that is larger by two
        words = np.frombuffer(raw, "<u2").reshape(-1, 2)[:, ::-1]
        with np.errstate(invalid="ignore", over="ignore"):  # a not-a-number stays one
            return np.ascontiguousarray(words).view("<f4").astype(float).ravel() / 4
    return np.frombuffer(raw, "<f4").astype(float)


def integers(raw: bytes, processor: int, *, signed: bool = False) -> Any:
    """Numbers of two bytes each."""
    return np.frombuffer(raw, ("<", ">")[processor == MIPS] + ("u2", "i2")[signed]).astype(np.int64)


def read_head(raw: bytes, notes: Notes) -> tuple[Header, int, dict[str, Value]]:
    """Header, kind of machine, and parameters by "GROUP:NAME"."""
    if len(raw) < BLOCK or raw[1] != MARK:
        raise notes.error("not a C3D file: its second byte must be 80, and it needs a header of 512 bytes")
    start = (max(raw[0], 1) - 1) * BLOCK
    section = raw[start : start + 255 * BLOCK]
    processor = section[3] if len(section) > 3 else 0
    if processor not in (INTEL, DEC, MIPS):
        notes.warn(f"kind of machine {processor}: expected 84, 85 or 86; 84 (Intel) assumed")
        processor = INTEL
    words = integers(raw[:24], processor)
    scale, rate = float(reals(raw[12:16], processor)[0]), float(reals(raw[20:24], processor)[0])
    header = Header(
        int(words[1]), int(words[2]), int(words[3]), int(words[4]), scale, (int(words[8]) - 1) * BLOCK, rate
    )
    return header, processor, _parameters(section, processor, notes) if raw[0] else {}


def _parameters(section: bytes, processor: int, notes: Notes) -> dict[str, Value]:
    """Every parameter that can be read; the first broken one ends the list, with a note.

    A record is: length of the name (negative: locked), number of the group (negative: this is the group itself), the
    name, the offset of the next record, then type, dimensions and values.
    """
    groups: dict[int, str] = {}
    found: list[tuple[int, str, Value]] = []
    at = 4
    for _ in range(_MOST):
        if at + 2 > len(section):
            break
        length, group = np.frombuffer(section[at : at + 2], np.int8).tolist()
        length = abs(length)
        name = section[at + 2 : at + 2 + length].decode("latin-1").strip().upper()
        at += 2 + length
        if not length or at + 2 > len(section):
            break
        step = int(integers(section[at : at + 2], processor)[0])
        if group < 0:
            groups[-group] = name
        else:
            value = _value(section, at + 2, processor)
            if value is None:
                notes.warn(f"parameter {name!r} reaches beyond its section: it and those behind it are not read")
                break
            found.append((group, name, value))
        if step < 2:  # zero marks the last one
            break
        at += step
    return {f"{groups.get(group, '')}:{name}": value for group, name, value in found}


def _value(section: bytes, at: int, processor: int) -> Value | None:
    """The value whose type stands at byte `at`; None where it does not fit, or has no known type."""
    if at + 2 > len(section):
        return None
    kind = int(np.frombuffer(section[at : at + 1], np.int8)[0])
    count = section[at + 1]
    sizes = list(section[at + 2 : at + 2 + count])
    if kind not in (_CHARACTER, _BYTE, _INTEGER, _REAL) or len(sizes) < count or count > 7:
        return None
    total = 1
    for size in sizes:
        total *= size
    at += 2 + count
    raw = section[at : at + total * abs(kind)]
    if len(raw) < total * abs(kind):
        return None
    if kind == _CHARACTER:
        width = sizes[0] if sizes else 1
        texts = [raw[i : i + width] for i in range(0, len(raw), width)] if width else []
        return tuple(text.split(b"\0")[0].decode("utf-8", "replace").strip() for text in texts)
    if kind == _REAL:
        return reals(raw, processor)
    return np.asarray(integers(raw, processor) if kind == _INTEGER else np.frombuffer(raw, np.uint8), float)
