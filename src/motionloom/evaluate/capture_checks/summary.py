"""What a clip contributes to the checks that compare clips: small, so that thousands of clips fit into memory."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from motionloom.core import Clip, FloatArray, MotionloomError, Skeleton
from motionloom.evaluate.capture_checks.findings import Finding, in_file
from motionloom.evaluate.capture_checks.free_fall import FreeFall, free_falls
from motionloom.evaluate.capture_checks.stride_rate import Stride, strides
from motionloom.evaluate.measures.prepared_clip import at_rate, pose_features
from motionloom.kinematics.mirror import mirror

RATE = 30.0  # fps at which takes are compared
PROBES = 6  # frames of each clip that are searched for in all others
MIN_FRAMES = 10  # shorter clips are similar by chance
SKETCH = 16  # numbers that stand for a pose

Sketches = NDArray[np.float32]


class ClipSummary(NamedTuple):
    """The findings of a clip by itself, and what is compared with other clips."""

    name: str
    skeleton: Skeleton
    fps: float
    findings: list[Finding]
    falls: list[FreeFall]
    first_fall: int  # its frame in the file; 0 without a fall
    strides: list[Stride]
    poses: Sketches  # (F, SKETCH) at `RATE`; none if the clip is too short or nothing moves
    probes: Sketches  # (P, SKETCH) some of them
    mirrored_probes: Sketches  # (P, SKETCH) of the mirror image; none for bodies without one


def summary(clip: Clip, findings: list[Finding]) -> ClipSummary:
    """The summary of a clip without a T-pose in frame 0."""
    rated = rate_summary(clip)._replace(findings=findings)
    plain = at_rate(clip, RATE)
    if len(plain) >= MIN_FRAMES and np.ptp(plain.rotations, axis=0).max() > 1e-6:
        features = pose_features(plain)
        poses, probes = sketches(features), sketches(_probes(features))
        image = mirror_image(plain)
        mirrored = rated.mirrored_probes if image is None else sketches(_probes(pose_features(image)))
        return rated._replace(poses=poses, probes=probes, mirrored_probes=mirrored)
    return rated


def rate_summary(clip: Clip) -> ClipSummary:
    """What shows the frame rate of a clip without a T-pose in frame 0, and nothing else: milliseconds for a clip."""
    falls = free_falls(clip)
    first = in_file(clip, falls[0].start) if falls else 0
    none: Sketches = np.zeros((0, SKETCH), np.float32)
    return ClipSummary(clip.name or "clip", clip.skeleton, clip.fps, [], falls, first, strides(clip), none, none, none)


def sketches(features: FloatArray) -> Sketches:
    """Pose features (F, D) as fewer numbers; distances of poses are kept to about a fifth (random projection)."""
    return np.asarray(features @ _projection(features.shape[1]), np.float32)


@lru_cache
def _projection(size: int) -> FloatArray:
    return np.random.default_rng([size]).normal(0.0, SKETCH**-0.5, (size, SKETCH))


def _probes(features: FloatArray) -> FloatArray:
    """A few frames spread over the clip, each the one of its part that is farthest from the mean pose."""
    parts = np.array_split(np.arange(len(features)), min(PROBES, len(features)))
    away = np.linalg.norm(features - features.mean(axis=0), axis=1)
    return np.stack([features[part[int(away[part].argmax())]] for part in parts])


def mirror_image(clip: Clip) -> Clip | None:
    """The mirrored clip; None for a body without two sides."""
    try:
        return mirror(clip)
    except MotionloomError:
        return None
