"""Filmstrips: the poses of a clip in a row, with seconds, foot trails, footprints and streamers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.core import Clip, FloatArray, Progress, silent
from motionloom.core.progress import each, parts
from motionloom.core.watched import watched
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.travel import travel
from motionloom.plot.figures import blank_axes, frame_axes, picture_kind, save_figure
from motionloom.plot.filmstrip_layout import StripRow, lay_out, lay_out_aligned
from motionloom.plot.paint import paint_body, paint_shadow, paint_stroke
from motionloom.plot.requested_paths import requested_paths
from motionloom.plot.style import INK, LINE, QUIET, SOURCES, TONES
from motionloom.plot.view import FootTrail

MAX_WIDTH, MAX_HEIGHT, MIN_WIDTH = (
    11.0,
    3.4,
    3.6,
)  # inches: the widest row, the tallest, and room for a title and its facts
TITLE_HEIGHT, TIME_HEIGHT = 0.42, 0.34  # inches: for the title above a row, for the seconds below


def filmstrip(
    clips: Clip | Sequence[Clip],
    *,
    ax: Any = None,
    poses: int | None = None,
    titles: Sequence[str] | None = None,
    trails: bool = True,
    streamers: Sequence[str] = (),
    aligned: bool | None = None,
    start: float = 0.0,
    progress: Progress | None = None,
) -> Any:
    """Draw clips as filmstrips, one row each (before and after, for example), and return the matplotlib axes.

    A body that walks far and straight is drawn where it stood, like a multiple exposure; others are set side by side.
    Left limbs are warm, right ones cool. A foot's trail is thin in the air; its prints show where it stood.
    The path that a result's request asked for lies on the floor where poses stand where they stood.
    `streamers` are joints, by role or name, whose paths are drawn. With `aligned`, rows show the same times in columns;
    by default they do if the clips are equally long. `start` (s) is the time of the first frame on the files' clock.
    """
    rows = [clips] if isinstance(clips, Clip) else list(clips)
    measuring, drawing = parts(progress or silent(), [1, 3])
    names = list(titles) if titles is not None else [clip.name for clip in rows]
    if aligned is None:
        aligned = len(rows) > 1 and np.ptp([clip.seconds for clip in rows]) < 1.5 / min(clip.fps for clip in rows)
    if aligned and len(rows) > 1:
        laid = lay_out_aligned(rows, names, poses, trails=trails, progress=measuring)
    else:
        named = each(list(zip(rows, names, strict=True)), measuring, "drawing")
        laid = [lay_out(clip, name, poses, trails=trails) for clip, name in named]
    laid = [replace(row, start=start, streamers=_joints(row.clip, streamers)) for row in laid]
    scales = [max((row.box[1] - row.box[0]) / MAX_WIDTH, (row.box[3] - row.box[2]) / MAX_HEIGHT) for row in laid]
    if max(scales) > 4 * min(scales):
        return _own_scales(laid, ax, scales, drawing)
    return _rows(laid, ax, max(scales), drawing)


def _own_scales(laid: list[StripRow], ax: Any, scales: list[float], progress: Progress) -> Any:
    """Rows of very different size (a person and a pen), each in axes and with a scale of its own."""
    heights = [
        (row.box[3] - row.box[2]) / inch + TITLE_HEIGHT + TIME_HEIGHT for row, inch in zip(laid, scales, strict=True)
    ]
    widths = [(row.box[1] - row.box[0]) / inch for row, inch in zip(laid, scales, strict=True)]
    ax = blank_axes(max(widths), sum(heights)) if ax is None else ax
    top = 0.0
    for row, inch, height in each(list(zip(laid, scales, heights, strict=True)), progress, "drawing"):
        inset = ax.inset_axes((0, top - height, max(widths), height), transform=ax.transData)
        _rows([row], inset, inch, silent(), max(widths))
        top -= height
    return frame_axes(ax, max(widths), top)


def _rows(laid: list[StripRow], ax: Any, inch: float, progress: Progress, least: float = 0.0) -> Any:
    """Rows under each other with one scale: `inch` metres of the scene per inch of the picture, `least` inches wide."""
    width = max(*(row.box[1] - row.box[0] for row in laid), least * inch, MIN_WIDTH * inch)
    head, foot = TITLE_HEIGHT * inch, TIME_HEIGHT * inch
    heights = [row.box[3] - row.box[2] + head + foot for row in laid]
    if ax is None:
        ax = blank_axes(width / inch, sum(heights) / inch)
    top = 0.0
    for row, height in each(list(zip(laid, heights, strict=True)), progress, "drawing"):
        left, _, _, high = row.box
        _draw_row(ax, row, np.array([-left, top - head - high]), width, (top, top - height), inch)
        top -= height
    return frame_axes(ax, width, top)


@watched
def save_filmstrip(
    clips: Clip | Sequence[Clip], path: str | Path, *, dpi: int = 130, progress: Progress | None = None, **options: Any
) -> None:
    """Write a filmstrip as PNG, SVG or PDF by the suffix of `path`. Missing folders are made."""
    picture_kind(path)  # before anything is drawn
    drawing, saving = parts(progress or silent(), [2, 1])
    axes = filmstrip(clips, **options, progress=drawing)
    saving(0.0, "writing")
    save_figure(axes.figure, path, dpi=dpi)
    saving(1.0, "writing")


def _draw_row(ax: Any, row: StripRow, drop: FloatArray, width: float, span: tuple[float, float], inch: float) -> None:
    """One clip between the heights `span`; `drop` moves its picture there."""
    shifts = row.shifts + drop
    if not row.shape.parts:
        for k, frame in enumerate(row.frames):
            paint_stroke(ax, row.view.project(row.points[:, 0])[:, :2] + shifts[k], int(frame), row.clip.fps)
    else:
        _draw_bodies(ax, row, drop, width, shifts)
    for frame, x in zip(row.frames, row.stand[:, 0] + drop[0], strict=True):
        time = f"{row.start + frame / row.clip.fps:.2f} s"
        ax.text(x, span[1] + 0.18 * inch, time, ha="center", va="center", color=QUIET, fontsize=8)
    y = span[0] - 0.24 * inch
    ax.text(0.12 * inch, y, row.title, ha="left", va="center", color=INK, fontsize=11, weight="bold")
    _scale(ax, row, width - 0.14 * inch, y, inch)


def _draw_bodies(ax: Any, row: StripRow, drop: FloatArray, width: float, shifts: FloatArray) -> None:
    """Floor lines, shadows, trails, then the bodies from back to front."""
    deep = 0.55 * row.shape.size * np.sin(row.view.pitch)
    for y in np.linspace(row.stand[:, 1].min() - deep, row.stand[:, 1].max() + deep, 4) + drop[1]:
        ax.plot([0, width], [y, y], color=LINE, lw=0.7, zorder=0)
    for k, frame in enumerate(row.frames):
        levels = [_level(row, trail, int(frame)) for trail in row.trails if trail.contact[frame]]
        ground = min(levels, default=row.ground)
        paint_shadow(ax, row.shape, row.points[frame], row.view, ground=ground, shift=shifts[k])
    for path in requested_paths(row.clip) if row.connected else ():
        floor = np.stack([path[:, 0], np.full(len(path), row.ground), path[:, 1]], -1)
        ax.plot(*(row.view.project(floor)[:, :2] + shifts[0]).T, color=SOURCES[1], lw=2.2, alpha=0.5, zorder=1)
    for trail in row.trails:
        _draw_foot_trail(ax, row, trail, shifts)
    for i, joint in enumerate(row.streamers):
        _draw_path(ax, row, joint, shifts, color=SOURCES[i % len(SOURCES)], lw=1.6, alpha=0.9, zorder=2.5)
    depths = row.view.project(row.clip.root[row.frames])[:, 2]
    for k in np.argsort(depths) if row.connected else range(len(row.frames)):
        paint_body(ax, row.shape, row.points[row.frames[k]], row.view, shift=shifts[k])


def _draw_foot_trail(ax: Any, row: StripRow, trail: FootTrail, shifts: FloatArray) -> None:
    """One foot's path near each pose, and a print where it stood."""
    colour = TONES[trail.side]
    _draw_path(ax, row, trail.points[-1], shifts, color=colour, lw=0.9, alpha=0.55, zorder=2)
    for shift, (a, b) in zip(shifts, _pose_spans(row), strict=False):
        for start, stop in runs(trail.contact):
            middle = (start + stop) // 2
            if a <= middle < b:
                sole = row.points[middle, list(trail.points)].copy()
                sole[:, 1] = _level(row, trail, middle)
                sole = row.view.project(sole)[:, :2] + shift
                ax.plot(sole[:, 0], sole[:, 1], color=colour, lw=4.5, alpha=0.5, solid_capstyle="round", zorder=1.8)


