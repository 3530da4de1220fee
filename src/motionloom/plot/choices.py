"""Pictures of the choices at a frame of a two-level graph: poses of each, and its path and footprints from above."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.travel import travel
from motionloom.methods.two_level_graph import TwoLevelGraphModel
from motionloom.methods.two_level_graph.choices import DescribedChoice, choice_motion, describe_choices, footprints
from motionloom.plot.body import body, body_points
from motionloom.plot.figures import blank_axes, frame_axes, save_figure
from motionloom.plot.paint import paint_body, paint_shadow
from motionloom.plot.style import INK, LINE, QUIET, TONES
from motionloom.plot.view import View, ground_height

COLUMNS = 3
TILE = (3.9, 2.05)  # inches
POSES = 4  # of each choice: first, last, and two between
MAP_SIDE = 1.35  # inches, side of the map beside the poses
TITLE_HEIGHT = 0.3  # inches above a tile for its facts


def choices_picture(model: TwoLevelGraphModel, frame: int, found: Sequence[DescribedChoice], *, title: str = "") -> Any:
    """Draw the choices at a frame: a tile for each, with poses, and a map with the body's path and prints.

    In the maps the body begins at the cross and faces upwards; all have one scale. Left feet are warm, right ones cool.
    Returns the matplotlib axes (in inches).
    """
    rows = max(1, -(-len(found) // COLUMNS))
    head = 0.45 if title else 0.1
    wide, high = TILE[0] * min(COLUMNS, max(1, len(found))), TILE[1] * rows + head
    ax = blank_axes(wide, high)
    clips = [choice_motion(model, offer.choice) for offer in found]
    ground = np.concatenate([travel(clip).place for clip in clips] or [np.zeros((1, 2))])
    low, top = ground.min(0), ground.max(0)
    centre, side = (low + top) / 2, float((top - low).max()) + 0.7  # m: what a map shows
    for k, (offer, clip) in enumerate(zip(found, clips, strict=True)):
        corner = np.array([TILE[0] * (k % COLUMNS), -head - TILE[1] * (k // COLUMNS)])
        _write_facts(ax, offer, corner)
        _draw_poses(ax, clip, corner)
        _draw_map(ax, clip, corner, centre, side)
    if title:
        ax.text(0.15, -0.24, title, color=INK, fontsize=11, weight="bold", va="center")
        ax.text(wide - 0.15, -0.24, f"maps: {side:.1f} m wide", color=QUIET, fontsize=8, ha="right", va="center")
    return frame_axes(ax, wide, -high)


def save_choices(model: TwoLevelGraphModel, frame: int, path: str | Path, *, dpi: int = 130, **options: Any) -> None:
    """Write the picture of `describe_choices(model, frame, **options)`: PNG, or SVG or PDF by the suffix."""
    from motionloom.methods.graph.frame_names import frame_name

    found = describe_choices(model, frame, **options)
    ax = choices_picture(model, frame, found, title=f"from {frame_name(model.graph, frame)}")
    save_figure(ax.figure, path, dpi=dpi)


def _write_facts(ax: Any, offer: DescribedChoice, corner: FloatArray) -> None:
    y = corner[1] - 0.16
    ax.plot([corner[0] + 0.1, corner[0] + TILE[0] - 0.1], [corner[1], corner[1]], color=LINE, lw=0.8, zorder=0)
    ax.text(corner[0] + 0.15, y, f"{offer.number}", color=INK, fontsize=12, weight="bold", va="center")
    turn = np.degrees(offer.turn)
    side = f"turns {abs(turn):.0f}° {'left' if turn > 0 else 'right'}" if abs(turn) >= 5 else "straight on"
    facts = f"{offer.share:.0%}   {offer.seconds:.1f} s   {np.hypot(offer.left, offer.ahead):.1f} m   {side}"
    ax.text(corner[0] + 0.5, y, facts, color=QUIET, fontsize=8, va="center")


def _draw_poses(ax: Any, clip: Clip, corner: FloatArray) -> None:
    """Four poses side by side, seen from the front left, as they face."""
    shape = body(clip)
    points = body_points(clip, shape)
    room = TILE[0] - MAP_SIDE - 0.35
    tall = max(float(np.ptp(points[..., 1])), 1e-6)
    scale = min((TILE[1] - TITLE_HEIGHT - 0.35) / (1.12 * tall), room / POSES / (0.42 * tall))  # inches a metre
    ground = ground_height(points, shape.size)
    view = View(np.radians(62.0))
    scaled = _scaled(shape, scale)
    for k, frame in enumerate(np.linspace(0, len(clip) - 1, POSES).round().astype(int)):
        pose = points[frame] - clip.root[frame] * [1.0, 0.0, 1.0] - [0.0, ground, 0.0]
        at = np.array([corner[0] + 0.25 + room * (k + 0.5) / POSES, corner[1] - TILE[1] + 0.28])
        paint_shadow(ax, scaled, pose * scale, view, ground=0.0, shift=at)
        paint_body(ax, scaled, pose * scale, view, shift=at, fade=0.0 if k else 0.45)
        ax.text(at[0], corner[1] - TILE[1] + 0.1, f"{frame / clip.fps:.1f}", color=QUIET, fontsize=6.5, ha="center")


def _scaled(shape: Any, scale: float) -> Any:
    """The same body in inches."""
    from dataclasses import replace

    parts = tuple(replace(p, radii=tuple(r * scale for r in p.radii), nearer=p.nearer * scale) for p in shape.parts)
    return replace(shape, parts=parts, size=shape.size * scale)


def _draw_map(ax: Any, clip: Clip, corner: FloatArray, centre: FloatArray, side: float) -> None:
    """The path and the footprints from above: left in the picture is the body's left."""
    middle = np.array([corner[0] + TILE[0] - MAP_SIDE / 2 - 0.12, corner[1] - TITLE_HEIGHT - MAP_SIDE / 2 - 0.08])

    def put(xz: Any) -> FloatArray:
        # +x is to the left of a body that faces +z
        return middle + (np.asarray(xz, float) - centre) * [-1.0, 1.0] * (MAP_SIDE / side)

    box = MAP_SIDE / 2
    edge = middle + box * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
    ax.plot(edge[:, 0], edge[:, 1], color=LINE, lw=0.8, zorder=0)
    for mark in footprints(clip):
        ends = put([mark.heel, mark.toe])
        colour = TONES["left" if mark.foot.startswith("left") else "right"]
        ax.plot(ends[:, 0], ends[:, 1], color=colour, lw=3.2, alpha=0.6, solid_capstyle="round", zorder=2)
    line = put(travel(clip).place)
    ax.plot(line[:, 0], line[:, 1], color=INK, lw=1.0, zorder=3)
    ax.plot(*line[0], "+", color=INK, ms=7, zorder=4)
    facing = float(travel(clip).heading[-1])
    tip = line[-1] + 0.16 * np.array([-np.sin(facing), np.cos(facing)])
    ax.annotate("", tip, line[-1], arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.0}, zorder=4)
