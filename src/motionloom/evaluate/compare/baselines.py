"""Results that anyone could make without learning: what a method has to beat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.random import Generator

from motionloom.core import Clip, concatenate, replace
from motionloom.evaluate.measures.take import NotApplicable
from motionloom.kinematics.resample import concatenate_aligned
from motionloom.rotation import exp, multiply, slerp

KEY_EVERY = 1.0  # seconds between the keyframes that are interpolated
PIECE = 1.0  # seconds of each piece that is put behind the other
NOISE = 0.3  # radians: standard deviation of the turn added to every joint

Baseline = Callable[[Sequence[Clip], int, Generator], Clip]
"""(source clips of one skeleton and rate, frames, rng) -> a clip of that many frames."""


def copied(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """The source itself: a piece of one clip, or clip after clip, each put where the last one ended."""
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


def shuffled(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """Frames of the source in random order: every pose is real, and nothing moves as it should."""
    whole = concatenate(list(sources))
    return whole[rng.choice(len(whole), frames, replace=frames > len(whole))]


def interpolated(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """Straight lines between one frame of the source per second: root by line, joints by slerp."""
    clip = copied(sources, frames, rng)
    step = max(1, round(KEY_EVERY * clip.fps))
    keys = np.append(np.arange(0, len(clip) - 1, step), len(clip) - 1)
    at = np.arange(len(clip))
    first = np.clip(np.searchsorted(keys, at, side="right") - 1, 0, max(len(keys) - 2, 0))
    a, b = keys[first], keys[np.minimum(first + 1, len(keys) - 1)]
    share = (at - a) / np.maximum(b - a, 1)
    root = clip.root[a] + share[:, None] * (clip.root[b] - clip.root[a])
    return replace(clip, root=root, rotations=slerp(clip.rotations[a], clip.rotations[b], share[:, None]))


def pieced(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """Random pieces of one second, each put where the last one ended, without any blending."""
    size = max(2, round(PIECE * sources[0].fps))
    parts: list[Clip] = []
    while sum(len(p) for p in parts) < frames:
        clip = sources[int(rng.integers(len(sources)))]
        start = int(rng.integers(max(1, len(clip) - size)))
        parts.append(clip[start : start + size])
    return concatenate_aligned(parts)[:frames]


def noisy(sources: Sequence[Clip], frames: int, rng: Generator) -> Clip:
    """The source with 0.3 rad of noise at every joint but the root, new in each frame."""
    if len(sources[0].skeleton) < 2:
        raise NotApplicable("one joint only: there are no others to add noise to")
    clip = copied(sources, frames, rng)
    noise = exp(rng.normal(scale=NOISE, size=(*clip.rotations.shape[:2], 3)))
    noise[:, 0] = [1.0, 0.0, 0.0, 0.0]
    return replace(clip, rotations=multiply(clip.rotations, noise))


BASELINES: Mapping[str, Baseline] = {
    "copy of the source": copied,
    "shuffled frames": shuffled,
    "interpolated keyframes": interpolated,
    "pieces without blending": pieced,
    "noise added": noisy,
}
