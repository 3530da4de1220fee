"""Layout of filmstrips: the frames drawn, and their places: where the body stood, or side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray, Progress
from motionloom.core.progress import each
from motionloom.kinematics.travel import travel
from motionloom.plot.body import body, body_points
from motionloom.plot.requested_paths import requested_paths
from motionloom.plot.shape import DrawnBody
from motionloom.plot.view import (
    FootTrail,
    View,
    best_yaw,
    characteristic_frames,
    even_frames,
    foot_trails,
    ground_height,
    vary_poses,
)

_NO_BOX = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class StripRow:
    """One clip laid out: which frames are drawn, and where. Picture coordinates are metres, right and up."""

    clip: Clip
    title: str
    shape: DrawnBody
    points: FloatArray  # (F, P, 3) world
    view: View
    ground: float  # m
    frames: IntArray  # (n,) the poses drawn
    shifts: FloatArray  # (n, 2) added to each pose
    trails: tuple[FootTrail, ...]
    connected: bool  # every pose stands where it really stood
    stand: FloatArray  # (n, 2) where each pose stands, after shifting
    box: tuple[float, float, float, float]  # left, right, low, high
    start: float = 0.0  # s, time of the first frame
    streamers: tuple[int, ...] = ()  # points whose paths are drawn

    @property
    def apart(self) -> float:
        """From one pose's place to the next."""
        return float(self.stand[1, 0] - self.stand[0, 0]) if len(self.stand) > 1 else np.inf


def lay_out(clip: Clip, title: str, poses: int | None = None, *, trails: bool = True) -> StripRow:
    """Choose view, frames and places. A straight walk of fitting length keeps its true places, and so does one along a
    requested path unless it turns back.
    """
    shape = body(clip)
    points = body_points(clip, shape)
    if not shape.parts:
        return _lay_out_stroke(clip, title, shape, points, poses or 6)
    view = View(best_yaw(clip, shape.size))
    ground = ground_height(points, shape.size)
    tried = even_frames(len(clip), 12)
    apart, tall = _room(view.project(points[tried])[..., :2], view.project(_under_hips(clip, tried, ground))[:, :2])
    place = travel(clip).place
    distance = float(np.linalg.norm(place[-1] - place[0]))
    length = float(np.linalg.norm(np.diff(place, axis=0), axis=1).sum())
    fitting = poses or int(np.clip(5.0 * tall / apart, 6, 9))
    count = int(np.clip(round(distance / (0.75 * apart)) + 1, 2, fitting))
    enough = count > 4 if poses is None else count == poses  # a short walk is clearer side by side
    straight = distance > (0.7 if requested_paths(clip) else 0.8) * length  # a requested path is drawn where it is
    connected = straight and distance > apart and distance < 1.6 * apart * count and enough and count > 3
    frames = _even_steps(points, place, count) if connected else characteristic_frames(points, fitting)
    marks = foot_trails(clip, shape) if trails else ()
    stand = view.project(_under_hips(clip, frames, ground))[:, :2]
    row = StripRow(
        clip, title, shape, points, view, ground, frames, np.zeros((len(frames), 2)), marks, True, stand, _NO_BOX
    )
    return _with_box(row) if connected else _side_by_side(row)


def lay_out_aligned(
    clips: Sequence[Clip], titles: Sequence[str], poses: int | None, *, trails: bool, progress: Progress
) -> list[StripRow]:
    """Rows that show the same times in columns, chosen for the longest clip; shorter clips have fewer poses."""
    named = each(list(zip(clips, titles, strict=True)), progress, "drawing")
    rows = [lay_out(clip, title, poses, trails=trails) for clip, title in named]
    if not all(row.shape.parts for row in rows):
        return rows
    view = rows[0].view
    longest = max(rows, key=lambda row: row.clip.seconds)
    room = _room(*_seen(longest, characteristic_frames(longest.points, 9), view))
    count = poses or int(np.clip(5.0 * room[1] / room[0], 6, 9))
    times = characteristic_frames(longest.points, count) / longest.clip.fps
    chosen = [np.round(times[times < row.clip.seconds] * row.clip.fps).astype(np.int64) for row in rows]
    chosen = [np.minimum(frames, len(row.clip) - 1) for frames, row in zip(chosen, rows, strict=True)]
    apart = max(_room(*_seen(row, frames, view))[0] for row, frames in zip(rows, chosen, strict=True))
    laid = [
        _side_by_side(replace(row, view=view, frames=frames), apart) for row, frames in zip(rows, chosen, strict=True)
    ]
    left, right = min(row.box[0] for row in laid), max(row.box[1] for row in laid)
    return [replace(row, box=(left, right, *row.box[2:])) for row in laid]


