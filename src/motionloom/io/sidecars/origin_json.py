"""An origin as JSON: sources, runs of frames, steps and notes. Used beside clips and inside NPZ files.

A run is `[count, [[source, first frame, step], ...], weights]`: so many frames that advance evenly in each of their
sources. `weights` is null for a single source, else the number of a table of weights, which equal blends share.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from motionloom.core import FloatArray, IntArray, Made, Note, Origin, Source
from motionloom.core.note import as_dicts

FORMAT = 2
MAX_CELLS, MAX_FRAME_CELLS = 10_000_000, 64  # parts times sources: in all frames of a clip, or in each
ABOUT_FILES = ("file", "unit", "up")  # topics of notes on a file that was read: the next file has its own
STEP_TOLERANCE = 1e-6  # frames: steps as equal as this are one run

Run = tuple[int, list[tuple[int, float, float]], int | None]


class OtherOrigin(ValueError):
    """A description that belongs to a clip of another length, or to another version."""


def origin_facts(origin: Origin) -> dict[str, Any]:
    """An origin as plain values; `with_origin_facts` puts them on a clip of the same length."""
    tables: list[list[list[float]]] = []
    return {
        "format": FORMAT,
        "frames": len(origin),
        "sources": [source._asdict() for source in origin.sources],
        "parts": list(origin.parts),
        "runs": [runs(origin, part, tables) for part in range(len(origin.parts))],
        "weights": tables,
        "made": [step.as_dict() for step in origin.made],
        "notes": as_dicts(note for note in origin.notes if note.topic not in ABOUT_FILES),
    }


def with_origin_facts(origin: Origin, facts: dict[str, Any], frames: int) -> Origin:
    """The origin of a file just read, with sources, steps and notes that were kept. Errors if they do not fit."""
    if facts["format"] != FORMAT:
        raise OtherOrigin(f"is in format {facts['format']}, not {FORMAT}")
    parts = tuple(str(part) for part in facts["parts"])
    found = [
        [(int(n), [(int(s), float(f), float(d)) for s, f, d in rows], w) for n, rows, w in p] for p in facts["runs"]
    ]
    if len(found) != len(parts) or any(sum(n for n, *_ in p) != frames or any(n < 1 for n, *_ in p) for p in found):
        raise OtherOrigin("is of another clip")
    tables = [np.array(table, float).reshape(-1, max(map(len, table), default=1)) for table in facts["weights"]]
    shape = (frames, len(parts), max((len(rows) for p in found for _, rows, _ in p), default=1) or 1)
    if math.prod(shape) > max(MAX_CELLS, MAX_FRAME_CELLS * frames):
        raise ValueError(f"{shape[1]} parts with {shape[2]} sources in {frames} frames are too many")
    which, numbers, weights = np.full(shape, -1), np.full(shape, -1.0), np.zeros(shape)
    for g, part in enumerate(found):
        start = 0
        for count, rows, table in part:
            at = slice(start, start + count)
            for k, (source, first, step) in enumerate(rows):
                which[at, g, k], numbers[at, g, k] = source, first + step * np.arange(count)
                weights[at, g, k] = 1.0 if table is None else tables[table][:, k]
            start += count
    kept = tuple(Note(**{**note, "earlier": True}) for note in facts["notes"])
    return replace(
        origin,
        sources=tuple(Source(**source) for source in facts["sources"]),
        which=which,
        frames=numbers,
        weights=weights,
        parts=parts,
        made=tuple(Made(**step) for step in facts["made"]),
        notes=tuple(dict.fromkeys((*origin.notes, *kept))),
    )


def runs(origin: Origin, part: int, tables: list[list[list[float]]]) -> list[Run]:
    """The runs of one part, in order; weights that are not in `tables` yet are added to it."""
    which, frames, weights = origin.which[:, part], origin.frames[:, part], origin.weights[:, part]
    out: list[Run] = []
    for start, stop in _bounds(which, frames):
        used = np.flatnonzero(which[start] >= 0)
        step = frames[start + 1] - frames[start] if stop - start > 1 else np.ones(len(which[0]))
        rows = [(int(which[start, k]), float(frames[start, k]), float(step[k])) for k in used]
        table = None
        if len(used) > 1:
            values = weights[start:stop, used].tolist()
            if values not in tables:
                tables.append(values)
            table = tables.index(values)
        out.append((stop - start, rows, table))
    return out


def _run(count: Any, rows: Any, weights: Any) -> Run:
    """A run as JSON gives it back, checked."""
    slots = [(int(source), float(first), float(step)) for source, first, step in rows]
    return int(count), slots, None if weights is None else int(weights)


def _bounds(which: IntArray, frames: FloatArray) -> list[tuple[int, int]]:
    """First and last + 1 frame of each run (F, K): the same sources, and even steps through each of them."""
    total = len(which)
    changed = np.concatenate([[False], (which[1:] != which[:-1]).any(1)])  # a new run starts here
    step = np.diff(frames, axis=0)
    bent = np.zeros(total, bool)  # the step to here is not the step before
    bent[2:] = (np.abs(np.diff(step, axis=0)) > STEP_TOLERANCE).any(1)
    changes, bends = np.flatnonzero(changed), np.flatnonzero(bent)
    out, start = [], 0
    while start < total:
        ends = changes[np.searchsorted(changes, start + 1) :][:1]
        turns = bends[np.searchsorted(bends, start + 2) :][:1]
        stop = int(min([total, *ends.tolist(), *turns.tolist()]))
        out.append((start, stop))
        start = stop
    return out
