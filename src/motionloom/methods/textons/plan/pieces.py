"""Pieces of a plan: observed segments of textons, cut and stretched, in order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, BoolArray, FloatArray, Note
from motionloom.core.note import warning
from motionloom.kinematics.local_frames import Frames
from motionloom.methods.base import Band
from motionloom.methods.textons.segments import Segments

MIN_FRAMES = 4  # of a piece: two key poses, and two of the next
LENGTH_SLACK = 1.1  # a texton may last longer than its longest segment, or shorter than its shortest, by this factor
MAX_REPEATED = 0.5  # share of a result that may repeat its segments without a warning
RUSHED = 0.6  # share of its observed time: a texton made in less is reported


@dataclass(frozen=True, eq=False)
class TextonPiece:
    """One texton of a plan."""

    texton: int
    observed: int  # index of the observed segment that supplies key poses and length
    length: int  # frames until the next texton's key poses
    keys: Frames  # the two frames that it starts with
    after: Frames  # the two frames that follow it if nothing else does
    hard: Mapping[int, Frames] = field(default_factory=dict)  # more frames that it must pass through
    span: tuple[int, int] | None = None  # frames [first, last) of the observed segment that it plays; None: all

    @property
    def first(self) -> int:
        """The frame of the observed segment that it starts with."""
        return 0 if self.span is None else self.span[0]


@dataclass(frozen=True, eq=False)
class TextonPlan:
    """Textons in order, and how many frames of them to render."""

    pieces: tuple[TextonPiece, ...]
    frames: int
    notes: tuple[Note, ...] = ()  # distances between the requested poses and the observed ones
    noise: int | None = None  # seed of the noise that the path over the ground was planned with; None: any

    def rng(self, other: Generator) -> Generator:
        """The generator of the noise that it was planned with, or another."""
        return other if self.noise is None else np.random.default_rng(self.noise)

    @property
    def reason(self) -> str:
        return ""

    @property
    def path(self) -> list[int]:
        return [p.texton for p in self.pieces]

    def labels(self, segments: Segments, label: str) -> BoolArray:
        """(F,) the frames that have a label."""
        out = []
        for piece in self.pieces:
            at = np.round(np.linspace(0, observed_time(segments, piece) - 1, piece.length)).astype(int) + piece.first
            out.append(segments[piece.observed].labels[at, segments.label_names.index(label)])
        return np.asarray(np.concatenate(out)[: self.frames])

    def bands(self) -> list[Band]:
        """The textons in order; the last one may be cut off by the end."""
        out, at = [], 0
        for piece in self.pieces:
            length = min(piece.length, self.frames - at)
            if length <= 0:
                break
            out.append(Band(at, length, f"texton {piece.texton}#{piece.observed}", "texton"))
            at += length
        return out


def plan_of(pieces: Sequence[TextonPiece], notes: Sequence[Note] = ()) -> TextonPlan:
    """A plan that plays all pieces to their ends."""
    return TextonPlan(tuple(pieces), sum(p.length for p in pieces), tuple(notes))


def piece_of(segments: Segments, observed: int) -> TextonPiece:
    """A whole observed segment as a piece, at its own length."""
    seen = segments[observed]
    return TextonPiece(seen.texton, observed, seen.length, seen.keys, seen.after)


def start_at(segments: Segments, piece: TextonPiece, first: int) -> TextonPiece:
    """A piece that starts with frame `first` of its observed segment and plays the rest of it at its own pace."""
    seen = segments[piece.observed]
    keys, span = seen.frames[first : first + 2], (first, seen.length)
    return dataclasses.replace(piece, keys=keys, length=seen.length - first, span=span)


def stop_at(segments: Segments, piece: TextonPiece, stop: int) -> TextonPiece:
    """A piece that ends before frame `stop` of its observed segment, at its own pace."""
    after = segments[piece.observed].frames[stop : stop + 2]
    return dataclasses.replace(piece, length=stop - piece.first, after=after, span=(piece.first, stop))


def with_hard(piece: TextonPiece, frames: Mapping[int, Frames]) -> TextonPiece:
    """The piece with more frames that it must pass through (counted from its start)."""
    for t in frames:
        if not 0 <= t < piece.length:
            raise BadRequest(f"frame {t} is not inside this texton of {piece.length} frames (0 to {piece.length - 1})")
    return dataclasses.replace(piece, hard={**piece.hard, **frames})


def observed_time(segments: Segments, piece: TextonPiece) -> int:
    """Observed frames of the part of its segment that a piece plays."""
    return segments[piece.observed].length if piece.span is None else piece.span[1] - piece.span[0]


def usual_times(segments: Segments, pieces: Sequence[TextonPiece], usual: float = 1.0) -> FloatArray:
    """(n, 2) frames: the shortest and the longest time of each piece within the observed range of its texton.

    The range runs from a texton's shortest to its longest segment, and `LENGTH_SLACK` beyond; `usual` times that.
    """
    out = np.empty((len(pieces), 2))
    for row, piece in zip(out, pieces, strict=True):
        lengths = np.array([segments[k].length for k in segments.of_texton(piece.texton)])
        share = usual * observed_time(segments, piece) / segments[piece.observed].length
        row[:] = share * lengths.min() / LENGTH_SLACK, share * lengths.max() * LENGTH_SLACK
    return out


def fit_lengths(pieces: Sequence[TextonPiece], frames: int, within: FloatArray | None = None) -> list[TextonPiece]:
    """The pieces stretched or shortened by one factor so that together they last exactly `frames`.

    `within` (n, 2) are bounds of each length, which are kept if all can be; the other pieces then change more.
    """
    kept = list(pieces)
    while len(kept) > 1 and frames < MIN_FRAMES * len(kept):
        kept.pop(1)
    lengths = np.array([p.length for p in kept], float)
    if within is not None and len(kept) == len(pieces) and within[:, 0].sum() <= frames <= within[:, 1].sum():
        lengths = _scaled_within(lengths, within, frames)
    ends = np.cumsum(lengths)
    ends = np.round(ends * (frames / ends[-1])).astype(int)
    whole = np.maximum(np.diff([0, *ends]), MIN_FRAMES)
    whole[int(whole.argmax())] += frames - int(whole.sum())
    return [dataclasses.replace(p, length=int(n)) for p, n in zip(kept, whole, strict=True)]


def _scaled_within(lengths: FloatArray, within: FloatArray, frames: int) -> FloatArray:
    """Lengths times one factor, each kept within its bounds, that sum to `frames`: the factor by bisection."""
    low, high = (within[:, 0] / lengths).min(), (within[:, 1] / lengths).max()
    for _ in range(60):
        middle = (low + high) / 2
        less = np.clip(middle * lengths, within[:, 0], within[:, 1]).sum() < frames
        low, high = (middle, high) if less else (low, middle)
    return np.clip(high * lengths, within[:, 0], within[:, 1])


def rushed_notes(segments: Segments, pieces: Sequence[TextonPiece], usual: float = 1.0) -> list[Note]:
    """A warning if textons are made in much less time than they were observed to take, times `usual`."""
    own = np.array([observed_time(segments, p) for p in pieces])
    ratios = np.array([p.length for p in pieces]) / (own * min(usual, 1.0))
    count = int((ratios < RUSHED).sum())
    if not count:
        return []
    text = f"a texton of the path is made in {ratios.min():.0%} of its time"
    if count > 1:
        text = f"{count} textons of the path are made in as little as {ratios.min():.0%} of their time"
    return [warning(f"{text} (below {RUSHED:.0%}): the motion is rushed, feet will slide")]


def repeat_notes(segments: Segments, pieces: Sequence[TextonPiece]) -> list[Note]:
    """A warning if most of the time shows frames that have been shown before, as far as clips are longer."""
    shown = [np.zeros(len(o.frames), bool) for o in segments.observed]
    repeated = total = 0.0
    for piece in pieces:
        mine = shown[piece.observed][piece.first : piece.first + observed_time(segments, piece)]
        repeated += piece.length * float(mine.mean()) if len(mine) else 0.0
        total += piece.length
        mine[:] = True
    own, seen = sum(map(len, shown)), sum(int(s.sum()) for s in shown)
    if repeated <= MAX_REPEATED * total or own < total / 2:
        return []
    text = (
        f"{repeated / segments.fps:.0f} of {total / segments.fps:.0f} s repeat frames that were shown before "
        f"({seen / segments.fps:.0f} of {own / segments.fps:.0f} s of the clips are shown); learn with a larger "
        "tolerance or from more clips, or raise the option `unseen_limit`"
    )
    return [warning(text)]


def length_notes(segments: Segments, pieces: Sequence[TextonPiece], usual: float = 1.0) -> list[Note]:
    """A warning if textons last longer or shorter than they were ever observed, times `usual`."""
    within = usual_times(segments, pieces, usual)
    lengths = np.array([p.length for p in pieces])
    factor = np.maximum(lengths / within[:, 1], within[:, 0] / lengths)
    off = int((lengths > within[:, 1] + 1).sum() + (lengths < within[:, 0] - 1).sum())
    if not off:
        return []
    k = int(factor.argmax())
    which = "longer" if lengths[k] > within[k, 1] else "shorter"
    worst = f"texton {pieces[k].texton} by {LENGTH_SLACK * factor[k] - 1:.0%} {which}"
    return [warning(f"{off} of {len(pieces)} textons last longer or shorter than they were ever observed to ({worst})")]
