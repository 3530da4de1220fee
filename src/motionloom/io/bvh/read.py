"""BVH reader: text files with a HIERARCHY and a MOTION section, as every animation package writes them.

Position channels replace OFFSET, as in Blender. BVH states neither unit nor up axis: both are estimated, with notes in
`clip.origin.notes`. Facts of the file alone (channel orders, wrapper joints, frame time) are kept in
`clip.origin.header["bvh"]`, for the writer.
"""

from __future__ import annotations

import mmap
import re
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import Clip, End, FloatArray, Skeleton
from motionloom.core.arrays import freeze_in_place
from motionloom.core.files import open_regular
from motionloom.core.origin import from_file
from motionloom.io import units_and_axes as conv
from motionloom.io.bvh.body import BvhBody, build, check_scale, columns_of, find_slides, local_positions, unique_names
from motionloom.io.bvh.header import Hierarchy, read_hierarchy
from motionloom.io.bvh.motion import read_motion
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading
from motionloom.io.sniff import what_is
from motionloom.kinematics.body.roles import guess_roles, many_legs
from motionloom.kinematics.capture.tpose import rest_then_jump
from motionloom.kinematics.fk import positions

MAX_HEADER = 8 << 20  # bytes before MOTION
_MOTION = re.compile(rb"(?:^|[\r\n}])[ \t]*(MOTION)(?=[\s]|$)", re.IGNORECASE)


def read_bvh(path: str | Path, reading: Reading = DEFAULT) -> Clip:
    """A clip from a BVH file, with all frames. `FormatError` states where and why it cannot be read."""
    notes = reading.notes(path)
    try:
        with open_regular(path) as file:
            if not file.seek(0, 2):
                raise notes.error("this is an empty file")
            # closed when no reference is left: the traceback of an error may have one
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return parse_bvh(data, notes, reading)
    except OSError as error:
        raise notes.error(f"cannot be read: {error.strerror or error}") from None


def parse_bvh(data: Any, notes: Notes, reading: Reading = DEFAULT) -> Clip:
    """A clip from the bytes (or memory map) of a BVH file; `notes` contains its name and collects notes on it."""
    hierarchy, encoding, start = _head(data, notes)
    rows = read_motion(data, start, hierarchy.width, notes, reading.fps)
    columns = columns_of(hierarchy.nodes)
    check_scale(hierarchy.nodes, rows.values, columns, notes)
    body = build(hierarchy, rows.values, columns, notes)
    skip = len(hierarchy.nodes) - len(body.nodes)
    position = columns.position[skip:]
    names = unique_names([node.name for node in body.nodes])
    if renamed := [n for n, node in zip(names, body.nodes, strict=True) if n != node.name]:
        notes.info(f"joint names repeat: called {', '.join(renamed[:4])} here, as in the file on writing")
    tips = {e.joint - skip: float(np.linalg.norm(e.offset or 0.0)) for e in hierarchy.ends}
    space = _convention(body, names, rows.values, position, tips, reading, notes)
    place = find_slides(body, rows.values, position, space.unit, notes, drop=reading.drop_slides)
    ends = tuple(
        End(e.joint - skip, _triple(conv.vectors_inside(np.array(e.offset), space.up) * space.unit), e.name)
        for e in hierarchy.ends
        if e.joint >= skip
    )
    root = freeze_in_place(conv.vectors_inside(body.root, space.up) * space.unit)
    turns, slides = body.rotations, place.slides
    if space.up != "y":
        turns = conv.turns_inside(turns, space.up)
        slides = None if slides is None else conv.vectors_inside(slides, space.up)
    skeleton = Skeleton(tuple(names), body.parents, conv.vectors_inside(place.offsets, space.up), (), ends)
    header = {
        "joints": names,
        "names": [node.name for node in body.nodes],
        "channels": _kept_channels(body, reading.drop_slides),
        "wrappers": body.wrappers,
        "frame_time": rows.frame_time,
        "encoding": encoding,
    }
    frames, rate = len(rows.values), rows.fps
    del rows  # the numbers as written are not needed any more
    roles = _roles(skeleton, root, turns, slides)
    origin = from_file(
        Path(notes.path).name, frames, unit=space.unit, up=space.up, header={"bvh": header}, notes=notes.all
    )
    return Clip(
        Skeleton(skeleton.names, skeleton.parents, skeleton.offsets, roles, ends),
        root,
        freeze_in_place(turns),
        rate,
        slides=None if slides is None else freeze_in_place(slides),
        origin=origin,
    )


