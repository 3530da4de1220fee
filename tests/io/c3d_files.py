"""C3D files made for the tests, byte by byte: every kind of machine, whole numbers or floats."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

INTEL, DEC, MIPS = 84, 85, 86


def c3d_bytes(
    points: np.ndarray,
    *,
    machine: int = INTEL,
    floats: bool = True,
    scale: float = 0.1,
    rate: float = 100.0,
    parameters: dict[str, Any] | None = None,
    analog: int = 0,
    seen: np.ndarray | None = None,
) -> bytes:
    """points (F, M, 3); `parameters` by "GROUP:NAME": strings, or numbers (int as words, float as floats)."""
    frames, count = points.shape[:2]
    section = _section(parameters or {}, machine)
    start = 2 + len(section) // 512
    first, last = 1, min(frames, 65535)
    head = bytearray(512)
    head[:2] = bytes([2, 0x50])
    head[2:12] = _words([count, analog, first, last, 10], machine)
    head[12:16] = _real(-scale if floats else scale, machine)
    head[16:20] = _words([start, 1 if analog else 0], machine)
    head[20:24] = _real(rate, machine)
    residual = np.where(np.ones((frames, count), bool) if seen is None else seen, 0, -1)
    table = np.concatenate([points if floats else np.rint(points / scale), residual[..., None]], -1)
    table = np.concatenate([table.reshape(frames, -1), np.full((frames, analog), 7)], 1)
    if floats:
        body = b"".join(_real(x, machine) for x in table.ravel()) if machine != INTEL else table.astype("<f4").tobytes()
    else:
        body = table.astype(">i2" if machine == MIPS else "<i2").tobytes()
    return bytes(head) + section + body + bytes(-len(body) % 512)


def _section(parameters: dict[str, Any], machine: int) -> bytes:
    groups = list(dict.fromkeys(name.split(":")[0] for name in parameters))
    out = b""
    for k, group in enumerate(groups):
        out += struct.pack("bb", len(group), -(k + 1)) + group.encode() + _words([3], machine) + b"\0"
    for name, value in parameters.items():
        group, name = name.split(":")
        if isinstance(value, list) and value and isinstance(value[0], str):
            width = max(map(len, value))
            data = struct.pack("bBBB", -1, 2, width, len(value)) + b"".join(v.ljust(width).encode() for v in value)
        elif isinstance(value, str):
            data = struct.pack("bBB", -1, 1, len(value)) + value.encode()
        elif isinstance(value, list):
            data = struct.pack("bBB", 2, 1, len(value)) + _words(value, machine)
        elif isinstance(value, float):
            data = struct.pack("bB", 4, 0) + _real(value, machine)
        else:
            data = struct.pack("bB", 2, 0) + _words([value], machine)
        data += b"\0"
        out += struct.pack("bb", len(name), groups.index(group) + 1) + name.encode()
        out += _words([len(data) + 2], machine) + data
    out = bytes([0, 0, 0, machine]) + out + b"\0\0"
    return out + bytes(-len(out) % 512)


def _words(values: list[int], machine: int) -> bytes:
    return struct.pack((">" if machine == MIPS else "<") + f"{len(values)}H", *[v & 0xFFFF for v in values])


def _real(value: float, machine: int) -> bytes:
    if machine == MIPS:
        return struct.pack(">f", value)
    if machine == INTEL:
        return struct.pack("<f", value)
    raw = struct.pack("<f", value * 4)
    return raw[2:] + raw[:2]
