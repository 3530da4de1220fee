"""One table from suffix to reader and writer, and `load` and `save` on top. A new format is one file, one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from motionloom.core import BadRequest, Clip, FormatError, Markers, Note, replace
from motionloom.core.limits import Limits
from motionloom.io.acclaim.amc import asf_files, read_amc
from motionloom.io.arrays.humanml3d import write_humanml3d
from motionloom.io.arrays.npz import read_npz, write_npz
from motionloom.io.arrays.smpl import write_smpl
from motionloom.io.bvh.read import read_bvh
from motionloom.io.bvh.write import write_bvh
from motionloom.io.digest import start_sha256
from motionloom.io.fbx import read_fbx
from motionloom.io.files import check_place
from motionloom.io.gltf.container import buffer_files
from motionloom.io.gltf.read import read_gltf
from motionloom.io.gltf.write import write_glb
from motionloom.io.markers.c3d import read_c3d
from motionloom.io.markers.csv import is_marker_csv, read_marker_csv, write_marker_csv
from motionloom.io.markers.trc import read_trc, write_trc
from motionloom.io.sidecars.labels import labelled, write_labels
from motionloom.io.sidecars.licence import with_licence, write_licence
from motionloom.io.sidecars.origin import with_origin, write_origin
from motionloom.io.sidecars.reading_record import recorded
from motionloom.io.sidecars.roles import with_roles
from motionloom.io.strokes.csv import read_stroke, write_stroke
from motionloom.io.strokes.handwriting import read_handwriting
from motionloom.io.usd import read_usd, usd_library, write_usd
from motionloom.kinematics.body.proportions import leg_length
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.capture.tpose import starts_with_tpose


class Format(NamedTuple):
    """One kind of file: how a clip is read and written, and how markers are, where it can hold them."""

    name: str
    read: Callable[..., Clip] | None = None
    write: Callable[..., None] | None = None
    read_markers: Callable[..., Markers] | None = None
    write_markers: Callable[..., None] | None = None
    read_many: Callable[..., list[Clip]] | None = None  # for files that hold many clips
    library: Callable[[], Any] | None = None  # the optional library it needs; `MissingExtra` if it is not there
    others: Callable[[Path], list[Path]] | None = None  # other files that are read with it: the skeleton of AMC
    keeps_origin: bool = False  # does the file itself hold the origin of the clip?


FORMATS: dict[str, Format] = {
    ".bvh": Format("BVH: skeleton and motion", read_bvh, write_bvh),
    ".amc": Format("AMC: motion, with its ASF skeleton beside it", read_amc, others=asf_files),
    ".glb": Format("GLB: binary glTF", read_gltf, write_glb),
    ".gltf": Format("glTF with its buffers beside it", read_gltf, others=buffer_files),
    ".npz": Format("NPZ: NumPy arrays of a clip, or SMPL poses (AMASS)", read_npz, write_npz, keeps_origin=True),
    ".smpl.npz": Format("SMPL pose parameters as AMASS has them", read_npz, write_smpl),
    ".npy": Format("HumanML3D-style features, 20 frames a second", None, write_humanml3d),
    ".csv": Format("pen stroke: t,x,y, or markers", read_stroke, write_stroke, read_marker_csv, write_marker_csv),
    ".usd": Format("USD: UsdSkel skeleton and animation", read_usd, write_usd, library=usd_library),
    ".usda": Format("USD as text", read_usd, write_usd, library=usd_library),
    ".usdc": Format("USD, binary", read_usd, write_usd, library=usd_library),
    ".mat": Format("handwritten letters (MATLAB 5): many pen strokes", read_many=read_handwriting),
    ".fbx": Format("FBX: bones and the longest take", read_fbx),
    ".c3d": Format("C3D: optical markers", read_markers=read_c3d),
    ".trc": Format("TRC: optical markers", read_markers=read_trc, write_markers=write_trc),
}


def format_of(path: str | Path) -> Format | None:
    """The format that a name stands for: by its last two suffixes (`.smpl.npz`), else by its last one."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return FORMATS.get("".join(suffixes[-2:])) or FORMATS.get("".join(suffixes[-1:]))


def load(
    path: str | Path,
    *,
    unit: str | float | None = None,
    up: str | None = None,
    fps: float | None = None,
    strict: bool = False,
    trim_tpose: bool = False,
    drop_slides: bool = False,
    roles: str | Path | Mapping[str, str] | None = None,
) -> Clip:
    """Read a clip: metres, y up, joints in file order, with its labels and roles. What was found is in its notes.

    unit ("m", "cm", "mm", "inch", "cmu", or metres), up ("y", "z", "-z" ...) and fps override what the file says or
    what is estimated. strict refuses files that are merely odd (a wrong frame count, a cut last row). trim_tpose drops
    a T-pose in frame 0; frame numbers in `origin` still count it. drop_slides gives every joint a fixed place. roles is
    a roles file or a mapping; otherwise `walk.roles.toml` or the folder's `roles.toml` is taken.
    """
    path = Path(path)
    entry = format_of(path)
    if holds_markers(path):
        said = "this file holds markers, not the motion of a skeleton"
        raise FormatError(f"{said}: `motionloom convert` makes TRC or CSV of it, load_markers reads it", path=path)
    if entry is not None and entry.read_many is not None:
        said = "this file holds many clips"
        raise FormatError(f"{said}: `motionloom convert` makes a folder of them, load_many reads it", path=path)
    if entry is None or entry.read is None:
        readable = ", ".join(suffix for suffix, f in FORMATS.items() if f.read)
        raise FormatError(f"no reader for {path.suffix or 'a file without a suffix'}; there are {readable}", path=path)
    if fps is not None and not 1e-3 <= fps <= 1e6:
        raise BadRequest(f"fps: {fps} frames per second make no sense")
    digest = start_sha256(path)
    clip = entry.read(path, unit=unit, up=up, fps=fps, strict=strict, drop_slides=drop_slides)
    _check_size(path, len(clip), len(clip.skeleton), clip.fps)
    clip = labelled(with_roles(clip, path, roles), path)
    clip = with_licence(clip if entry.keeps_origin else with_origin(clip, path), path)
    clip = clip if unit is None else _sized(clip, unit)
    if starts_with_tpose(clip):
        clip = clip[1:] if trim_tpose else clip
        note = Note(f"frame 0 is a T-pose{': dropped' if trim_tpose else ' (not dropped)'}", topic="file")
        clip = replace(clip, origin=clip.origin.with_notes(note))
    settings: dict[str, Any] = {"unit": unit, "up": up, "fps": fps, "strict": strict, "trim_tpose": trim_tpose}
    settings |= {"drop_slides": drop_slides, "roles": roles}
    return recorded(clip, path, digest(), settings, entry.others(path) if entry.others else ())