def _head(data: Any, notes: Notes) -> tuple[Hierarchy, str, int]:
    """The hierarchy, the encoding of its names, and where MOTION's content starts."""
    first = bytes(data[:4096])
    if what := what_is(first):
        raise notes.error(f"this is {what}")
    match = _MOTION.search(data, 0, MAX_HEADER)
    start = len(b"\xef\xbb\xbf") if first.startswith(b"\xef\xbb\xbf") else 0
    if not re.match(rb"(?:\s*+(?:#|//)[^\r\n]*+[\r\n])*+\s*+HIERARCHY\b", first[start:], re.IGNORECASE):
        shown = first[start : start + 40].split(b"\n")[0].decode("latin-1").strip()
        raise notes.error(f"not a BVH file: it starts with {shown!r}, not with HIERARCHY", line=1)
    if match is None:
        too_long = len(data) > MAX_HEADER
        if not too_long:
            read_hierarchy(
                _decode_names(bytes(data[start:]), notes)[0], notes.path
            )  # its own error is more to the point
        raise notes.error(f"no MOTION in the first {MAX_HEADER >> 20} MB" if too_long else "no MOTION after HIERARCHY")
    text, encoding = _decode_names(bytes(data[start : match.start(1)]), notes)
    return read_hierarchy(text, notes.path), encoding, match.end(1)


def _decode_names(head: bytes, notes: Notes) -> tuple[str, str]:
    """Names are UTF-8; if they are not, Japanese (cp932) or Latin-1.

    Latin-1 has no letters at 0x80-0x9f, where the first bytes of most Japanese characters lie.
    """
    try:
        return head.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    encoding = "latin-1"
    if re.search(rb"[\x80-\x9f]", head):
        try:
            head.decode("cp932")
            encoding = "cp932"
        except UnicodeDecodeError:
            pass
    shown = {"cp932": "cp932 (Japanese)", "latin-1": "Latin-1"}[encoding]
    notes.warn(f"the names are not UTF-8; read as {shown}")
    return head.decode(encoding), encoding


def _convention(
    body: BvhBody,
    names: list[str],
    values: FloatArray,
    position: Any,
    tips: dict[int, float],
    reading: Reading,
    notes: Notes,
) -> conv.Convention:
    """Unit and up axis: as given, or estimated from where the joints are in some frames."""
    some = np.concatenate([[0], _some_frames(len(values))])
    offsets = np.array([node.offset or (0.0, 0.0, 0.0) for node in body.nodes])
    locals_ = np.stack(
        [local_positions(node, values[some], p) for node, p in zip(body.nodes, position, strict=True)], 1
    )
    draft = Skeleton(tuple(names), body.parents, offsets)
    places = positions(draft, body.root[some], body.rotations[some], locals_ - offsets)
    parents = body.parents.tolist()
    roles = guess_roles(names, parents, offsets)
    axis, metres = reading.axis, reading.metres
    if axis is None:
        tpose = rest_then_jump(body.rotations[:22])
        legs = many_legs(names, parents, offsets)
        axis, ground = conv.estimate_up(places[:1] if tpose else places[1:], roles, legs)
        notes.info(f"up axis {axis}", topic="up", detail=conv.UP_GROUNDS[ground])
    if metres is None:
        metres, evidence = conv.estimate_unit(places[1:], roles, parents, axis, tips)
        notes.info(f"unit {conv.unit_name(metres)}, estimated", topic="unit", detail=evidence)
    return conv.Convention(metres, axis)


def _roles(skeleton: Skeleton, root: FloatArray, turns: FloatArray, slides: FloatArray | None) -> tuple[str, ...]:
    """Roles from names, shape and a typical frame: the one of medium height."""
    some = _some_frames(len(root))
    places = positions(skeleton, root[some], turns[some], None if slides is None else slides[some])
    heights = np.ptp(places[..., 1], axis=1)
    typical = places[int(np.argsort(heights)[len(heights) // 2])]
    return guess_roles(skeleton.names, skeleton.parents, skeleton.offsets, typical)


def _some_frames(frames: int) -> Any:
    """Up to 24 frames from all over the clip; not the first, which may be a T-pose."""
    return np.unique(np.linspace(min(1, frames - 1), frames - 1, 24).astype(int))


def _kept_channels(body: BvhBody, drop_slides: bool) -> list[list[str]]:
    """The channels of each joint, for the writer; without slides, position channels of the root only."""
    channels = [list(node.channels) for node in body.nodes]
    if not drop_slides:
        return channels
    return [channels[0], *([c for c in own if not c.endswith("position")] for own in channels[1:])]


def _triple(v: FloatArray) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])
