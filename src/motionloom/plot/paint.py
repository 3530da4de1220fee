"""Posed bodies, their shadows and pen strokes in matplotlib axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core import FloatArray
from motionloom.plot.shading import body_polygons, shadow_outlines
from motionloom.plot.shape import DrawnBody
from motionloom.plot.style import INK, LINE, TONES
from motionloom.plot.view import View


def paint_body(
    ax: Any, shape: DrawnBody, points: FloatArray, view: View, *, shift: FloatArray, fade: float = 0.0
) -> None:
    """Draw one pose. `points` (P, 3) world; `shift` (2,) moves it in the picture; `fade` 0..1 towards the paper."""
    from matplotlib.collections import PolyCollection

    polygons, colours = body_polygons(shape, view.project(points), fade=fade)
    ax.add_collection(PolyCollection(list(polygons + shift), facecolors=colours, edgecolors="none", zorder=3))


def paint_shadow(
    ax: Any,
    shape: DrawnBody,
    points: FloatArray,
    view: View,
    *,
    ground: float,
    shift: FloatArray,
    strength: float = 1.0,
) -> None:
    """Draw the body's shadow on the ground: soft, as one shape, so that limbs do not add up."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    for grow, alpha in ((0.035, 0.05), (0.015, 0.06), (0.0, 0.08)):
        rings = shadow_outlines(shape, points, view, ground, grow * shape.size) + shift
        closed = np.concatenate([rings, rings[:, :1]], axis=1)
        codes = [Path.MOVETO] + [Path.LINETO] * (rings.shape[1] - 1) + [Path.CLOSEPOLY]
        path = Path(closed.reshape(-1, 2), codes * len(rings))
        ax.add_patch(PathPatch(path, facecolor=INK, edgecolor="none", alpha=alpha * strength, zorder=1.5))


def paint_stroke(ax: Any, path: FloatArray, frame: int, fps: float) -> None:
    """A pen stroke (F, 2): in ink up to `frame`, thicker where it is slow; the rest as a pale line."""
    from matplotlib.collections import LineCollection

    ax.plot(path[:, 0], path[:, 1], color=LINE, lw=1.2, zorder=1, solid_capstyle="round")
    drawn = path[: frame + 1]
    if len(drawn) > 1:
        speed = np.linalg.norm(np.diff(path, axis=0), axis=1) * fps
        slow = 1.0 - speed[: len(drawn) - 1] / max(float(speed.max()), 1e-12)
        lines = np.stack([drawn[:-1], drawn[1:]], axis=1)
        ax.add_collection(
            LineCollection(list(lines), linewidths=1.6 + 2.2 * slow, colors=INK, capstyle="round", zorder=2)
        )
    ax.plot(*path[0], "o", color=TONES["right"], ms=3.5, zorder=3)
    ax.plot(*drawn[-1], "o", color=TONES["left"], ms=6, zorder=4)
