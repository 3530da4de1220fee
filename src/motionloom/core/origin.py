"""Where a clip came from: what only its file knew, and the source of every single frame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from motionloom.core.arrays import IntArray, frozen, put
from motionloom.core.note import Note

BETWEEN = " | "  # between the licence lines of several sources


class Source(NamedTuple):
    """One thing that frames can come from: a clip in a file, or a method with its seed."""

    clip: str  # name of the file or sample, "" if none
    method: str = ""  # "" for captured or loaded frames
    seed: int | None = None


@dataclass(frozen=True, eq=False)
class Origin:
    """Travels with a clip. `which` and `frames` say for each frame: which source, and which frame of it.

    `frames` counts from 0 in the file, T-pose included; -1 means that no single source frame stands behind it.
    """

    name: str = ""
    unit: float = 1.0  # metres per unit of the source file
    up: str = "y"  # the file's up axis: "y", "z", "x", "-y", "-z" or "-x"
    licence: str = ""
    header: Mapping[str, Any] = field(default_factory=dict)  # for the format's own writer, e.g. header["bvh"]
    sources: tuple[Source, ...] = ()
    which: IntArray | None = None  # (F,) index into sources
    frames: IntArray | None = None  # (F,)
    notes: tuple[Note, ...] = ()  # what readers, methods and edits found

    def __post_init__(self) -> None:
        put(self, "header", MappingProxyType(dict(self.header)))
        put(self, "sources", tuple(Source(*s) for s in self.sources))
        if (self.which is None) != (self.frames is None):
            raise ValueError("which and frames are given together")
        if self.which is not None and self.frames is not None:
            put(self, "which", frozen(self.which, np.int64, (None,), "origin.which"))
            put(self, "frames", frozen(self.frames, np.int64, (len(self.which),), "origin.frames"))
            if len(self.which) and not 0 <= self.which.min() <= self.which.max() < len(self.sources):
                raise ValueError("origin.which points outside sources")

    def __reduce__(self) -> tuple[Any, ...]:
        values = (self.name, self.unit, self.up, self.licence, dict(self.header), self.sources)
        return (Origin, (*values, self.which, self.frames, self.notes))

    def __getitem__(self, index: slice | IntArray) -> Origin:
        """The origin of some frames."""
        if self.which is None or self.frames is None:
            return self
        return replace(self, which=self.which[index], frames=self.frames[index])

    def with_notes(self, *notes: Note) -> Origin:
        """The same origin with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def spans(self) -> list[tuple[Source, int, int, int]]:
        """Runs of source frames in order: (source, first source frame, first frame here, length).

        A resampled clip steps over some of its source's frames, or repeats them: such steps do not end a run.
        """
        if self.which is None or self.frames is None or not len(self.which):
            return []
        step = np.diff(self.frames)
        usual = float(np.median(step[step > 0])) if (step > 0).any() else 1.0
        odd = np.where(self.frames[1:] < 0, self.frames[:-1] >= 0, (step < 0) | (step > 1.5 * usual))
        cut = np.flatnonzero((np.diff(self.which) != 0) | odd) + 1
        starts = [0, *cut.tolist()]
        stops = [*cut.tolist(), len(self.which)]
        return [
            (self.sources[self.which[a]], int(self.frames[a]), a, b - a) for a, b in zip(starts, stops, strict=True)
        ]


def from_file(name: str, frames: int, **facts: Any) -> Origin:
    """The origin of a clip just read: every frame comes from that file, in order."""
    return Origin(
        name=name, sources=(Source(name),), which=np.zeros(frames, np.int64), frames=np.arange(frames), **facts
    )


def joined(origins: Sequence[Origin], lengths: Sequence[int]) -> Origin:
    """The origin of clips laid one after the other: under the terms of all of them; file facts are the first one's."""
    sources: list[Source] = []
    which, frames = [], []
    for origin, length in zip(origins, lengths, strict=True):
        table = origin.sources if origin.which is not None else (Source(origin.name),)
        index = np.array([_position(sources, s) for s in table], np.int64)
        here = np.zeros(length, np.int64) if origin.which is None else origin.which
        which.append(index[here])
        frames.append(np.full(length, -1) if origin.frames is None else origin.frames)
    return replace(
        origins[0],
        licence=all_terms(origin.licence for origin in origins),
        sources=tuple(sources),
        which=np.concatenate(which),
        frames=np.concatenate(frames),
    )


def all_terms(licences: Iterable[str]) -> str:
    """The terms of something made of several clips: each licence line once, `A | B`. None of them gets lost."""
    return BETWEEN.join(dict.fromkeys(part for line in licences for part in line.split(BETWEEN) if part))


def _position(sources: list[Source], source: Source) -> int:
    if source not in sources:
        sources.append(source)
    return sources.index(source)
