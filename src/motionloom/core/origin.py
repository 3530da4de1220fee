"""Provenance of a clip: facts of its file, the sources of every frame, and the steps that made it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from motionloom.core.arrays import BoolArray, FloatArray, IntArray, frozen, put
from motionloom.core.note import Note
from motionloom.core.recipe import Made, Read
from motionloom.core.text import well_formed

BETWEEN = " | "  # between the licence lines of several sources
BODY = ("body",)  # the only part of a clip whose joints all have the same sources


class Source(NamedTuple):
    """A captured clip that frames come from; its file need not exist any more."""

    name: str
    sha256: str = ""  # of the file; "" if it came from none
    licence: str = ""
    mirrored: bool = False  # do the frames come from its mirror image?

    @property
    def title(self) -> str:
        """Its name for people: `mirrored walk.bvh` for a mirror image."""
        return f"mirrored {self.name}" if self.mirrored else self.name


class Span(NamedTuple):
    """A run of frames that follow each other in the same source, or that blend the same sources."""

    start: int  # first frame here
    frames: int
    sources: tuple[Source, ...]  # several of a blend, in the order in which they are entered; none if unknown
    first: tuple[float, ...]  # frame in each source at `start`; -1 where it is not a single one
    last: tuple[float, ...]  # frame in each source at the last frame


@dataclass(frozen=True, eq=False)
class Origin:
    """Travels with a clip. F frames, G body parts (1 is the whole body), K sources to a part.

    Frame f of part g is the sum over k of `weights[f, g, k]` times frame `frames[f, g, k]` of
    `sources[which[f, g, k]]`. Frames count from 0 in the file, T-pose included, and may be fractional; -1 with a source
    means that the frame was computed from this source as a whole. Arrays of shape (F,) are taken as (F, 1, 1); absent
    weights are equal shares. An origin of no frames belongs to a clip whose sources are not known.
    """

    name: str = ""
    unit: float = 1.0  # metres per unit of the source file
    up: str = "y"  # the file's up axis: "y", "z", "x", "-y", "-z" or "-x"
    licence: str = ""
    header: Mapping[str, Any] = field(default_factory=dict)  # for the format's own writer, e.g. header["bvh"]
    sources: tuple[Source, ...] = ()
    which: IntArray = field(default_factory=lambda: np.zeros((0, 1, 1), np.int64))  # (F, G, K), -1 where none
    frames: FloatArray = field(default_factory=lambda: np.zeros((0, 1, 1)))  # (F, G, K)
    weights: FloatArray = field(default_factory=lambda: np.zeros((0, 1, 1)))  # (F, G, K) sum to 1 over K
    parts: tuple[str, ...] = BODY  # names of the G parts, which may be single joints
    made: tuple[Made, ...] = ()  # one entry for each processing step, the last one last
    notes: tuple[Note, ...] = ()  # what readers, methods and edits found
    read: Read | None = None  # how the clip was read, as long as it is what its file contains

    def __post_init__(self) -> None:
        put(self, "header", MappingProxyType(dict(self.header)))
        put(self, "sources", tuple(Source(*s) for s in self.sources))
        put(self, "parts", tuple(self.parts))
        put(self, "which", frozen(_grid(self.which), np.int64, (None, len(self.parts), None), "origin.which"))
        shape = self.which.shape
        if not len(self.weights):
            put(self, "weights", _equal_shares(self.which))
        put(self, "frames", frozen(_grid(self.frames), np.float64, shape, "origin.frames"))
        put(self, "weights", frozen(_grid(self.weights), np.float64, shape, "origin.weights"))
        if shape[0] and not -1 <= self.which.min() <= self.which.max() < len(self.sources):
            raise ValueError("origin.which points outside sources")
        given = self.which >= 0
        if (self.weights < 0).any() or self.weights[~given].any():
            raise ValueError("origin.weights: expected no negative weights, and 0 where there is no source")
        if (np.abs(self.weights.sum(2) - 1) > 1e-6)[given.any(2)].any():
            raise ValueError("origin.weights: expected a sum of 1 over the sources of a frame")

    def __reduce__(self) -> tuple[Any, ...]:
        values = (self.name, self.unit, self.up, self.licence, dict(self.header), self.sources)
        return (Origin, (*values, self.which, self.frames, self.weights, self.parts, self.made, self.notes, self.read))

    def __len__(self) -> int:
        return len(self.which)

    @property
    def known(self) -> bool:
        """Is the source of any frame known?"""
        return bool((self.which >= 0).any())

    @property
    def single(self) -> BoolArray:
        """(F,) does every part of the frame come from one frame of one source, not from a blend or a computation?"""
        used = self.weights > 0
        return np.asarray(((used.sum(2) == 1) & (np.where(used, self.frames, 0.0) >= 0).all(2)).all(1))

    def main(self, part: int = 0) -> tuple[IntArray, FloatArray]:
        """(F,) the source with the largest weight, -1 where none is known, and (F,) its frame."""
        k = self.weights[:, part].argmax(1) if self.which.shape[2] > 1 else np.zeros(len(self), np.int64)
        rows = np.arange(len(self))
        return self.which[rows, part, k], self.frames[rows, part, k]

    def __getitem__(self, index: slice | IntArray) -> Origin:
        """The origin of some frames."""
        if not len(self):
            return self
        arrays = (self.which[index], self.frames[index], self.weights[index])
        notes = self.notes
        if any(note.frame is not None for note in notes):
            places = {int(f): at for at, f in reversed(list(enumerate(np.arange(len(self))[index])))}
            notes = tuple(n if n.frame is None else replace(n, frame=places.get(n.frame)) for n in notes)
        return self._with(*arrays, notes)

    def at(self, frames: FloatArray) -> Origin:
        """The origin at fractional frames (N,): between frames that follow each other in a source, those between them.

        Elsewhere (at a cut, for example) the nearer frame is taken.
        """
        if not len(self):
            return self
        near = self[np.minimum(np.round(frames).astype(np.int64), len(self) - 1)]
        first = np.minimum(np.floor(frames).astype(np.int64), max(len(self) - 2, 0))
        second = np.minimum(first + 1, len(self) - 1)
        t = (frames - first)[:, None, None]
        a, b = self.frames[first], self.frames[second]
        same = self.which[first] == self.which[second]
        follows = (a >= 0) & (b >= 0) & (np.abs(b - a) <= 1.5 * _usual_step(self.frames))
        smooth = (same & (follows | (self.which[first] < 0))).all(2, keepdims=True)
        values = np.where(smooth, (1 - t) * a + t * b, near.frames)
        weights = np.where(smooth, (1 - t) * self.weights[first] + t * self.weights[second], near.weights)
        return near._with(near.which, values, weights, near.notes)

    def named(self, name: str) -> Origin:
        """The origin of a clip of another name, under which its recipe finds it: with the folders of its file."""
        return replace(self, name=name, read=None if self.read is None else replace(self.read, name=name))

    def with_notes(self, *notes: Note) -> Origin:
        """The same origin with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def with_made(self, step: Made) -> Origin:
        """The same origin with one more processing step."""
        return replace(self, made=(*self.made, step), read=None)

    def spans(self, part: int = 0) -> list[Span]:
        """Runs of frames with the same sources, in order.

        A resampled clip steps over some of its source's frames, or repeats them: such steps do not end a run.
        """
        if not len(self):
            return []
        used = self.weights[:, part] > 0
        which = np.where(used, self.which[:, part], -1)
        frames = np.where(used, self.frames[:, part], -1.0)
        step = np.diff(frames, axis=0)
        usual = _usual_step(frames)
        odd = np.where(frames[1:] < 0, frames[:-1] >= 0, (step < 0) | (step > 1.5 * usual))
        cut = np.flatnonzero(((np.diff(which, axis=0) != 0) | odd).any(1)) + 1
        out = []
        for a, b in zip([0, *cut.tolist()], [*cut.tolist(), len(self)], strict=True):
            kept = np.flatnonzero(which[a] >= 0)
            sources = tuple(self.sources[k] for k in which[a, kept])
            out.append(Span(a, b - a, sources, tuple(frames[a, kept].tolist()), tuple(frames[b - 1, kept].tolist())))
        return out

    def _with(self, which: IntArray, frames: FloatArray, weights: FloatArray, notes: tuple[Note, ...]) -> Origin:
        """The same origin with rows that are already checked: slices of clips are made often."""
        new = object.__new__(Origin)
        new.__dict__.update(self.__dict__)
        for name, rows in (("which", which), ("frames", frames), ("weights", weights)):
            array = np.ascontiguousarray(rows)
            array.flags.writeable = False
            put(new, name, array)
        put(new, "notes", notes)
        put(new, "read", None)
        return new

    def unknown(self, frames: int) -> Origin:
        """The same origin for so many frames, no source of which is known."""
        rows = np.full((frames, len(self.parts), 1), -1)
        return self._with(rows, rows.astype(float), np.zeros(rows.shape), self.notes)


