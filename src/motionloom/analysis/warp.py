"""Clips run at another pace: warped along an alignment curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionloom.analysis.alignment_curve import AlignmentCurve
from motionloom.core import BadRequest, Clip, IntArray
from motionloom.kinematics.resample import at_frames


def at_times(clip: Clip, seconds: ArrayLike) -> Clip:
    """The clip's poses at the given moments (T,) s, one frame each, at the clip's own frame rate.

    Between frames the motion is the C1 cubic of `resample`; moments outside the clip hold its first or last frame.
    Labels and provenance are those of the nearest frame.
    """
    moments = np.asarray(seconds, float)
    if moments.ndim != 1 or not moments.size or not np.isfinite(moments).all():
        raise BadRequest(f"expected a list of moments in seconds, found shape {moments.shape}")
    frames = np.clip(moments * clip.fps, 0, len(clip) - 1)
    near = np.round(frames)
    return at_frames(clip, np.where(np.abs(frames - near) < 1e-9, near, frames), clip.fps, cubic=True)


def warp(clip: Clip, curve: AlignmentCurve, *, of: int = 1, to: int = 0) -> Clip:
    """Clip number `of` of the curve, run on the clock of clip number `to`: frame k fits that clip's frame k.

    The result covers the part of clip `to` that the curve covers, at the frame rate of `clip`. Where that part begins
    later than 0 s (free ends, key times), frame 0 of the result belongs to the moment `curve.spans[to, 0]`.
    """
    start, stop = curve.spans[to]
    count = int(np.floor((stop - start) * clip.fps + 1e-6)) + 1
    return at_times(clip, curve.matching(start + np.arange(count) / clip.fps, of=to, to=of))


def warp_by_path(clip: Clip, path: IntArray) -> Clip:
    """Clip B frame by frame along a time-warping path: one frame for each row of the path, no curve between.

    GUAN 2.3.3 and fig. 2.6. `path` is (P, 2), frames of A and of B, as `dtw_path` gives it. A frame of A with one frame
    of B keeps it; one with several gets their middle moment; a frame of B that must serve n frames of A is spread over
    them, at -1/2 + 1/2n ... 1/2 - 1/2n of a frame about it, on the C1 cubic through the neighbours. The source
    averages the several frames' values; for a smooth motion that is their middle moment, without flattening it.
    `warp` with a fitted curve is smoother: its speed does not change from frame to frame.
    """
    table = np.asarray(path)
    if table.ndim != 2 or table.shape[1] != 2 or not len(table) or (np.diff(table, axis=0) < 0).any():
        raise BadRequest(f"a path holds pairs of frames that never go back, (P, 2); found shape {table.shape}")
    if table[0, 1] < 0 or table[-1, 1] >= len(clip):
        raise BadRequest(f"a path through {len(clip)} frames, found frames {table[0, 1]} to {table[-1, 1]}")
    rows, starts, counts = np.unique(table[:, 0], return_index=True, return_counts=True)
    first, last = table[starts, 1], table[starts + counts - 1, 1]
    frames = (first + last) / 2
    for j in np.unique(first[counts == 1]):
        held = np.flatnonzero((counts == 1) & (first == j))
        frames[held] = j + (np.arange(len(held)) - (len(held) - 1) / 2) / len(held)
    assert len(frames) == len(rows)
    return at_frames(clip, np.clip(frames, 0, len(clip) - 1), clip.fps, cubic=True)
