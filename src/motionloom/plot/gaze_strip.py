"""Pictures of looks: poses with the directions of head and eyes, and where they should look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motionloom.constraints.gaze import LookAt, facing, gaze
from motionloom.core import Clip, FloatArray, IntArray
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.travel import headings
from motionloom.plot.body import body, body_points
from motionloom.plot.figures import blank_axes, frame_axes, save_figure
from motionloom.plot.paint import paint_body
from motionloom.plot.style import INK, QUIET, SOURCES
from motionloom.plot.view import View, even_frames
from motionloom.rotation import rotate

EYES, HEAD, WANTED = SOURCES[4], SOURCES[2], INK
CONE, LINE_LENGTH = (0.55, 0.045), 0.75  # m: length and half width of a cone; the line to the target
GAP = 0.1  # m between poses
MARGIN = 0.35  # m above each row, for its title and the times
VIEWS = {"side": (60.0, 8.0), "front": (90.0, 5.0), "top": (90.0, 89.9)}  # degrees from the heading, and downwards


@dataclass(frozen=True, eq=False)
class LookRow:
    """Some frames of a clip from one side. `wanted` (F, 3) are directions that it should look in, NaN for none."""

    clip: Clip
    title: str
    frames: Sequence[int] | IntArray
    view: str = "side"
    wanted: FloatArray | None = None
    labels: Sequence[str] = ()  # under the poses; by default their times


def wanted_directions(clip: Clip, looks: Sequence[LookAt]) -> FloatArray:
    """(F, 3) where the body should look by these constraints, seen from its eyes; NaN where none holds."""
    out = np.full((len(clip), 3), np.nan)
    eye = gaze(clip)[0]
    for look in looks:
        frames = look.frames(len(clip), clip.fps)
        out[frames.start : frames.stop] = look.directions(clip, eye)[frames.start : frames.stop]
    return out


def look_rows(clip: Clip, title: str, looks: Sequence[LookAt] = (), poses: int = 8) -> list[LookRow]:
    """A clip from the side and from above, at even times."""
    frames, wanted = even_frames(len(clip), poses), wanted_directions(clip, looks)
    return [LookRow(clip, f"{title}, {view}", frames, view, wanted) for view in ("side", "top")]


def save_looks(rows: Sequence[LookRow], path: str | Path, *, dpi: int = 110) -> None:
    """Draw rows of poses: eyes as a red cone, the head as a green one, the wanted direction as a dashed line."""
    apart = GAP + max(_width(row) for row in rows)
    width = apart * max(len(row.frames) for row in rows)
    heights = [_height(row) + MARGIN for row in rows]
    inch = max(width / 11.0, 0.2)
    ax = blank_axes(width / inch, sum(heights) / inch)
    top = 0.0
    for row, height in zip(rows, heights, strict=True):
        _draw(ax, row, top, height, apart)
        top -= height
    save_figure(frame_axes(ax, width, top).figure, path, dpi=dpi)


def _view(row: LookRow, heading: float) -> View:
    turn, down = np.radians(VIEWS[row.view])
    return View(heading + float(turn), float(down))


def _width(row: LookRow) -> float:
    """Metres that the widest pose of a row needs, with its cones."""
    frames = np.asarray(row.frames)
    points, heading = body_points(row.clip, body(row.clip))[frames], headings(row.clip)[frames]
    eye, line = (values[frames] for values in gaze(row.clip))
    points = np.concatenate([points, (eye + CONE[0] * line)[:, None]], 1) - row.clip.root[frames, None]
    seen = [_view(row, float(h)).project(p)[:, 0] for h, p in zip(heading, points, strict=True)]
    return float(2 * np.abs(seen).max())


def _height(row: LookRow) -> float:
    """Metres that a row needs: the whole body from the side, its width from above."""
    return 1.75 if row.view == "top" else 2.25


def _draw(ax: Any, row: LookRow, top: float, height: float, apart: float) -> None:
    clip, shape = row.clip, body(row.clip)
    points, heading = body_points(clip, shape), headings(clip)
    eye, line = gaze(clip)
    head_place, head = _head(clip)
    low = top - height + (0.5 * (height - MARGIN) if row.view == "top" else 0.22)
    for k, frame in enumerate(row.frames):
        view = _view(row, float(heading[frame]))
        stand = clip.root[frame].copy()
        stand[1] = 0.0
        shift = np.array([(k + 0.5) * apart, low]) - view.project(stand)[:2]
        paint_body(ax, shape, points[frame], view, shift=shift)
        if row.wanted is not None and np.isfinite(row.wanted[frame, 0]):
            ends = np.stack([eye[frame], eye[frame] + LINE_LENGTH * row.wanted[frame]])
            seen = view.project(ends)[:, :2] + shift
            ax.plot(*seen.T, color=WANTED, lw=1.2, ls=(0, (3, 2)), zorder=6)
            ax.plot(*seen[1], "o", ms=5, mfc="none", mec=WANTED, zorder=6)
        _cone(ax, view, head_place[frame], head[frame], shift, HEAD)
        _cone(ax, view, eye[frame], line[frame], shift, EYES)
        label = row.labels[k] if row.labels else f"{frame / clip.fps:.2f} s"
        ax.text((k + 0.5) * apart, top - height + 0.07, label, ha="center", va="center", color=QUIET, fontsize=8)
    ax.text(0.08, top - 0.16, row.title, ha="left", va="center", color=INK, fontsize=10, weight="bold")


def _head(clip: Clip) -> tuple[FloatArray, FloatArray]:
    """(F, 3) the middle of the head, and the direction that it faces."""
    joint = clip.skeleton.joint("head")
    places, turns = fk_rotations(clip)
    return places[:, joint] + [0.0, 0.12, 0.0], rotate(turns[:, joint], facing(clip, turns)[0])


def _cone(ax: Any, view: View, start: FloatArray, line: FloatArray, shift: FloatArray, colour: str) -> None:
    """A cone with its tip at `start` that opens along `line`."""
    length, wide = CONE
    side = np.cross(line, rotate_to_viewer(view))
    side = wide * side / max(float(np.linalg.norm(side)), 1e-9)
    corners = np.stack([start, start + length * line + side, start + length * line - side])
    seen = view.project(corners)[:, :2] + shift
    ax.fill(*seen.T, facecolor=colour, edgecolor=colour, alpha=0.75, lw=0.6, zorder=5)


def rotate_to_viewer(view: View) -> FloatArray:
    """(3,) the direction in the world that points to the viewer."""
    basis = view.project(np.eye(3))
    return np.asarray(basis[:, 2])
