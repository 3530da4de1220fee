"""Baselines: results that need no learning, which a method should surpass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.random import Generator

from motionloom.core import Clip, concatenate, replace
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.kinematics.resample import concatenate_aligned
from motionloom.rotation import exp, multiply, slerp

KEY_EVERY = 1.0  # seconds between the keyframes that are interpolated
PIECE = 1.0  # seconds of each piece
NOISE = 0.3  # radians: standard deviation of the turn added to every joint

Baseline = Callable[[Sequence[Clip], int, Generator], Clip]
"""(source clips of one skeleton and rate, frames, rng) -> a clip of that many frames."""


def copy_source(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """The source itself: a part of one clip, or several clips in a row, each placed where the previous one ended."""
    long = [c for c in sources if len(c) >= frames]
    if long:
        clip = long[int(rng.integers(len(long)))]
        start = int(rng.integers(len(clip) - frames + 1))
        return clip[start : start + frames]
    order = rng.permutation(len(sources))
    parts: list[Clip] = []
    while sum(len(p) for p in parts) < frames:
        parts.append(sources[int(order[len(parts) % len(order)])])
    return concatenate_aligned(parts)[:frames]


def shuffle_frames(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """Frames of the source in random order: captured poses without captured motion."""
    whole = concatenate(list(sources))
    return whole[rng.choice(len(whole), frames, replace=frames > len(whole))]


def interpolated(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """One frame of the source per second, interpolated: the root linearly, joints by slerp."""
    clip = copy_source(sources, frames, rng)
    step = max(1, round(KEY_EVERY * clip.fps))
    keys = np.append(np.arange(0, len(clip) - 1, step), len(clip) - 1)
    at = np.arange(len(clip))
    first = np.clip(np.searchsorted(keys, at, side="right") - 1, 0, max(len(keys) - 2, 0))
    a, b = keys[first], keys[np.minimum(first + 1, len(keys) - 1)]
    share = (at - a) / np.maximum(b - a, 1)
    root = clip.root[a] + share[:, None] * (clip.root[b] - clip.root[a])
    return replace(clip, root=root, rotations=slerp(clip.rotations[a], clip.rotations[b], share[:, None]))


def join_pieces(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """Random pieces of one second, each placed where the previous one ended, without blending."""
    size = max(2, round(PIECE * sources[0].fps))
    parts: list[Clip] = []
    while sum(len(p) for p in parts) < frames:
        clip = sources[int(rng.integers(len(sources)))]
        start = int(rng.integers(max(1, len(clip) - size)))
        parts.append(clip[start : start + size])
    return concatenate_aligned(parts)[:frames]


def cycle_animation(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """Whole source clips in random order, each placed where the previous one ended: no clip is ever new."""
    parts: list[Clip] = []
    while sum(len(p) for p in parts) < frames:
        parts.append(sources[int(rng.integers(len(sources)))])
    return concatenate_aligned(parts)[:frames]


def add_noise(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """The source with 0.3 rad of noise at every joint but the root, new in each frame."""
    if len(sources[0].skeleton) < 2:
        raise NotApplicable("the skeleton has only one joint, and noise is added to the others")
    clip = copy_source(sources, frames, rng)
    noise = exp(rng.normal(scale=NOISE, size=(*clip.rotations.shape[:2], 3)))
    noise[:, 0] = [1.0, 0.0, 0.0, 0.0]
    return replace(clip, rotations=multiply(clip.rotations, noise))


BASELINES: Mapping[str, Baseline] = {
    "copy of the source": copy_source,
    "shuffled frames": shuffle_frames,
    "interpolated keyframes": interpolated,
    "pieces without blending": join_pieces,
    "noise added": add_noise,
    "cycle animation": cycle_animation,
}
