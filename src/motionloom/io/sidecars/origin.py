"""Provenance of a synthesized or edited clip in the JSON file beside it: `long.origin.json` for `long.bvh`.

It contains the source of every frame and the recipe that `motionloom again` repeats, and the SHA-256 of the files that
were saved with it, so that a file of ours is recognized as long as it is unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace as with_changes
from pathlib import Path
from typing import Any

from motionloom.core import Clip, FormatError, Made, Note, Origin, made_here, replace
from motionloom.core.files import read_regular
from motionloom.core.text import read_json
from motionloom.io.sidecars.names import find_side_file, side_path
from motionloom.io.sidecars.origin_json import OtherOrigin, origin_facts, runs, with_origin_facts


def origin_path(clip: str | Path) -> Path:
    """The file with the provenance of a clip, existing or to be written: `long.origin.json`, see `names`."""
    return side_path(clip, "origin")


def origin_text(clip: Clip, clip_sha256: str, beside: Mapping[str, str]) -> str:
    """The content of a provenance file.

    `beside` maps the kinds of the other side files that are saved with the clip to their SHA-256.
    """
    origin = clip.origin if len(clip.origin) else clip.origin.unknown(len(clip))
    return _text(origin_facts(with_output(origin, clip_sha256)) | {"beside": dict(beside)})


def is_unchanged(origin: Origin) -> bool:
    """Is the clip what its source's file contains, from the first frame on, or are its sources unknown?"""
    if origin.made or len(origin.parts) > 1:
        return False
    found = runs(origin, 0, [])
    return len(found) == 1 and all(row[1:] == (0.0, 1.0) for row in found[0][1]) and not _mirrored(origin)


def with_unrecorded_edit(origin: Origin, name: str) -> Origin:
    """The origin of a clip to be saved as `name`, with a step for a change that no step records.

    That is a clip that was read from a file of ours and sliced, looped or resampled by a program since.
    """
    if not origin.made or not origin.made[-1].output or origin.read is not None:
        return origin
    return origin.with_made(made_here("edit", gap=unrecorded(name, origin.made[-1])))


def unrecorded(name: str, last: Made) -> str:
    """In words: a file that differs from what its last recorded step made."""
    return f"{name} was edited (or saved again) in Python after {last.command!r}; that step is not recorded"


def with_output(origin: Origin, sha256: str) -> Origin:
    """The origin with the SHA-256 of the file that its last step wrote."""
    if not origin.made:
        return origin
    *before, last = origin.made
    return with_changes(origin, made=(*before, with_changes(last, output=sha256)))


def with_origin(clip: Clip, path: str | Path) -> Clip:
    """The clip with the provenance that is stored beside its file, if there is one and it has as many frames.

    A sample is a source like a captured clip: what is stored beside it only records that motionloom wrote it.
    """
    beside = find_side_file(path, "origin")
    if beside is None:
        return clip
    try:
        origin = with_origin_facts(clip.origin, read_facts(beside), len(clip))
    except OtherOrigin as error:
        note = Note(f"{beside.name} {error}: not used", "warning", topic="file")
        return replace(clip, origin=clip.origin.with_notes(note))
    except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        raise FormatError(f"not a provenance file: {type(error).__name__}: {error}", path=beside) from None
    sample = origin.made and all(step.command == "samples" for step in origin.made)
    return clip if sample else replace(clip, origin=origin)


def read_facts(path: Path) -> dict[str, Any]:
    """The content of a provenance file; `FormatError` if it is none, `OtherOrigin` if it is of another version."""
    try:
        facts = read_json(read_regular(path))
    except (OSError, ValueError) as error:
        raise FormatError(f"not a provenance file: {type(error).__name__}: {error}", path=path) from None
    if not isinstance(facts, dict):
        raise FormatError("not a provenance file: expected an object", path=path)
    if "format" not in facts and "runs" in facts:
        raise OtherOrigin("was written by an earlier motionloom, in another format")
    return facts


def _text(facts: dict[str, Any]) -> str:
    """JSON with a line for each run: short, and still readable."""
    head = {name: value for name, value in facts.items() if name != "runs"}
    lines = ",\n".join("[" + ",\n".join(json.dumps(run) for run in part) + "]" for part in facts["runs"])
    return json.dumps(head, indent=1)[:-2] + f',\n "runs": [{lines}]\n}}\n'


def _mirrored(origin: Origin) -> bool:
    return any(source.mirrored for source in origin.sources)
