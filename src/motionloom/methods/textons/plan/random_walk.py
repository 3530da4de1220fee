"""A walk over the observed segments: sampled from their joins, within a stage (LI 5.1)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.random import Generator

from motionloom.core import FloatArray, IntArray, NoPath
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan import shortest_paths as paths
from motionloom.methods.textons.plan.pieces import LEAST, Piece, Plan, piece_of
from motionloom.methods.textons.plan.transitions import SCALE, Exits

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

AGAIN = 0.4  # a segment shown once more than another is this much less likely
HOMESICK = 0.25  # m: at the edge of the stage, a segment that leads so much less far back is e times less likely
WAYS, DEEP = 24, 3  # ways that are tried after each segment, and how many segments they go on
STAGE, LEADS = 3.0, 5  # m: the usual stage, and how many segments must at least find room on it, one after the other
BEST = 6  # of these ways, the nearest that count


class Walk:
    """One walk over the observed segments in the making: the joins, the options and the random choices."""

    def __init__(self, model: TextonModel, options: Options, rng: Generator) -> None:
        self.model, self.options, self.rng = model, options, rng
        self.joins = model.joins(options)
        self.chances = paths.probabilities(model.counts)
        self.of = [model.of_texton(i) for i in range(len(model.textons))]
        self.visits = np.zeros(len(model.observed))
        self.moves = np.array([o.move for o in model.observed])
        self.sums = np.cumsum(self.joins.chances, axis=1)
        self.noise: int | None = None  # seed of the noise with which a walk saw where it leads
        far = LEADS * float(np.median(np.linalg.norm(self.moves[:, :2], axis=1)))
        self.stage = max(STAGE, far) if options.stage is None else options.stage
        self.place, self.heading = np.zeros(2), 0.0
        self.trail: list[Piece] = []  # shown, but where they led is only guessed

    @property
    def exits(self) -> Exits:
        """Joins before the ends of segments."""
        return self.model.bench.exits(self.options)

    def first(self) -> Piece:
        among = self.joins.inside if len(self.joins.inside) else np.arange(len(self.model.observed))
        return self.varied(self.piece(int(self.rng.choice(among))))

    def piece(self, observed: int) -> Piece:
        """An observed segment as a piece, as long as the options ask."""
        own = piece_of(self.model, observed)
        return dataclasses.replace(own, length=max(LEAST, round(own.length * self.options.length)))

    def varied(self, piece: Piece) -> Piece:
        """The piece with its key poses turned a little, the same way in both (see the option `vary`)."""
        if self.options.vary <= 0:
            return piece
        return dataclasses.replace(piece, keys=self.model.bench.varied(piece, self.options.vary, self.rng))

    def alone(self, frames: int) -> list[Piece]:
        """Sampled pieces for so many frames. They are made as they are drawn, with `noise`, to see where they lead."""
        from motionloom.methods.textons.render.stream import travelled

        drawn: list[Piece] = []

        def pieces() -> Iterator[Piece]:
            for piece in self.endless():
                drawn.append(piece)
                yield piece

        self.noise = int(self.rng.integers(2**63))
        try:
            for _ in travelled(self.model, pieces(), np.random.default_rng(self.noise), self.options, walk=self):
                if sum(p.length for p in drawn) >= frames:
                    break
        except NoPath as error:
            total = sum(p.length for p in drawn)
            if total < frames:
                best = self.model.render_uncleaned(Plan(tuple(drawn), total), self.rng, self.options)
                raise NoPath(f"{error}, after {total / self.model.fps:.1f} s", best=best) from None
        ends = np.cumsum([p.length for p in drawn])
        return drawn[: int(np.searchsorted(ends, frames)) + 1]

    def endless(self) -> Iterator[Piece]:
        """Pieces for ever; `NoPath` where nothing follows."""
        piece = self.first()
        while True:
            self.go(piece)
            yield piece
            following = self.step(piece)
            if following is None:
                raise NoPath(self.stuck(piece, "the stream"))
            piece = following

    def stuck(self, piece: Piece, what: str) -> str:
        if len(self.model.observed) == 1:
            return (
                f"only one segment was found, so {what} ends after it (give more or longer clips when learning, or ask "
                f"for a `length` above 1)"
            )
        return (
            f"nothing ever followed texton {piece.texton} in the clips, so {what} ends there (raise `tolerance` when "
            f"learning, so that textons are shared, or the option `unseen`, which is {self.options.unseen:g})"
        )

    def onwards(self, pieces: list[Piece], frames: int) -> None:
        """Append sampled pieces until there are enough frames."""
        total = sum(p.length for p in pieces)
        for p in pieces:
            self.go(p)
        while total < frames:
            piece = self.step(pieces[-1])
            if piece is None:
                raise NoPath(
                    self.stuck(pieces[-1], f"this way of {total / self.model.fps:.1f} s"),
                    best=self.model.render_uncleaned(Plan(tuple(pieces), total), self.rng, self.options),
                )
            pieces.append(piece)
            self.go(piece)
            total += piece.length

    def step(self, last: Piece) -> Piece | None:
        """A successor, sampled; towards the edge of the stage, those that lead back are preferred.

        With `evenly`, segments that were shown more often than others are less likely to come again.
        """
        chances = self.joins.chances[last.observed].copy()
        if not chances.any():
            return None
        may = np.flatnonzero(chances)
        if self.options.evenly:
            chances[may] *= AGAIN ** (self.visits[may] - self.visits[may].min())
        off = float(np.linalg.norm(self.place)) / self.stage
        if off > 0.5:
            far = self._far_after(may)
            chances[may] *= np.exp(-(far - far.min()) * off**2 / HOMESICK)
        chosen = int(self.rng.choice(len(chances), p=chances / chances.sum()))
        return self.varied(self.piece(chosen))

    def draw(self, last: Piece, texton: int) -> Piece:
        """An observed segment of a texton, those whose key pose lies near the end of the last one more often."""
        choices = self.of[texton]
        apart = self.joins.distance[last.observed, choices]
        unit = max(SCALE * float(np.median(self.joins.distance)), 1e-9)
        weights = np.exp(-self.options.nearness * (apart - apart.min()) / unit)
        return self.piece(int(self.rng.choice(choices, p=weights / weights.sum())))

    def go(self, piece: Piece) -> None:
        """Keep in mind that a piece was shown, and where it led."""
        self._move(piece)
        self.trail.append(piece)
        self.visits[piece.observed] += 1
        if len(self.joins.inside):  # only differences count: they stay small for ever
            self.visits = np.maximum(self.visits - self.visits[self.joins.inside].min(), 0.0)

    def _far_after(self, segments: IntArray) -> FloatArray:
        """(k,) metres from the middle of the stage that one can come to after each of these segments.

        Some ways are tried after each, and the nearest of them count: where one segment leads says little about where
        one can be soon.
        """
        at = np.repeat(segments, WAYS)
        place, heading = np.broadcast_to(self.place, (len(at), 2)), np.full(len(at), self.heading)
        for more in reversed(range(DEEP + 1)):
            place = place + ground_turn(heading, self.moves[at, :2])
            heading = heading + self.moves[at, 2]
            if more:
                drawn = self.rng.random(len(at)) * self.sums[at, -1]
                at = np.minimum((self.sums[at] <= drawn[:, None]).sum(1), self.sums.shape[1] - 1)
        far = np.linalg.norm(place, axis=1).reshape(len(segments), WAYS)
        return cast("FloatArray", np.sort(far, axis=1)[:, :BEST].mean(axis=1))

    def _move(self, piece: Piece) -> None:
        move = self.moves[piece.observed]
        self.place = self.place + ground_turn(self.heading, move[:2])
        self.heading += float(move[2])

    def correct(self, count: int, place: FloatArray, heading: float) -> None:
        """Say where the motion really was after `count` more of the pieces that were shown."""
        self.trail = self.trail[count:]
        self.place, self.heading = place, heading
        for piece in self.trail:
            self._move(piece)
