"""Smooth lines to a place, and detours around obstacles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from motionloom.core import FloatArray
from motionloom.methods.graph.query.polyline import MAX_POINTS

OBSTACLE_MARGIN = 0.05  # m between obstacles and the lines that lead around them
DETOUR_REACH = 2.0  # m before and after an obstacle in which a line is changed
DETOUR_ROUNDING = 0.3  # m on either side over which a detour is rounded
DETOUR_SWEEPS = 200  # of the relaxation of a detour


def smooth_curve(here: FloatArray, facing: float, there: FloatArray, heading: float | None) -> FloatArray:
    """(K, 2) a smooth line from a place and heading to another: a cubic with tangents as long as their distance.

    Without a final heading its end has no curvature. A new heading at the same place gives a small loop.
    """
    apart = float(np.linalg.norm(there - here))
    size = max(apart, 0.5 if heading is not None else 0.0)
    first = size * np.array([np.sin(facing), np.cos(facing)])
    if heading is None:
        last = 1.5 * (there - here) - 0.5 * first  # no curvature at its end
    else:
        last = size * np.array([np.sin(heading), np.cos(heading)])
    u = np.linspace(0.0, 1.0, min(MAX_POINTS, max(2, int(np.ceil(size / 0.1)) + 1)))[:, None]
    a, b = 2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u
    c, d = -2 * u**3 + 3 * u**2, u**3 - u**2
    return a * here + b * first + c * there + d * last


def around_circles(points: FloatArray, circles: FloatArray) -> FloatArray:
    """A line (K, 2) led around circles, with a margin: a band pulled tight around each; its ends are kept.

    Points within `DETOUR_REACH` of a circle along the line may move. In each sweep they go to the middle of their
    neighbours, and those inside a circle out of it, all to the side of the centre on which most of the line lies. Then
    corners are rounded over `DETOUR_ROUNDING`.
    """
    out = points.copy()
    spacing = line_length(points) / max(len(points) - 1, 1)
    for x, z, radius in circles:
        centre, keep = np.array([x, z]), radius + 2 * OBSTACLE_MARGIN
        inside = np.flatnonzero(np.linalg.norm(out - centre, axis=1) < keep)
        if not len(inside):
            continue
        first, last = int(inside[0]), int(inside[-1])
        steps = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(out, axis=0), axis=1))])
        near = (steps > steps[first] - DETOUR_REACH) & (steps < steps[last] + DETOUR_REACH)
        near[[0, -1]] = False
        chord = out[min(last + 1, len(out) - 1)] - out[max(first - 1, 0)]
        normal = np.array([chord[1], -chord[0]]) / max(float(np.linalg.norm(chord)), 1e-9)
        side = normal if ((out[inside] - centre) @ normal).sum() >= 0 else -normal
        for _ in range(DETOUR_SWEEPS):
            middle = out.copy()
            middle[1:-1] = 0.5 * (out[:-2] + out[2:])
            out = np.where(near[:, None], middle, out)
            away = out - centre
            apart = np.linalg.norm(away, axis=1)
            deep = near & (apart < keep)
            away[deep] += np.maximum(0.0, 0.05 - away[deep] @ side)[:, None] * side  # out on one side
            away /= np.maximum(np.linalg.norm(away, axis=1), 1e-9)[:, None]
            out[deep] = (centre + keep * away)[deep]
    half = max(1, round(DETOUR_ROUNDING / max(spacing, 1e-9)))
    return points + _rounded(out - points, half) if (out != points).any() else out


def _rounded(values: FloatArray, half: int) -> FloatArray:
    """Values (K, 2) averaged over up to `half` neighbours on either side, fewer at the ends."""
    at = np.arange(len(values))
    reach = np.minimum(np.minimum(at, at[::-1]), half)
    total = np.concatenate([np.zeros((1, 2)), np.cumsum(values, axis=0)])
    return np.asarray((total[at + reach + 1] - total[at - reach]) / (2 * reach + 1)[:, None])


def end_direction(points: FloatArray, facing: float) -> float:
    """The direction of a line at its end, rad."""
    for a, b in pairwise(points[::-1]):
        if np.linalg.norm(a - b) > 1e-6:
            return float(np.arctan2(*(a - b)))
    return facing


def line_length(points: FloatArray) -> float:
    """Metres along a line (K, 2)."""
    return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