def _draw_path(ax: Any, row: StripRow, point: int, shifts: FloatArray, **look: Any) -> None:
    """The path of a point of the body: whole where poses stand where they stood, else a piece about each pose."""
    path = row.view.project(row.points[:, point])[:, :2]
    for shift, (a, b) in zip(shifts, _pose_spans(row), strict=False):
        ax.plot(*(path[a : b + 1] + shift).T, **look)


def _pose_spans(row: StripRow) -> list[tuple[int, int]]:
    """Frames that are drawn with each pose; all of them with the first, if poses stand where they stood."""
    if row.connected:
        return [(0, len(row.clip))]
    half = np.diff(row.frames) / 2
    marks = np.concatenate([[0], row.frames[:-1] + half, [len(row.clip)]]).astype(int)
    return [_near(row, int(f), a, b) for f, (a, b) in zip(row.frames, pairwise(marks.tolist()), strict=True)]


def _joints(clip: Clip, names: Sequence[str]) -> tuple[int, ...]:
    return tuple(clip.skeleton.joint(name) for name in names)


def _level(row: StripRow, trail: FootTrail, frame: int) -> float:
    """The height on which a foot stands: the floor, or a stair well above it (m)."""
    foot = float(row.points[frame, list(trail.points), 1].min())
    return foot if foot > row.ground + 0.06 * row.shape.size else row.ground


