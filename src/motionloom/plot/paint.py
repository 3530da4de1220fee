"""Painting one posed body into matplotlib axes: shaded limbs from back to front, and a shadow on the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionloom.core import FloatArray
from motionloom.plot.body import Body
from motionloom.plot.style import INK, LINE, PAPER, TONES, mix, rgb
from motionloom.plot.view import View

_CIRCLE = np.stack(
    [np.cos(np.linspace(0, 2 * np.pi, 28, endpoint=False)), np.sin(np.linspace(0, 2 * np.pi, 28, endpoint=False))], -1
)
LIGHT = np.array([-0.35, 1.0, 0.35])  # to the light, in picture axes: from the upper left, a little from the front


def hull(points: FloatArray) -> FloatArray:
    """The convex hull of plane points (N, 2), counter-clockwise (Andrew's monotone chain)."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))].tolist()  # plain floats: many times as fast here

    def half(rows: list[list[float]]) -> list[list[float]]:
        out: list[list[float]] = []
        for p in rows:
            while len(out) > 1 and _left_turn(out[-2], out[-1], p) <= 0:
                out.pop()
            out.append(p)
        return out[:-1]

    return np.array(half(order) + half(order[::-1]))


def _left_turn(a: list[float], b: list[float], c: list[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def balls_outline(centres: FloatArray, radii: FloatArray) -> FloatArray:
    """Outline (N, 2) of the hull of discs at `centres` (n, 2): a limb, a trunk or a head."""
    return hull((centres[:, None] + radii[:, None, None] * _CIRCLE).reshape(-1, 2))


def paint_body(ax: Any, shape: Body, points: FloatArray, view: View, *, shift: FloatArray, fade: float = 0.0) -> None:
    """Draw one pose. `points` (P, 3) world; `shift` (2,) moves it in the picture; `fade` 0..1 towards the paper."""
    from matplotlib.collections import PolyCollection

    seen = view.project(points)
    depths = [float(seen[list(part.points), 2].mean()) + part.nearer for part in shape.parts]
    near, far = max(depths), min(depths)
    polygons, colours = [], []
    paper = rgb(PAPER)
    for k in np.argsort(depths):
        part = shape.parts[k]
        centres = seen[list(part.points), :2] + shift
        radii = np.array(part.radii)
        depth = (near - depths[k]) / max(near - far, 0.2 * shape.size)
        base = mix(mix(rgb(TONES[part.tone]), rgb("#aab3b8"), 0.30 * depth), paper, fade)
        lift = np.array([-0.30, 0.36])
        layers = [
            (1.0, 0.0, mix(base, rgb(INK), 0.30)),
            (0.86, 0.14, base),
            (0.55, 0.9, mix(base, paper, 0.16)),
            (0.22, 1.25, mix(base, paper, 0.34)),
        ]
        polygons.append(
            balls_outline(centres, radii + (0.003 if part.tone in ("middle", "eye") else 0.008) * shape.size)
        )
        colours.append(paper)
        for share, by, colour in layers if part.tone != "eye" else layers[:1]:
            polygons.append(balls_outline(centres + lift * by * radii[:, None] * 0.5, radii * share))
            colours.append(colour)
    ax.add_collection(PolyCollection(polygons, facecolors=colours, edgecolors="none", zorder=3))


def paint_shadow(
    ax: Any, shape: Body, points: FloatArray, view: View, *, ground: float, shift: FloatArray, strength: float = 1.0
) -> None:
    """Draw the body's shadow on the ground: soft, as one shape, so that limbs do not add up."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    near = np.array([-np.cos(view.yaw), 0.0, np.sin(view.yaw)])
    right = np.array([np.sin(view.yaw), 0.0, np.cos(view.yaw)])
    light = LIGHT[0] * right + LIGHT[1] * np.array([0.0, 1.0, 0.0]) + LIGHT[2] * near
    height = points[:, 1] - ground
    flat = points - light * (height / light[1])[:, None]
    for grow, alpha in ((0.035, 0.05), (0.015, 0.06), (0.0, 0.08)):
        vertices, codes = [], []
        for part in shape.parts:
            if part.tone == "eye":
                continue
            rings = [
                flat[i] + (r + grow * shape.size) * (_CIRCLE[:, :1] * right + _CIRCLE[:, 1:] * near)
                for i, r in zip(part.points, part.radii, strict=True)
            ]
            outline = hull(view.project(np.concatenate(rings))[:, :2]) + shift
            vertices.append(np.concatenate([outline, outline[:1]]))
            codes.append([Path.MOVETO] + [Path.LINETO] * (len(outline) - 1) + [Path.CLOSEPOLY])
        path = Path(np.concatenate(vertices), np.concatenate(codes))
        ax.add_patch(PathPatch(path, facecolor=INK, edgecolor="none", alpha=alpha * strength, zorder=1.5))


def paint_stroke(ax: Any, path: FloatArray, frame: int, fps: float) -> None:
    """A pen stroke (F, 2): in ink up to `frame`, thicker where it is slow; what is still to come in a pale line."""
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
