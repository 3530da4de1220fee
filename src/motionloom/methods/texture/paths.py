"""Places that lead along a path."""

from __future__ import annotations

import numpy as np

from motionloom.constraints import RootPath
from motionloom.constraints.bend_to_path import on_path
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
