"""Random walks that leave a segment wherever it comes near to another."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint
from motionloom.core import BoolArray, FloatArray, IntArray
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan.joins import JoinFinder
from motionloom.methods.textons.plan.link_costs import STAY_RATE, LinkNetwork, Outlook, preferences
from motionloom.methods.textons.plan.pieces import MIN_FRAMES, TextonPiece, observed_time, start_at, stop_at
from motionloom.methods.textons.plan.random_walk import (
    EDGE_PULL,
    LOOKAHEAD_BEST,
    LOOKAHEAD_DEPTH,
    LOOKAHEAD_PATHS,
    PieceRenderer,
    SegmentWalk,
)

REPEAT_RATE = 6.0  # nats for every second of frames that were shown once more than the others


class LinkWalk(SegmentWalk):
    """A walk over links: each piece is the part of a segment between the link that enters it and the one that leaves.

    Without links it is a walk over whole segments.
    """

    def __init__(
        self,
        finder: JoinFinder,
        renderer: PieceRenderer,
        options: Options,
        rng: Generator,
        network: LinkNetwork,
        constraints: Sequence[Constraint] = (),
        frames: int | None = None,
    ) -> None:
        super().__init__(finder, renderer, options, rng)
        self.links, self.track, pairs = network.links, network.track, network.pairs
        self.entered, self.time = -1, 0
        self.copied = 0.0  # s: how long the walk has followed one clip before the segment that it entered last
        if not len(self.links.source):
            return
        wanted = preferences(constraints, self.segments, self.track, frames or 0, options.length_factor)
        self.outlook = Outlook(
            self.links,
            pairs,
            self.segments.fps,
            frames=frames,
            wanted=wanted,
            length_factor=options.length_factor,
            max_copy=options.max_copy,
        )
        rows = len(self.track.speed)
        self.shown = np.zeros(rows)  # how often each observed frame was shown
        edges = np.zeros(rows + 1)
        np.add.at(edges, pairs.at, 1.0)
        np.add.at(edges, pairs.at + pairs.frames, -1.0)
        self.usable = np.cumsum(edges)[:-1] > 0  # frames that a walk can show

    @property
    def follows(self) -> BoolArray:
        """(N, N) may the second texton follow the first, at its end or earlier?"""
        out = super().follows
        of = self.segments.textons
        out[of[self.links.source], of[self.links.target]] = True
        return out

    def fork(self) -> Self:
        out = super().fork()
        if len(self.links.source):
            out.outlook, out.shown = copy.copy(self.outlook), self.shown.copy()
        return out

    def next_piece(self) -> TextonPiece:
        if not len(self.links.source):
            return super().next_piece()
        if self.entered < 0:
            self.entered = self._first_link()
        piece = self.vary(self._from(self.entered))
        leaving = self._next_link(self.entered)
        piece = self._until(piece, leaving)
        self.advance(piece)
        self.entered = leaving
        return piece

    def extend(self, pieces: list[TextonPiece], frames: int) -> None:
        """Append sampled pieces until there are enough frames; the last one is left where the first link leads out."""
        total = sum(p.length for p in pieces)
        if total < frames and len(self.links.source):
            last = pieces[-1]
            out = np.flatnonzero((self.links.source == last.observed) & (self.links.exit >= last.first + MIN_FRAMES))
            if len(out) and not last.hard:
                for p in pieces[:-1]:
                    self.advance(p)
                scores = self.links.score[out] + self.outlook.value(np.full(len(out), float(total)), out)
                link = int(out[self._draw(scores)])
                pieces[-1] = self._until(last, link)
                self.advance(pieces[-1])
                while sum(p.length for p in pieces) < frames:
                    leaving = self._next_link(link)
                    pieces.append(self._until(self.vary(self._from(link)), leaving))
                    self.advance(pieces[-1])
                    link = leaving
                return
        super().extend(pieces, frames)

    def _first_link(self) -> int:
        """A link to start with: its target, from its entry on."""
        links = self.links
        often = np.bincount(links.target, minlength=len(self.segments))
        every = np.arange(len(links.source))
        return self._draw(self.outlook.value(np.zeros(len(every)), every) - np.log(often[links.target]))

    def _next_link(self, entered: int) -> int:
        """A link out of the segment that was entered, sampled (see `SegmentWalk.step`)."""
        then, logs = self.outlook.choices(entered, self.time)
        if self.copied > 0:  # the outlook counts the time from `entered` on only
            copied = (self.links.exit[then] - self.links.entry[entered]) / self.segments.fps
            free = max(self.options.max_copy - self.copied, float(copied.min()))
            logs = logs - STAY_RATE * np.maximum(np.minimum(copied, self.options.max_copy) - free, 0.0)
        off = float(np.linalg.norm(self.place)) / self.stage
        if off > 0.5:
            logs -= self._distance_after_links(entered, then) * off**2 / EDGE_PULL
        chosen = int(then[self._draw(logs)])
        played = (self.links.exit[chosen] - self.links.entry[entered]) / self.segments.fps
        self.copied = self.copied + float(played) if self.links.original[chosen] else 0.0
        return chosen

    def _draw(self, logs: FloatArray) -> int:
        weights = np.exp(logs - logs.max())
        return int(self.rng.choice(len(weights), p=weights / weights.sum()))

    def _from(self, link: int) -> TextonPiece:
        """The segment that a link enters, from there on."""
        own = super().piece(int(self.links.target[link]))
        entry = int(self.links.entry[link])
        return start_at(self.segments, own, entry) if entry else own

    def _until(self, piece: TextonPiece, link: int) -> TextonPiece:
        """A piece that is left by a link."""
        stopped = stop_at(self.segments, piece, int(self.links.exit[link]))
        return dataclasses.replace(stopped, length=max(MIN_FRAMES, round(stopped.length * self.options.length_factor)))

    def advance(self, piece: TextonPiece) -> None:
        self.time += piece.length
        super().advance(piece)
        if self.options.balanced and len(self.links.source):
            first = int(self.track.first[piece.observed]) + piece.first
            count = observed_time(self.segments, piece)
            self.shown *= 1.0 - count / max(1, int(self.usable.sum()))  # what was shown long ago counts less
            self.shown[first : first + count] += 1.0
            more = REPEAT_RATE * self._shown_more() / self.segments.fps
            self.outlook.show_again(np.concatenate([[0.0], np.cumsum(more)]))

    def _shown_more(self) -> FloatArray:
        """(F,) how much more often each frame was shown than those that can be, of those that the request prefers now.

        Frames that it does not prefer count as shown as often as any: they are no way out of repeats.
        """
        wanted = self.outlook.wanted_share(self.time)
        weights = self.usable * wanted
        more = self.shown - np.average(self.shown, weights=weights if weights.any() else self.usable)
        return np.asarray(more + (1.0 - wanted) * (more.max() - more))

    def _step_of(self, piece: TextonPiece) -> FloatArray:
        """(3,) displacement (m) and turn (rad) of the part of a segment that a piece plays."""
        if piece.span is None:
            return super()._step_of(piece)
        first = int(self.track.first[piece.observed])
        return self._moves(np.array([first + piece.span[0]]), np.array([first + piece.span[1]]))[0]

    def _moves(self, begin: IntArray, end: IntArray) -> FloatArray:
        """(k, 3) displacement, seen from the frame in row `begin`, and turn, up to that in row `end`."""
        track = self.track
        off = ground_turn(-track.heading[begin], track.place[end] - track.place[begin])
        return np.concatenate([off, (track.heading[end] - track.heading[begin])[:, None]], 1)

    def _distance_after_links(self, entered: int, then: IntArray) -> FloatArray:
        """(k,) metres from the middle of the stage that can be reached after each of these links.

        As `_distance_after`, over links.
        """
        links, first = self.links, self.track.first
        cumulated = np.concatenate([[0.0], np.cumsum(np.exp(links.score - links.score.max()))])
        before = np.full(len(then) * LOOKAHEAD_PATHS, entered)
        at = np.repeat(then, LOOKAHEAD_PATHS)
        place, heading = np.broadcast_to(self.place, (len(at), 2)), np.full(len(at), self.heading)
        for more in reversed(range(LOOKAHEAD_DEPTH + 1)):
            moved = self._moves(first[links.source[at]] + links.entry[before], first[links.source[at]] + links.exit[at])
            place = place + ground_turn(heading, moved[:, :2])
            heading = heading + moved[:, 2]
            if more:
                low, high = cumulated[links.start[at]], cumulated[links.stop[at]]
                drawn = np.searchsorted(cumulated, low + self.rng.random(len(at)) * (high - low), side="right") - 1
                before, at = at, np.clip(drawn, links.start[at], links.stop[at] - 1)
        far = np.linalg.norm(place, axis=1).reshape(len(then), LOOKAHEAD_PATHS)
        return np.asarray(np.sort(far, axis=1)[:, :LOOKAHEAD_BEST].mean(axis=1))
