"""Pieces of a plan: observed segments of textons, cut and stretched, in order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray, Note
from motionloom.core.note import warning
from motionloom.kinematics.local_frames import Frames
from motionloom.methods.base import Band

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

LEAST = 4  # frames: two key poses, and two of the next
SLACK = 1.1  # a texton may last so much longer, or shorter, than it was ever observed to
QUICK = 0.6  # of its observed time: a texton made in less is warned of


@dataclass(frozen=True, eq=False)
class Piece:
    """One texton of a plan."""

    texton: int
    observed: int  # which observed segment lends key poses and length
    length: int  # frames until the next texton's key poses
    keys: Frames  # the two frames that it starts with
    after: Frames  # the two frames that follow it if nothing else does
    hard: Mapping[int, Frames] = field(default_factory=dict)  # more frames that it must pass through
    span: tuple[int, int] | None = None  # frames [first, last) of the observed segment that it plays; None: all


@dataclass(frozen=True, eq=False)
class Plan:
    """Textons in order, and how many frames are wanted of them."""

    pieces: tuple[Piece, ...]
    frames: int
    notes: tuple[Note, ...] = ()  # how far the poses asked for lay from what was learnt
    noise: int | None = None  # seed of the noise with which it leads where it was planned to; None: any

    def rng(self, other: Generator) -> Generator:
        """The noise that it was planned with, or another."""
        return other if self.noise is None else np.random.default_rng(self.noise)

    @property
    def reason(self) -> str:
        return ""

    @property
    def path(self) -> list[int]:
        return [p.texton for p in self.pieces]

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


def piece_of(model: TextonModel, observed: int, length: int | None = None) -> Piece:
    """An observed segment as a piece, at its own length or another."""
    seen = model.observed[observed]
    return Piece(seen.texton, observed, seen.length if length is None else length, seen.keys, seen.after)


def cut(model: TextonModel, piece: Piece, stop: int) -> Piece:
    """A piece that is left before frame `stop` of its observed segment, at its own pace."""
    first = 0 if piece.span is None else piece.span[0]
    after = model.observed[piece.observed].frames[stop : stop + 2]
    return dataclasses.replace(piece, length=stop - first, after=after, span=(first, stop))


def observed_time(model: TextonModel, piece: Piece) -> int:
    """Frames that what a piece plays of its segment was observed to take."""
    return model.observed[piece.observed].length if piece.span is None else piece.span[1] - piece.span[0]


def usual_times(model: TextonModel, pieces: Sequence[Piece], usual: float = 1.0) -> FloatArray:
    """(n, 2) frames: the shortest and the longest time in which each piece would be as its texton was observed.

    A texton was observed in its shortest and in its longest segment, and `SLACK` beyond; `usual` times that.
    """
    out = np.empty((len(pieces), 2))
    for row, piece in zip(out, pieces, strict=True):
        lengths = np.array([model.observed[k].length for k in model.of_texton(piece.texton)])
        share = usual * observed_time(model, piece) / model.observed[piece.observed].length
        row[:] = share * lengths.min() / SLACK, share * lengths.max() * SLACK
    return out


def fitted(pieces: Sequence[Piece], frames: int, within: FloatArray | None = None) -> list[Piece]:
    """The pieces stretched or shortened alike so that together they last exactly `frames`.

    `within` (n, 2) are times that each of them is kept to, if all can be: the others then give way.
    """
    kept = list(pieces)
    while len(kept) > 1 and frames < LEAST * len(kept):
        kept.pop(1)
    lengths = np.array([p.length for p in kept], float)
    if within is not None and len(kept) == len(pieces) and within[:, 0].sum() <= frames <= within[:, 1].sum():
        lengths = _alike(lengths, within, frames)
    ends = np.cumsum(lengths)
    ends = np.round(ends * (frames / ends[-1])).astype(int)
    whole = np.maximum(np.diff([0, *ends]), LEAST)
    whole[int(whole.argmax())] += frames - int(whole.sum())
    return [dataclasses.replace(p, length=int(n)) for p, n in zip(kept, whole, strict=True)]


def _alike(lengths: FloatArray, within: FloatArray, frames: int) -> FloatArray:
    """Lengths times one factor, each kept within its bounds, that sum to `frames`: the factor by bisection."""
    low, high = (within[:, 0] / lengths).min(), (within[:, 1] / lengths).max()
    for _ in range(60):
        middle = (low + high) / 2
        less = np.clip(middle * lengths, within[:, 0], within[:, 1]).sum() < frames
        low, high = (middle, high) if less else (low, middle)
    return np.clip(high * lengths, within[:, 0], within[:, 1])


def rushed(model: TextonModel, pieces: Sequence[Piece], usual: float = 1.0) -> list[Note]:
    """A warning if textons are made in much less time than they were observed to take, times `usual`."""
    own = np.array([observed_time(model, p) for p in pieces])
    ratios = np.array([p.length for p in pieces]) / (own * min(usual, 1.0))
    quick = int((ratios < QUICK).sum())
    if not quick:
        return []
    said = f"a texton of the path is made in {ratios.min():.0%} of its time"
    if quick > 1:
        said = f"{quick} textons of the path are made in as little as {ratios.min():.0%} of their time"
    return [warning(f"{said} (below {QUICK:.0%}): the motion is rushed, feet will slide")]


def unusual(model: TextonModel, pieces: Sequence[Piece], usual: float = 1.0) -> list[Note]:
    """A warning if textons last longer or shorter than they were ever observed, times `usual`."""
    within = usual_times(model, pieces, usual)
    lengths = np.array([p.length for p in pieces])
    factor = np.maximum(lengths / within[:, 1], within[:, 0] / lengths)
    off = int((lengths > within[:, 1] + 1).sum() + (lengths < within[:, 0] - 1).sum())
    if not off:
        return []
    k = int(factor.argmax())
    which = "longer" if lengths[k] > within[k, 1] else "shorter"
    told = f"texton {pieces[k].texton} by {SLACK * factor[k] - 1:.0%}"
    return [
        warning(
            f"{off} of {len(pieces)} textons last longer or shorter than they were ever observed to ({told} {which})"
        )
    ]
