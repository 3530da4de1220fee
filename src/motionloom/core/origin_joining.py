"""Origins of concatenated clips and of blended frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motionloom.core.arrays import FloatArray, IntArray
from motionloom.core.note import Note
from motionloom.core.origin import BODY, Origin, Source, all_terms
from motionloom.core.recipe import Made


class _Rows(NamedTuple):
    which: IntArray  # (F, G, K)
    frames: FloatArray
    weights: FloatArray


def joined(origins: Sequence[Origin], lengths: Sequence[int]) -> Origin:
    """The origin of concatenated clips: with the licences of all of them; file facts are those of the first.

    An origin of the whole body counts for each part of the others. Where clips have different parts, the result has
    those of all, and no source for a part that a clip does not have.
    """
    sources, parts, rows = _common(origins, lengths)
    starts = np.cumsum([0, *lengths])[: len(origins)]
    notes = (
        _shift_note(note, int(start)) for origin, start in zip(origins, starts, strict=True) for note in origin.notes
    )
    whole = _Rows(*(np.concatenate(arrays) for arrays in zip(*rows, strict=True)))
    return _origin(origins, sources, parts, whole, notes)


def mixed(a: Origin, b: Origin, share: FloatArray) -> Origin:
    """The origin of frames that blend those of a with those of b: (F,) `share` is the weight of b."""
    sources, parts, (first, second) = _common((a, b), (len(share),) * 2)
    part = share[:, None, None]
    whole = _Rows(
        np.concatenate([first.which, second.which], 2),
        np.concatenate([first.frames, second.frames], 2),
        np.concatenate([(1 - part) * first.weights, part * second.weights], 2),
    )
    unknown = ~((first.which >= 0).any(2) & (second.which >= 0).any(2))  # half of a sum is no sum
    whole.which[unknown], whole.frames[unknown], whole.weights[unknown] = -1, -1.0, 0.0
    return _origin((a, b), sources, parts, whole, (*a.notes, *b.notes))


def _common(
    origins: Sequence[Origin], lengths: Sequence[int]
) -> tuple[tuple[Source, ...], tuple[str, ...], list[_Rows]]:
    """One table of sources and one list of parts for several origins, and their rows in these terms."""
    parts = tuple(dict.fromkeys(p for o in origins if o.parts != BODY for p in o.parts)) or BODY
    table = tuple(dict.fromkeys(source for origin in origins for source in origin.sources))
    most = max(origin.which.shape[2] for origin in origins)
    rows = []
    for origin, length in zip(origins, lengths, strict=True):
        index = np.array([*(table.index(s) for s in origin.sources), -1], np.int64)  # -1 stays -1
        shape = (length, len(parts), most)
        out = _Rows(np.full(shape, -1), np.full(shape, -1.0), np.zeros(shape))
        for g, name in enumerate(parts) if len(origin) else ():
            own = 0 if origin.parts == BODY else origin.parts.index(name) if name in origin.parts else None
            if own is not None:
                k = origin.which.shape[2]
                out.which[:, g, :k] = index[origin.which[:, own]]
                out.frames[:, g, :k], out.weights[:, g, :k] = origin.frames[:, own], origin.weights[:, own]
        rows.append(out)
    return table, parts, rows


def _origin(
    origins: Sequence[Origin], sources: tuple[Source, ...], parts: tuple[str, ...], rows: _Rows, notes: Iterable[Note]
) -> Origin:
    used = np.asarray((rows.which >= 0).any((0, 1))) | (np.arange(rows.which.shape[2]) == 0)
    made: list[Made] = []
    for origin in origins:
        made += [step for step in origin.made if step not in made]
    return replace(
        origins[0],
        licence=all_terms(origin.licence for origin in origins),
        sources=sources,
        which=rows.which[..., used],
        frames=rows.frames[..., used],
        weights=rows.weights[..., used],
        parts=parts,
        made=tuple(made),
        notes=tuple(dict.fromkeys(notes)),
        read=None,
    )


def _shift_note(note: Note, by: int) -> Note:
    return note if note.frame is None else replace(note, frame=note.frame + by)
