"""The longest part of a result that is a copy of the source."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import BoolArray, Clip, Origin, Progress, silent
from motionloom.core.progress import watch
from motionloom.evaluate.measures.prepared_clip import at_rate, feature_joints, upright_rotations
from motionloom.rotation import to_6d

MAX_ANGLE = np.radians(0.5)  # joints nearer than this are equal
SAME_STRETCH = 0.05  # s: a piece that begins within this time of the frame that came next continues its source


class VerbatimRun(NamedTuple):
    """Frames `start` to start + length of the result are those of source clip `source` from its own `frame` on."""

    length: int
    start: int
    source: int
    frame: int


def verbatim_run(
    result: Clip,
    sources: Sequence[Clip],
    *,
    within: float = MAX_ANGLE,
    without: Collection[int] = (),
    progress: Progress | None = None,
) -> VerbatimRun:
    """Longest run of consecutive frames equal to consecutive source frames: every joint `within` 0.5 degrees.

    At the result's own rate: the sources are resampled to it, and where they have a whole number of frames for each one
    of the result, a copy may begin at any of them. Fingers and the heading are left out, so a copy that was turned or
    moved is still a copy; one whose feet were cleaned is not, where that turned a joint farther: leave the legs
    `without` (numbers of joints) to see it. A run of 0 frames has source and frame -1.
    """
    from motionloom.evaluate.measures._kernels import longest_run

    clips, phases, owners = [], [], []
    for k, source in enumerate(sources):
        stride = _stride(source.fps, result.fps)
        for phase in range(min(stride, len(source))):
            clips.append(source[phase::stride] if stride > 1 else at_rate(source, result.fps))
            phases.append(phase)
            owners.append(k)
    kept = [k for k, j in enumerate(feature_joints(result.skeleton)) if j not in without]
    a = np.ascontiguousarray(upright_rotations(result)[:, kept])
    b = np.concatenate([upright_rotations(c)[:, kept] for c in clips])
    place = np.concatenate([np.arange(len(c)) for c in clips])
    joint, channel = divmod(int(np.argmax([to_6d(b[:, k]).var(axis=0) for k in range(len(kept))])), 6)
    values, keys = to_6d(b[:, joint])[:, channel], to_6d(a[:, joint])[:, channel]  # which distinguishes most frames
    order = np.argsort(values)
    slack = 2 * np.sin(within / 2) + 1e-12  # a unit vector turned by `within` moves no farther than this chord
    least = np.cos(within / 2)
    report, done = progress or silent(), np.zeros(1, np.int64)
    task = (a, b, np.ascontiguousarray(keys), values[order], order, slack, least, place, report.stop, done)
    length, row, column = watch(report, "searching for copies", longest_run, *task, units=len(a), done=done)
    if length == 0:
        return VerbatimRun(0, -1, -1, -1)
    ends = np.cumsum([len(c) for c in clips])
    k = int(np.searchsorted(ends, column, side="right"))
    frame = phases[k] + round(int(place[column]) * sources[owners[k]].fps / result.fps)
    return VerbatimRun(int(length), int(row), owners[k], frame)


def original_joins(origin: Origin, fps: float) -> BoolArray:
    """(n,) for each join of a result: does it continue as its source did?

    A join is where the recorded frames of a result pass from one stretch of a source to another. Methods that record
    only the first frame of each piece (textons) may join two pieces that follow each other in the source: original.
    """
    if not origin.known:
        return np.zeros(0, bool)
    which, frames = origin.main()
    at = np.flatnonzero((which >= 0) & (frames >= 0))
    if len(at) < 2:
        return np.zeros(0, bool)
    steps, on = np.diff(at), np.diff(frames[at])
    same = which[at][1:] == which[at][:-1]
    rates = np.array([r for r in (on[same] / steps[same]) if r > 0])
    rate = float(np.median(rates)) if len(rates) else 1.0
    follows = same & (np.abs(on - rate * steps) <= max(2.0, SAME_STRETCH * rate * fps))
    return np.asarray(follows[(steps > 1) | ~follows])


def _stride(source: float, result: float) -> int:
    """Source frames for each frame of the result where that is a whole number; else 1."""
    ratio = source / result
    return round(ratio) if ratio > 1.5 and abs(ratio - round(ratio)) < 1e-3 else 1
