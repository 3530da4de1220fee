"""Polylines with equally spaced points, by arc length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from motionloom.core import BadRequest, FloatArray

SPACING = 0.02  # m between the points of a line
MAX_POINTS = 200_000  # of one line, however long


@dataclass(frozen=True, eq=False)
class Line:
    """P(s) of GUAN eq 2.15: the point at arc length s = k spacing is `points[k]`."""

    points: FloatArray  # (M, 2) metres
    spacing: float  # metres between two of them along the path

    @property
    def length(self) -> float:
        """Metres from its start to its end."""
        return self.spacing * (len(self.points) - 1)

    @cached_property
    def heading(self) -> FloatArray:
        """(M,) radians: the direction of the path, over 20 cm."""
        reach = max(1, round(0.1 / self.spacing))
        at = np.arange(len(self.points))
        ahead = self.points[np.minimum(at + reach, len(at) - 1)] - self.points[np.maximum(at - reach, 0)]
        return np.asarray(np.arctan2(ahead[:, 0], ahead[:, 1]))

    def at(self, metres: float) -> FloatArray:
        """The point at an arc length."""
        k = np.clip(metres / self.spacing, 0, len(self.points) - 1)
        return np.array([np.interp(k, np.arange(len(self.points)), self.points[:, i]) for i in range(2)])


def line_through(corners: ArrayLike) -> Line:
    """The polyline through `corners` (K, 2) at equal steps of about 2 cm.

    >>> line_through([[0, 0], [0, 1], [1, 1]]).length
    2.0
    """
    corners = np.asarray(corners, float)
    legs = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    at = np.concatenate([[0.0], np.cumsum(legs)])
    if len(corners) < 2 or at[-1] < SPACING:
        raise BadRequest(f"expected a path longer than {SPACING:g} m, found {len(corners)} points in one place")
    count = min(MAX_POINTS, int(np.ceil(at[-1] / SPACING - 1e-9))) + 1
    s = np.linspace(0.0, at[-1], count)
    points = np.stack([np.interp(s, at, corners[:, k]) for k in range(2)], 1)
    return Line(points, float(at[-1]) / (count - 1))
