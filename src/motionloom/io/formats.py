"""The table of formats by suffix, and `load` and `save`. A new format is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace as replace_fields
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Unpack

from motionloom.core import Clip, FormatError, Markers, Note, Progress, Skeleton, replace, silent
from motionloom.core.limits import MAX_DEPTH, Limits
from motionloom.core.progress import part
from motionloom.core.recipe import Input, Read
from motionloom.core.watched import watched
from motionloom.io.atomic_files import finish_interrupted, replacing, write_file
from motionloom.io.digest import file_sha256, start_sha256
from motionloom.io.plausibility import implausible
from motionloom.io.reader_settings import DEFAULT, Reading, ReadingSettings
from motionloom.io.sidecars.labels import labels_text, with_file_labels
from motionloom.io.sidecars.licence import licence_file, licence_line, with_licence
from motionloom.io.sidecars.names import EMPTY, ambiguous_side_files, belongs_to_another, side_names, side_path
from motionloom.io.sidecars.origin import is_unchanged, origin_text, with_origin, with_unrecorded_edit
from motionloom.io.sidecars.reading_record import with_reading_record
from motionloom.io.sidecars.roles import with_roles
from motionloom.io.sidecars.stored_reading import reading_after_saving, stored_note, with_stored_reading
from motionloom.jobs import in_worker, start
from motionloom.kinematics.capture.tpose import without_tpose

LARGE = 8_000_000  # bytes: with progress, a larger file is read in another process, which can be cancelled at once


class Format(NamedTuple):
    """One kind of file: readers and writers of clips, and of markers where it can contain them."""

    name: str
    read: Callable[..., Clip] | None = None
    write: Callable[..., None] | None = None
    read_markers: Callable[..., Markers] | None = None
    write_markers: Callable[..., None] | None = None
    read_many: Callable[..., list[Clip]] | None = None  # for files with many clips
    isolated: bool = False  # its reader runs a third-party library in another process, and takes `progress`
    write_reports: bool = False  # its writer takes `progress`
    library: Callable[[], Any] | None = None  # imports the optional library; `MissingExtra` without it
    others: Callable[[Path], list[Path]] | None = None  # other files that are read with it: the skeleton of AMC
    keeps_origin: bool = False  # does the file itself contain the origin of the clip?
    keeps_unit: bool = False  # is it written in the unit and up axis of the clip's source, without stating them?


def _later(name: str) -> Callable[..., Any]:
    """A function of this folder ("bvh.read:read_bvh"), which is imported when it is called."""
    module, _, function = name.partition(":")

    def call(*args: Any, **options: Any) -> Any:
        return getattr(import_module(f"motionloom.io.{module}"), function)(*args, **options)

    return call


def _usd(title: str) -> Format:
    read, write, library = _later("usd:read_usd"), _later("usd:write_usd"), _later("usd_scene:usd_library")
    return Format(title, read, write, isolated=True, write_reports=True, library=library)


FORMATS: dict[str, Format] = {
    ".bvh": Format(
        "BVH: skeleton and motion",
        _later("bvh.read:read_bvh"),
        _later("bvh.write:write_bvh"),
        write_reports=True,
        keeps_unit=True,
    ),
    ".amc": Format(
        "AMC: motion, with its ASF skeleton beside it",
        _later("acclaim.amc:read_amc"),
        others=_later("acclaim.amc:asf_files"),
    ),
    ".glb": Format("GLB: binary glTF", _later("gltf.read:read_gltf"), _later("gltf.write:write_glb")),
    ".gltf": Format(
        "glTF with its buffers beside it", _later("gltf.read:read_gltf"), others=_later("gltf.container:buffer_files")
    ),
    ".npz": Format(
        "NPZ: NumPy arrays of a clip, or SMPL poses (AMASS)",
        _later("arrays.npz:read_npz"),
        _later("arrays.npz:write_npz"),
        keeps_origin=True,
    ),
    ".smpl.npz": Format(
        "SMPL pose parameters as AMASS has them",
        _later("arrays.npz:read_npz"),
        _later("arrays.smpl:write_smpl"),
        write_reports=True,
    ),
    ".npy": Format(
        "HumanML3D-style features, 20 frames a second",
        None,
        _later("arrays.humanml3d:write_humanml3d"),
        write_reports=True,
    ),
    ".csv": Format(
        "pen stroke: t,x,y, or markers",
        _later("strokes.csv:read_stroke"),
        _later("strokes.csv:write_stroke"),
        _later("markers.csv:read_marker_csv"),
        _later("markers.csv:write_marker_csv"),
        keeps_unit=True,
    ),
    ".usd": _usd("USD: UsdSkel skeleton and animation"),
    ".usda": _usd("USD as text"),
    ".usdc": _usd("USD, binary"),
    ".mat": Format(
        "handwritten letters (MATLAB 5): many pen strokes", read_many=_later("strokes.handwriting:read_handwriting")
    ),
    ".fbx": Format(
        "FBX: bones and the longest take; written by Blender",
        _later("fbx:read_fbx"),
        _later("fbx_export:write_fbx"),
        isolated=True,
        write_reports=True,
        library=_later("fbx_export:blender"),
    ),
    ".c3d": Format("C3D: optical markers", read_markers=_later("markers.c3d:read_c3d")),
    ".trc": Format(
        "TRC: optical markers",
        read_markers=_later("markers.trc:read_trc"),
        write_markers=_later("markers.trc:write_trc"),
    ),
}


def format_of(path: str | Path) -> Format | None:
    """The format of a file name: by its last two suffixes (`.smpl.npz`), else by its last one."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return FORMATS.get("".join(suffixes[-2:])) or FORMATS.get("".join(suffixes[-1:]))


