"""Random walks over the observed segments: sampled from their joins, within a stage (LI 5.1)."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Self, cast

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, Clip, FloatArray, IntArray, NoPath
from motionloom.kinematics.local_frames import Frames
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan import shortest_paths as paths
from motionloom.methods.textons.plan.joins import DISTANCE_UNIT, Exits, JoinFinder
from motionloom.methods.textons.plan.pieces import MIN_FRAMES, TextonPiece, piece_of

ESCAPE_PENALTY = 0.3  # factor of the probability of a segment for each step from it to one that was not shown lately
MAX_ESCAPE = 12  # steps that are counted
REPEAT_PENALTY = 0.4  # factor of the probability of a segment for each time that it was shown more than another
EDGE_PULL = 0.25  # m: at the edge of the stage, a segment that leads so much less far back is e times less likely
LOOKAHEAD_PATHS = 24  # continuations that are sampled after each segment
LOOKAHEAD_DEPTH = 3  # segments of each continuation
LOOKAHEAD_BEST = 6  # of these continuations, the nearest that count
STAGE_RADIUS = 3.0  # m: the default stage
STAGE_SEGMENTS = 5  # segments in a row for which the default stage has at least room

OnPlaced = Callable[[int, FloatArray, float], None]
"""Called with the number of pieces placed since the last call, and the place and heading after them."""


class PieceRenderer(Protocol):
    """Rendering of pieces, as far as planning needs it."""

    def vary_keys(self, piece: TextonPiece, most: float, rng: Generator) -> Frames:
        """The key poses of a piece, turned by a small random offset of at most `most` radians."""

    def next_path(
        self, state: Any, pieces: Iterator[TextonPiece], rng: Generator, options: Options, on_placed: OnPlaced
    ) -> tuple[Any, FloatArray]:
        """The path (F, 2) m of the next block of pieces that never end, and the state after it; before all, None."""

    def rest_of_path(self, state: Any, rng: Generator, options: Options) -> FloatArray:
        """The path (F, 2) m of all that was drawn, if no piece follows."""

    def uncleaned_clip(self, pieces: Sequence[TextonPiece], frames: int, rng: Generator, options: Options) -> Clip:
        """The first frames of pieces as one clip."""


class SegmentWalk:
    """A random walk over the observed segments: the joins, the options, the random choices and the place reached."""

    def __init__(self, finder: JoinFinder, renderer: PieceRenderer, options: Options, rng: Generator) -> None:
        self.finder, self.renderer, self.options, self.rng = finder, renderer, options, rng
        self.segments = finder.segments
        self.joins = finder.joins(options)
        self.chances = paths.probabilities(finder.counts)
        self.of = [self.segments.of_texton(i) for i in range(self.segments.texton_count)]
        self.visits = np.zeros(len(self.segments))
        self.moves = np.array([o.move for o in self.segments.observed])
        self.sums = np.cumsum(self.joins.chances, axis=1)
        self.leads = self.joins.chances > 0
        far = STAGE_SEGMENTS * float(np.median(np.linalg.norm(self.moves[:, :2], axis=1)))
        self.stage = max(STAGE_RADIUS, far) if options.stage_radius is None else options.stage_radius
        self.place, self.heading = np.zeros(2), 0.0
        self.last: TextonPiece | None = None
        self.trail: list[TextonPiece] = []  # pieces whose place is only estimated so far

    @property
    def exits(self) -> Exits:
        """Joins before the ends of segments."""
        return self.finder.exits(self.options)

    @property
    def follows(self) -> BoolArray:
        """(N, N) may the second texton follow the first?"""
        return self.finder.follows(self.options)

    def first(self) -> TextonPiece:
        """A segment to start with, sampled."""
        among = self.joins.inside if len(self.joins.inside) else np.arange(len(self.segments))
        return self.vary(self.piece(int(self.rng.choice(among))))

    def piece(self, observed: int) -> TextonPiece:
        """An observed segment as a piece, scaled by the option `length_factor`."""
        own = piece_of(self.segments, observed)
        return dataclasses.replace(own, length=max(MIN_FRAMES, round(own.length * self.options.length_factor)))

    def vary(self, piece: TextonPiece) -> TextonPiece:
        """The piece with both key poses turned by the same small offset (see the option `key_variation`)."""
        if self.options.key_variation <= 0:
            return piece
        return dataclasses.replace(piece, keys=self.renderer.vary_keys(piece, self.options.key_variation, self.rng))

    def endless(self) -> Iterator[TextonPiece]:
        """Pieces without end; `NoPath` where nothing follows."""
        while True:
            yield self.next_piece()

    def next_piece(self) -> TextonPiece:
        """The next piece of the walk, sampled; `NoPath` where nothing follows."""
        piece = self.first() if self.last is None else self.step(self.last)
        if piece is None:
            assert self.last is not None
            raise NoPath(self._why_it_ends(self.last, "the stream"))
        self.advance(piece)
        return piece

    def fork(self) -> Self:
        """A walk that has come as far as this one and takes its own way from here, with the same generator."""
        out = copy.copy(self)
        out.trail, out.visits = list(self.trail), self.visits.copy()
        return out

    def extend(self, pieces: list[TextonPiece], frames: int) -> None:
        """Append sampled pieces until there are enough frames."""
        total = sum(p.length for p in pieces)
        for p in pieces:
            self.advance(p)
        while total < frames:
            piece = self.step(pieces[-1])
            if piece is None:
                what = f"this path of {total / self.segments.fps:.1f} s"
                raise self.dead_end(self._why_it_ends(pieces[-1], what), pieces)
            pieces.append(piece)
            self.advance(piece)
            total += piece.length

    def dead_end(self, text: str, pieces: Sequence[TextonPiece]) -> NoPath:
        """The error of a walk that ends, with a clip of its pieces."""
        frames = sum(p.length for p in pieces)
        return NoPath(text, best=self.renderer.uncleaned_clip(pieces, frames, self.rng, self.options))

    def _why_it_ends(self, piece: TextonPiece, what: str) -> str:
        if len(self.segments) == 1:
            return (
                f"only one segment was found, so {what} ends after it (learn from more or longer clips, or request "
                f"a `length_factor` above 1)"
            )
        return (
            f"nothing ever followed texton {piece.texton} in the clips, so {what} ends there (raise `tolerance` when "
            f"learning, so that textons are shared, or the option `unseen_limit`, now {self.options.unseen_limit:g})"
        )

    def step(self, last: TextonPiece) -> TextonPiece | None:
        """A successor, sampled; towards the edge of the stage, those that lead back are preferred.

        With `balanced`, segments that were shown more often than others are less likely to come again, and so are
        those from which it takes many steps to a segment that was shown least: a walk leaves a corner of the material.
        """
        chances = self.joins.chances[last.observed]
        may = np.flatnonzero(chances)
        if not len(may):
            return None
        logs = np.log(chances[may])  # products of these factors would underflow in long walks
        if self.options.balanced:
            logs += np.log(REPEAT_PENALTY) * self.visits[may] + np.log(ESCAPE_PENALTY) * self._steps_to_fresh()[may]
        off = float(np.linalg.norm(self.place)) / self.stage
        if off > 0.5:
            logs -= self._distance_after(may) * off**2 / EDGE_PULL
        weights = np.zeros(len(chances))
        weights[may] = np.exp(logs - logs.max())
        chosen = int(self.rng.choice(len(weights), p=weights / weights.sum()))
        return self.vary(self.piece(chosen))

    def _steps_to_fresh(self) -> FloatArray:
        """(n,) joins from each segment to the nearest one that was shown least; at most `MAX_ESCAPE`."""
        out = np.full(len(self.segments), float(MAX_ESCAPE))
        fresh = np.zeros(len(out), bool)
        among = self.joins.inside if len(self.joins.inside) else np.arange(len(out))
        fresh[among[self.visits[among] <= self.visits[among].min()]] = True
        for steps in range(MAX_ESCAPE):
            out[fresh & (out > steps)] = steps
            wider = fresh | self.leads[:, fresh].any(axis=1)
            if (wider == fresh).all():
                break
            fresh = wider
        return out

    def draw(self, last: TextonPiece, texton: int) -> TextonPiece:
        """An observed segment of a texton; one whose key poses are near the end of the last piece is more likely."""
        choices = self.of[texton]
        apart = self.joins.distance[last.observed, choices]
        unit = max(DISTANCE_UNIT * float(np.median(self.joins.distance)), 1e-9)
        weights = np.exp(-self.options.distance_penalty * (apart - apart.min()) / unit)
        return self.piece(int(self.rng.choice(choices, p=weights / weights.sum())))

    def advance(self, piece: TextonPiece) -> None:
        """Count a piece as shown, and move on by its displacement."""
        self._move(piece)
        self.last = piece
        self.trail.append(piece)
        self.visits[piece.observed] += 1
        if len(self.joins.inside):  # only differences count: so the numbers stay small
            self.visits = np.maximum(self.visits - self.visits[self.joins.inside].min(), 0.0)

    def _distance_after(self, segments: IntArray) -> FloatArray:
        """(k,) metres from the middle of the stage that can be reached after each of these segments.

        Continuations are sampled after each, and the nearest of them are averaged: the displacement of one segment
        alone is a poor estimate of where the walk can be soon.
        """
        at = np.repeat(segments, LOOKAHEAD_PATHS)
        place, heading = np.broadcast_to(self.place, (len(at), 2)), np.full(len(at), self.heading)
        for more in reversed(range(LOOKAHEAD_DEPTH + 1)):
            place = place + ground_turn(heading, self.moves[at, :2])
            heading = heading + self.moves[at, 2]
            if more:
                drawn = self.rng.random(len(at)) * self.sums[at, -1]
                at = np.minimum((self.sums[at] <= drawn[:, None]).sum(1), self.sums.shape[1] - 1)
        far = np.linalg.norm(place, axis=1).reshape(len(segments), LOOKAHEAD_PATHS)
        return cast("FloatArray", np.sort(far, axis=1)[:, :LOOKAHEAD_BEST].mean(axis=1))

    def _move(self, piece: TextonPiece) -> None:
        move = self._step_of(piece)
        self.place = self.place + ground_turn(self.heading, move[:2])
        self.heading += float(move[2])

    def _step_of(self, piece: TextonPiece) -> FloatArray:
        """(3,) displacement to the left and forward (m), and turn (rad) of a piece."""
        return cast("FloatArray", self.moves[piece.observed])

    def correct(self, count: int, place: FloatArray, heading: float) -> None:
        """Set the rendered place and heading after `count` more of the pieces shown."""
        self.trail = self.trail[count:]
        self.place, self.heading = place, heading
        for piece in self.trail:
            self._move(piece)
