"""What may be overwritten: only files that motionloom wrote and nobody changed since, unless the user insists."""

from __future__ import annotations

from pathlib import Path

from motionloom.core import BadRequest, FormatError
from motionloom.io.atomic_files import check_place, finish_interrupted
from motionloom.io.digest import file_sha256
from motionloom.io.formats import format_for_writing, load
from motionloom.io.sidecars.names import find_side_file, side_names, side_path
from motionloom.io.sidecars.origin import read_facts
from motionloom.io.sidecars.origin_json import OtherOrigin


def check_target(path: str | Path, *, overwrite: bool = False) -> None:
    """Raise what `save` would raise for this name, before any work is done: no writer, no library, no such place.

    A file that motionloom did not write, or that was changed since, is replaced only with `overwrite`.
    """
    path = Path(path)
    entry = format_for_writing(path)
    if entry.library is not None:
        entry.library()
    check_place(path)
    finish_interrupted(path, side_names(path))
    if overwrite or is_own_output(path) or (entry.keeps_origin and path.is_file() and load(path).origin.made):
        return
    why = "exists, or a file beside it, and motionloom did not write it as it is now"
    raise BadRequest(f"{path} {why}: choose another name, or replace it with --force")


def is_own_output(path: str | Path) -> bool:
    """Are a clip and its side files as our own recipe records them, or do they not exist at all?"""
    path = Path(path)
    existing = {kind: p for kind in ("labels", "licence") if (p := side_path(path, kind)).is_file()}
    found = find_side_file(path, "origin")
    if found is None:
        return not (existing or path.exists())
    try:
        facts = read_facts(found)
        recorded = {"clip": facts["made"][-1]["output"], **facts.get("beside", {})}
        return all(recorded[kind] == file_sha256(p) for kind, p in {**existing, "clip": path}.items())
    except (FormatError, OtherOrigin, KeyError, IndexError, TypeError):
        return False
