"""The record of how a clip was read, for recipes: its file, settings, and the files beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace as with_changes
from pathlib import Path

from motionloom.core import Clip, Note, Read, replace
from motionloom.core.recipe import Input
from motionloom.io.digest import file_sha256
from motionloom.io.reader_settings import Reading
from motionloom.io.sidecars.licence import licence_file
from motionloom.io.sidecars.names import find_side_file
from motionloom.io.sidecars.origin import with_output
from motionloom.io.sidecars.roles import roles_file


def with_reading_record(clip: Clip, path: Path, sha256: str, reading: Reading, others: Iterable[Path] = ()) -> Clip:
    """The clip with SHA-256 and licence of its file as those of its source, and with the record of how it was read.

    A synthesized clip whose file was changed after it was written gets a warning.
    """
    origin = clip.origin
    if [source.name for source in origin.sources] == [origin.name] and not origin.made:
        own = origin.sources[0]._replace(sha256=sha256, licence=origin.licence)
        origin = with_changes(origin, sources=(own,))
    if origin.made and origin.made[-1].output not in ("", sha256):
        origin = origin.with_notes(Note(f"{path.name} was changed after it was written", "warning", topic="file"))
    origin = with_output(origin, sha256) if origin.made and not origin.made[-1].output else origin
    beside_clip = (find_side_file(path, kind) for kind in ("labels", "origin"))
    found = [*beside_clip, licence_file(path), roles_file(path, reading.roles), *others]
    beside = tuple(Input(p.name, file_sha256(p)) for p in found if p is not None and p.is_file())
    return replace(clip, origin=with_changes(origin, read=Read(path.name, sha256, reading.changes(), beside)))
