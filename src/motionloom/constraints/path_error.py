"""Deviation of a travelled line from a drawn path (discrete Fréchet distance)."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core import FloatArray

STEP = 0.02  # m: how finely a drawn path is sampled; the deviation is exact to half of it
MAX_SAMPLES = 4000  # samples of one path, however long it is


def along_path(points: FloatArray, step: float = STEP) -> FloatArray:
    """The polyline through `points` (N, 2), sampled at equal steps; first and last point are kept."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(lengths)])
    count = int(np.clip(np.ceil(at[-1] / step), 1, MAX_SAMPLES - 1)) + 1
    wanted = np.union1d(np.linspace(0.0, at[-1], count), at)  # corners are samples too
    return np.stack([np.interp(wanted, at, points[:, k]) for k in range(2)], 1)


def leg_deviations(place: FloatArray, points: FloatArray) -> FloatArray:
    """(F,) metres: for each frame of `place` (F, 2), how far it is from the part of the path it is paired with.

    The pairing runs forward along both, covers every frame and every sample of the path, and its largest distance is
    least: the discrete Fréchet distance (Eiter and Mannila 1994), c[f, s] = max(d[f, s], min(c[f-1, s], c[f, s-1],
    c[f-1, s-1])), filled along anti-diagonals, then traced back. A frame paired with several samples takes the worst.
    """
    samples = along_path(points)
    choice = _coupling(place, samples)
    out = np.zeros(len(place))
    f, s = len(place) - 1, len(samples) - 1
    while True:
        out[f] = max(out[f], float(np.linalg.norm(place[f] - samples[s])))
        if f == 0 and s == 0:
            return out
        back, aside = STEPS[choice[f, s]]
        f, s = f - back, s - aside


STEPS = ((1, 1), (1, 0), (0, 1))  # where a pair comes from: both a step back, only the frame, only the sample


def _coupling(place: FloatArray, samples: FloatArray) -> Any:
    """(F, S) bytes: which of `STEPS` the best pairing takes to each pair. Two anti-diagonals of c are kept, not all."""
    frames, count = len(place), len(samples)
    choice = np.zeros((frames, count), np.uint8)
    before = np.full(frames + 1, np.inf)  # c on anti-diagonal k - 1, by f + 1; a border of infinity in front
    older = np.full(frames + 1, np.inf)  # and on k - 2
    for k in range(frames + count - 1):
        f = np.arange(max(0, k - count + 1), min(frames, k + 1))
        s = k - f
        d = np.linalg.norm(place[f] - samples[s], axis=1)
        came = np.stack([older[f], before[f], before[f + 1]])
        came[2, s == 0] = np.inf
        pick = came.argmin(0)
        choice[f, s] = pick
        here = np.full(frames + 1, np.inf)
        here[f + 1] = d if k == 0 else np.maximum(d, came[pick, np.arange(len(f))])
        older, before = before, here
    return choice