def from_file(name: str, frames: int, **facts: Any) -> Origin:
    """The origin of a clip just read: every frame comes from that file, in order."""
    which, numbers = np.zeros(frames, np.int64), np.arange(frames, dtype=float)
    name = well_formed(name)
    return Origin(name=name, sources=(Source(name),), which=which, frames=numbers, **facts)


def all_terms(licences: Iterable[str]) -> str:
    """The terms of something made of several clips: each licence line once, `A | B`. None of them gets lost."""
    return BETWEEN.join(dict.fromkeys(part for line in licences for part in line.split(BETWEEN) if part))


def _grid(values: Any) -> Any:
    """(F,) as (F, 1, 1); everything else as it is."""
    array = np.asarray(values)
    return array[:, None, None] if array.ndim == 1 else values


def source_shares(which: IntArray, weights: FloatArray) -> FloatArray:
    """Weights (..., K) of sources `which` (..., K), -1 where there is none, divided by their sum.

    Those below 0 count as 0; where none is left, all sources count alike.
    """
    shares = np.where(which >= 0, np.maximum(weights, 0.0), 0.0)
    total = shares.sum(-1, keepdims=True)
    return np.where(total > 1e-9, shares / np.maximum(total, 1e-9), _equal_shares(which))


def _equal_shares(which: IntArray) -> FloatArray:
    given = which >= 0
    return np.asarray(given / np.maximum(given.sum(-1, keepdims=True), 1))


def _usual_step(frames: FloatArray) -> float:
    """The median of the positive steps from one frame to the next, in frames of the source; 1 if there is none."""
    step = np.diff(frames, axis=0)
    return float(np.median(step[step > 0])) if (step > 0).any() else 1.0