def _check_size(path: Path, frames: int, joints: int, fps: float) -> None:
    if why := Limits.current().exceeded(frames=frames, joints=joints, seconds=frames / fps):
        raise FormatError(why, path=path)


def _sized(clip: Clip, unit: str | float) -> Clip:
    """The clip, with a remark if the unit that was given makes a giant or a dwarf of its body.

    A person's thigh and shin are 0.491 of the stature (Drillis and Contini 1966).
    """
    if not feet(clip.skeleton):
        return clip
    stature = leg_length(clip.skeleton) / 0.491
    if 0.1 <= stature <= 4:
        return clip
    found = Note(f"stature {stature:.2g} m with unit {unit}: is this right?", "warning", topic="file")
    return replace(clip, origin=clip.origin.with_notes(found))


def save(clip: Clip, path: str | Path, *, unit: str | float | None = None, up: str | None = None) -> None:
    """Write a clip in the format of the suffix; beside it its labels and, if a method made it, its frames' sources.

    Unit and up axis are those of the file the clip came from (metres and y for clips of our own), unless given.
    """
    path = Path(path)
    _writer(path)(clip, path, unit=unit, up=up)
    write_labels(clip, path)
    entry = format_of(path)
    if entry is not None and not entry.keeps_origin:
        write_origin(clip, path)
    write_licence(clip, path)


def check_target(path: str | Path) -> None:
    """Raise what `save` would raise for this name, before any work is done: no writer, no library, no such place."""
    path = Path(path)
    _writer(path)
    entry = format_of(path)
    if entry is not None and entry.library is not None:
        entry.library()
    check_place(path)


def _writer(path: Path) -> Callable[..., None]:
    entry = format_of(path)
    if entry is None or entry.write is None:
        writable = ", ".join(suffix for suffix, f in FORMATS.items() if f.write)
        raise FormatError(f"no writer for {path.suffix or 'a file without a suffix'}; there are {writable}", path=path)
    return entry.write


def load_many(path: str | Path, **options: Any) -> list[Clip]:
    """Every clip of a file: those of a file that holds many (handwriting), or the one of any other; as `load`."""
    entry = format_of(path)
    if entry is None or entry.read_many is None:
        return [load(path, **options)]
    good = {k: v for k, v in options.items() if k in ("unit", "up", "fps", "strict")}
    return entry.read_many(path, **good)


def holds_many(path: str | Path) -> bool:
    """Does this kind of file hold many clips (handwriting)?"""
    entry = format_of(path)
    return entry is not None and entry.read_many is not None


def holds_markers(path: str | Path) -> bool:
    """Is this a file of markers (C3D, TRC, CSV with `NAME.x`), not of a skeleton or a stroke?"""
    entry = FORMATS.get(Path(path).suffix.lower())
    if entry is None or entry.read_markers is None:
        return False
    return entry.read is None or is_marker_csv(path)


def load_markers(
    path: str | Path,
    *,
    unit: str | float | None = None,
    up: str | None = None,
    fps: float | None = None,
    strict: bool = False,
) -> Markers:
    """Read markers: metres, y up, NaN in gaps. What was found is in their `origin.notes`; options as in `load`."""
    path = Path(path)
    entry = FORMATS.get(path.suffix.lower())
    if entry is None or entry.read_markers is None:
        readable = ", ".join(suffix for suffix, f in FORMATS.items() if f.read_markers)
        raise FormatError(f"no reader of markers for {path.suffix or 'no suffix'}; there are {readable}", path=path)
    if fps is not None and not 1e-3 <= fps <= 1e6:
        raise BadRequest(f"fps: {fps} frames per second make no sense")
    markers = entry.read_markers(path, unit=unit, up=up, fps=fps, strict=strict)
    _check_size(path, len(markers), len(markers.names), markers.fps)
    return markers


def save_markers(markers: Markers, path: str | Path, *, unit: str | float | None = None, up: str | None = None) -> None:
    """Write markers as TRC (millimetres, y up) or CSV (metres, y up), unless another unit or axis is given."""
    path = Path(path)
    entry = FORMATS.get(path.suffix.lower())
    if entry is None or entry.write_markers is None:
        writable = ", ".join(suffix for suffix, f in FORMATS.items() if f.write_markers)
        raise FormatError(f"no writer of markers for {path.suffix or 'no suffix'}; there are {writable}", path=path)
    entry.write_markers(markers, path, unit=unit, up=up)
