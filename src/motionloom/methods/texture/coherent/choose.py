"""The example frames that a part shows: the cheapest path along links, block by block, fair to all of the examples."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from motionloom.core import BoolArray, FloatArray, IntArray, NoPath, Progress
from motionloom.core.progress import watch
from motionloom.methods.texture.coherent.links import Clips, FrameLinks

Float32 = NDArray[np.float32]

BLOCK, AHEAD = 3.0, 3.0  # s that are decided at a time, and s that are looked ahead
IMPOSSIBLE = 1e6  # m^2: the cost of what must not be shown
SPREAD = 0.5  # of the logarithm of the costs of links, which makes takes differ
DEARER = 2.0  # times: what a seam that shows costs more at most, so that isolated stretches are still reached
TASTE = 0.2  # of the cost of repeating: what a take prefers from the beginning
CRAMPED = 0.05  # m^2: a jump at the very end or beginning of a clip, where nothing is left to crossfade
CROWDED = 0.25  # s: deviation of the Gaussian in which a frame that is shown counts as used


class Prices(NamedTuple):
    """What the choice weighs against each other, in m^2 (mean squared distances of joints)."""

    jump: float  # factor of the cost of a link
    each: float  # of any jump, besides
    stay: float  # of an interval without a jump
    extra: float  # of a second jump in an interval
    repeat: float  # of a frame for each time that it, or one near it, was shown before
    visible: float = (
        np.inf
    )  # cost of a link c from which on a seam shows: c counts as c (1 + c / visible), up to `DEARER`


def intervals(frames: int, fps: float, seconds: tuple[float, float], rng: Generator) -> BoolArray:
    """(F,) the last frames of intervals of random length."""
    out = np.zeros(frames, bool)
    at = round(rng.uniform(0.2, 1.0) * seconds[1] * fps)
    while at < frames:
        out[max(at, 0)] = True
        at += max(2, round(rng.uniform(*seconds) * fps))
    return out


def closed_frames(last: BoolArray, apart: int) -> BoolArray:
    """(F,) the first frames of each interval, up to half of it, in which no jump should be made.

    >>> closed_frames(np.array([0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0], bool), 2).astype(int)
    array([1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1])
    """
    out = np.zeros(len(last), bool)
    starts = [0, *(np.flatnonzero(last) + 1).tolist(), len(last)]
    for a, b in pairwise(starts):
        out[a : a + min(apart, -(-(b - a) // 2))] = True
    return out


def missing_room(links: IntArray, ends: Clips, half: int) -> FloatArray:
    """(N, L) 0 to 1: the share of the `half` frames of a crossfade that lie beyond the ends of the clips of a jump."""
    after = ends.last - np.arange(len(ends.last))
    before = links + 1 - ends.first[links]
    return np.clip(1.0 - np.minimum(after[:, None], before) / max(half, 1), 0.0, 1.0)


def choose_frames(
    costs: Callable[[int, int], Float32],
    frames: int,
    links: FrameLinks,
    ends: Clips,
    fps: float,
    prices: Prices,
    last: BoolArray,
    apart: int,
    rng: Generator,
    progress: Progress,
    seams: Callable[[int], FloatArray] | None = None,
) -> IntArray:
    """(F,) example frames. `costs(t0, t1)` (T, N) prices the example frames at the frames t0 .. t1 - 1 of the result.

    Seams are `apart` frames from each other, if they can be. A block is decided with a look ahead; then what it shows
    becomes dearer, so that in the long run all of the examples is shown. `NoPath` if nothing leads on. For a loop,
    `seams(j)` (N,) is what it costs to continue from each example frame to j, the first one that is shown.
    """
    from motionloom.methods.texture.coherent._kernels import cheapest_choices, follow

    count, closed = len(ends.first), closed_frames(last, apart)
    goes_on = np.arange(count) != ends.last
    noisy = np.maximum(links.costs, 0.0) * np.exp(SPREAD * rng.standard_normal(links.costs.shape))
    cramped = CRAMPED * missing_room(links.frames, ends, apart // 2)
    noisy *= 1.0 + np.minimum(noisy / prices.visible, DEARER)
    link_costs = (prices.jump * noisy + prices.each + cramped).astype(np.float32)
    used = TASTE * _smoothed(rng.standard_normal(count), ends, 4 * CROWDED * fps) * np.sqrt(8 * CROWDED * fps)
    out = np.empty(frames, np.int64)
    block, ahead = round(BLOCK * fps), round(AHEAD * fps)
    start, state, closed_up = -1, 0, False
    wanted: Float32 | None = None
    for t0 in range(0, frames, block):
        t1, t2 = min(t0 + block, frames), min(t0 + block + ahead, frames)
        usage = (prices.repeat * used).astype(np.float32)
        choices, values = np.empty((t2 - t0, count, 2), np.uint8), np.empty((2, count), np.float32)
        known = 0 if wanted is None else len(wanted) - block  # rows that the block before looked ahead
        wanted = costs(t0, t2) if wanted is None else np.concatenate([wanted[block:], costs(t0 + known, t2)])
        given = (wanted, usage, goes_on, links.frames, link_costs, last[t0:t2], closed[t0:t2])
        rest = (np.float32(prices.stay), np.float32(prices.extra), choices, values, progress.stop)
        closing = seams is not None and t2 == frames and not closed_up
        if start >= 0 and closing and seams is not None:
            wanted[-1] += seams(int(out[0]))
            closed_up = True
        watch(progress, "choosing frames", cheapest_choices, *given, *rest)
        if start < 0:
            taste = TASTE * prices.repeat * fps * rng.standard_normal(count)
            start = int((values[0] + taste + (0.0 if seams is None else _closing(links, ends, prices))).argmin())
            if closing and seams is not None:  # the first frame is known only now
                wanted[-1] += seams(start)
                closed_up = True
                watch(progress, "choosing frames", cheapest_choices, *given, *rest)
        after = follow(choices, links.frames, last[t0:t1], start, state, out[t0:t1])
        if after < 0:
            raise NoPath("these clips are too short and unlike each other: no frame leads on from their ends")
        start, state = divmod(int(after), 2)
        used = used + _smoothed(np.bincount(out[t0:t1], minlength=count).astype(float), ends, CROWDED * fps)
        progress(t1 / frames, "choosing frames")
    return out


def _closing(links: FrameLinks, ends: Clips, prices: Prices) -> FloatArray:
    """(N,) what it costs at least to come to each frame from another place: the best link of the frame before it."""
    before = np.maximum(np.arange(len(ends.first)) - 1, ends.first)
    best = np.where(links.costs[:, 0] >= 0, prices.jump * links.costs[:, 0], IMPOSSIBLE)
    return np.asarray(np.where(before < np.arange(len(before)), best[before], IMPOSSIBLE))


def _smoothed(values: NDArray[np.float64], ends: Clips, deviation: float) -> NDArray[np.float64]:
    """A Gaussian over the frames of each clip."""
    from scipy.ndimage import gaussian_filter1d

    out = np.empty_like(values)
    for first in np.unique(ends.first):
        rows = slice(int(first), int(ends.last[first]) + 1)
        out[rows] = gaussian_filter1d(values[rows], deviation, mode="nearest")
    return out
