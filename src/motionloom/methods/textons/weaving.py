"""From pieces to cleaned frames, block by block: the same work for a minute, an hour, or for ever.

Pieces are made one after the other. Their feet are grounded and their travel added up with a second of look-ahead;
then plants are pinned window by window. Neighbouring windows overlap by more than two seconds and are faded into each
other, so no seam is seen. What is kept in memory does not grow. Windows do not depend on how frames are asked for: the
same pieces give the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, Clip, IntArray, Origin, Source, replace
from motionloom.kinematics.contacts import foot_parts, part_positions
from motionloom.kinematics.skate import STILL, pin_plants
from motionloom.kinematics.travel import Travel, travel
from motionloom.methods.textons.grounding import Footing, grounded, joined_footing, lifted, trimmed
from motionloom.methods.textons.observe import Frames, joined, restore
from motionloom.methods.textons.planning import Piece, Walk

if TYPE_CHECKING:
    from motionloom.methods.textons.model import TextonModel

AHEAD = 1.0  # s: frames known on either side when feet are grounded
ATONCE = 3.0  # s: least that is grounded at once
WINDOW = 8.0  # s: frames cleaned at once,
MARGIN = 1.0  # s: and as many more on either side are looked at
FADE = 0.25  # s: over which one window becomes the next


@dataclass(frozen=True, eq=False)
class _Raw:
    """Frames that were made, with what the feet of their observed segments did and where they come from."""

    frames: Frames
    seen: Footing
    which: IntArray  # (F,) observed segment
    key: BoolArray  # (F,) is it the first frame of its piece?

    def __len__(self) -> int:
        return len(self.frames)

    def __getitem__(self, at: slice) -> _Raw:
        seen = Footing(self.seen.contacts[at], self.seen.slip[at], self.seen.low[at])
        return _Raw(self.frames[at], seen, self.which[at], self.key[at])


def weave(
    model: TextonModel, pieces: Iterator[Piece], rng: Generator, options: Any, *, walk: Walk | None = None
) -> Iterator[Clip]:
    """Cleaned clips that follow each other without a seam, from the origin, facing +z; ends if the pieces do.

    `walk`, if given, is told where the motion really is before each new piece is drawn, so that it can turn back.
    """
    return cleaned(model, _travelled(model, _made(model, pieces, rng, options), walk))


def whole_clip(model: TextonModel, pieces: Iterator[Piece], frames: int, rng: Generator, options: Any) -> Clip:
    """The first `frames` frames of the pieces as one clip: feet are grounded and lifted, but plants are not pinned."""
    return lifted(some_frames(_travelled(model, _made(model, pieces, rng, options), None), frames), model.heights)


def _made(model: TextonModel, pieces: Iterator[Piece], rng: Generator, options: Any) -> Iterator[_Raw]:
    """The frames of each piece; what follows a piece must be known first."""
    amount = model.amount(options.noise, options.push)
    piece = next(pieces, None)
    while piece is not None:
        following = next(pieces, None)
        frames = model.piece_frames(
            piece, following, rng, noise=amount, push=options.push, longer=options.longer, ends=options.ends
        )
        if options.ends == "free" and following is not None:
            following = model.carried_on(piece, following, frames)
        which = np.full(piece.length, piece.observed)
        key = np.zeros(piece.length, bool)
        key[0] = True
        yield _Raw(frames[: piece.length], model.footing(piece, options.longer), which, key)
        piece = following


def _travelled(model: TextonModel, parts: Iterator[_Raw], walk: Walk | None) -> Iterator[Clip]:
    """Each part grounded, and carried on from where the one before it ended."""
    near, least = (max(2, round(s * model.fps)) for s in (AHEAD, ATONCE))
    held: list[_Raw] = []  # the last second that was given out, and what is not yet
    done = 0  # frames of these that were given out
    end: Travel | None = None
    for part in parts:
        held.append(part)
        ends = np.cumsum([len(p) for p in held])
        count = int(np.searchsorted(ends, ends[-1] - near, side="right"))  # pieces with `near` frames after them
        ready = int(ends[count - 1]) if count else 0
        if ready - done < least:
            continue
        raw = _joined(held)
        clip, end = _carried(model, raw, done, ready, end)
        if walk is not None:
            walk.correct(int(raw.key[done:ready].sum()), end.place[-1], float(end.heading[-1]))
        yield clip
        held, done = [raw[max(0, ready - near) : ready], *held[count:]], min(ready, near)
    if held and (raw := _joined(held)) and len(raw) > done:
        yield _carried(model, raw, done, len(raw), end)[0]


def _joined(parts: Sequence[_Raw]) -> _Raw:
    return _Raw(
        joined([p.frames for p in parts]),
        joined_footing([p.seen for p in parts]),
        np.concatenate([p.which for p in parts]),
        np.concatenate([p.key for p in parts]),
    )


def _carried(model: TextonModel, raw: _Raw, start: int, stop: int, end: Travel | None) -> tuple[Clip, Travel]:
    """Frames start .. stop as a clip that begins where `end` says, and where the frame after them is."""
    frames = grounded(raw.frames, raw.seen, model.skeleton, model.heights, model.fps)
    clip = restore(frames[start : min(stop + 1, len(frames))], model.skeleton, model.fps, end)
    after = travel(clip[len(clip) - 1 :]) if stop < len(frames) else None
    names = list(dict.fromkeys(o.source for o in model.observed))
    own = raw[start:stop]
    at = np.array([model.observed[k].frame for k in own.which])
    origin = Origin(
        sources=tuple(Source(n) for n in names),
        which=np.array([names.index(model.observed[k].source) for k in own.which]),
        frames=np.where(own.key, at, -1),
    )
    clip = clip[: stop - start]
    labels = trimmed(own.seen.contacts, clip)
    clip = replace(clip, label_names=model.contact_names, labels=labels, origin=origin)
    return clip, after if after is not None else travel(clip[len(clip) - 1 :])


def cleaned(model: TextonModel, clips: Iterator[Clip]) -> Iterator[Clip]:
    """Clips that follow each other, with plants pinned: the same motion in other pieces."""
    from motionloom.core.clip import concatenate

    fps = model.fps
    window, margin, fade = (max(2, round(s * fps)) for s in (WINDOW, MARGIN, FADE))
    held: Clip | None = None
    done = 0  # frames of `held` that were given out, or belong to the window before
    tail: Clip | None = None  # the window before, where the next one fades in
    for clip in clips:
        held = clip if held is None else concatenate([held, clip])
        while len(held) - done >= window + fade + margin:
            result = pinned(held[: done + window + fade + margin], model)
            yield _faded(tail, result[done : done + window])
            tail = result[done + window : done + window + fade]
            start = max(0, done + window - margin)
            held, done = held[start:], done + window - start
    if held is not None and len(held) > done:
        yield _faded(tail, pinned(held, model)[done:])


def pinned(clip: Clip, model: TextonModel) -> Clip:
    """One window with its feet lifted off where they sink in, and its plants pinned."""
    return pin_plants(lifted(clip, model.heights)).clip


def _faded(before: Clip | None, after: Clip) -> Clip:
    """`after`, whose first frames grow out of `before`, which shows the same frames as the last window cleaned them.

    A contact that the two windows pin to different places is no contact while one becomes the other.
    """
    if before is None:
        return after
    n = min(len(before), len(after))
    u = (np.arange(n) + 1) / (n + 1)
    share = u * u * (3 - 2 * u)
    a, b = before.rotations[:n], after.rotations[:n]
    b = np.where((a * b).sum(-1, keepdims=True) < 0, -b, b)
    mixed = a + share[:, None, None] * (b - a)
    mixed /= np.linalg.norm(mixed, axis=-1, keepdims=True)
    root, rotations = after.root.copy(), after.rotations.copy()
    root[:n] = before.root[:n] + share[:, None] * (after.root[:n] - before.root[:n])
    rotations[:n] = mixed
    out = replace(after, root=root, rotations=rotations)
    return replace(out, labels=_agreed(before[:n], after, n))


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
    from motionloom.core.clip import concatenate

    held: Clip | None = None
    for clip in clips:
        held = clip if held is None else concatenate([held, clip])
        while len(held) >= frames:
            yield held[:frames]
            if len(held) == frames:
                held = None
                break
            held = held[frames:]
    if held is not None:
        yield held


def some_frames(clips: Iterator[Clip], frames: int) -> Clip:
    """The first `frames` frames of clips that follow each other, as one."""
    from motionloom.core.clip import concatenate

    found: list[Clip] = []
    total = 0
    for clip in clips:
        found.append(clip)
        total += len(clip)
        if total >= frames:
            break
    return concatenate(found)[:frames]
