"""Frames at which one clip can be cut to another, or to itself, without a visible jump."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.analysis.similar_frames import local_best, similar_frames
from motionloom.core import BoolArray, Clip, FloatArray, IntArray, NoPath, Progress, silent
from motionloom.core.numbers import squared_distances
from motionloom.core.progress import each
from motionloom.kinematics.loop import Loop, find_loop, seam_features

EXACT_FRAMES = 20_000  # of all clips: in longer material only similar frames are compared
BLOCK = 512  # rows of seams that are computed together


class Cuts(NamedTuple):
    """Possible cuts: frame `enter` follows frame `leave`. Frames are counted through all clips."""

    leave: IntArray  # (C,) increasing
    enter: IntArray  # (C,)
    seam: FloatArray  # (C,) metres, see `kinematics.loop.seam_features`


def find_cuts(
    clips: Sequence[Clip], *, largest: float, shortest: float, apart: float, progress: Progress | None = None
) -> Cuts:
    """Every local best cut between any two clips whose seam is at most `largest` metres.

    The seam of a cut from frame i to frame j is the difference between j and i + 1, the frame that it replaces. A cut
    is kept if no other within `apart` seconds, in both clips, has a smaller seam. Frames of one clip closer than
    `shortest` seconds are not cut. Time grows with the square of all frames up to `EXACT_FRAMES` of them; in longer
    material each frame is compared with similar ones alone (see `similar_frames`).
    """
    features = [seam_features(clip) for clip in clips]
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    if starts[-1] > EXACT_FRAMES:
        fps = clips[0].fps
        return _long_cuts(features, largest, max(1, round(apart * fps)), max(2.0, shortest * fps), progress or silent())
    found = []
    report, lengths = progress or silent(), [len(c) for c in clips]
    for a, rows in enumerate(each(features, report, "comparing frames", lengths)):
        radius = max(1, round(apart * clips[a].fps))
        for b, others in enumerate(features):
            report(None, "comparing frames")
            near = max(2.0, shortest * clips[a].fps) if a == b else 0.0
            i, j, seam = _best_pairs(rows[1:], others, largest, radius, near)  # row i: the frame after i
            found.append((starts[a] + i, starts[b] + j, seam))
    return _sorted(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _long_cuts(features: list[FloatArray], largest: float, radius: int, near: float, progress: Progress) -> Cuts:
    """Cuts among frames of similar poses. A frame is left for at most `similar_frames.NEIGHBOURS` others."""
    counts = [len(f) for f in features]
    rows = np.concatenate([f.astype(np.float32) for f in features])
    features.clear()
    clip_of = np.repeat(np.arange(len(counts)), counts)
    found = list(similar_frames(rows, largest, progress))
    i, j, seam = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.lexsort((j, i))
    i, j, seam = i[order], j[order], seam[order]
    first = np.concatenate([[True], np.diff(clip_of) != 0])  # nothing leads to the first frame of a clip

    def allowed(a: IntArray, b: IntArray) -> BoolArray:
        """Whether frame b may replace frame a."""
        return ~first[a] & ((clip_of[a] != clip_of[b]) | (np.abs(a - b) >= near))

    def instead(a: IntArray, b: IntArray, i: IntArray, j: IntArray) -> BoolArray:
        return (clip_of[a] == clip_of[i]) & (clip_of[b] == clip_of[j]) & allowed(a, b)

    keep = allowed(i, j)
    i, j, seam = i[keep], j[keep], seam[keep]
    best = local_best(rows, i, j, seam, radius, instead)
    return _sorted(i[best] - 1, j[best], seam[best])


def _best_pairs(
    a: FloatArray, b: FloatArray, largest: float, radius: int, near: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows of a and b whose distance is at most `largest` and least within `radius` rows; `BLOCK` rows at a time.

    Row i of a is frame i + 1: pairs of frames closer than `near` are left out.
    """
    out = []
    for first in range(0, len(a), BLOCK):
        top = max(0, first - radius)
        seams = np.sqrt(squared_distances(a[top : first + BLOCK + radius], b))
        if near:
            frames = np.arange(top, top + len(seams)) + 1
            seams[np.abs(frames[:, None] - np.arange(len(b))) < near] = np.inf
        best = (seams <= largest) & (seams <= _least_around(seams, radius))
        i, j = np.nonzero(best[first - top : first - top + BLOCK])
        out.append((first + i, j, seams[first - top + i, j]))
    empty = np.zeros(0, np.int64)
    i, j, seam = (np.concatenate(part) for part in zip(*out, strict=True)) if out else (empty, empty, np.zeros(0))
    return i, j, seam


def with_loops(cuts: Cuts, clips: Sequence[Clip], loops: Sequence[Loop | None]) -> Cuts:
    """The cuts, with those that close the loop of each clip."""
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    more = [(starts[c] + loop.end - 1, starts[c] + loop.start, loop.seam) for c, loop in enumerate(loops) if loop]
    known = set(zip(cuts.leave.tolist(), cuts.enter.tolist(), strict=True))
    more = [m for m in more if (int(m[0]), int(m[1])) not in known]
    if not more:
        return cuts
    leave, enter, seam = zip(*more, strict=True)
    return _sorted(np.append(cuts.leave, leave), np.append(cuts.enter, enter), np.append(cuts.seam, seam))


def loop_of(clip: Clip, *, largest: float, shortest: float) -> Loop | None:
    """The clip's loop, if it has one whose seam is at most `largest` metres."""
    try:
        return find_loop(clip, shortest=shortest, gate=largest)
    except NoPath:
        return None


def _sorted(leave: IntArray, enter: IntArray, seam: FloatArray) -> Cuts:
    order = np.lexsort((enter, leave))
    return Cuts(leave[order].astype(np.int64), enter[order].astype(np.int64), seam[order].astype(np.float64))


def _least_around(values: FloatArray, radius: int) -> FloatArray:
    """The least value within `radius` rows and columns of each."""
    for axis in (0, 1):
        padded = np.pad(values, [(radius, radius) if k == axis else (0, 0) for k in (0, 1)], constant_values=np.inf)
        count = values.shape[axis]
        values = padded.take(np.arange(count), axis=axis)
        for k in range(1, 2 * radius + 1):
            np.minimum(values, padded.take(np.arange(k, k + count), axis=axis), out=values)
    return values
