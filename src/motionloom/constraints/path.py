"""How well a walked line follows a drawn one."""

from __future__ import annotations

import numpy as np

from motionloom.core import FloatArray

STEP = 0.02  # m: how finely a drawn path is sampled; the deviation is exact to half of it
MOST = 4000  # samples of one path, however long it is


def along_path(points: FloatArray, step: float = STEP) -> FloatArray:
    """The polyline through `points` (N, 2), sampled at equal steps; first and last point are kept."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(lengths)])
    count = int(np.clip(np.ceil(at[-1] / step), 1, MOST - 1)) + 1
    wanted = np.union1d(np.linspace(0.0, at[-1], count), at)  # corners are samples too
    return np.stack([np.interp(wanted, at, points[:, k]) for k in range(2)], 1)


def leg_deviations(place: FloatArray, points: FloatArray) -> FloatArray:
    """(F,) metres: for each frame of `place` (F, 2), how far it is from the part of the path it is paired with.

    The pairing runs forward along both, covers every frame and every sample of the path, and its largest distance is
    least: the discrete Fréchet distance (Eiter and Mannila 1994), c[f, s] = max(d[f, s], min(c[f-1, s], c[f, s-1],
    c[f-1, s-1])), filled along anti-diagonals, then traced back. A frame paired with several samples takes the worst.
    """
    samples = along_path(points)
    d = np.linalg.norm(place[:, None] - samples[None], axis=2)
    c = _coupling(d)
    out = np.zeros(len(place))
    f, s = d.shape[0] - 1, d.shape[1] - 1
    while True:
        out[f] = max(out[f], d[f, s])
        if f == 0 and s == 0:
            return out
        steps = [(f - 1, s - 1), (f - 1, s), (f, s - 1)]
        f, s = min((p for p in steps if p[0] >= 0 and p[1] >= 0), key=lambda p: c[p])


def _coupling(d: FloatArray) -> FloatArray:
    """c[f, s] of `leg_deviations`; one numpy step for each anti-diagonal f + s = k."""
    frames, samples = d.shape
    c = np.full((frames + 1, samples + 1), np.inf)  # a border of infinities in front
    c[1, 1] = d[0, 0]
    for k in range(1, frames + samples - 1):
        f = np.arange(max(0, k - samples + 1), min(frames, k + 1))
        s = k - f
        before = np.minimum(np.minimum(c[f, s + 1], c[f + 1, s]), c[f, s])
        c[f + 1, s + 1] = np.maximum(d[f, s], before)
    return c[1:, 1:]
