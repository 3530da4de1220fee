"""Where one clip can be cut to another, or to itself, without a jump that shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray, NoPath
from motionloom.kinematics.loop import Loop, find_loop, seam_features


class Cuts(NamedTuple):
    """Places to cut: after frame `leave` comes frame `enter`. Frames count through all clips, one after the other."""

    leave: IntArray  # (C,) increasing
    enter: IntArray  # (C,)
    seam: FloatArray  # (C,) metres, see `kinematics.loop.seam_features`


def find_cuts(clips: Sequence[Clip], *, largest: float, shortest: float, apart: float) -> Cuts:
    """Every local best cut between any two clips whose seam is at most `largest` metres.

    Cutting from frame i to frame j shows as far as j differs from i + 1, which would have come: that is the seam. A cut
    counts where no other within `apart` seconds, in both clips, has a smaller one. Within one clip, frames nearer than
    `shortest` seconds are no cut. Time and memory grow with the product of two clips' lengths.
    """
    features = [seam_features(clip) for clip in clips]
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    found = []
    for a, rows in enumerate(features):
        for b, others in enumerate(features):
            seams = _distances(rows[1:], others)  # row i: the frame that would come after i
            if a == b:
                frames = np.arange(len(rows))
                near = np.abs(frames[1:, None] - frames[None]) < max(2.0, shortest * clips[a].fps)
                seams[near] = np.inf
            radius = max(1, round(apart * clips[a].fps))
            best = (seams <= largest) & (seams <= _least_around(seams, radius))
            i, j = np.nonzero(best)
            found.append((starts[a] + i, starts[b] + j, seams[i, j]))
    return _sorted([np.concatenate(part) for part in zip(*found, strict=True)])


def with_loops(cuts: Cuts, clips: Sequence[Clip], loops: Sequence[Loop | None]) -> Cuts:
    """The cuts together with those that close each clip's loop."""
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    more = [(starts[c] + loop.end - 1, starts[c] + loop.start, loop.seam) for c, loop in enumerate(loops) if loop]
    known = set(zip(cuts.leave.tolist(), cuts.enter.tolist(), strict=True))
    more = [m for m in more if (int(m[0]), int(m[1])) not in known]
    if not more:
        return cuts
    leave, enter, seam = zip(*more, strict=True)
    return _sorted([np.append(cuts.leave, leave), np.append(cuts.enter, enter), np.append(cuts.seam, seam)])


def loop_of(clip: Clip, *, largest: float, shortest: float) -> Loop | None:
    """The clip's loop, if it has one whose seam is at most `largest` metres."""
    try:
        return find_loop(clip, shortest=shortest, gate=largest)
    except NoPath:
        return None


def _sorted(parts: Sequence[FloatArray]) -> Cuts:
    leave, enter, seam = parts
    order = np.lexsort((enter, leave))
    return Cuts(leave[order].astype(np.int64), enter[order].astype(np.int64), seam[order].astype(np.float64))


def _distances(a: FloatArray, b: FloatArray) -> FloatArray:
    squares = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T
    return np.sqrt(np.maximum(squares, 0.0))


def _least_around(values: FloatArray, radius: int) -> FloatArray:
    """The least value within `radius` rows and columns of each."""
    for axis in (0, 1):
        padded = np.pad(values, [(radius, radius) if k == axis else (0, 0) for k in (0, 1)], constant_values=np.inf)
        count = values.shape[axis]
        shifted = [padded.take(np.arange(k, k + count), axis=axis) for k in range(2 * radius + 1)]
        values = np.minimum.reduce(shifted)
    return values
