"""Places that lead along a path."""

from __future__ import annotations

import numpy as np

from motionloom.constraints import RootPath
from motionloom.core import FloatArray


def path_places(path: RootPath, frames: int, fps: float) -> dict[int, FloatArray]:
    """Places (2,) on a path by frame: its points at their times; without times about one a second, at an even speed."""
    points = np.array(path.points)
    at = path.frames(frames, fps)
    if at is not None:
        return dict(zip(at, points, strict=True))
    shares = np.linspace(0.0, 1.0, max(2, round(frames / fps) + 1))
    line = on_path(points, shares)
    return {round(share * (frames - 1)): place for share, place in zip(shares.tolist(), line, strict=True)}


def on_path(points: FloatArray, shares: FloatArray) -> FloatArray:
    """(S, 2) the places at shares 0..1 of the length of a path through points (P, 2)."""
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return np.stack([np.interp(shares * lengths[-1], lengths, points[:, k]) for k in range(2)], 1)
