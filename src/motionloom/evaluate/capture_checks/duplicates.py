"""Duplicates and mirrored duplicates among clips, which would leak from training into a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from motionloom.core import Clip, FloatArray, MotionloomError, Progress, same_hierarchy, silent
from motionloom.core.progress import Silent, each, parts
from motionloom.evaluate.measures.take import at_rate, pose_features
from motionloom.evaluate.measures.verbatim import verbatim_run
from motionloom.kinematics.mirror import mirror

RATE = 30.0  # fps at which takes are compared
PROBES = 6  # frames of each clip that are searched for in all others
MAX_FEATURE_DISTANCE = 0.02  # per joint: closer frames are candidates
MAX_ANGLE = np.radians(1.0)  # of a joint between equal frames, after resampling
MIN_SHARE = 0.7  # of the shorter clip's frames must be equal, in one run
STAGE = "searching for duplicates"
MIN_FRAMES = 10  # shorter clips are similar by chance


class Duplicate(NamedTuple):
    """Clip `b` contains the same motion as clip `a` (indices), perhaps mirrored, for `seconds`."""

    a: int
    b: int
    mirrored: bool
    seconds: float
    start_a: int  # first common frame, at 30 fps
    start_b: int


def find_duplicates(clips: Sequence[Clip], *, progress: Progress | None = None) -> list[Duplicate]:
    """Pairs of clips that share 70 % of the shorter one's frames in one run, every joint within 1 degree.

    Independent of bone lengths, position and heading. Six frames of each clip, and of its mirror image, are searched
    for among all frames of longer ones; only pairs that share three are compared in full.
    """
    report = progress or silent()
    prepared, compared = parts(report, [1, 4])
    plain = [at_rate(c, RATE) for c in each(clips, prepared, STAGE)]
    cases = [(members, mirrored) for members in _same_bodies(plain) for mirrored in (False, True)]
    out = []
    for (members, mirrored), step in zip(cases, parts(compared, [len(m) for m, _ in cases]), strict=True):
        out += _duplicates(plain, members, mirrored=mirrored, progress=step)
    report(1.0, STAGE)
    return sorted(out, key=lambda t: (t.a, t.b))


def _same_bodies(clips: Sequence[Clip]) -> list[list[int]]:
    """Groups of clips with the same joints: only those can be duplicates."""
    groups: list[list[int]] = []
    for i, clip in enumerate(clips):
        if len(clip) < MIN_FRAMES or not np.ptp(clip.rotations, axis=0).max() > 1e-6:
            continue
        home = next((g for g in groups if same_hierarchy(clips[g[0]].skeleton, clip.skeleton)), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    return [g for g in groups if len(g) > 1]


def _duplicates(clips: Sequence[Clip], members: list[int], *, mirrored: bool, progress: Progress) -> list[Duplicate]:
    from scipy.spatial import cKDTree

    features = {i: pose_features(clips[i]) for i in members}
    owner = np.concatenate([np.full(len(features[i]), i) for i in members])
    tree = cKDTree(np.concatenate([features[i] for i in members]))
    out = []
    for i in each(members, progress, STAGE):
        clip = _mirrored(clips[i]) if mirrored else clips[i]
        if clip is None:
            continue
        probes = _probes(pose_features(clip) if mirrored else features[i])
        reach = MAX_FEATURE_DISTANCE * np.sqrt(probes.shape[1] / 6)
        hits = Counter(j for found in tree.query_ball_point(probes, reach) for j in {int(owner[k]) for k in found})
        for j, count in hits.items():  # the shorter clip's frames are searched for in the longer one
            if 2 * count < len(probes) or (len(clip), i) >= (len(clips[j]), j):
                continue
            run = verbatim_run(clip, [clips[j]], within=MAX_ANGLE, progress=Silent(progress.stop))
            if run.length >= max(MIN_FRAMES, MIN_SHARE * len(clip)):
                starts = (run.start, run.frame) if i < j else (run.frame, run.start)
                out.append(Duplicate(min(i, j), max(i, j), mirrored, run.length / RATE, *starts))
    return out


def _probes(features: FloatArray) -> FloatArray:
    """A few frames spread over the clip, each the one of its part that is farthest from the mean pose."""
    parts = np.array_split(np.arange(len(features)), min(PROBES, len(features)))
    away = np.linalg.norm(features - features.mean(axis=0), axis=1)
    return np.stack([features[part[int(away[part].argmax())]] for part in parts])


def _mirrored(clip: Clip) -> Clip | None:
    try:
        return mirror(clip)
    except MotionloomError:  # a body without two sides has no mirror image
        return None
