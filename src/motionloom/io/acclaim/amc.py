"""AMC reader: the motion of an Acclaim capture, with the skeleton of the ASF file beside it.

Values of a bone are in the order of its `dof`, and the first is applied first: `dof rx ry rz` is Rz Ry Rx. AMC states
no frame rate; 120 is taken, as at CMU, unless another is given. The skeleton of `16_15.amc` is `16_15.asf`, else
`16.asf`, else the only ASF file of the folder.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from motionloom.core import Clip, End, FloatArray, Skeleton
from motionloom.core.arrays import freeze_in_place
from motionloom.core.origin import from_file
from motionloom.io import units_and_axes as conv
from motionloom.io.acclaim.asf import Acclaim, read_asf, text_lines, value
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading
from motionloom.kinematics.body.roles import guess_roles
from motionloom.kinematics.fk import positions
from motionloom.rotation import IDENTITY, about, inverse, multiply, rotate

USUAL_FPS = 120.0


def read_amc(path: str | Path, reading: Reading = DEFAULT) -> Clip:
    """A clip from an AMC file and its ASF file. Values that are missing in a frame are held, with a warning."""
    notes = reading.notes(path)
    rows = text_lines(path, notes)
    skeleton_path = asf_beside(Path(path), notes)
    body = read_asf(skeleton_path, notes)
    values, degrees = _values(rows, body, notes)
    notes.info(f"skeleton from {skeleton_path.name}")
    if reading.fps is None:
        notes.info(f"AMC states no frame rate: {USUAL_FPS:g} frames per second taken, as at CMU")
    turns, moves, stretch = _motion(body, values, degrees)
    if reading.drop_slides:
        dropped = max(float(np.abs(moves[:, 1:]).max(initial=0.0)), float(np.abs(stretch).max(initial=0.0)))
        moves[:, 1:], stretch = 0.0, np.zeros_like(stretch)
        if dropped:
            notes.info(f"joints that move on their parents held in place: up to {dropped:g} units dropped")
    names = tuple(bone.name for bone in body.bones)
    vectors = np.array([bone.vector for bone in body.bones])
    parents = np.array(body.parents)
    offsets = np.where(parents[:, None] >= 0, vectors[parents], 0.0)
    slides = moves.copy()
    slides[:, 0] = 0.0
    directions = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    slides[:, 1:] += stretch[:, parents[1:], None] * directions[parents[1:]]
    root = body.position + moves[:, 0]
    space = _convention(body, Skeleton(names, parents, offsets), root, turns, reading, notes)
    ends = tuple(
        End(j, tuple(_inside(vectors[j], space).tolist()))
        for j in range(len(names))
        if j not in body.parents and vectors[j].any()
    )
    draft = Skeleton(names, parents, _inside(offsets, space), (), ends)
    turns, root = conv.turns_inside(turns, space.up), _inside(root, space)
    sliding = _inside(slides, space) if slides.any() else None
    middle = len(root) // 2
    pose = positions(draft, root[middle:][:1], turns[middle:][:1], None if sliding is None else sliding[middle:][:1])
    roles = guess_roles(names, parents, draft.offsets, pose[0])
    return Clip(
        Skeleton(names, parents, draft.offsets, roles, ends),
        freeze_in_place(root),
        freeze_in_place(turns),
        USUAL_FPS if reading.fps is None else reading.fps,
        slides=sliding,
        origin=from_file(Path(path).name, len(root), unit=space.unit, up=space.up, notes=notes.all),
    )


def _inside(v: FloatArray, space: conv.Convention) -> FloatArray:
    """Vectors of the file, in metres and y up."""
    return conv.vectors_inside(v, space.up) * space.unit


def asf_files(path: Path) -> list[Path]:
    """The ASF file that belongs to an AMC file."""
    return [asf_beside(path, Notes(str(path)))]


def asf_beside(path: Path, notes: Notes) -> Path:
    """The skeleton file of an AMC file: of the same name, of the subject's (before the last `_`), or the only one."""
    folder = sorted(p for p in path.parent.glob("*") if p.suffix.lower() == ".asf")
    for stem in (path.stem, path.stem.rpartition("_")[0]):
        if found := [p for p in folder if p.stem.lower() == stem.lower()]:
            return found[0]
    if len(folder) == 1:
        return folder[0]
    what = "there is no ASF file" if not folder else f"none of the {len(folder)} ASF files is"
    raise notes.error(f"needs its skeleton, {path.stem}.asf: {what} beside it")


