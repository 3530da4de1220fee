"""Where the frames of a mixture come from: frames of the captured clips, by their weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray
from motionloom.core.origin import source_shares
from motionloom.methods.live import FrameSources, Sources


def rows_of(clips: Sequence[Clip], frames: FloatArray) -> IntArray:
    """(N, S) the frames nearest to `frames` (N, S) of each clip, counted through all clips."""
    return np.asarray(np.cumsum([0, *(len(clip) for clip in clips[:-1])]) + np.round(frames).astype(np.int64))


def mixture_sources(
    material: FrameSources, clips: Sequence[Clip], shown: FloatArray, weights: FloatArray, most: int | None = None
) -> Sources:
    """(N, 1, S) index in the table of captured clips, frame in its file and weight of the frames `shown` (N, S).

    Frames are those of the files, at the files' frame rate: the model's clips may be resampled. Weights (N, S) below 0
    count as 0; where none is left, all sources count alike. Of more than `most` clips, those that weigh most are named.
    """
    last = np.array([len(clip) - 1 for clip in clips])
    before = np.clip(np.floor(shown), 0, np.maximum(last - 1, 0))
    low, high, near = (rows_of(clips, frames) for frames in (before, np.minimum(before + 1, last), shown))
    which, share = material.which[near], shown - before
    between = (1.0 - share) * material.frames[low] + share * material.frames[high]
    same = material.which[low] == material.which[high]
    frames = np.where(same, between, material.frames[near])
    used = np.argsort(-weights.sum(0), kind="stable")[:most]
    which, frames, weights = which[:, used], frames[:, used], weights[:, used]
    frames = np.where(which >= 0, np.maximum(frames, 0.0), -1.0)
    return Sources(which[:, None], frames[:, None], source_shares(which, weights)[:, None])
