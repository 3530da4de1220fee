"""Links: for every example frame and part, the frames elsewhere that look most alike over a short time around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionloom.analysis.similar_frames import projected, similar_frames
from motionloom.core import BoolArray, FloatArray, IntArray, Progress
from motionloom.core.numbers import squared_distances
from motionloom.core.progress import parts, slices

COUNT = 12  # links of a frame to frames of each label, and to all frames
WINDOW = 0.15  # s: deviation of the Gaussian over which frames are compared
GAP = 0.4  # s: a link leads at least this far from its frame in the same clip
NO_COST = -1.0  # of a link that does not exist
EXACT_FRAMES = 20_000  # of all clips: in longer material only similar frames are compared
CANDIDATES = 128  # similar frames from which links of a frame are looked for in longer material
FAR_APART = 1e6  # m: no frames are farther apart
CELLS = 2_000_000  # of the table of distances that are computed at a time


class FrameLinks(NamedTuple):
    """L links of each of N frames: a jump goes from the frame to the one after the link."""

    frames: IntArray  # (N, L) -1 where there is none
    costs: FloatArray  # (N, L) m^2: the mean squared distance; `NO_COST` where there is none


class Clips(NamedTuple):
    """Where the clips begin and end in the row of all their frames."""

    first: IntArray  # (N,) the first frame of the clip of each frame
    last: IntArray  # (N,)


def clip_ends(lengths: Sequence[int]) -> Clips:
    """The ends of clips of these lengths, for each of their frames."""
    ends = np.cumsum(lengths)
    return Clips(np.repeat(ends - lengths, lengths), np.repeat(ends - 1, lengths))


def find_links(rows: FloatArray, ends: Clips, fps: float, groups: BoolArray, progress: Progress) -> FrameLinks:
    """The best links of all frames into each of the groups (G, N), by exhaustive comparison of features (N, D).

    Time grows with the square of the frames up to `EXACT_FRAMES` of them; in longer material each frame is compared
    with similar ones alone (see `similar_frames`), so some links may be missed.
    """
    from motionloom.methods.texture.coherent._kernels import nearest_links

    values, count = rows.astype(np.float32), len(rows)
    deviation = WINDOW * fps
    half = max(1, round(2 * deviation))
    gauss = np.exp(-0.5 * (np.arange(-half, half + 1) / deviation) ** 2)
    if count > EXACT_FRAMES:
        return _long_links(values, ends, gauss, fps, groups, progress)
    shape = (count, COUNT * len(groups))
    links, costs = np.full(shape, -1), np.zeros(shape, np.float32)
    gap, size = max(2, round(GAP * fps)), max(1, CELLS // count)
    for part in slices(count, size, progress, "finding links"):
        low, high = max(0, part.start - half), min(count, part.stop + half)
        squares: NDArray[np.float32] = np.zeros((part.stop - part.start + 2 * half, count), np.float32)
        squares[low - part.start + half : high - part.start + half] = squared_distances(values[low:high], values)
        nearest_links(squares, part.start, part.stop - part.start, *ends, gauss, gap, groups, COUNT, links, costs)
    return FrameLinks(links, np.where(links >= 0, costs.astype(float), NO_COST))


def _long_links(
    values: NDArray[np.float32], ends: Clips, gauss: FloatArray, fps: float, groups: BoolArray, progress: Progress
) -> FrameLinks:
    """The best links among the frames whose windows, sampled at five times, are nearest to each frame's."""
    from motionloom.methods.texture.coherent._kernels import links_among

    half, gap = len(gauss) // 2, max(2, round(GAP * fps))
    at = np.arange(len(values))
    taps = np.unique(np.linspace(-half, half, 5).round().astype(int))
    weights = np.sqrt(gauss[taps + half] / gauss[taps + half].sum()).astype(np.float32)
    windows = projected(
        np.concatenate([w * values[np.clip(at + m, *ends)] for m, w in zip(taps, weights, strict=True)], axis=1)
    )
    shape = (len(values), COUNT * len(groups))
    links, costs = np.full(shape, -1), np.zeros(shape)
    for g, (group, step) in enumerate(zip(groups, parts(progress, [1.0] * len(groups)), strict=True)):
        columns = slice(g * COUNT, (g + 1) * COUNT)
        targets = np.append(group[1:], False) & (at < ends.last)
        for i, j, _ in similar_frames(windows, FAR_APART, step, targets=targets, count=CANDIDATES, apart=gap):
            links_among(values, i, j, *ends, gauss, gap, targets, links[:, columns], costs[:, columns])
    return FrameLinks(links, np.where(links >= 0, costs, NO_COST))
