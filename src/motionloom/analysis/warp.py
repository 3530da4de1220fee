"""Clips run at another pace: warped along an alignment curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from motionloom.analysis.curve import AlignmentCurve
from motionloom.core import BadRequest, Clip
from motionloom.kinematics.edit import at_frames


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
