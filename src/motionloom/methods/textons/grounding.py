"""Feet on the ground: the root's way recomputed from the feet that stand.

A texton's basis and the bend towards the next key poses change the pose and the root's velocity apart from each
other, so feet would slide and float. Where a foot stands, the pose itself says how the root moves over it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, replace
from motionloom.kinematics.contacts import foot_parts, part_positions

STEADY = 0.035  # s: deviation of the Gaussian that smooths corrections along the ground
LEVEL = 0.07  # s: and of height


def contact_heights(clips: Sequence[Clip]) -> FloatArray:
    """(P,) metres: how high each foot part usually is while it stands (0 for a part that never does)."""
    parts = foot_parts(clips[0].skeleton)
    heights = [part_positions(c)[..., 1] for c in clips] if parts else []
    out = np.zeros(len(parts))
    for p, part in enumerate(parts):
        seen = np.concatenate([h[c.label(f"contact:{part.name}"), p] for h, c in zip(heights, clips, strict=True)])
        out[p] = np.median(seen) if len(seen) else 0.0
    return out


def grounded(clip: Clip, heights: FloatArray) -> Clip:
    """The clip with its root moved so that parts labelled as standing keep their place, and the lowest its height.

    Along the ground the root steps as the mean of the standing parts demands; in the air it keeps its own velocity.
    Where any part stands, the lowest of all parts is put at the height at which it usually stands.
    """
    parts = foot_parts(clip.skeleton)
    on = np.stack([clip.label(f"contact:{p.name}") for p in parts], 1) if parts else np.zeros((len(clip), 0), bool)
    if not on.any():
        return clip
    where = part_positions(clip)
    both = on[1:] & on[:-1]
    slip = np.diff(where[..., [0, 2]], axis=0)  # (F-1, P, 2) what a standing part moves although it should not
    root = clip.root.copy()
    push = _smooth(_mean(slip, both), STEADY * clip.fps)
    root[1:, [0, 2]] -= np.cumsum(push, axis=0)
    high = (where[..., 1] - heights).min(1)  # the lowest part, standing or not: none may sink into the floor
    stands = np.flatnonzero(on.any(1))
    high = np.interp(np.arange(len(clip)), stands, high[stands])
    root[:, 1] -= _smooth(high[:, None], LEVEL * clip.fps)[:, 0]
    return replace(clip, root=root)


def _mean(values: FloatArray, on: BoolArray) -> FloatArray:
    """(F, ...) the mean over parts that stand; 0 where none does."""
    weight = on[..., None].astype(float)
    return (values * weight).sum(1) / np.maximum(weight.sum(1), 1.0)


def _smooth(values: FloatArray, deviation: float) -> FloatArray:
    """Along axis 0 with a Gaussian, ends repeated."""
    reach = max(1, int(np.ceil(3 * deviation)))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(deviation, 1e-6)) ** 2)
    padded = np.pad(values, ((reach, reach), (0, 0)), mode="edge")
    return np.stack([np.convolve(column, kernel / kernel.sum(), mode="valid") for column in padded.T], 1)
