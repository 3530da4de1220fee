"""The path of the hips over feet that stand.

Weights that change while a foot stands turn it into that of another take, which stands elsewhere under the hips: the
foot would slide. The hips move instead, as they do over standing feet; what is left is for the legs (eq 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.feet.contacts import contact_array, part_positions, runs, steady_runs
from motionloom.kinematics.travel import travel

RAMP = 0.1  # s after a foot touches down, and before it lifts, in which the hips begin and cease to follow it


def steady_contacts(contacts: BoolArray, fps: float) -> BoolArray:
    """Contacts (F, P) without gaps and contacts shorter than `RAMP`, in which nothing could be eased in or out."""
    return steady_runs(contacts, contacts, max(1, round(RAMP * fps)))


def hips_shift(clip: Clip, contacts: BoolArray, takes: Sequence[Clip], frames: FloatArray) -> FloatArray:
    """(F, 2) what is added to the displacement of the hips, left and forward, m per frame.

    The mean over the foot parts that stand, contacts (F, P), of how much faster they move than those of the takes do at
    their frames (F, S): a heel that rolls does so in variants, too.
    """
    moved = slips(clip)
    near = np.round(frames).astype(np.int64)
    known, standing = np.zeros_like(moved), np.zeros(contacts.shape)
    for k, take in enumerate(takes):
        on = contact_array(take)[near[:, k]]
        known += np.where(on[..., None], slips(take)[near[:, k]], 0.0)
        standing += on
    excess = moved - known / np.maximum(standing, 1.0)[..., None]
    shares = np.stack([_ramps(contacts[:, p], clip.fps) for p in range(contacts.shape[1])], 1)
    return np.asarray(-(shares[..., None] * excess).sum(1) / np.maximum(shares.sum(1), 1.0)[:, None])


@lru_cache(maxsize=64)
def slips(clip: Clip) -> FloatArray:
    """(F, P, 2) how far each foot part moves to the next frame, left and forward, m; the last row is the one before."""
    steps = np.diff(part_positions(clip)[..., [0, 2]], axis=0)
    steps = np.concatenate([steps, steps[-1:]]) if len(steps) else np.zeros((len(clip), 0, 2))
    heading = travel(clip).heading
    c, s = np.cos(heading)[:, None], np.sin(heading)[:, None]
    return np.stack([c * steps[..., 0] - s * steps[..., 1], s * steps[..., 0] + c * steps[..., 1]], -1)


def _ramps(standing: BoolArray, fps: float) -> FloatArray:
    """(F,) 0 where a foot part does not stand, 1 where it has stood and will stand for `RAMP`."""
    out = np.zeros(len(standing))
    for a, b in runs(standing):
        since = np.arange(a, b) - a + 1.0 if a > 0 else np.full(b - a, np.inf)
        left = b - 1.0 - np.arange(a, b) if b < len(standing) else np.full(b - a, np.inf)
        out[a:b] = smoothstep(np.minimum(since, left) / (RAMP * fps))
    return out