def _values(rows: list[tuple[int, list[str]]], body: Acclaim, notes: Notes) -> tuple[list[FloatArray], bool]:
    """For each bone (F, len(dof)), and whether angles are in degrees. Missing values keep the last one."""
    bones = {bone.name.lower(): (j, len(bone.dof)) for j, bone in enumerate(body.bones)}
    degrees = body.degrees
    frames: list[dict[int, list[float]]] = []
    numbers: list[int] = []
    for line, words in rows:
        head = words[0]
        if head.startswith(":"):
            key = head[1:].lower()
            degrees = {"degrees": True, "radians": False}.get(key, degrees)
            continue
        if len(words) == 1 and head.isascii() and head.isdigit():
            frames.append({})
            numbers.append(int(head[:18]))
            continue
        if not frames:
            raise notes.error(f"expected a frame number, found {head[:40]!r}", line=line)
        bone = bones.get(head.lower())
        if bone is None:
            raise notes.error(f"no bone {head[:40]!r} in the skeleton", line=line)
        j, width = bone
        if len(words) - 1 != width:
            dof = " ".join(body.bones[j].dof) or "none"
            raise notes.error(f"{head}: expected {width} values (dof {dof}), found {len(words) - 1}", line=line)
        if j in frames[-1]:
            raise notes.error(f"{head} occurs twice in frame {numbers[-1]}", line=line)
        frames[-1][j] = [value(word, line, notes) for word in words[1:]]
    if not frames:
        raise notes.error("no frames")
    if len(frames) > 1 and not frames[-1]:
        notes.warn("the last frame is empty: dropped")
        frames.pop()
    jumps = np.flatnonzero(np.diff(np.array(numbers, float)) != 1)
    if len(jumps):
        at = int(jumps[0])
        notes.warn(f"frame {numbers[at]} is followed by {numbers[at + 1]}: frames taken in the order of the file")
    return [_held(frames, j, len(bone.dof), bone.name, notes) for j, bone in enumerate(body.bones)], degrees


def _held(frames: list[dict[int, list[float]]], j: int, width: int, name: str, notes: Notes) -> FloatArray:
    """One bone's values; where it is missing, those of the frame before (at the start: of the first that has it)."""
    if not width:
        return np.zeros((len(frames), 0))
    there = np.array([j in frame for frame in frames])
    if not there.any():
        notes.warn(f"{name} is in no frame: it stays at rest")
        return np.zeros((len(frames), width))
    known = np.array([frame[j] for frame in frames if j in frame])
    if not there.all():
        absent = np.flatnonzero(~there)
        notes.warn(f"{name} is missing in {len(absent)} of {len(frames)} frames (first: {absent[0]}): held")
    return known[np.maximum(np.cumsum(there) - 1, 0)]


def _motion(body: Acclaim, values: list[FloatArray], degrees: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Local turns (F, J, 4), moves (F, J, 3) in the parent's axes, and how much longer each bone is (F, J)."""
    frames = len(values[0])
    turns = np.empty((frames, len(values), 4))
    moves, stretch = np.zeros((frames, len(values), 3)), np.zeros((frames, len(values)))
    for j, (bone, columns) in enumerate(zip(body.bones, values, strict=True)):
        own = np.broadcast_to(IDENTITY, (frames, 4))
        for k, dof in enumerate(bone.dof):
            if dof == "l":
                stretch[:, j] = columns[:, k]
            elif dof[0] == "t":
                moves[:, j, "xyz".index(dof[1])] = columns[:, k]
            else:
                angle = np.radians(columns[:, k]) if degrees else columns[:, k]
                own = multiply(about("xyz".index(dof[1]), angle), own)
        frame = body.frames[j]
        # the root's turn at rest comes first, then the frame's; a bone turns about its own axes
        turns[:, j] = multiply(own, frame) if j == 0 else multiply(frame, multiply(own, inverse(frame)))
        if j:
            moves[:, j] = rotate(frame, moves[:, j])
    return turns, moves, stretch


def _convention(
    body: Acclaim, skeleton: Skeleton, root: FloatArray, turns: FloatArray, reading: Reading, notes: Notes
) -> conv.Convention:
    """Unit and up axis: as given; else a unit of 1 / length inches where the file has such a scale; else estimated."""
    some = np.unique(np.linspace(0, len(root) - 1, 24).astype(int))
    places = positions(skeleton, root[some], turns[some])
    roles = guess_roles(skeleton.names, skeleton.parents, skeleton.offsets)
    axis = reading.axis
    if axis is None:
        axis, ground = conv.estimate_up(places, roles)
        notes.info(f"up axis {axis}", topic="up", detail=conv.UP_GROUNDS[ground])
    if reading.metres is not None:
        return conv.Convention(reading.metres, axis)
    metres, evidence = conv.estimate_unit(places, roles, skeleton.parents.tolist(), axis)
    stated = 0.0254 / body.length
    if body.length != 1.0 and 0.5 < stated / metres < 2:
        notes.info(
            f"unit {conv.unit_name(stated)}, as stated by the skeleton", topic="unit", detail=f"length {body.length:g}"
        )
        return conv.Convention(stated, axis)
    notes.info(f"unit {conv.unit_name(metres)}, estimated", topic="unit", detail=evidence)
    return conv.Convention(metres, axis)
