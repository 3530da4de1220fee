"""The notation of paths in requests: textons in order, which segment of each, for how long, and what part of it."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BadRequest, BoolArray, IntArray, NoPath
from motionloom.methods.textons.plan.joins import far_join_notes, keys_distance
from motionloom.methods.textons.plan.pieces import (
    MIN_FRAMES,
    TextonPiece,
    TextonPlan,
    fit_lengths,
    piece_of,
    plan_of,
    rushed_notes,
    start_at,
    stop_at,
)
from motionloom.methods.textons.plan.random_walk import SegmentWalk
from motionloom.methods.textons.plan.segment_choice import choose_pieces
from motionloom.methods.textons.segments import Segments

_SECONDS = r"(\d+(?:\.\d+)?)"
_STEP = re.compile(rf"(\d+)(?:#(\d+)(?:@{_SECONDS}?(?:\.\.{_SECONDS}?)?)?)?(?:={_SECONDS}s?)?")


class PathStep(NamedTuple):
    """One texton of a written path.

    >>> str(PathStep(7, 1, start=0.5, stop=1.2))
    '7#1@0.5..1.2'
    >>> str(PathStep(7, 1, seconds=2.5))
    '7#1=2.5'
    """

    texton: int
    segment: int | None = None  # which of its observed segments supplies key poses and length; None: drawn
    seconds: float | None = None  # its length; None: as long as observed
    start: float | None = None  # s: where in the segment it starts; None: at the beginning
    stop: float | None = None  # s: where in the segment it ends; None: at the end

    def __str__(self) -> str:
        segment = "" if self.segment is None else f"#{self.segment}"
        if self.start is not None or self.stop is not None:
            segment += f"@{_format(self.start)}" + ("" if self.stop is None else f"..{_format(self.stop)}")
        return f"{self.texton}{segment}" + ("" if self.seconds is None else f"={_format(self.seconds)}")


def _format(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.3f}".rstrip("0").rstrip(".")


def read_path(segments: Segments, words: Sequence[str | int], may_follow: BoolArray) -> list[PathStep]:
    """A path as written in a request: `3`, `7#1` (its segment 1, from 0) or `7#1=2.5` (for 2.5 seconds).

    `7#1@0.5..1.2` plays the segment from 0.5 s to 1.2 s after its start; either may be left out.
    Textons and segments that do not exist raise `BadRequest`; a transition that `may_follow` (N, N) excludes raises
    `NoPath`.
    """
    steps = [read_step(segments, str(word), k) for k, word in enumerate(words)]
    if not steps:
        raise BadRequest("options.path: expected at least one texton, found none")
    for place, (a, b) in enumerate(itertools.pairwise(steps)):
        if a.stop is None:  # for a segment that is left early, `plan_path` compares the poses
            check_path(may_follow, [a.texton, b.texton], begin=place)
    return steps


def read_step(segments: Segments, word: str, place: int) -> PathStep:
    """One word of a path; `place` is its index in the path."""
    found = _STEP.fullmatch(word)
    if found is None:
        raise BadRequest(
            f"options.path[{place}]: expected a texton, as 7, 7#1, 7#1=2.5 or 7#1@0.5..1.2, found {word!r}"
        )
    texton = int(found[1])
    if texton >= segments.texton_count:
        last_texton = segments.texton_count - 1
        raise BadRequest(f"options.path[{place}]: there is no texton {texton}; there are 0 to {last_texton}")
    own = segments.of_texton(texton)
    if found[2] is not None and int(found[2]) >= len(own):
        has = "one segment, 0" if len(own) == 1 else f"segments 0 to {len(own) - 1}"
        raise BadRequest(f"options.path[{place}]: texton {texton} has {has}; found {word!r}")
    start, stop, seconds = (None if number is None else float(number) for number in found.group(3, 4, 5))
    fps = segments.fps
    if seconds is not None and round(seconds * fps) < MIN_FRAMES:
        raise BadRequest(f"options.path[{place}]: a texton lasts at least {MIN_FRAMES} frames, found {word!r}")
    segment = None if found[2] is None else int(found[2])
    if segment is not None and (start is not None or stop is not None):
        last = segments[own[segment]].length / fps
        if not (start or 0.0) + (MIN_FRAMES - 0.5) / fps <= (last if stop is None else stop) <= last + 0.5 / fps:
            raise BadRequest(
                f"options.path[{place}]: expected a part of the {last:.3g} s of {texton}#{segment}, of at least "
                f"{MIN_FRAMES} frames, found {word!r}"
            )
    return PathStep(texton, segment, seconds, start, stop)


def check_path(may_follow: BoolArray, path: Sequence[int], *, begin: int = 0) -> None:
    """`NoPath` where a texton is followed by one that may not follow it; the message lists those that may.

    `begin` is the place of its first texton in a longer path.
    """
    for place, (a, b) in enumerate(itertools.pairwise(path), begin):
        if may_follow[a, b]:
            continue
        after, before = np.flatnonzero(may_follow[a]), np.flatnonzero(may_follow[:, b])
        bridges = np.intersect1d(after, before)
        hint = f"; {_listed(bridges)} may stand between them" if len(bridges) else ""
        raise NoPath(
            f"texton {a} was never followed by texton {b} in the clips, nor does {b} start near its end "
            f"(places {place} and {place + 1} of the path); "
            f"after {a} may come {_listed(after)}; before {b} {_listed(before)}{hint}"
        )


def _listed(textons: IntArray) -> str:
    return ", ".join(str(int(t)) for t in textons) or "nothing"


def write_path(segments: Segments, plan: TextonPlan) -> list[str]:
    """The path of a plan in the notation of requests, with segments, and lengths where they are not as observed.

    A segment that is cut where it takes a pose is written once; one that starts or ends inside, with the part played.
    """
    out: list[str] = []
    length, first = 0, 0
    before: TextonPiece | None = None
    for piece in plan.pieces:
        whole = segments[piece.observed].length
        start, stop = piece.span or (0, whole)
        continued = before is not None and _continues(before, piece.observed, start)
        length, first = (length + piece.length, first) if continued else (piece.length, start)
        segment = segments.of_texton(piece.texton).index(piece.observed)
        seconds = None if length == stop - first else length / segments.fps
        inside = (first / segments.fps if first else None, stop / segments.fps if stop < whole else None)
        out[len(out) - continued :] = [str(PathStep(piece.texton, segment, seconds, *inside))]
        before = piece
    return out


def _continues(before: TextonPiece, observed: int, start: int) -> bool:
    """Does a piece that starts with this frame of a segment continue the piece before it?"""
    return before.observed == observed and before.span is not None and before.span[1] == start > 0


def plan_path(walk: SegmentWalk, words: Sequence[str | int], frames: int | None) -> TextonPlan:
    """A written path as a plan: segments that are not named are those that meet the others best (`choose_pieces`).

    With `frames` all pieces are stretched or shortened by one factor to last that long together; without, they keep
    the lengths that are written or were observed.
    """
    segments = walk.segments
    pieces = choose_pieces(walk, [_pieces_of(walk, step) for step in read_path(segments, words, walk.follows)])
    _check_cuts(segments, pieces, walk.joins.limit)
    far = far_join_notes(segments, pieces, walk.joins.limit)
    if frames is not None:
        least = MIN_FRAMES * len(pieces)
        if frames < least:
            raise BadRequest(f"options.path: {len(pieces)} textons need at least {least} frames, found {frames}")
        pieces = fit_lengths(pieces, frames)
    return plan_of(pieces, [*rushed_notes(segments, pieces), *far])


def _pieces_of(walk: SegmentWalk, step: PathStep) -> list[TextonPiece]:
    """The pieces that a step allows: of the segment that it names, or of all segments of its texton."""
    own = walk.of[step.texton]
    if step.segment is None:
        pieces = [walk.piece(observed) for observed in own]
    else:
        pieces = [_part(walk.segments, piece_of(walk.segments, own[step.segment]), step)]
    if step.seconds is None:
        return pieces
    return [dataclasses.replace(piece, length=round(step.seconds * walk.segments.fps)) for piece in pieces]


def _part(segments: Segments, piece: TextonPiece, step: PathStep) -> TextonPiece:
    """The part of its segment that a step plays."""
    length = segments[piece.observed].length
    if step.start is not None:
        piece = start_at(segments, piece, min(round(step.start * segments.fps), length - MIN_FRAMES))
    return piece if step.stop is None else stop_at(segments, piece, min(round(step.stop * segments.fps), length))


def _check_cuts(segments: Segments, pieces: Sequence[TextonPiece], limit: float) -> None:
    """`NoPath` where a segment is left early, far from the beginning of the next."""
    for place, (a, b) in enumerate(itertools.pairwise(pieces)):
        early = a.span is not None and a.span[1] < segments[a.observed].length
        apart = keys_distance(a.after, b.keys, segments) if early else 0.0
        if early and apart > max(limit, 1e-6):
            raise NoPath(
                f"{segments.name(a.observed)} is left {100 * apart:.1f} cm from where {segments.name(b.observed)} "
                f"begins (places {place} and {place + 1} of the path), beyond {100 * limit:.3g} cm (the option "
                f"`unseen_limit`)"
            )