def _near(row: StripRow, frame: int, start: int, stop: int) -> tuple[int, int]:
    """The part of frames start..stop about `frame` in which the body stays within its own place in the row."""
    here = row.clip.root[frame, [0, 2]]
    away = np.linalg.norm(row.clip.root[start:stop, [0, 2]] - here, axis=1) > 0.45 * row.apart
    before, after = np.flatnonzero(away[: frame - start]), np.flatnonzero(away[frame - start :])
    return start + (int(before[-1]) + 1 if len(before) else 0), frame + int(after[0]) if len(after) else stop


def _scale(ax: Any, row: StripRow, right: float, y: float, inch: float) -> None:
    """A bar of known length, and the clip's facts beside it."""
    metres = next((m for m in (5.0, 1.0, 0.5, 0.1, 0.05, 0.01, 0.001) if m < 1.6 * inch), inch)
    left = right - metres
    ax.plot([left, right], [y, y], color=INK, lw=1.2, zorder=5)
    for x in (left, right):
        ax.plot([x, x], [y - 0.04 * inch, y + 0.04 * inch], color=INK, lw=1.2, zorder=5)
    text = f"{metres:g} m" if metres >= 1 else f"{metres * 100:g} cm"
    ax.text((left + right) / 2, y + 0.05 * inch, text, ha="center", va="bottom", color=INK, fontsize=7)
    length = float(np.linalg.norm(np.diff(travel(row.clip).place, axis=0), axis=1).sum())
    facts = f"{row.clip.seconds:.2f} s,  {row.clip.fps:.4g} fps" + (f",  {length:.1f} m" if row.shape.parts else "")
    ax.text(left - 0.2 * inch, y, facts, ha="right", va="center", color=QUIET, fontsize=8)
