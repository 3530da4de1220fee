"""Views of clips: the direction of the camera, the frames worth showing, and the contacts of the feet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motionloom.core import BoolArray, Clip, FloatArray, IntArray
from motionloom.core.numbers import squared_distances
from motionloom.kinematics.feet.contacts import contacts
from motionloom.kinematics.travel import travel
from motionloom.plot.shape import DrawnBody


@dataclass(frozen=True)
class View:
    """A far camera: `yaw` is the ground direction (as a heading) that points to the right of the picture."""

    yaw: float  # radians
    pitch: float = np.radians(13.0)  # radians, how far the camera looks down

    def project(self, points: FloatArray) -> FloatArray:
        """World points (..., 3) to (..., 3): right and up in the picture, and towards the viewer; all metres."""
        x, y, z = points[..., 0], points[..., 1], points[..., 2]
        right = x * np.sin(self.yaw) + z * np.cos(self.yaw)
        near = -x * np.cos(self.yaw) + z * np.sin(self.yaw)
        c, s = np.cos(self.pitch), np.sin(self.pitch)
        return np.stack([right, y * c - near * s, y * s + near * c], -1)


def best_yaw(clip: Clip, size: float, *, turn: float = np.radians(24.0)) -> float:
    """The picture direction that shows this clip well: travel runs to the right and a little towards the viewer.

    A body that stays in place is seen from the front, three quarters; a pen stroke from straight ahead.
    """
    if len(clip.skeleton) == 1:
        return np.pi / 2
    path = travel(clip)
    ahead = path.place[-1] - path.place[0]
    if np.linalg.norm(ahead) > 0.6 * size:
        return float(np.arctan2(ahead[0], ahead[1])) + turn
    facing = np.arctan2(np.sin(path.heading).mean(), np.cos(path.heading).mean())
    return float(facing) + np.radians(58.0)


def ground_height(points: FloatArray, size: float) -> float:
    """The level of the floor: 0, unless the body clearly walks on another level (m)."""
    lowest = float(np.percentile(points[..., 1].min(axis=1), 5))
    return lowest if abs(lowest) > 0.12 * size else 0.0


def even_frames(frames: int, count: int) -> IntArray:
    """`count` frame numbers, evenly spread from the first to the last."""
    return np.unique(np.linspace(0, frames - 1, max(1, min(count, frames))).round().astype(np.int64))


def characteristic_frames(points: FloatArray, count: int) -> IntArray:
    """`count` frames that show the motion: first and last, and between them poses that differ from their neighbours.

    Among frames in order, 0.5 to 1.6 even steps apart, the sum of distances from pose to pose (over the hips) is the
    largest: punches are shown out, strides are shown wide. points (F, P, 3); found by dynamic programming.
    """
    frames = len(points)
    even = even_frames(frames, count)
    if len(even) < 3 or frames < 2 * count:
        return even
    tried = even_frames(frames, min(frames, 16 * count))
    pose = points[tried] - points[tried][:, :1] * [1.0, 0.0, 1.0]
    flat = pose.reshape(len(tried), -1)
    apart = np.sqrt(squared_distances(flat, flat))
    step = tried[None] - tried[:, None]
    pace = (frames - 1) / (count - 1)
    gain = np.where((step >= 0.5 * pace) & (step <= 1.6 * pace), apart, -np.inf)
    best = np.full(len(tried), -np.inf)
    best[0] = 0.0
    came = []
    for _ in range(count - 1):
        total = best[:, None] + gain
        came.append(total.argmax(axis=0))
        best = total.max(axis=0)
    if not np.isfinite(best[-1]):
        return even
    path = [len(tried) - 1]
    for back in reversed(came):
        path.append(int(back[path[-1]]))
    return tried[path[::-1]]


def vary_poses(points: FloatArray, frames: IntArray, along: FloatArray, swing: float = 0.24) -> IntArray:
    """Frames near the given ones whose poses differ more, so that even steps do not fall in step with the gait.

    `along` (F,) is the distance travelled; an inner frame moves by at most `swing` of the distance to its neighbours,
    to where its pose (over the hips) is farthest from the nearest of the other poses. First and last stay.
    """
    chosen = frames.copy()
    pose = (points - points[:, :1] * [1.0, 0.0, 1.0]).reshape(len(points), -1)
    room = swing * (along[-1] - along[0]) / max(len(frames) - 1, 1)
    for _ in range(2):
        for k in range(1, len(frames) - 1):
            near = np.flatnonzero(np.abs(along - along[frames[k]]) <= room)
            others = pose[np.delete(chosen, k)]
            apart = np.linalg.norm(pose[near][:, None] - others, axis=2).min(axis=1)
            chosen[k] = near[apart.argmax()]
    return chosen


@dataclass(frozen=True, eq=False)
class FootTrail:
    """One foot's path: where it was, and when it stood on the ground."""

    side: str  # "left" or "right"
    points: tuple[int, ...]  # of the body: heel, then toe
    contact: BoolArray  # (F,)


def foot_trails(clip: Clip, shape: DrawnBody) -> tuple[FootTrail, ...]:
    """The feet of a clip with their contacts: its own `contact:` labels, or detected ones."""
    if not shape.feet:
        return ()
    found = contacts(clip)
    trails = []
    for foot in shape.feet:
        here = [on for name, on in found.items() if _belongs(name.removeprefix("contact:"), foot.name)]
        contact = np.any(here, axis=0) if here else np.zeros(len(clip), bool)
        trails.append(FootTrail(foot.side, foot.points, contact))
    return tuple(trails)


def _belongs(part: str, foot: str) -> bool:
    """Is the contact `left_heel` one of `left_foot`? Front feet have contacts of their own."""
    return part.startswith(foot.removesuffix("foot")) and ("front" in part) == ("front" in foot)
