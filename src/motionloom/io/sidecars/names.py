"""Names of the files beside a clip, and which clip each of them belongs to.

`walk.bvh.labels.csv` (the clip's whole name) belongs to `walk.bvh`. `walk.labels.csv` belongs to the only clip with the
stem `walk`; with two clips of that stem it belongs to neither, except that a clip with a side file under its whole name
does not count. The same holds for licence, roles and origin.
"""

from __future__ import annotations

import os
from pathlib import Path

from motionloom.core import Note
from motionloom.core.files import side_file
from motionloom.io.strokes.csv import is_stroke

ENDINGS = {"labels": "labels.csv", "licence": "licence.txt", "roles": "roles.toml", "origin": "origin.json"}
EMPTY = {"labels": "start,end,label\n", "licence": "\n", "roles": "[roles]\n"}  # files that state nothing
CLIP_SUFFIXES = (".bvh", ".amc", ".glb", ".gltf", ".npz", ".npy", ".csv", ".usd", ".usda", ".usdc", ".fbx")


def side_names(clip: str | Path) -> list[str]:
    """Every name that a file beside this clip can have."""
    clip = Path(clip)
    return [f"{base}.{ending}" for base in (clip.name, clip.stem) for ending in ENDINGS.values()]


def find_side_file(clip: str | Path, kind: str) -> Path | None:
    """The existing side file of a kind ("labels", "licence", "roles", "origin") that belongs to a clip, if any."""
    whole, short = _paths(clip, kind)
    found = side_file(clip, whole.name)
    if found is not None or not os.path.lexists(short):  # most clips have none: other clips need not be looked for
        return found
    return None if _claimants(clip, kind) else side_file(clip, short.name)


def side_path(clip: str | Path, kind: str) -> Path:
    """The side file of a kind that belongs to a clip, or the path at which `save` creates it.

    That is `walk.labels.csv` where the clip is the only one with its stem and no such file was there before the clip.
    """
    whole, short = _paths(clip, kind)
    if os.path.lexists(whole) or _claimants(clip, kind):
        return whole
    return whole if os.path.lexists(short) and not os.path.lexists(clip) else short


def belongs_to_another(clip: str | Path, kind: str) -> bool:
    """Is there a `walk.labels.csv` that belongs to another clip, and would be ambiguous if this one had no own file?"""
    return os.path.lexists(_paths(clip, kind)[1]) and bool(_claimants(clip, kind))


def ambiguous_side_files(clip: str | Path) -> list[Note]:
    """A warning for each side file that belongs to no clip because two clips have the same stem."""
    out = []
    for kind in ENDINGS:
        whole, short = _paths(clip, kind)
        if os.path.lexists(short) and not os.path.lexists(whole) and (others := _claimants(clip, kind)):
            both = f"{Path(clip).name} and {others[0].name}"
            why = f"{short.name} is not read: it could belong to {both}; rename it to {whole.name}"
            out.append(Note(why, "warning", topic="file"))
    return out


def _paths(clip: str | Path, kind: str) -> tuple[Path, Path]:
    clip = Path(clip)
    return clip.parent / f"{clip.name}.{ENDINGS[kind]}", clip.parent / f"{clip.stem}.{ENDINGS[kind]}"


def _claimants(clip: str | Path, kind: str) -> list[Path]:
    """Other clips with the same stem that have no side file of this kind under their whole name."""
    clip = Path(clip)
    names = (f"{clip.stem}{form(suffix)}" for suffix in CLIP_SUFFIXES for form in (str.lower, str.upper))
    others = (clip.parent / name for name in names if name != clip.name)
    found = [other for other in others if other.is_file() and not _same_file(other, clip)]
    return [p for p in found if (p.suffix.lower() != ".csv" or is_stroke(p)) and not _paths(p, kind)[0].exists()]


def _same_file(a: Path, b: Path) -> bool:
    """Are these two names of one file, on a file system that ignores case?"""
    return a.name.lower() == b.name.lower() and b.exists() and a.samefile(b)
