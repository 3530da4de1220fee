"""A path as an animator writes it: textons in order, which segment of each, for how long, and what part of it."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, IntArray, NoPath, Note
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan.pieces import LEAST, Piece, Plan, cut, fitted, piece_of, rushed
from motionloom.methods.textons.plan.random_walk import Walk
from motionloom.methods.textons.plan.transitions import far_joins, keys_apart, segment_name

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

_SECONDS = r"(\d+(?:\.\d+)?)"
_STEP = re.compile(rf"(\d+)(?:#(\d+)(?:@{_SECONDS}?(?:\.\.{_SECONDS}?)?)?)?(?:={_SECONDS}s?)?")


class Step(NamedTuple):
    """One texton of a written path."""

    texton: int
    segment: int | None = None  # which of its observed segments lends key poses and length; None: drawn
    seconds: float | None = None  # how long; None: as long as observed
    start: float | None = None  # s: how far into the segment it starts; None: with the segment
    stop: float | None = None  # s: how far into the segment it ends; None: with the segment

    def __str__(self) -> str:
        lent = "" if self.segment is None else f"#{self.segment}"
        if self.start is not None or self.stop is not None:
            lent += f"@{_told(self.start)}" + ("" if self.stop is None else f"..{_told(self.stop)}")
        return f"{self.texton}{lent}" + ("" if self.seconds is None else f"={_told(self.seconds)}")


def _told(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.3f}".rstrip("0").rstrip(".")


def read_path(model: TextonModel, words: Sequence[str | int], options: Options | None = None) -> list[Step]:
    """A path as written in a request: `3`, `7#1` (its segment 1, from 0) or `7#1=2.5` (for 2.5 seconds).

    `7#1@0.5..1.2` plays the segment from 0.5 s to 1.2 s after its start; either may be left out.
    Textons and segments that do not exist are a `BadRequest`; a transition that was never seen, nor is near enough
    for the option `unseen`, is a `NoPath`.
    """
    steps = [read_step(model, str(word), k) for k, word in enumerate(words)]
    if not steps:
        raise BadRequest("options.path: expected at least one texton, found none")
    for place, (a, b) in enumerate(itertools.pairwise(steps)):
        if a.stop is None:  # a segment that is left early is judged by its poses there, in `plan_path`
            check_path(model, [a.texton, b.texton], options, begin=place)
    return steps


def read_step(model: TextonModel, word: str, place: int) -> Step:
    """One word of a path, which is at this place in it."""
    found = _STEP.fullmatch(word)
    if found is None:
        raise BadRequest(
            f"options.path[{place}]: expected a texton, as 7, 7#1, 7#1=2.5 or 7#1@0.5..1.2, found {word!r}"
        )
    texton = int(found[1])
    if texton >= len(model.textons):
        raise BadRequest(f"options.path[{place}]: there is no texton {texton}; there are 0 to {len(model.textons) - 1}")
    segments = len(model.of_texton(texton))
    if found[2] is not None and int(found[2]) >= segments:
        has = "one segment, 0" if segments == 1 else f"segments 0 to {segments - 1}"
        raise BadRequest(f"options.path[{place}]: texton {texton} has {has}; found {word!r}")
    start, stop, seconds = (None if number is None else float(number) for number in found.group(3, 4, 5))
    if seconds is not None and round(seconds * model.fps) < LEAST:
        raise BadRequest(f"options.path[{place}]: a texton lasts at least {LEAST} frames, found {word!r}")
    segment = None if found[2] is None else int(found[2])
    if segment is not None and (start is not None or stop is not None):
        last = model.observed[model.of_texton(texton)[segment]].length / model.fps
        if not (start or 0.0) + (LEAST - 0.5) / model.fps <= (last if stop is None else stop) <= last + 0.5 / model.fps:
            raise BadRequest(
                f"options.path[{place}]: expected a part of the {last:.3g} s of {texton}#{segment}, of at least "
                f"{LEAST} frames, found {word!r}"
            )
    return Step(texton, segment, seconds, start, stop)


def check_path(model: TextonModel, path: Sequence[int], options: Options | None = None, *, begin: int = 0) -> None:
    """`NoPath` where a texton is followed by one that never followed it, nor starts near its end; says which may.

    `begin` is the place of its first texton in a longer path.
    """
    may = model.may_follow if options is None else model.follows(options)
    for place, (a, b) in enumerate(itertools.pairwise(path), begin):
        if may[a, b]:
            continue
        after, before = np.flatnonzero(may[a]), np.flatnonzero(may[:, b])
        bridges = np.intersect1d(after, before)
        hint = f"; {_listed(bridges)} may stand between them" if len(bridges) else ""
        raise NoPath(
            f"texton {a} was never followed by texton {b} in the clips, nor does {b} start near its end "
            f"(places {place} and {place + 1} of the path); "
            f"after {a} may come {_listed(after)}; before {b} {_listed(before)}{hint}"
        )


def _listed(textons: IntArray) -> str:
    return ", ".join(str(int(t)) for t in textons) or "nothing"


def written_path(model: TextonModel, plan: Plan) -> list[str]:
    """The path of a plan as a request would say it, segments included, and lengths where they are not as observed.

    A segment that is cut where it takes a pose is said once; what is played of one that starts or ends inside is said.
    """
    out: list[str] = []
    length, first = 0, 0
    before: Piece | None = None
    for piece in plan.pieces:
        whole = model.observed[piece.observed].length
        start, stop = piece.span or (0, whole)
        goes_on = before is not None and before.span is not None and _goes_on(before, piece.observed, start)
        length, first = (length + piece.length, first) if goes_on else (piece.length, start)
        segment = model.of_texton(piece.texton).index(piece.observed)
        seconds = None if length == stop - first else length / model.fps
        inside = (first / model.fps if first else None, stop / model.fps if stop < whole else None)
        out[len(out) - goes_on :] = [str(Step(piece.texton, segment, seconds, *inside))]
        before = piece
    return out


def _goes_on(before: Piece, observed: int, start: int) -> bool:
    """Is a segment gone on with where the piece before was cut?"""
    return before.observed == observed and before.span is not None and before.span[1] == start > 0


def plan_path(
    model: TextonModel, words: Sequence[str | int], frames: int | None, options: Options, rng: Generator
) -> Plan:
    """A written path as a plan: segments that are not named are drawn, nearer key poses more often.

    With `frames` all pieces are stretched or shortened alike to last that long together; without, they keep the
    lengths that are written or were observed.
    """
    walk = Walk(model, options, rng)
    pieces: list[Piece] = []
    for step in read_path(model, words, options):
        if step.segment is not None:
            piece = piece_of(model, model.of_texton(step.texton)[step.segment])
        elif pieces:
            piece = walk.draw(pieces[-1], step.texton)
        else:
            piece = piece_of(model, int(rng.choice(model.of_texton(step.texton))))
        piece = _part(model, piece, step)
        if step.seconds is not None:
            piece = dataclasses.replace(piece, length=round(step.seconds * model.fps))
        pieces.append(piece)
    _check_cuts(model, pieces, walk.joins.limit)
    far = far_joins(model, pieces, walk.joins.limit)
    if frames is not None:
        if frames < LEAST * len(pieces):
            raise BadRequest(
                f"options.path: {len(pieces)} textons need at least {LEAST * len(pieces)} frames, found {frames}"
            )
        pieces = fitted(pieces, frames)
    return whole(pieces, [*rushed(model, pieces), *far])


def _part(model: TextonModel, piece: Piece, step: Step) -> Piece:
    """What a step plays of its segment."""
    seen = model.observed[piece.observed]
    if step.start is not None:
        first = min(round(step.start * model.fps), seen.length - LEAST)
        keys, span = seen.frames[first : first + 2], (first, seen.length)
        piece = dataclasses.replace(piece, keys=keys, length=seen.length - first, span=span)
    return piece if step.stop is None else cut(model, piece, min(round(step.stop * model.fps), seen.length))


def _check_cuts(model: TextonModel, pieces: Sequence[Piece], limit: float) -> None:
    """`NoPath` where a segment is left early, far from the beginning of the next."""
    for place, (a, b) in enumerate(itertools.pairwise(pieces)):
        early = a.span is not None and a.span[1] < model.observed[a.observed].length
        apart = keys_apart(a.after, b.keys, model) if early else 0.0
        if early and apart > max(limit, 1e-6):
            raise NoPath(
                f"{segment_name(model, a.observed)} is left {100 * apart:.0f} cm from where "
                f"{segment_name(model, b.observed)} begins (places {place} and {place + 1} of the path), beyond "
                f"{100 * limit:.0f} cm (the option `unseen`)"
            )


def whole(pieces: Sequence[Piece], notes: Sequence[Note] = ()) -> Plan:
    """Pieces as a plan that plays all of them to their ends."""
    return Plan(tuple(pieces), sum(p.length for p in pieces), tuple(notes))