def load(
    path: str | Path,
    reading: Reading = DEFAULT,
    *,
    progress: Progress | None = None,
    **settings: Unpack[ReadingSettings],
) -> Clip:
    """Read a clip: metres, y up, joints in file order, with labels, roles, licence and origin from the files beside it.

    Keyword arguments (`load("walk.bvh", unit="cm", fps=60)`) set fields of `reading`, see `Reading`. Estimates and
    irregularities of the file are listed in `clip.origin.notes`. Roles are those of `reading`, or of `walk.roles.toml`
    or `roles.toml` beside the clip, or guessed. With `progress`, a large file is read in another process, so that
    reading it can be cancelled at once.
    """
    path, reading = Path(path), replace_fields(reading, **settings)
    report = progress or silent()
    report(0.0, "reading")
    entry = format_of(path)
    large = path.is_file() and path.stat().st_size > LARGE and not (entry and entry.isolated)
    if large and progress is not None and not in_worker():
        return start(_load_silently, path, reading, name=path.name).result(progress)
    clip = _load(path, reading, report)
    report(1.0, "reading")
    return clip


def _load_silently(path: Path, reading: Reading) -> Clip:
    """`_load` as a job: without a progress to poll, it is interrupted at once."""
    return _load(path, reading)


def _load(path: Path, reading: Reading, progress: Progress | None = None) -> Clip:
    entry = format_of(path)
    if holds_markers(path):
        found = "this file contains markers, not the motion of a skeleton"
        raise FormatError(f"{found}: `motionloom convert` makes TRC or CSV of it, load_markers reads it", path=path)
    if entry is not None and entry.read_many is not None:
        found = "this file contains many clips"
        raise FormatError(f"{found}: `motionloom convert` makes a folder of them, load_many reads it", path=path)
    if entry is None or entry.read is None:
        readable = ", ".join(suffix for suffix, f in FORMATS.items() if f.read)
        raise FormatError(f"no reader for {path.suffix or 'a file without a suffix'}; there are {readable}", path=path)
    finish_interrupted(path, side_names(path))
    digest = start_sha256(path)
    given, stored = with_stored_reading(path, reading)
    report = progress or silent()
    clip = entry.read(path, given, progress=part(report, 0.0, 0.9)) if entry.isolated else entry.read(path, given)
    report(0.9, "reading side files")
    _check_size(path, len(clip), len(clip.skeleton), clip.fps)
    check_depth(clip.skeleton, path)
    if notes := [*stored, *ambiguous_side_files(path)]:
        clip = replace(clip, origin=clip.origin.with_notes(*notes))
    clip = with_file_labels(with_roles(clip, path, reading.roles), path)
    clip = with_licence(clip if entry.keeps_origin else with_origin(clip, path), path)
    if doubts := implausible(clip, given.unit):
        clip = replace(clip, origin=clip.origin.with_notes(*doubts.values()))
    motion = without_tpose(clip)
    if motion is not clip:
        clip = motion if reading.trim_tpose else clip
        note = Note(f"frame 0 is a T-pose{': dropped' if reading.trim_tpose else ' (not dropped)'}", topic="file")
        clip = replace(clip, origin=clip.origin.with_notes(note))
    clip = with_reading_record(clip, path, digest(), reading, entry.others(path) if entry.others else ())
    if notes := [*stored_note(path, reading, clip.skeleton.names, doubts)]:
        clip = replace(clip, origin=clip.origin.with_notes(*notes))
    return clip


