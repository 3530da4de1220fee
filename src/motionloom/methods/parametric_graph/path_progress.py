"""A path of a request, and how far along it characters have come."""

from __future__ import annotations

import math

import numpy as np

from motionloom.constraints import RootPath
from motionloom.core import FloatArray

PATH_LOOKAHEAD = 0.8  # m: where on a path a character aims at


class PathProgress:
    """A path, and how far along it characters have come."""

    def __init__(self, c: RootPath, frames: int, fps: float) -> None:
        points = np.array(c.points, float)
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
        count = np.maximum(1, np.ceil(lengths / 0.05)).astype(int)
        parts = [
            points[i] + (points[i + 1] - points[i]) * (np.arange(n) / n)[:, None] for i, n in enumerate(count)
        ]  # fmt: skip
        self.dense = np.concatenate([*parts, points[-1:]])
        self.length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(self.dense, axis=0), axis=1))])
        ends = np.concatenate([[0], np.cumsum(lengths)])
        at = c.frames(frames, fps)
        knots = np.linspace(0, frames - 1, 2) if at is None else np.array(at, float)
        goals = np.array([0.0, ends[-1]]) if at is None else ends
        self.due = np.interp(np.arange(frames), knots, goals)
        self.timed = at is not None

    def at(self, distance: FloatArray) -> FloatArray:
        """Points of the path by their distance from its beginning."""
        return np.stack([np.interp(distance, self.length, self.dense[:, i]) for i in (0, 1)], -1)

    def along(self, place: FloatArray) -> FloatArray:
        """(N, F) how far along each character is: the nearest point, within half a metre of where it should be."""
        count = place.shape[1]
        room = 0.15 if self.timed else 0.6
        options = self.due[:count, None] + np.linspace(-room, room, 13)
        options = np.clip(options, 0.0, self.length[-1])
        far = np.linalg.norm(place[:, :, None] - self.at(options)[None], axis=3)
        return np.take_along_axis(np.broadcast_to(options, far.shape), far.argmin(2)[..., None], 2)[..., 0]

    def cost(self, place: FloatArray) -> FloatArray:
        """(N,) m: the largest distance from the path so far, and a part of the mean one."""
        off = np.linalg.norm(place - self.at(self.along(place)), axis=2)
        late = np.abs(self.along(place[:, -1:])[:, 0] - self.due[place.shape[1] - 1]) if place.shape[1] else 0.0
        return np.asarray(off.max(1) + off.mean(1) + 2 * off[:, -1] + 0.2 * late)

    def direction(self, place: FloatArray, frame: int) -> float:
        """The direction from the last place to the point of the path a little ahead."""
        distance = min(self.due[min(frame, len(self.due) - 1)] + PATH_LOOKAHEAD, self.length[-1] + PATH_LOOKAHEAD)
        goal = self.at(np.array(min(distance, self.length[-1])))
        if distance > self.length[-1]:
            end = self.dense[-1] - self.dense[max(len(self.dense) - 3, 0)]
            goal = goal + end / max(np.linalg.norm(end), 1e-9) * (distance - self.length[-1])
        off = goal - place[-1]
        return float(math.atan2(off[0], off[1]))
