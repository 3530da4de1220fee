"""A competitor of motion texture, from its published description: patch matching over a pyramid of one clip.

W. Li, X. Chen, P. Li, O. Sorkine-Hornung, B. Chen: Example-based Motion Synthesis via Generative Motion Matching, ACM
Transactions on Graphics 42(4), 2023. Own code: from the coarsest level to the finest, every patch of the result is
replaced by the exemplar's patch j with the least d(i, j) / (alpha + min_i d(i, j)), which asks for all of the exemplar
to be shown, and overlapping patches are averaged.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from motionloom.core import Clip
from motionloom.core.numbers import squared_distances
from motionloom.rotation import continuous, from_6d, to_6d

Float32 = NDArray[np.float32]

RATIO = 0.75  # of the lengths of two levels
COARSEST = 0.2  # of the length of the clip
PATCH = 11  # frames
ALPHA = 0.01  # completeness: the smaller, the more of the exemplar is shown
STEPS = 3  # on each level
NOISE = 10.0  # deviation of the first guess


def generate(clip: Clip, frames: int, rng: Generator) -> Clip:
    """A clip of `frames` frames from one exemplar: joints as absolute 6-D rotations, the root by its steps."""
    exemplar = _features(clip)
    levels = max(1, int(np.ceil(np.log(COARSEST) / np.log(RATIO))) + 1)
    lengths = [max(PATCH, round(len(clip) * RATIO**k)) for k in reversed(range(levels))]
    result: Float32 | None = None
    for length in lengths:
        own = _resized(exemplar, length)
        wanted = max(PATCH, round(frames * length / len(clip)))
        if result is None:
            noise = NOISE * rng.standard_normal((wanted, own.shape[1]))
            result = (_resized(own, wanted) + noise).astype(np.float32)
        result = _resized(result, wanted)
        for _ in range(STEPS):
            result = _matched(result, own)
    assert result is not None
    return _clip(_resized(result, frames), clip)


def _features(clip: Clip) -> Float32:
    step = np.diff(clip.root[:, [0, 2]], axis=0, append=clip.root[-1:, [0, 2]])
    turns = to_6d(clip.rotations).reshape(len(clip), -1)
    return np.concatenate([step, clip.root[:, 1:2], turns], 1).astype(np.float32)


def _clip(values: Float32, like: Clip) -> Clip:
    turns = from_6d(values[:, 3:].reshape(len(values), -1, 6).astype(float))
    place = np.concatenate([np.zeros((1, 2)), np.cumsum(values[:-1, :2], axis=0)])
    root = np.stack([place[:, 0], values[:, 2], place[:, 1]], 1)
    return Clip(like.skeleton, root, continuous(turns), like.fps)


def _resized(values: Float32, frames: int) -> Float32:
    """Linear interpolation to another length; steps of the root scale with the time between frames."""
    if len(values) == frames:
        return values
    at = np.linspace(0, len(values) - 1, frames)
    first = np.minimum(at.astype(int), len(values) - 2)
    t = (at - first)[:, None]
    out = ((1 - t) * values[first] + t * values[first + 1]).astype(np.float32)
    out[:, :2] *= len(values) / frames
    return out


def _patches(values: Float32) -> Float32:
    return (
        np.lib.stride_tricks.sliding_window_view(values, PATCH, axis=0)
        .transpose(0, 2, 1)
        .reshape(len(values) - PATCH + 1, -1)
    )


def _matched(result: Float32, exemplar: Float32) -> Float32:
    mine, theirs = np.ascontiguousarray(_patches(result)), np.ascontiguousarray(_patches(exemplar))
    d = squared_distances(mine, theirs) / mine.shape[1]
    best = (d / (ALPHA + d.min(0))).argmin(1)
    out, count = np.zeros_like(result), np.zeros((len(result), 1), np.float32)
    for k in range(PATCH):
        out[k : k + len(best)] += exemplar[best + k]
        count[k : k + len(best)] += 1
    return out / count