def _side_by_side(row: StripRow, apart: float | None = None) -> StripRow:
    """The row with its poses beside each other, `apart` metres from one to the next (as many as they need)."""
    poses, stand = _seen(row, row.frames, row.view)
    if apart is None:
        apart, _ = _room(poses, stand)
    shifts = -stand
    shifts[:, 0] += apart * np.arange(len(row.frames))
    return _with_box(replace(row, shifts=shifts, stand=stand + shifts, connected=False))


def _with_box(row: StripRow) -> StripRow:
    poses, _ = _seen(row, row.frames, row.view)
    return replace(row, box=_box(poses + row.shifts[:, None], 0.14 * row.shape.size))


def _seen(row: StripRow, frames: IntArray, view: View) -> tuple[FloatArray, FloatArray]:
    """Poses (n, P, 2) in the picture, and (n, 2) where each stands."""
    stand = view.project(_under_hips(row.clip, frames, row.ground))[:, :2]
    return view.project(row.points[frames])[..., :2], stand


def _lay_out_stroke(clip: Clip, title: str, shape: DrawnBody, points: FloatArray, poses: int) -> StripRow:
    """A pen stroke, drawn further from pose to pose."""
    view = View(np.pi / 2, 0.0)
    frames = even_frames(len(clip), poses + 1)[1:] if len(clip) > 1 else even_frames(1, 1)
    seen = view.project(points[:, 0])[:, :2]
    low, high = seen.min(axis=0), seen.max(axis=0)
    wide = max(float((high - low).max()), 1e-6)
    apart = max(float(high[0] - low[0]) * 1.35, 0.5 * wide)
    shifts = np.stack([apart * np.arange(len(frames)), np.zeros(len(frames))], -1)
    stand = shifts + [(low[0] + high[0]) / 2, low[1]]
    box = _box(seen + shifts[:, None], 0.16 * wide)
    return StripRow(clip, title, shape, points, view, 0.0, frames, shifts, (), False, stand, box)


def _box(seen: FloatArray, grow: float) -> tuple[float, float, float, float]:
    low, high = seen.reshape(-1, 2).min(axis=0) - grow, seen.reshape(-1, 2).max(axis=0) + grow
    return (float(low[0]), float(high[0]), float(low[1]), float(high[1]))


def _under_hips(clip: Clip, frames: IntArray, ground: float) -> FloatArray:
    """(n, 3) the points on the ground under the hips."""
    return np.stack([clip.root[frames, 0], np.full(len(frames), ground), clip.root[frames, 2]], -1)


def _room(poses: FloatArray, stand: FloatArray) -> tuple[float, float]:
    """Picture metres from pose to pose so that neighbours hardly touch, and the tallest height; poses (n, P, 2)."""
    right, left = (poses[..., 0] - stand[:, :1]).max(axis=1), (stand[:, :1] - poses[..., 0]).max(axis=1)
    tall = float(np.ptp(poses[..., 1], axis=1).max())
    apart = float((right[:-1] + left[1:]).max()) if len(poses) > 1 else float(right[0] + left[0])
    return max(1.08 * apart, 0.34 * tall, 1e-6), max(tall, 1e-6)


def _even_steps(points: FloatArray, place: FloatArray, count: int) -> IntArray:
    """Frames at about even steps along the path, so that poses of a pause do not overlap; poses that differ."""
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(place, axis=0), axis=1))])
    travelled += 1e-6 * np.arange(len(travelled))
    even = np.unique(np.searchsorted(travelled, np.linspace(0, travelled[-1], count)).clip(0, len(place) - 1))
    return vary_poses(points, even, travelled)
