"""Clips from pieces, block by block: the same work for a minute, an hour or an endless stream.

Pieces are rendered one after the other. Their feet are grounded and their travel is added up with a second of
look-ahead (`grounding`); then plants are pinned window by window (`cleanup`). Memory is bounded: all of it is in
`GroundingState` and `CleanupState`. The same pieces give the same bits, however frames are requested.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Constraint
from motionloom.core import Clip, FloatArray, Progress, silent
from motionloom.core.clip import concatenate
from motionloom.kinematics.feet.grounding import lift_sunk_feet
from motionloom.kinematics.feet.windowed_cleanup import CleanupState, clean_windows
from motionloom.kinematics.local_frames import Frames
from motionloom.methods.finish import held_joints
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan.pieces import TextonPiece
from motionloom.methods.textons.plan.random_walk import OnPlaced
from motionloom.methods.textons.render.piece_clips import (
    GroundingState,
    PlacedFrames,
    ground_and_place,
    placed_clip,
    render_piece,
)
from motionloom.methods.textons.render.synthesis import Synthesizer


@dataclass(frozen=True, eq=False)
class RenderState:
    """A rendering of pieces between two blocks."""

    piece: TextonPiece | None  # the next one, already drawn; None: there are no more
    ground: GroundingState = field(default_factory=GroundingState)


@dataclass(frozen=True, eq=False)
class Renderer:
    """Clips of pieces, from the origin, facing +z."""

    synthesizer: Synthesizer

    def vary_keys(self, piece: TextonPiece, most: float, rng: Generator) -> Frames:
        """The key poses of a piece, turned by a small random offset (see `TextonCharts.vary_keys`)."""
        return self.synthesizer.charts.vary_keys(piece, most, rng)

    def render_clip(
        self,
        pieces: Sequence[TextonPiece],
        frames: int,
        rng: Generator,
        options: Options,
        progress: Progress | None = None,
    ) -> tuple[Clip, CleanupState]:
        """The first `frames` frames of the pieces, cleaned, and a summary of the cleaning."""
        floor = self.synthesizer.segments.heights, self.synthesizer.segments.clearance
        state, out, total = CleanupState(), [], 0
        for clip in _reported(self.uncleaned_clips(iter(pieces), rng, options), frames, progress or silent()):
            state, clean = clean_windows(state, clip, *floor)
            out += clean
            total += sum(len(c) for c in clean)
            if total >= frames:
                return concatenate(out)[:frames], state
        state, clean = clean_windows(state, None, *floor)
        return concatenate([*out, *clean])[:frames], state

    def stream_clips(
        self, pieces: Iterator[TextonPiece], rng: Generator, options: Options, on_placed: OnPlaced | None = None
    ) -> Iterator[Clip]:
        """Cleaned clips that follow each other without a seam; they end if the pieces do.

        `on_placed` is called before each new piece is drawn, so that a walk can turn back.
        """
        clips = self.uncleaned_clips(pieces, rng, options, on_placed)
        if not options.clean_feet:
            yield from clips
            return
        floor = self.synthesizer.segments.heights, self.synthesizer.segments.clearance
        state = CleanupState()
        for clip in clips:
            state, clean = clean_windows(state, clip, *floor)
            yield from clean
        yield from clean_windows(state, None, *floor)[1]

    def uncleaned_clips(
        self, pieces: Iterator[TextonPiece], rng: Generator, options: Options, on_placed: OnPlaced | None = None
    ) -> Iterator[Clip]:
        """Clips that follow each other, not cleaned: feet are grounded, but neither lifted nor pinned."""
        state, placed = self.next_block(None, pieces, rng, options, on_placed)
        while placed is not None:
            yield placed_clip(self.synthesizer.segments, placed)
            state, placed = self.next_block(state, pieces, rng, options, on_placed)

    def next_block(
        self,
        state: RenderState | None,
        pieces: Iterator[TextonPiece],
        rng: Generator,
        options: Options,
        on_placed: OnPlaced | None = None,
    ) -> tuple[RenderState, PlacedFrames | None]:
        """The frames of the next of `uncleaned_clips`, and the state after them.

        None is the state before the first block; no frames are left after the last.
        """
        segments = self.synthesizer.segments
        state = RenderState(next(pieces, None)) if state is None else state
        while state.piece is not None:
            part, piece = render_piece(self.synthesizer, state.piece, next(pieces, None), rng, options)
            ground, placed = ground_and_place(segments, state.ground, part, on_placed)
            state = RenderState(piece, ground)
            if placed is not None:
                return state, placed
        ground, placed = ground_and_place(segments, state.ground, None, on_placed)
        return RenderState(None, ground), placed

    def next_path(
        self,
        state: RenderState | None,
        pieces: Iterator[TextonPiece],
        rng: Generator,
        options: Options,
        on_placed: OnPlaced,
    ) -> tuple[RenderState, FloatArray]:
        """The path (F, 2) m over the ground of the next block of pieces that never end, and the state after it."""
        state, placed = self.next_block(state, pieces, rng, options, on_placed)
        assert placed is not None
        return state, placed.path.place[: len(placed.raw)]

    def rest_of_path(self, state: RenderState, rng: Generator, options: Options) -> FloatArray:
        """The path (F, 2) m over the ground of all that was drawn, if no piece follows."""
        places = [np.zeros((0, 2))]
        state, placed = self.next_block(state, iter(()), rng, options)
        while placed is not None:
            places.append(placed.path.place[: len(placed.raw)])
            state, placed = self.next_block(state, iter(()), rng, options)
        return np.concatenate(places)

    def uncleaned_clip(
        self,
        pieces: Sequence[TextonPiece],
        frames: int,
        rng: Generator,
        options: Options,
        progress: Progress | None = None,
        constraints: Sequence[Constraint] = (),
    ) -> Clip:
        """The first `frames` frames of the pieces as one clip; plants are not pinned.

        Feet are grounded and lifted, unless `clean_feet` is off, except what hard constraints fix.
        """
        clips = _reported(self.uncleaned_clips(iter(pieces), rng, options), frames, progress or silent())
        clip, floor = take_frames(clips, frames), self.synthesizer.segments.heights
        return lift_sunk_feet(clip, floor, held=held_joints(clip, constraints)) if options.clean_feet else clip


def _reported(clips: Iterator[Clip], frames: int, progress: Progress) -> Iterator[Clip]:
    """The same clips; progress is the share of the frames that they have."""
    made = 0
    for clip in clips:
        made += len(clip)
        progress(min(1.0, made / frames), "rendering")
        yield clip


def split_clips(clips: Iterator[Clip], frames: int) -> Iterator[Clip]:
    """The same frames in clips of `frames`; the last one may be shorter."""
    held: Clip | None = None
    for clip in clips:
        held = clip if held is None else concatenate([held, clip])
        while held is not None and len(held) >= frames:
            yield held[:frames]
            held = held[frames:] if len(held) > frames else None
    if held is not None:
        yield held


def take_frames(clips: Iterator[Clip], frames: int) -> Clip:
    """The first `frames` frames of clips that follow each other, as one."""
    found: list[Clip] = []
    total = 0
    for clip in clips:
        found.append(clip)
        total += len(clip)
        if total >= frames:
            break
    return concatenate(found)[:frames]
