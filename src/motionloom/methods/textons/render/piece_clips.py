"""Pieces as clips: each piece is rendered, its feet are grounded with a look-ahead, and its travel is added up."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, Clip, FloatArray, IntArray, Origin, replace
from motionloom.kinematics.feet.grounding import (
    Footing,
    ground_root,
    higher_steps,
    joined_footing,
    low_contacts,
    match_foot_heights,
)
from motionloom.kinematics.feet.smoothing import away_from
from motionloom.kinematics.local_frames import Frames, joined, path_of, restore
from motionloom.kinematics.travel import Travel
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan.pieces import TextonPiece
from motionloom.methods.textons.plan.random_walk import OnPlaced
from motionloom.methods.textons.render.synthesis import Synthesizer
from motionloom.methods.textons.segments import Segments

CONTEXT = 1.0  # s: frames on either side that grounding takes into account
MIN_BLOCK = 3.0  # s: least that is grounded at once
KEY_MARGIN = 0.15  # s: this far from key poses, feet have their observed heights


@dataclass(frozen=True, eq=False)
class RenderedFrames:
    """Frames of pieces, with the footing of their observed segments and their origin."""

    frames: Frames
    seen: Footing
    which: IntArray  # (F,) observed segment
    key: BoolArray  # (F,) is it the first frame of its piece?
    origin: IntArray  # (F,) frame of the source file for the first frame of a piece, -1 for all others
    loose: FloatArray  # (F,) 0 at frames that must stay as they are, 1 at some time from them
    labels: BoolArray  # (F, L) labels of the observed frames

    def __len__(self) -> int:
        return len(self.frames)

    def __getitem__(self, at: slice) -> RenderedFrames:
        own = (self.which[at], self.key[at], self.origin[at], self.loose[at], self.labels[at])
        return RenderedFrames(self.frames[at], self.seen.part(at), *own)


@dataclass(frozen=True, eq=False)
class GroundingState:
    """Frames that are not grounded yet, and the place that was reached."""

    held: tuple[RenderedFrames, ...] = ()  # the last second of the frames returned, and those not returned yet
    done: int = 0  # frames of these that were returned
    end: Travel | None = None  # place and heading of the next one
    block: float = MIN_BLOCK  # s


def render_piece(
    synthesizer: Synthesizer, piece: TextonPiece, following: TextonPiece | None, rng: Generator, options: Options
) -> tuple[RenderedFrames, TextonPiece | None]:
    """The frames of a piece, and the following piece: with free ends it starts in the frames that this one led to."""
    fps = synthesizer.segments.fps
    frames = synthesizer.piece_frames(
        piece,
        following,
        rng,
        noise=synthesizer.noise_amount(options.noise, options.drive),
        drive=options.drive,
        lengthening=options.lengthening,
        ends=options.ends,
        noise_time=options.noise_time,
        variation=options.drive_variation,
    )
    reference = synthesizer.reference(piece, options.lengthening)
    if options.drive == "observed" and options.ends != "free" and not piece.hard:
        # noise and bent ends turn the poses; without a correction they would turn the path by as much
        missing = reference.turn[: piece.length] - frames.root[: piece.length, 2]
        frames = add_turn(frames[: piece.length], float(missing.sum()) / fps, fps)
    if options.ends == "free" and following is not None:
        following = dataclasses.replace(following, keys=frames[piece.length : piece.length + 2])
    key, origin = np.zeros(piece.length, bool), np.full(piece.length, -1)
    key[0], origin[0] = True, synthesizer.segments[piece.observed].frame_of(piece.first)
    seen = reference.footing(piece.length)
    if options.ends == "free" or not options.clean_feet:
        # the feet differ from those of the segment (contacts are found while cleaning), or are not corrected
        seen = Footing(seen.contacts[:, :0], seen.slip[:, :0], seen.high[:, :0])
    loose = away_from(np.unique([0, *piece.hard, piece.length]), piece.length, max(1, round(KEY_MARGIN * fps)))
    which = np.full(piece.length, piece.observed)
    labels = reference.labels[: piece.length]
    return RenderedFrames(frames[: piece.length], seen, which, key, origin, loose, labels), following


def add_turn(frames: Frames, angle: float, fps: float) -> Frames:
    """Frames that turn by `angle` (rad) more in all: most in the middle, and not in the first two, the key poses."""
    count = len(frames) - 2
    bell = np.sin(np.pi * np.arange(1, count + 1) / (count + 1)) ** 2
    root = frames.root.copy()
    root[2:, 2] += angle * fps * bell / bell.sum()
    return Frames(frames.turns, root)


@dataclass(frozen=True, eq=False)
class PlacedFrames:
    """Frames whose root moves over standing feet, with their place on the ground."""

    raw: RenderedFrames  # before
    frames: Frames  # these frames, and the one after them if there is one
    begin: Travel | None  # place and heading of the first frame; None: the origin
    path: Travel  # of `frames`


def ground_and_place(
    segments: Segments, state: GroundingState, part: RenderedFrames | None, on_placed: OnPlaced | None = None
) -> tuple[GroundingState, PlacedFrames | None]:
    """Add one part; the frames that are ready are grounded and placed after those before. None: no part follows."""
    held = state.held if part is None else (*state.held, part)
    if not held:
        return state, None
    near = max(2, round(CONTEXT * segments.fps))
    ends = np.cumsum([len(p) for p in held])
    count = len(held)
    if part is not None:  # pieces with `near` frames after them
        count = int(np.searchsorted(ends, ends[-1] - near, side="right"))
    ready = int(ends[count - 1]) if count else 0
    if ready <= state.done or (part is not None and ready - state.done < round(state.block * segments.fps)):
        return dataclasses.replace(state, held=held), None
    raw = _joined(held)
    grounded = ground_root(raw.frames, raw.seen, segments.skeleton, segments.heights, segments.fps)
    own = grounded[state.done : min(ready + 1, len(grounded))]
    path = path_of(own, segments.fps, state.end)
    end = Travel(path.place[-1:], path.heading[-1:])
    if on_placed is not None:
        on_placed(int(raw.key[state.done : ready].sum()), end.place[-1], float(end.heading[-1]))
    placed = PlacedFrames(raw[state.done : ready], own, state.end, path)
    held = (raw[max(0, ready - near) : ready], *held[count:])
    return dataclasses.replace(state, held=held, done=min(ready, near), end=end), placed


def _joined(parts: Sequence[RenderedFrames]) -> RenderedFrames:
    return RenderedFrames(
        joined([p.frames for p in parts]),
        joined_footing([p.seen for p in parts]),
        np.concatenate([p.which for p in parts]),
        np.concatenate([p.key for p in parts]),
        np.concatenate([p.origin for p in parts]),
        np.concatenate([p.loose for p in parts]),
        np.concatenate([p.labels for p in parts]),
    )


def placed_clip(segments: Segments, placed: PlacedFrames) -> Clip:
    """Placed frames as a clip, with their feet at the observed heights, their contacts and their origin."""
    own = placed.raw
    clip = restore(placed.frames, segments.skeleton, segments.fps, placed.begin)[: len(own)]
    sources, source = segments.origins
    origin = Origin(sources=sources, which=source[own.which], frames=own.origin.astype(float))
    names = segments.contact_names[: own.seen.contacts.shape[1]]
    if own.seen.high.size:
        clip = match_foot_heights(clip, own.seen.high + higher_steps(clip, own.seen), own.loose, segments.heights)
    labels = np.concatenate([low_contacts(clip, own.seen.contacts, segments.heights), own.labels], 1)
    return replace(clip, label_names=(*names, *segments.label_names), labels=labels, origin=origin)
