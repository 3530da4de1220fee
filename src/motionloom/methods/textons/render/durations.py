"""Durations: a segment at another length, slower, faster, or with repeated cycles (LI fig. 10)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motionloom.core import FloatArray, IntArray
from motionloom.core.numbers import smoothstep

SEAM_TIME = 0.2  # s: over which the end of a cycle bends into its beginning
MIN_CYCLE = 0.4  # s
RATE_SLACK = 0.15  # how much slower or faster cycles may be played to fill the length exactly


class RetimedSegment(NamedTuple):
    """A segment at another length."""

    y: FloatArray  # (length, D)
    frame: IntArray  # (length,) the observed frame nearest to each new one
    pace: float  # observed frames in one new frame


def at_length(y: FloatArray, length: int, fps: float, *, lengthening: str) -> RetimedSegment:
    """Frames y (n, D) made to last `length`: in even steps, or, if `lengthening` is "cycles", with repeated cycles.

    Cycles are tried if there are more frames than observed: a stretch of y whose end is like its beginning (in pose
    and velocity) is repeated once or several times. Without one that fills the length to within `RATE_SLACK`, and for
    fewer frames than observed, all frames are taken in even steps.
    """
    if lengthening == "cycles" and length > len(y):
        found = cycle(y, length - len(y), fps)
        if found is not None:
            return _even(*_with_cycles(y, *found, max(2, round(SEAM_TIME * fps))), length)
    return _even(y, np.arange(len(y)), length)


def cycle(y: FloatArray, extra: int, fps: float) -> tuple[int, int, int] | None:
    """The cycle that makes y longer by about `extra` frames: (first frame, length, how often again), or None.

    Of all stretches and counts whose product fills `extra` to within `RATE_SLACK` of the result, the one whose two ends
    are nearest: |y[p] - y[q]|^2 + |v[p] - v[q]|^2 with velocities v over `SEAM_TIME` seconds.
    """
    n = len(y)
    pace = np.gradient(y, axis=0) * SEAM_TIME * fps
    best: tuple[float, int, int, int] | None = None
    for size in range(max(4, round(MIN_CYCLE * fps)), n - 4):
        again = max(1, round(extra / size))
        if abs(again * size - extra) > RATE_SLACK * (n + extra):
            continue
        apart = ((y[size:] - y[:-size]) ** 2 + (pace[size:] - pace[:-size]) ** 2).sum(1)[2:-2]
        if len(apart) and (best is None or apart.min() < best[0]):
            best = (float(apart.min()), int(apart.argmin()) + 2, size, again)
    return None if best is None else best[1:]


def _with_cycles(y: FloatArray, first: int, size: int, again: int, reach: int) -> tuple[FloatArray, IntArray]:
    """y with `size` frames from `first` on repeated `again` times; the jump at each seam is spread over both sides."""
    loop = np.arange(first, first + size)
    frame = np.concatenate([np.arange(first + size), *([loop] * again), np.arange(first + size, len(y))])
    out = y[frame].copy()
    jump = y[first + size] - y[first]  # the frame that follows, less the one that replaces it
    for k in range(1, again + 1):
        seam = first + k * size
        before, after = np.arange(max(seam - reach, 0), seam), np.arange(seam, min(seam + reach, len(out)))
        out[before] -= 0.5 * smoothstep((before - seam + reach + 0.5) / reach)[:, None] * jump
        out[after] += 0.5 * smoothstep((seam + reach - after - 0.5) / reach)[:, None] * jump
    return out, frame


def _even(y: FloatArray, frame: IntArray, length: int) -> RetimedSegment:
    """Frames in even steps from the first to the last, linearly between them."""
    if len(y) == length:
        return RetimedSegment(y, frame, 1.0)
    at = np.linspace(0, len(y) - 1, length)
    low = np.minimum(at.astype(int), len(y) - 2)
    part = (at - low)[:, None]
    mixed = (1 - part) * y[low] + part * y[low + 1]
    return RetimedSegment(mixed, frame[np.round(at).astype(int)], (len(y) - 1) / max(length - 1, 1))
