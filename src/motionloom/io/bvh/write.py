"""BVH writer: names, order, hierarchy, channel orders and end sites of the source, where the clip came from a BVH file.

The root's OFFSET is 0 on the axes that have a channel, and so is that of a joint that slides: readers that replace
OFFSET by position channels (Blender) and readers that add them (three.js) agree. A joint that keeps its place to 0.1 mm
has it as OFFSET; position channels that the source had for it are kept with the same values, as in the source. Clips
read with `drop_slides` have position channels at the root only, which all readers read alike.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionloom.core import Clip, FloatArray, FormatError, Progress, silent
from motionloom.core.progress import parts, slices
from motionloom.io import units_and_axes as conv
from motionloom.io.atomic_files import write_file
from motionloom.io.bvh.motion import rate_of
from motionloom.io.bvh.tracks import JointTrack, source_of, tracks_of
from motionloom.io.gltf.rig import rig_of, with_rig_axes

ROWS = 4096  # that are formatted at once
_UNNAMEABLE = re.compile(r"[\r\n{}]|\s//|^//|^\s|\s$|^$", re.ASCII)


def write_bvh(
    clip: Clip,
    path: str | Path,
    *,
    unit: str | float | None = None,
    up: str | None = None,
    decimals: int = 6,
    progress: Progress | None = None,
) -> None:
    """Write a clip as BVH, in the unit and up axis of the file it came from unless others are given."""
    write_file(path, bvh_parts(clip, path, unit=unit, up=up, decimals=decimals, progress=progress))


def bvh_parts(
    clip: Clip,
    path: str | Path = "",
    *,
    unit: str | float | None = None,
    up: str | None = None,
    decimals: int = 6,
    progress: Progress | None = None,
) -> list[Any]:
    """The bytes of the file in pieces: everything up to the frame time, then the rows, `ROWS` at a time."""
    turning, writing = parts(progress or silent(), [2, 1])
    rig = rig_of(clip)
    clip = with_rig_axes(clip, rig) if rig is not None and rig.axes == "rig" else clip
    metres = clip.origin.unit if unit is None else conv.unit_of(unit)
    axis = clip.origin.up if up is None else conv.up_of(up)
    decimals = max(decimals, 6, 6 + int(np.ceil(np.log10(metres))))  # micrometres, if the unit is a metre or less
    tracks = tracks_of(clip, metres, axis, turning)
    order, lines = _hierarchy(tracks, decimals, path)
    values = np.empty((len(clip), sum(len(t.channels) for t in tracks)))
    column = 0
    for j in order:
        width = len(tracks[j].channels)
        values[:, column : column + width] = tracks[j].values
        column += width
    source = source_of(clip)
    lines += ["MOTION", f"Frames: {len(clip)}", f"Frame Time: {_frame_time(clip.fps, source)}", ""]
    return [_encode("\n".join(lines), source.get("encoding", "utf-8")), *_rows(values, decimals, path, writing)]


def _hierarchy(tracks: list[JointTrack], decimals: int, path: str | Path) -> tuple[list[int], list[str]]:
    """The order of the joints in the file, depth first, and the lines of HIERARCHY."""
    children: list[list[int]] = [[] for _ in tracks]
    first_end = [min((e[0] for e in t.ends), default=len(tracks) ** 2) for t in tracks]  # in the joint or below it
    for j in range(len(tracks) - 1, 0, -1):
        parent = tracks[j].parent
        children[parent].insert(0, j)
        first_end[parent] = min(first_end[parent], first_end[j])
    order: list[int] = []
    lines = ["HIERARCHY"]
    stack: list[tuple[str, int, int, Any]] = [("joint", 0, 0, None)]
    while stack:
        kind, j, depth, end = stack.pop()
        tab = "\t" * depth
        if kind == "close":
            lines.append(tab + "}")
            continue
        if kind == "end":
            name = _name(end[1] or "Site", path)
            lines += [f"{tab}End {name}", tab + "{", f"{tab}\tOFFSET {_numbers(end[2], decimals)}", tab + "}"]
            continue
        track = tracks[j]
        order.append(j)
        lines += [f"{tab}{'JOINT' if j else 'ROOT'} {_name(track.name, path)}", tab + "{"]
        lines.append(f"{tab}\tOFFSET {_numbers(track.offset, decimals)}")
        lines.append(f"{tab}\tCHANNELS {' '.join([str(len(track.channels)), *track.channels])}")
        inside: list[Any] = [(first_end[c], 1, ("joint", c, depth + 1, None)) for c in children[j]]
        inside += [(e[0], 0, ("end", j, depth + 1, e)) for e in track.ends]
        stack.append(("close", j, depth, None))
        stack += [item for *_, item in _kept_order(inside)][::-1]
    return order, lines


def _kept_order(inside: list[Any]) -> list[Any]:
    """Children in their order; each end site before the first child that holds a later one."""
    joints = [i for i in inside if i[1]]
    for end in (i for i in inside if not i[1]):
        at = next((n for n, i in enumerate(joints) if i[0] > end[0]), len(joints))
        joints.insert(at, end)
    return joints


def _name(name: str, path: str | Path) -> str:
    if _UNNAMEABLE.search(name):
        raise FormatError(
            f"joint {name!r} cannot be written: BVH names have no braces, line ends or outer blanks", path=path
        )
    return name


def _numbers(values: FloatArray, decimals: int) -> str:
    return " ".join(f"{v + 0.0:.{decimals}f}" for v in np.round(values, decimals))


def _frame_time(fps: float, source: dict[str, Any]) -> str:
    text: str = source.get("frame_time", "")
    return text if text and rate_of(text) == fps else f"{1 / fps:.10g}"


def _encode(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode("utf-8")


def _rows(values: FloatArray, decimals: int, path: str | Path, progress: Progress) -> list[memoryview]:
    """The text of all rows."""
    from motionloom.io.bvh._kernels import format_rows

    largest = max(float(values.max()), -float(values.min()), 1.0)
    if largest >= 10.0 ** (18 - decimals):
        raise FormatError(f"value {largest:g} is too large to be written with {decimals} decimals", path=path)
    width = len(f"-{largest:.{decimals}f} ") + 1  # rounding up may add a digit
    out: list[memoryview] = []
    for rows in slices(len(values), ROWS, progress, "writing rows"):
        text: NDArray[np.uint8] = np.empty(values[rows].size * width + 1, np.uint8)
        out.append(text[: format_rows(values[rows], decimals, text)].copy().data)
    return out
