"""Clusters of the upper level: groups of frames with similar poses and velocities (GUAN 2.4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from motionloom.core import BadRequest, Clip, FloatArray, IntArray
from motionloom.core.numbers import squared_distances
from motionloom.kinematics.loop import seam_features

MAX_ROUNDS = 100  # of Lloyd's algorithm, which usually converges much earlier


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of every frame, counted through all clips, and a representative frame of each cluster."""

    of: IntArray  # (N,) cluster of each frame
    example: IntArray  # (K,) the frame nearest to the cluster's mean

    @property
    def count(self) -> int:
        return len(self.example)


def cluster_features(clips: Sequence[Clip], *, velocities: bool = True) -> FloatArray:
    """(N, D) metres: joint positions, and `velocities` times 0.1 s, relative to the hips' place and heading.

    These are `seam_features`: the distance of two rows is a root mean square over joints. Velocities include the
    travel, so turns to the left and to the right are different clusters although their poses hardly differ.
    """
    rows = np.concatenate([seam_features(clip) for clip in clips])
    return rows if velocities else rows.reshape(len(rows), -1, 6)[..., :3].reshape(len(rows), -1)


def find_clusters(
    clips: Sequence[Clip], count: int, *, shortest: int, rng: Generator, velocities: bool = True
) -> Clusters:
    """Frames in `count` clusters (or as many as there are different frames), by k-means on `cluster_features`.

    GUAN only specifies "clustering analysis". k-means (Lloyd) with k-means++ seeds is deterministic for a given
    generator. Along each clip, a stay of fewer than `shortest` frames is merged with the nearer neighbour: a frame on
    the border between two clusters is not an action. Empty clusters are left out; the others are numbered by their
    frames, the largest first.
    """
    if count < 1:
        raise BadRequest(f"clusters: expected 1 or more, found {count}")
    features = cluster_features(clips, velocities=velocities)
    of, means = k_means(features, count, rng)
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    parts = [slice(int(a), int(b)) for a, b in pairwise(starts)]
    of = np.concatenate([merge_short_stays(of[p], features[p], means, shortest) for p in parts])
    return _numbered(of, features)


def k_means(features: FloatArray, count: int, rng: Generator) -> tuple[IntArray, FloatArray]:
    """Rows (N, D) in at most `count` groups about their means: (N,) group of each row and (K, D) means.

    Seeds by k-means++ (Arthur and Vassilvitskii 2007): each next one is a row drawn in proportion to its squared
    distance from the seeds so far. Then rows are assigned to the nearest mean and means recomputed (Lloyd 1982).
    """
    means = _seeds(features, count, rng)
    of = np.full(len(features), -1)
    for _ in range(MAX_ROUNDS):
        now = squared_distances(features, means).argmin(1)
        if np.array_equal(now, of):
            break
        of = now
        for k in range(len(means)):
            if (of == k).any():
                means[k] = features[of == k].mean(0)
    return of, means


def _seeds(features: FloatArray, count: int, rng: Generator) -> FloatArray:
    chosen = [int(rng.integers(len(features)))]
    away = squared_distances(features, features[chosen])[:, 0]
    while len(chosen) < count and away.max() > 1e-12:
        total = np.cumsum(away)
        chosen.append(int(np.searchsorted(total, rng.random() * total[-1], side="right").clip(0, len(away) - 1)))
        away = np.minimum(away, squared_distances(features, features[chosen[-1:]])[:, 0])
    return features[chosen].copy()


def merge_short_stays(of: IntArray, features: FloatArray, means: FloatArray, shortest: int) -> IntArray:
    """The clusters (F,) along one clip with stays of fewer than `shortest` frames merged, shortest stays first.

    A short stay takes the cluster before or after it, whichever mean is nearer to its frames.
    """
    of = of.copy()
    while True:
        cuts = np.concatenate([[0], np.flatnonzero(np.diff(of)) + 1, [len(of)]])
        lengths = np.diff(cuts)
        if len(lengths) < 2 or lengths.min() >= shortest:
            return of
        k = int(lengths.argmin())
        a, b = int(cuts[k]), int(cuts[k + 1])
        beside = [int(of[i]) for i in (a - 1, b) if 0 <= i < len(of)]
        far = [float(squared_distances(features[a:b], means[[c]]).sum()) for c in beside]
        of[a:b] = beside[int(np.argmin(far))]


def _numbered(of: IntArray, features: FloatArray) -> Clusters:
    """The non-empty clusters, the largest first, each with its most typical frame."""
    used, counts = np.unique(of, return_counts=True)
    order = used[np.argsort(-counts, kind="stable")]
    place = np.zeros(int(used.max()) + 1, np.int64)
    place[order] = np.arange(len(order))
    out = place[of]
    example = np.empty(len(order), np.int64)
    for k in range(len(order)):
        frames = np.flatnonzero(out == k)
        middle = features[frames].mean(0, keepdims=True)
        example[k] = frames[squared_distances(features[frames], middle)[:, 0].argmin()]
    return Clusters(out, example)
