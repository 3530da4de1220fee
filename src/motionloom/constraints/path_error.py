"""Deviation of a travelled line from a drawn path (discrete Fréchet distance)."""

from __future__ import annotations

import numpy as np

from motionloom.constraints._kernels_path import couple
from motionloom.core import FloatArray

STEP = 0.02  # m: how finely a drawn path is sampled; the deviation is exact to half of it
MAX_SAMPLES = 4000  # samples of one path, however long it is,
MAX_PAIRS = 2**28  # and fewer for very long motion: pairs of a frame and a sample, a byte each


def along_path(points: FloatArray, step: float = STEP, most: int = MAX_SAMPLES) -> FloatArray:
    """The polyline through `points` (N, 2), sampled at equal steps, `most` at most; its corners are kept."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(lengths)])
    count = int(np.clip(np.ceil(at[-1] / step), 1, most - 1)) + 1
    wanted = np.union1d(np.linspace(0.0, at[-1], count), at)  # corners are samples too
    return np.stack([np.interp(wanted, at, points[:, k]) for k in range(2)], 1)


def leg_deviations(place: FloatArray, points: FloatArray) -> FloatArray:
    """(F,) metres: for each frame of `place` (F, 2), how far it is from the part of the path it is paired with.

    The pairing runs forward along both, covers every frame and every sample of the path, and its largest distance is
    least: the discrete Fréchet distance (Eiter and Mannila 1994), c[f, s] = max(d[f, s], min(c[f-1, s], c[f, s-1],
    c[f-1, s-1])), then traced back. A frame paired with several samples takes the worst.
    """
    samples = along_path(points, most=max(2, min(MAX_SAMPLES, MAX_PAIRS // len(place))))
    choice = np.empty((len(place), len(samples)), np.uint8)
    couple(np.ascontiguousarray(place), samples, choice)
    out = np.zeros(len(place))
    f, s = len(place) - 1, len(samples) - 1
    while True:
        out[f] = max(out[f], float(np.linalg.norm(place[f] - samples[s])))
        if f == 0 and s == 0:
            return out
        back, aside = STEPS[choice[f, s]]
        f, s = f - back, s - aside


def nearest_distances(place: FloatArray, points: FloatArray) -> FloatArray:
    """(F,) metres: how far each place (F, 2) is from the nearest point of the polyline through `points` (N, 2)."""
    out = np.linalg.norm(place - points[0], axis=1)
    for start, line in zip(points[:-1], np.diff(points, axis=0), strict=True):
        along = np.clip((place - start) @ line / max(float(line @ line), 1e-12), 0.0, 1.0)
        out = np.minimum(out, np.linalg.norm(place - start - along[:, None] * line, axis=1))
    return np.asarray(out)


STEPS = ((1, 1), (1, 0), (0, 1))  # where a pair comes from: both a step back, only the frame, only the sample
