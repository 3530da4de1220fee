"""NPZ reader and writer: a clip as named NumPy arrays. `docs/formats.md` lists them.

The same suffix holds SMPL bodies (AMASS and its kin): a file with `poses` or `pose_body` goes to `smpl`.
"""

from __future__ import annotations

import json
from dataclasses import replace as with_changes
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import BadRequest, Clip, End, InvalidClip, Origin, Skeleton
from motionloom.core.origin import from_file
from motionloom.core.text import is_unicode, read_json
from motionloom.io.arrays.npz_data import Arrays, npz_bytes
from motionloom.io.arrays.smpl import is_smpl, smpl_clip
from motionloom.io.atomic_files import write_file
from motionloom.io.reader_notes import Notes
from motionloom.io.reader_settings import DEFAULT, Reading
from motionloom.io.sidecars.licence import one_line
from motionloom.io.sidecars.origin_json import origin_facts, with_origin_facts
from motionloom.io.units_and_axes import unit_of, up_of
from motionloom.rotation import normalize

FORMAT = "motionloom clip 1"


def read_npz(path: str | Path, reading: Reading = DEFAULT) -> Clip:
    """A clip from an NPZ file: ours, or an SMPL body's."""
    notes = reading.notes(path)
    arrays = Arrays(path, notes)
    if "format" not in arrays and is_smpl(arrays):
        return smpl_clip(arrays, notes, reading)
    if reading.unit is not None or reading.up is not None:
        raise BadRequest("clips in NPZ are in metres with y up: no unit or up axis can be given")
    missing = [name for name in ("names", "parents", "offsets", "root", "rotations", "fps") if name not in arrays]
    if missing:
        raise notes.error(f"no array {missing[0]!r}: neither a clip nor an SMPL body (see docs/formats.md)")
    try:
        return _clip(arrays, notes, reading.fps, drop_slides=reading.drop_slides)
    except InvalidClip as error:
        raise notes.error(str(error)) from None


def write_npz(clip: Clip, path: str | Path, *, unit: str | float | None = None, up: str | None = None) -> None:
    """Write a clip as NPZ, everything that it holds; metres and y up."""
    if (unit is not None and unit_of(unit) != 1.0) or (up is not None and up_of(up) != "y"):
        raise BadRequest("clips in NPZ are in metres with y up: no unit or up axis can be given")
    write_file(path, [npz_bytes(clip_arrays(clip))])


def clip_arrays(clip: Clip) -> dict[str, Any]:
    """A clip as named arrays: `read_npz` turns them into the same clip."""
    body, origin = clip.skeleton, clip.origin
    out: dict[str, Any] = {
        "format": np.array(FORMAT),
        "names": np.array(body.names),
        "parents": body.parents,
        "offsets": body.offsets,
        "roles": np.array(body.roles),
        "root": clip.root,
        "rotations": clip.rotations,
        "fps": np.array(clip.fps),
    }
    if body.ends:
        out["end_joints"] = np.array([e.joint for e in body.ends])
        out["end_offsets"] = np.array([e.offset for e in body.ends])
        out["end_names"] = np.array([e.name for e in body.ends])
    if clip.slides is not None:
        out["slides"] = clip.slides
    if clip.label_names:
        out["label_names"], out["labels"] = np.array(clip.label_names), clip.labels
    if origin.licence:
        out["licence"] = np.array(origin.licence)
    if origin.known or origin.made:
        out["origin"] = np.frombuffer(json.dumps(origin_facts(origin)).encode(), np.uint8)
    return out


