"""Where the frames of a made clip came from, beside its file: `long.origin.json` for `long.bvh`.

Motion files have no place for it. It is written for clips that were made or edited, so that the source of every frame
and the recipe (`motionloom again`) are still known when the file is read again.
"""

from __future__ import annotations

import json
from dataclasses import replace as with_changes
from pathlib import Path
from typing import Any

from motionloom.core import Clip, FormatError, Note, Origin, replace
from motionloom.core.files import read_regular, side_file
from motionloom.io.digest import file_sha256
from motionloom.io.files import write_whole
from motionloom.io.sidecars.origin_json import OtherOrigin, origin_facts, runs, with_origin_facts


def origin_path(clip: str | Path) -> Path:
    """Where the provenance of a clip file is: `long.origin.json` for `long.bvh`."""
    return Path(clip).with_suffix(".origin.json")


def write_origin(clip: Clip, path: str | Path) -> None:
    """Write the provenance of a made or edited clip beside its file; an old one of another clip is taken away."""
    beside = origin_path(path)
    if as_read(clip.origin):
        beside.unlink(missing_ok=True)
        return
    facts = origin_facts(with_output(clip.origin, file_sha256(path)))
    write_whole(beside, [_text(facts).encode()])


def as_read(origin: Origin) -> bool:
    """Is the clip what its source's file contains, from the first frame on, or not known to come from any?"""
    if any(step.command != "samples" for step in origin.made) or len(origin.parts) > 1:
        return False
    found = runs(origin, 0, [])
    return len(found) == 1 and all(row[1:] == (0.0, 1.0) for row in found[0][1]) and not _mirrored(origin)


def with_output(origin: Origin, sha256: str) -> Origin:
    """The origin with the SHA-256 of the file that its last step wrote."""
    if not origin.made:
        return origin
    *before, last = origin.made
    return with_changes(origin, made=(*before, with_changes(last, output=sha256)))


def with_origin(clip: Clip, path: str | Path) -> Clip:
    """The clip with the provenance that is stored beside its file, if there is one and it has as many frames."""
    beside = side_file(path, origin_path(path).name)
    if beside is None:
        return clip
    try:
        origin = with_origin_facts(clip.origin, read_facts(beside), len(clip))
    except OtherOrigin as error:
        note = Note(f"{beside.name} {error}: not used", "warning", topic="file")
        return replace(clip, origin=clip.origin.with_notes(note))
    except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        raise FormatError(f"not a provenance file: {type(error).__name__}: {error}", path=beside) from None
    return replace(clip, origin=origin)


def read_facts(path: Path) -> dict[str, Any]:
    """The content of a provenance file; `FormatError` if it is none, `OtherOrigin` if it is of another version."""
    try:
        facts = json.loads(read_regular(path).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
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