def _check_size(path: Path, frames: int, joints: int, fps: float) -> None:
    if why := Limits.current().exceeded(frames=frames, joints=joints, seconds=frames / fps):
        raise FormatError(why, path=path)


def check_depth(skeleton: Skeleton, path: str | Path) -> None:
    """`FormatError` if a chain of joints is longer than readers and writers accept."""
    depth = [0] * len(skeleton)
    for j, parent in enumerate(skeleton.parents.tolist()):
        depth[j] = 1 + (depth[parent] if parent >= 0 else 0)
    if max(depth) > MAX_DEPTH:
        raise FormatError(f"a chain of {max(depth)} joints; at most {MAX_DEPTH} are supported", path=path)


@watched
def save(
    clip: Clip,
    path: str | Path,
    *,
    unit: str | float | None = None,
    up: str | None = None,
    title: str = "",
    extras: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a clip in the format of the suffix, and its labels, licence and origin beside it.

    The clip and its side files replace earlier ones together or not at all. Unit and up axis are those of the file the
    clip came from (metres and y for clips of our own), unless given. Side files of other clips are never changed.
    `title` is the name of the motion inside the file where the format has one (GLB); by default the file's name.
    `extras` are facts about the motion that a GLB file holds as JSON; other formats have no place for them.
    """
    path, report = Path(path), progress or silent()
    report(0.0, "writing")
    entry = format_for_writing(path)
    assert entry.write is not None
    check_depth(clip.skeleton, path)
    clip = replace(clip, origin=with_unrecorded_edit(clip.origin, path.name))
    beside = [side_path(path, kind).name for kind in ("labels", "licence", "origin")]
    with replacing(path, beside, side_names(path)) as staged:
        named = staged / f"{Path(title).name or path.stem}{path.suffix}"
        more: dict[str, Any] = {} if extras is None or path.suffix.lower() != ".glb" else {"extras": extras}
        more |= {"progress": part(report, 0.0, 0.9)} if entry.write_reports else {}
        entry.write(clip, named, unit=unit, up=up, **more)
        report(0.9, "writing side files")
        named.rename(staged / path.name)
        texts = {"labels": labels_text(clip), "licence": f"{clip.origin.licence}\n" if clip.origin.licence else ""}
        texts |= {kind: text for kind, text in EMPTY.items() if not texts.get(kind) and belongs_to_another(path, kind)}
        sums = {kind: sha256(text.encode()).hexdigest() for kind, text in texts.items() if text}
        if not (entry.keeps_origin or is_unchanged(clip.origin)) or belongs_to_another(path, "origin"):
            texts["origin"] = origin_text(clip, file_sha256(staged / path.name), sums)
        named_texts = {side_path(path, kind).name: text for kind, text in texts.items() if text}
        if entry.keeps_unit:
            metres, axis = Reading(unit=unit, up=up).metres, Reading(unit=unit, up=up).axis
            named_texts |= reading_after_saving(path, metres or clip.origin.unit, axis or clip.origin.up)
        for name, text in named_texts.items():
            write_file(staged / name, [text.encode()])
    report(1.0, "writing side files")


def format_for_writing(path: Path) -> Format:
    entry = format_of(path)
    if entry is None or entry.write is None:
        writable = ", ".join(suffix for suffix, f in FORMATS.items() if f.write)
        raise FormatError(f"no writer for {path.suffix or 'a file without a suffix'}; there are {writable}", path=path)
    return entry


def load_many(path: str | Path, reading: Reading = DEFAULT, **settings: Unpack[ReadingSettings]) -> list[Clip]:
    """Every clip of a file that contains many (handwriting), or the one of any other; arguments as for `load`."""
    entry = format_of(path)
    if entry is None or entry.read_many is None:
        return [load(path, reading, **settings)]
    return entry.read_many(path, replace_fields(reading, **settings))


def holds_many(path: str | Path) -> bool:
    """Does this kind of file contain many clips (handwriting)?"""
    entry = format_of(path)
    return entry is not None and entry.read_many is not None


def holds_markers(path: str | Path) -> bool:
    """Is this a file of markers (C3D, TRC, CSV with `NAME.x`), not of a skeleton or a stroke?"""
    entry = FORMATS.get(Path(path).suffix.lower())
    if entry is None or entry.read_markers is None:
        return False
    if entry.read is None:
        return True
    from motionloom.io.markers.csv import is_marker_csv

    return is_marker_csv(path)


@watched
def load_markers(
    path: str | Path,
    reading: Reading = DEFAULT,
    *,
    progress: Progress | None = None,
    **settings: Unpack[ReadingSettings],
) -> Markers:
    """Read markers: metres, y up, NaN in gaps; arguments as for `load`. Notes are in their `origin.notes`."""
    path, report = Path(path), progress or silent()
    report(0.0, "reading")
    entry = FORMATS.get(path.suffix.lower())
    if entry is None or entry.read_markers is None:
        readable = ", ".join(suffix for suffix, f in FORMATS.items() if f.read_markers)
        raise FormatError(f"no reader of markers for {path.suffix or 'no suffix'}; there are {readable}", path=path)
    chosen = replace_fields(reading, **settings)
    digest = start_sha256(path)
    given, stored = with_stored_reading(path, chosen)
    markers = entry.read_markers(path, given)
    report(0.9, "reading")
    _check_size(path, len(markers), len(markers.names), markers.fps)
    terms = licence_file(path)
    beside = () if terms is None else (Input(terms.name, file_sha256(terms)),)
    read = Read(path.name, digest(), chosen.changes(), beside)
    named = markers.origin.with_notes(*stored, *stored_note(path, chosen))
    origin = replace_fields(named, licence=named.licence or licence_line(path), read=read)
    report(1.0, "reading")
    return replace_fields(markers, origin=origin)


def load_take(
    path: str | Path,
    reading: Reading = DEFAULT,
    *,
    progress: Progress | None = None,
    **settings: Unpack[ReadingSettings],
) -> Clip | Markers:
    """Read a clip, or markers where the file contains those: what a method can learn from."""
    if holds_markers(path):
        return load_markers(path, reading, progress=progress, **settings)
    return load(path, reading, progress=progress, **settings)


@watched
def save_markers(
    markers: Markers,
    path: str | Path,
    *,
    unit: str | float | None = None,
    up: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Write markers as TRC (millimetres, y up) or CSV (metres, y up), unless another unit or axis is given."""
    path, report = Path(path), progress or silent()
    report(0.0, "writing")
    entry = FORMATS.get(path.suffix.lower())
    if entry is None or entry.write_markers is None:
        writable = ", ".join(suffix for suffix, f in FORMATS.items() if f.write_markers)
        raise FormatError(f"no writer of markers for {path.suffix or 'no suffix'}; there are {writable}", path=path)
    entry.write_markers(markers, path, unit=unit, up=up)
    report(1.0, "writing")
