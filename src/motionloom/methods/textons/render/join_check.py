"""A check of joins: each near join is rendered once while learning, and those with high accelerations are excluded.

Bending a segment towards key poses that are not its own is harmless where joints move calmly. Where two joints turn
fast against each other (an upper arm and a forearm that a capture twists to and fro), their bends no longer cancel.
"""

from __future__ import annotations

import numpy as np

from motionloom.core import BoolArray, FloatArray, Progress, Skeleton, silent
from motionloom.core.progress import each
from motionloom.kinematics.fk import positions
from motionloom.kinematics.local_frames import Frames, joined
from motionloom.methods.textons.plan.pieces import piece_of
from motionloom.methods.textons.render.synthesis import Synthesizer
from motionloom.methods.textons.segments import Segments

ACCELERATION_STEP = 1 / 30  # s: accelerations are second differences over this time, as in the measure of quality
JOINS_TRIED = 40  # for each segment
NEXT_FRAMES = 8  # frames of the next segment that count, too
MAX_PEAK_RATIO = 1.7  # a join may increase a segment's peak acceleration by this factor at most,
CALM_QUANTILE = 0.75  # unless the result is below this quantile of all segments' peaks


def join_peaks(synthesizer: Synthesizer, distance: FloatArray, progress: Progress | None = None) -> FloatArray:
    """(n, n) m/s^2: peak acceleration of a segment that is bent towards the beginning of another; inf: not tried.

    Peak over frames of the RMS over joints, relative to the hips. The nearest joins are tried, without noise.
    """
    segments = synthesizer.segments
    out = np.full((len(segments), len(segments)), np.inf)
    rng = np.random.default_rng(0)
    for a in each(range(len(segments)), progress or silent(), "trying joins"):
        piece = piece_of(segments, a)
        for b in np.argsort(distance[a], kind="stable")[:JOINS_TRIED].tolist():
            frames = synthesizer.piece_frames(piece, piece_of(segments, b), rng, noise=0.0)
            following = segments[b].frames[:NEXT_FRAMES]
            out[a, b] = peak_acceleration(joined([frames, following]), segments.skeleton, segments.fps)
    return out


def segment_peaks(segments: Segments) -> FloatArray:
    """(n,) m/s^2: the peak acceleration of every observed segment."""
    return np.array([peak_acceleration(o.frames, segments.skeleton, segments.fps) for o in segments.observed])


def peak_acceleration(frames: Frames, skeleton: Skeleton, fps: float) -> float:
    """The largest RMS over joints of acceleration relative to the hips, m/s^2; 0 for one joint or too few frames."""
    step = max(1, round(ACCELERATION_STEP * fps))
    if len(frames) < 2 * step + 1 or len(skeleton) < 2:
        return 0.0
    places = positions(skeleton, np.zeros((len(frames), 3)), frames.turns)[:, 1:]
    second = (places[2 * step :] - 2 * places[step:-step] + places[: -2 * step]) * (fps / step) ** 2
    return float(np.sqrt(np.einsum("fjc,fjc->f", second, second).max() / places.shape[1]))


def gentle_joins(synthesizer: Synthesizer, distance: FloatArray, progress: Progress | None = None) -> BoolArray:
    """(n, n) joins that were tried and keep accelerations within the limits."""
    peaks, own = join_peaks(synthesizer, distance, progress), segment_peaks(synthesizer.segments)
    limit = np.maximum(MAX_PEAK_RATIO * own, np.quantile(own, CALM_QUANTILE) if len(own) else 0.0)
    return np.asarray(peaks <= limit[:, None])