def _clip(arrays: Arrays, notes: Notes, fps: float | None, *, drop_slides: bool) -> Clip:
    rate = float(_one(arrays, "fps", notes)) if fps is None else fps
    root, rotations = arrays.numbers("root"), arrays.numbers("rotations")
    names = _texts(arrays, "names", notes)
    slides = arrays.numbers("slides") if "slides" in arrays else None
    offsets = arrays.numbers("offsets")
    if rotations.ndim != 3 or rotations.shape[1:] != (len(names), 4):
        raise notes.error(f"rotations: expected (frames, {len(names)} joints, 4), found {rotations.shape}")
    off = np.abs(np.linalg.norm(rotations, axis=-1) - 1)
    if off.size and off.max() > 1e-2:
        raise notes.error("rotations are not unit quaternions (w x y z)")
    if off.size and off.max() > 1e-6:
        rotations = normalize(rotations)
    if slides is not None and drop_slides and slides.shape == (len(root), len(names), 3):
        notes.info(f"sliding joints held in place: up to {np.abs(slides - slides.mean(0)).max():.4f} m dropped")
        offsets, slides = offsets + slides.mean(0), None
    skeleton = Skeleton(
        names, _whole(arrays, "parents", notes), offsets, _texts(arrays, "roles", notes), _ends(arrays, notes)
    )
    labels = arrays.first("labels")
    label_names = _texts(arrays, "label_names", notes)
    return Clip(skeleton, root, rotations, rate, label_names, labels, slides, _origin(arrays, len(root), notes))


def _ends(arrays: Arrays, notes: Notes) -> tuple[End, ...]:
    if "end_joints" not in arrays:
        return ()
    joints, offsets = _whole(arrays, "end_joints", notes), arrays.numbers("end_offsets")
    names = _texts(arrays, "end_names", notes) or ("",) * len(joints)
    if offsets.shape != (len(joints), 3) or len(names) != len(joints):
        raise notes.error(f"end_offsets: expected ({len(joints)}, 3), found {offsets.shape}")
    return tuple(End(int(j), tuple(o), n) for j, o, n in zip(joints, offsets.tolist(), names, strict=True))


def _origin(arrays: Arrays, frames: int, notes: Notes) -> Origin:
    name = Path(notes.path).name
    licence = _line(arrays, "licence", notes)
    plain = from_file(name, frames, licence=licence, notes=notes.all)
    if "frame_sources" in arrays:
        notes.warn("its sources of frames are in an earlier format: not used")
        return with_changes(plain, notes=notes.all)
    if "origin" not in arrays:
        return plain
    try:
        facts = read_json(arrays["origin"].astype(np.uint8).tobytes())
        return with_origin_facts(plain, facts, frames)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, AttributeError) as error:
        raise notes.error(f"its sources of frames do not fit: {error}") from None


def _whole(arrays: Arrays, name: str, notes: Notes) -> Any:
    array = arrays[name]
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise notes.error(
            f"array {name!r}: expected whole numbers in a row, found {array.dtype} of shape {array.shape}"
        )
    return array.astype(np.int64)


def _texts(arrays: Arrays, name: str, notes: Notes) -> tuple[str, ...]:
    if name not in arrays:
        return ()
    array = arrays[name]
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8", "replace")
    if array.dtype.kind != "U" or array.ndim != 1 or array.size > 100_000:
        raise notes.error(f"array {name!r}: expected names in a row, found {array.dtype} of shape {array.shape}")
    if not all(is_unicode(str(text)) for text in array):
        raise notes.error(f"array {name!r}: a name that is not valid text")
    return tuple(str(text) for text in array)


def _line(arrays: Arrays, name: str, notes: Notes) -> str:
    """One line of text, or "" if there is none."""
    if name not in arrays:
        return ""
    array = arrays[name]
    if array.dtype.kind != "U" or array.size != 1:
        raise notes.error(f"array {name!r}: expected one text, found {array.dtype} of shape {array.shape}")
    return one_line(str(array.reshape(())))


def _one(arrays: Arrays, name: str, notes: Notes) -> Any:
    array = arrays.numbers(name)
    if array.size != 1:
        raise notes.error(f"array {name!r}: expected one number, found shape {array.shape}")
    return array.reshape(())
