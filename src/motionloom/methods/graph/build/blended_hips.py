"""Hips in blends: where two clips are laid on each other by a standing foot, the hips may have a long way to go."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray, IntArray, Progress
from motionloom.core.progress import slices
from motionloom.kinematics.pace import ACCELERATION_TIME, acceleration_along
from motionloom.kinematics.travel import ground_turn
from motionloom.methods.graph.graph import Graph
from motionloom.methods.schedule import frame_paces

UNNOTICED = 1.7  # m/s^2, whatever the clips show: hardly more than in captured walks at an even speed (CMU 35: 1.6)
BLENDS_PER_CALL = 5_000


def hips_ratios(graph: Graph, progress: Progress, stage: str) -> FloatArray:
    """(T,) the largest acceleration of the hips over the ground around each blend, over what is allowed.

    They may accelerate as much as anywhere in the clips, and ahead by what the change from one pace to the other takes.
    """
    places, fps, t = [clip.root[:, [0, 2]] for clip in graph.clips], graph.clips[0].fps, graph.transitions
    allowed = max(UNNOTICED, *(float(acceleration_along(place, fps).max()) for place in places))
    paces = frame_paces(graph.clips)
    most = np.hypot(allowed, (paces[t.a] - paces[t.b]) * fps / graph.blend)
    span, every = max(1, round(ACCELERATION_TIME * fps)), np.concatenate(places)
    near = np.arange(-graph.half - 2 * span, graph.half + 2 * span + 1)
    alpha = np.interp(near, np.arange(-graph.half, graph.half + 1), [0.0, *graph.weights, 1.0])[:, None]
    out = np.zeros(len(t))
    for s in slices(len(out), BLENDS_PER_CALL, progress, stage):
        a, b = (_around(graph, every, frames[s], near) for frames in (t.a, t.b))
        b = ground_turn(t.turn[s, None], b) + t.shift[s, None]
        mixed = np.where(alpha == 0, a, np.where(alpha == 1, b, (1 - alpha) * a + alpha * b))
        velocity = (mixed[:, span:] - mixed[:, :-span]) * fps / span
        change = np.linalg.norm(velocity[:, span:] - velocity[:, :-span], axis=-1) * fps / span
        out[s] = np.fmax.reduce(change, axis=1, initial=0.0) / most[s]
    return out


def _around(graph: Graph, every: FloatArray, frames: IntArray, near: IntArray) -> FloatArray:
    """(K, n, 2) the places at these frames around each frame; NaN beyond the ends of its clip."""
    at, clip = frames[:, None] + near, graph.clip_of[frames]
    inside = (at >= graph.starts[clip][:, None]) & (at < graph.starts[clip + 1][:, None])
    return np.where(inside[..., None], every[np.clip(at, 0, len(every) - 1)], np.nan)
