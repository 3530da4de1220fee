"""Walks of a given length that change their speed, stand and accelerate no more than the clips: a beam search.

A walk is drawn in sampled blocks of a few seconds, and rendered as far as its path over the ground needs. What is
drawn next cannot undo a change of speed that the last pieces lead to, so several walks are extended side by side, and
those at the steadiest pace are kept.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.core import BoolArray, FloatArray, NoPath, Progress
from motionloom.kinematics.pace import (
    SPEED_CHANGE,
    STANDING_SPEED,
    STEP_TIME,
    acceleration_along,
    change_rate,
    changes_along,
    pace_along,
)
from motionloom.methods.textons.plan.pieces import TextonPiece
from motionloom.methods.textons.plan.random_walk import SegmentWalk

NARROW, WIDE = 4, 16  # walks that are kept after each block: at first, and where none of them was steady
LONGEST_WIDE = 480.0  # s: walks of so much motion in all are kept
BRANCHES = 3  # extensions of each of them
MARGINS = np.array([-0.06, -0.03, 0.0, 0.03])  # m/s: feet are cleaned afterwards, which alters speeds: the worst counts
AHEAD = 1.0  # changes of speed that a walk may have earlier than the usual rate allows,
STANDING_AHEAD = 4.0  # s: and time for which it may stand


class UsualPace(NamedTuple):
    """How often bodies change their speed, how long they stand, and how much their hips accelerate over the ground."""

    changes: float = np.inf  # a minute
    standing: float = 1.0  # share of the time
    acceleration: float = np.inf  # m/s^2, at most

    def excess(self, changes: float, standing: float, jolts: float, seconds: float, total: float) -> float:
        """Changes of speed, seconds of standing and jolts beyond the usual, in so many seconds out of a total."""
        most = min(self.changes / 60.0 * seconds + AHEAD, self.changes / 60.0 * max(0.0, total - 1.0))
        return max(0.0, changes - most) + max(0.0, standing - self.standing * seconds - STANDING_AHEAD) + jolts


def usual_pace(paths: Sequence[FloatArray], fps: float) -> UsualPace:
    """The pace of bodies at `paths` (F, 2) m."""
    standing = float(np.concatenate([_stands(p, fps) for p in paths]).mean())
    return UsualPace(change_rate(paths, fps), standing, max(float(acceleration_along(p, fps).max()) for p in paths))


def _stands(path: FloatArray, fps: float) -> BoolArray:
    return np.asarray(pace_along(path, fps) < STANDING_SPEED)


def jolts(path: FloatArray, fps: float, limit: float) -> BoolArray:
    """(F,) whether hips at `path` (F, 2) m begin to accelerate by more than `limit` m/s^2."""
    over = acceleration_along(path, fps) > limit
    over[1:] &= ~over[:-1].copy()
    return np.asarray(over)


@dataclass(eq=False)
class DrawnWalk:
    """A walk as far as it was drawn: its pieces, and the changes of speed along its path."""

    walk: SegmentWalk
    noise: Generator  # of the rendering
    usual: UsualPace
    state: Any = None  # of the rendering
    pieces: list[TextonPiece] = field(default_factory=list)
    places: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))  # (F, 2) m: the last seconds of the path
    settled: int = 0  # frames of these that are counted
    frames: int = 0  # frames that are counted in all,
    counts: FloatArray = field(default_factory=lambda: np.zeros(len(MARGINS) + 2))  # (6,) and their counts
    changes: float = 0.0  # changes of speed of all pieces that were drawn,
    standing: float = 0.0  # s for which they stand,
    jolts: float = 0.0  # times that they accelerate more than the clips,
    seconds: float = 0.0  # and their length

    def length(self) -> int:
        """Frames of the pieces."""
        return sum(p.length for p in self.pieces)

    def fork(self) -> DrawnWalk:
        """The same walk, to be extended independently."""
        out = copy.copy(self)
        out.walk, out.noise, out.pieces = self.walk.fork(), copy.deepcopy(self.noise), list(self.pieces)
        return out

    def extend(self) -> None:
        """Draw one more block; `NoPath` where nothing follows the pieces."""
        walk = self.walk

        def drawn() -> Iterator[TextonPiece]:
            for piece in walk.endless():
                self.pieces.append(piece)
                yield piece

        self.state, path = walk.renderer.next_path(self.state, drawn(), self.noise, walk.options, walk.correct)
        self.places = np.concatenate([self.places, path])
        self._count()

    def _count(self) -> None:
        """Count what frames that follow do not alter for good, and what was drawn after it provisionally."""
        fps = self.walk.segments.fps
        step = round(STEP_TIME * fps)
        end = len(self.places) - round(fps) - step
        if end > self.settled:
            self.counts = self.counts + self._counts(self.places)[self.settled : end].sum(axis=0)
            self.frames += end - self.settled
            kept = max(0, end - step - 1)
            self.places, self.settled = self.places[kept:], end - kept
        rest = self.walk.renderer.rest_of_path(self.state, copy.deepcopy(self.noise), self.walk.options)
        more = self._counts(np.concatenate([self.places, rest]))[self.settled :]
        *changes, standing, self.jolts = self.counts + more.sum(axis=0)
        self.changes, self.standing, self.seconds = max(changes), standing / fps, (self.frames + len(more)) / fps

    def _counts(self, path: FloatArray) -> BoolArray:
        """(F, 6) whether the speed begins to change by more than the limit with each margin; stands; and jolts."""
        fps = self.walk.segments.fps
        change = changes_along(path, fps)
        over = np.concatenate([change, np.zeros(len(path) - len(change))])[:, None] > SPEED_CHANGE + MARGINS
        over[1:] &= ~over[:-1].copy()
        return np.column_stack([over, _stands(path, fps), jolts(path, fps, self.usual.acceleration)])

    def excess(self, total: float) -> float:
        """How far it changes its speed, stands and jolts beyond the usual, in a walk that will last `total` seconds."""
        return self.usual.excess(self.changes, self.standing, self.jolts, self.seconds, total)


def draw_walk(
    walk: SegmentWalk, frames: int, usual: UsualPace, progress: Progress, width: int = NARROW
) -> tuple[list[TextonPiece], int]:
    """Sampled pieces for a number of frames, and the seed of the noise that they were rendered with.

    They change their speed, stand and accelerate no more than usual, where such a walk is found among `width` that are
    extended side by side.
    """
    seed, seconds = int(walk.rng.integers(2**63)), frames / walk.segments.fps
    width = max(1, min(width, round(LONGEST_WIDE / seconds))) if usual.changes < np.inf else 1
    kept = [DrawnWalk(walk, np.random.default_rng(seed), usual)]
    while (least := min(w.length() for w in kept)) < frames:
        found = [w for w in kept if w.length() >= frames]
        shorter = [w for w in kept if w.length() < frames]
        for k in range(width * BRANCHES):
            progress(least / frames, "drawing textons")
            found.append(_extended(shorter[k % len(shorter)], frames))
            if sum(w.excess(seconds) <= 0 for w in found) >= width:
                break
        kept = sorted(found, key=lambda w: w.excess(seconds))[:width]
    pieces = kept[0].pieces
    ends = np.cumsum([p.length for p in pieces])
    return pieces[: int(np.searchsorted(ends, frames)) + 1], seed


def _extended(drawn: DrawnWalk, frames: int) -> DrawnWalk:
    """A walk with one more block; `NoPath` if it ends before it has enough frames."""
    out = drawn.fork()
    try:
        out.extend()
    except NoPath as error:
        if out.length() < frames:
            text = f"{error}, after {out.length() / out.walk.segments.fps:.1f} s"
            raise out.walk.dead_end(text, out.pieces) from None
    return out
