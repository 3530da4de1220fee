"""Where the frames of a made clip came from, beside its file: `long.origin.json` for `long.bvh`.

Motion files have no place for it. It is written for clips that a method made, or that come from another body, so that
method, seed, the source of every frame and the body's own clip are still known when the file is read again.
"""

from __future__ import annotations

import json
from dataclasses import replace as with_changes
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import Clip, FormatError, Note, Origin, Source, replace
from motionloom.core.files import read_regular, side_file
from motionloom.core.note import as_dicts
from motionloom.io.files import write_whole


def origin_path(clip: str | Path) -> Path:
    """Where the provenance of a clip file is: `long.origin.json` for `long.bvh`."""
    return Path(clip).with_suffix(".origin.json")


def write_origin(clip: Clip, path: str | Path) -> None:
    """Write the provenance of a made or retargeted clip beside its file; an old one of another clip is taken away."""
    beside = origin_path(path)
    other_body = any(note.topic == "retargeted" for note in clip.origin.notes)
    runs = _runs(clip.origin) if other_body or any(source.method for source in clip.origin.sources) else []
    its_own = len(runs) == 1 and runs[0][1:3] == (0, 1)  # a sample is its own source, from its first frame on
    if not runs or (its_own and not other_body):
        beside.unlink(missing_ok=True)
        return
    facts = {
        "frames": len(clip),
        "sources": [source._asdict() for source in clip.origin.sources],
        "runs": [{"source": w, "first": f, "step": s, "count": n} for w, f, s, n in runs],
        "notes": as_dicts(note for note in clip.origin.notes if note.topic in ("made", "retargeted")),
    }
    write_whole(beside, [json.dumps(facts, indent=1).encode()])


def with_origin(clip: Clip, path: str | Path) -> Clip:
    """The clip with the provenance that stands beside its file, if there is one and it has as many frames."""
    beside = side_file(path, origin_path(path).name)
    if beside is None:
        return clip
    try:
        facts = json.loads(read_regular(beside).decode("utf-8"))
        sources = tuple(Source(str(s["clip"]), str(s["method"]), s["seed"]) for s in facts["sources"])
        runs = [(int(r["source"]), int(r["first"]), int(r["step"]), int(r["count"])) for r in facts["runs"]]
        notes = tuple(Note(**note) for note in facts["notes"])
        if sum(n for *_, n in runs) != len(clip) or any(n < 1 or not 0 <= w < len(sources) for w, _, _, n in runs):
            return replace(
                clip, origin=clip.origin.with_notes(Note(f"{beside.name} is of another clip: not used", "warning"))
            )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FormatError(f"not a provenance file: {type(error).__name__}: {error}", path=beside) from None
    which = np.concatenate([np.full(n, w) for w, _, _, n in runs])
    frames = np.concatenate([f + s * np.arange(n) for _, f, s, n in runs])
    origin = with_changes(clip.origin, sources=sources, which=which, frames=frames)
    return replace(clip, origin=origin.with_notes(*notes))


def _runs(origin: Origin) -> list[tuple[int, int, int, int]]:
    """(source, first frame, step, count): stretches of evenly spaced frames of one source, one after the other."""
    which: Any = origin.which
    frames: Any = origin.frames
    out: list[tuple[int, int, int, int]] = []
    at = 0
    while which is not None and at < len(which):
        step = int(frames[at + 1] - frames[at]) if at + 1 < len(which) and which[at + 1] == which[at] else 1
        end = at + 1
        while end < len(which) and which[end] == which[at] and frames[end] - frames[end - 1] == step:
            end += 1
        out.append((int(which[at]), int(frames[at]), step, end - at))
        at = end
    return out
