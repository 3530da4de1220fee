"""From pieces to cleaned frames, block by block: the same work for a minute, an hour, or for ever.

Pieces are made one after the other. Their feet are grounded and their travel added up with a second of look-ahead;
then plants are pinned window by window. Neighbouring windows overlap by more than two seconds and are faded into each
other, so no seam is seen. What is kept in memory does not grow, and is all in two states, `Ground` and `Wash`. Windows
do not depend on how frames are asked for: the same pieces give the same bits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, Clip, FloatArray, IntArray, Origin, replace
from motionloom.core.clip import concatenate
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.feet.contacts import foot_parts, part_positions
from motionloom.kinematics.feet.grounding import (
    Footing,
    grounded,
    higher_steps,
    joined_footing,
    lifted,
    low_contacts,
    stepped,
)
from motionloom.kinematics.feet.pinning import STILL, pin_plants
from motionloom.kinematics.feet.smoothing import away_from
from motionloom.kinematics.local_frames import Frames, joined, path_of, restore
from motionloom.kinematics.travel import Travel
from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan.pieces import Piece
from motionloom.methods.textons.plan.random_walk import Walk
from motionloom.methods.textons.render.synthesis import turned_by

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

AHEAD = 1.0  # s: frames known on either side when feet are grounded
ATONCE = 3.0  # s: least that is grounded at once
WINDOW = 8.0  # s: frames cleaned at once,
MARGIN = 1.0  # s: and as many more on either side are looked at
FADE = 0.25  # s: over which one window becomes the next
SETTLES = 0.15  # s: this far from key poses, feet are as high as they were observed


@dataclass(frozen=True, eq=False)
class Raw:
    """Frames that were made, with what the feet of their observed segments did and where they come from."""

    frames: Frames
    seen: Footing
    which: IntArray  # (F,) observed segment
    key: BoolArray  # (F,) is it the first frame of its piece?
    origin: IntArray  # (F,) the frame of its source file that such a frame comes from, -1 for all others
    loose: FloatArray  # (F,) 0 at frames that must stay as they are, 1 at some time from them

    def __len__(self) -> int:
        return len(self.frames)

    def __getitem__(self, at: slice) -> Raw:
        return Raw(self.frames[at], self.seen.part(at), self.which[at], self.key[at], self.origin[at], self.loose[at])


@dataclass(frozen=True, eq=False)
class Ground:
    """Frames that wait to be grounded."""

    held: tuple[Raw, ...] = ()  # the last second that was given out, and what was not yet
    done: int = 0  # frames of these that were given out
    end: Travel | None = None  # where the next one is
    atonce: float = ATONCE  # s


@dataclass(frozen=True, eq=False)
class Wash:
    """Frames that wait to be cleaned."""

    held: Clip | None = None  # the last second of the window before, and what comes after it
    done: int = 0  # frames of it that were given out
    tail: Clip | None = None  # the window before, where the next one fades in
    plants: int = 0  # contacts pinned so far (one that two windows see counts twice)
    moved: float = 0.0  # m: the farthest that cleaning moved an ankle

    def __str__(self) -> str:
        return (
            f"plants cleaned window by window: {self.plants} contacts pinned, feet moved by up to "
            f"{100 * self.moved:.1f} cm"
        )


def woven(
    model: TextonModel, pieces: Sequence[Piece], frames: int, rng: Generator, options: Options
) -> tuple[Clip, Wash]:
    """The first `frames` frames of the pieces, cleaned, and what cleaning did."""
    wash, out, total = Wash(), [], 0
    for clip in travelled(model, iter(pieces), rng, options):
        wash, clean = washed(model, wash, clip)
        out += clean
        total += sum(len(c) for c in clean)
        if total >= frames:
            return concatenate(out)[:frames], wash
    wash, clean = washed(model, wash, None)
    return concatenate([*out, *clean])[:frames], wash


def weave(
    model: TextonModel, pieces: Iterator[Piece], rng: Generator, options: Options, *, walk: Walk | None = None
) -> Iterator[Clip]:
    """Cleaned clips that follow each other without a seam, from the origin, facing +z; ends if the pieces do.

    `walk`, if given, is told where the motion really is before each new piece is drawn, so that it can turn back.
    """
    if not options.clean_feet:
        yield from travelled(model, pieces, rng, options, walk=walk)
        return
    wash = Wash()
    for clip in travelled(model, pieces, rng, options, walk=walk):
        wash, clean = washed(model, wash, clip)
        yield from clean
    yield from washed(model, wash, None)[1]


def travelled(
    model: TextonModel, pieces: Iterator[Piece], rng: Generator, options: Options, *, walk: Walk | None = None
) -> Iterator[Clip]:
    """The same, not cleaned: feet are grounded, but neither lifted nor pinned."""
    ground = Ground()
    piece = next(pieces, None)
    while piece is not None:
        raw, piece = made(model, piece, next(pieces, None), rng, options)
        ground, clip = carried(model, ground, raw, walk)
        if clip is not None:
            yield clip
    clip = carried(model, ground, None, walk)[1]
    if clip is not None:
        yield clip


def whole_clip(model: TextonModel, pieces: Sequence[Piece], frames: int, rng: Generator, options: Options) -> Clip:
    """The first `frames` frames of the pieces as one clip; plants are not pinned.

    Feet are grounded and lifted, unless `clean_feet` is off.
    """
    clip = some_frames(travelled(model, iter(pieces), rng, options), frames)
    return lifted(clip, model.heights) if options.clean_feet else clip


def made(
    model: TextonModel, piece: Piece, following: Piece | None, rng: Generator, options: Options
) -> tuple[Raw, Piece | None]:
    """The frames of a piece, and what follows it: with free ends it starts where the piece happened to lead."""
    amount = model.amount(options.noise, options.push)
    frames = model.piece_frames(
        piece,
        following,
        rng,
        noise=amount,
        push=options.push,
        longer=options.longer,
        ends=options.ends,
        sway=options.sway,
    )
    if options.push == "observed" and options.ends != "free" and not piece.hard:
        # noise and bent ends turn the poses, and would turn the way by as much: it would lead anywhere
        short = model.bench.drive(piece, options.longer).turn[: piece.length] - frames.root[: piece.length, 2]
        frames = turned_by(frames[: piece.length], float(short.sum()) / model.fps, model.fps)
    if options.ends == "free" and following is not None:
        following = dataclasses.replace(following, keys=frames[piece.length : piece.length + 2])
    key, origin = np.zeros(piece.length, bool), np.full(piece.length, -1)
    key[0], origin[0] = True, model.observed[piece.observed].frame_of(0 if piece.span is None else piece.span[0])
    seen = model.footing(piece, options.longer)
    if options.ends == "free" or not options.clean_feet:
        # feet do not do what the segment's did (contacts are found while cleaning), or are not to be corrected
        seen = Footing(seen.contacts[:, :0], seen.slip[:, :0], seen.high[:, :0])
    loose = away_from(np.unique([0, *piece.hard, piece.length]), piece.length, max(1, round(SETTLES * model.fps)))
    return Raw(frames[: piece.length], seen, np.full(piece.length, piece.observed), key, origin, loose), following


def carried(
    model: TextonModel, state: Ground, part: Raw | None, walk: Walk | None = None
) -> tuple[Ground, Clip | None]:
    """One more part; the frames that are ready, grounded and carried on from those before. None: no part follows."""
    held = state.held if part is None else (*state.held, part)
    if not held:
        return state, None
    near = max(2, round(AHEAD * model.fps))
    ends = np.cumsum([len(p) for p in held])
    count = len(held)
    if part is not None:  # pieces with `near` frames after them
        count = int(np.searchsorted(ends, ends[-1] - near, side="right"))
    ready = int(ends[count - 1]) if count else 0
    if ready <= state.done or (part is not None and ready - state.done < round(state.atonce * model.fps)):
        return dataclasses.replace(state, held=held), None
    raw = _joined(held)
    clip, end = _placed(model, raw, state.done, ready, state.end)
    if walk is not None:
        walk.correct(int(raw.key[state.done : ready].sum()), end.place[-1], float(end.heading[-1]))
    held = (raw[max(0, ready - near) : ready], *held[count:])
    return dataclasses.replace(state, held=held, done=min(ready, near), end=end), clip


def _joined(parts: Sequence[Raw]) -> Raw:
    return Raw(
        joined([p.frames for p in parts]),
        joined_footing([p.seen for p in parts]),
        np.concatenate([p.which for p in parts]),
        np.concatenate([p.key for p in parts]),
        np.concatenate([p.origin for p in parts]),
        np.concatenate([p.loose for p in parts]),
    )


def _placed(model: TextonModel, raw: Raw, start: int, stop: int, end: Travel | None) -> tuple[Clip, Travel]:
    """Frames start .. stop as a clip that begins where `end` says, and where the frame after them is."""
    frames = grounded(raw.frames, raw.seen, model.skeleton, model.heights, model.fps)
    own_frames = frames[start : min(stop + 1, len(frames))]
    clip = restore(own_frames, model.skeleton, model.fps, end)
    path = path_of(own_frames, model.fps, end)
    after = Travel(path.place[-1:], path.heading[-1:])
    own = raw[start:stop]
    sources, source = model.bench.origins
    origin = Origin(sources=sources, which=source[own.which], frames=own.origin.astype(float))
    names = model.contact_names[: own.seen.contacts.shape[1]]
    clip = clip[: stop - start]
    if own.seen.high.size:
        clip = stepped(clip, own.seen.high + higher_steps(clip, own.seen), own.loose, model.heights)
    labels = low_contacts(clip, own.seen.contacts, model.heights)
    return replace(clip, label_names=names, labels=labels, origin=origin), after


def washed(model: TextonModel, state: Wash, clip: Clip | None) -> tuple[Wash, list[Clip]]:
    """One more clip; the windows that are ready, their plants pinned. None: nothing follows, and all is given out."""
    window, margin, fade = (max(2, round(s * model.fps)) for s in (WINDOW, MARGIN, FADE))
    held, done, tail = state.held, state.done, state.tail
    out: list[Clip] = []
    if clip is not None:
        held = clip if held is None else concatenate([held, clip])
        while len(held) - done >= window + fade + margin:
            result, state = _pinned(held[: done + window + fade + margin], model, state)
            out.append(_faded(tail, result[done : done + window]))
            tail = result[done + window : done + window + fade]
            start = max(0, done + window - margin)
            held, done = held[start:], done + window - start
    elif held is not None and len(held) > done:
        result, state = _pinned(held, model, state)
        out.append(_faded(tail, result[done:]))
        held, done, tail = None, 0, None
    return dataclasses.replace(state, held=held, done=done, tail=tail), out


def _pinned(clip: Clip, model: TextonModel, state: Wash) -> tuple[Clip, Wash]:
    """One window with its feet lifted off where they sink in, and its plants pinned; and a count of what was done."""
    found = pin_plants(lifted(clip, model.heights))
    moved = max(state.moved, found.moved)
    out = found.clip
    if clip.label_names:  # easing in and out of plants may have lowered feet again
        out = lifted(out, model.heights, standing=False)
    return out, dataclasses.replace(state, plants=state.plants + found.plants, moved=moved)


def _faded(before: Clip | None, after: Clip) -> Clip:
    """`after`, whose first frames grow out of `before`, which shows the same frames as the last window cleaned them.

    A contact that the two windows pin to different places is no contact while one becomes the other.
    """
    if before is None:
        return after
    n = min(len(before), len(after))
    share = smoothstep((np.arange(n) + 1) / (n + 1))
    a, b = before.rotations[:n], after.rotations[:n]
    b = np.where((a * b).sum(-1, keepdims=True) < 0, -b, b)
    mixed = a + share[:, None, None] * (b - a)
    mixed /= np.linalg.norm(mixed, axis=-1, keepdims=True)
    root, rotations = after.root.copy(), after.rotations.copy()
    root[:n] = before.root[:n] + share[:, None] * (after.root[:n] - before.root[:n])
    rotations[:n] = mixed
    return replace(after, root=root, rotations=rotations, labels=_agreed(before[:n], after, n))


def _agreed(before: Clip, after: Clip, n: int) -> BoolArray:
    labels = np.array(after.labels)
    parts = foot_parts(after.skeleton)
    if not parts:
        return labels
    apart = np.linalg.norm(part_positions(before) - part_positions(after[:n]), axis=-1)
    for i, part in enumerate(parts):
        if part.label in after.label_names:
            column = after.label_names.index(part.label)
            labels[:n, column] &= (apart[:, i] < 0.1 * STILL) & before.label(part.label)
    return labels


def chunks(clips: Iterator[Clip], frames: int) -> Iterator[Clip]:
    """The same frames in clips of `frames`; the last one may be shorter."""
    held: Clip | None = None
    for clip in clips:
        held = clip if held is None else concatenate([held, clip])
        while held is not None and len(held) >= frames:
            yield held[:frames]
            held = held[frames:] if len(held) > frames else None
    if held is not None:
        yield held


def some_frames(clips: Iterator[Clip], frames: int) -> Clip:
    """The first `frames` frames of clips that follow each other, as one."""
    found: list[Clip] = []
    total = 0
    for clip in clips:
        found.append(clip)
        total += len(clip)
        if total >= frames:
            break
    return concatenate(found)[:frames]
