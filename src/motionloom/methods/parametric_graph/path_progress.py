"""A path of a request, and how far along it characters have come."""

from __future__ import annotations

import math

import numpy as np

from motionloom.constraints import RootPath
from motionloom.core import FloatArray

PATH_LOOKAHEAD = 0.8  # m: where on a path a character aims at
WAIT = 0.5  # s: with more time left than this, a character waits at the end of a leg
LAG = 2.0  # m: how far behind one may be who slows down to wait


class PathProgress:
    """A path, and how far along it characters have come.

    A leg that takes less than its time is walked with `speed`, the least of those who walk, and then they wait.
    """

    def __init__(self, c: RootPath, frames: int, fps: float, speed: float) -> None:
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
        now = np.arange(frames)
        leg = np.clip(np.searchsorted(knots, now, side="right") - 1, 0, len(knots) - 2)
        self.leg_end = goals[leg + 1]
        walked = np.minimum(goals[leg] + speed * (now - knots[leg]) / fps, self.leg_end)
        self.due = np.maximum(np.interp(now, knots, goals), walked)
        self.waits = np.diff(knots)[leg] / fps - np.diff(goals)[leg] / max(speed, 1e-9) > WAIT
        self.timed = at is not None

    def at(self, distance: FloatArray) -> FloatArray:
        """Points of the path by their distance from its beginning."""
        return np.stack([np.interp(distance, self.length, self.dense[:, i]) for i in (0, 1)], -1)

    def along(self, place: FloatArray) -> FloatArray:
        """(N, F) how far along each character is: the nearest point, within half a metre of where it should be.

        Where it is to wait, it may be later.
        """
        count = place.shape[1]
        room = 0.15 if self.timed else 0.6
        behind = np.where(self.waits[:count, None], LAG, room)
        options = self.due[:count, None] + np.linspace(0.0, 1.0, 13) * (behind + room) - behind
        options = np.clip(options, 0.0, self.length[-1])
        far = np.linalg.norm(place[:, :, None] - self.at(options)[None], axis=3)
        return np.take_along_axis(np.broadcast_to(options, far.shape), far.argmin(2)[..., None], 2)[..., 0]

    def cost(self, place: FloatArray) -> FloatArray:
        """(N,) m: the largest distance from the path so far, and a part of the mean one."""
        off = np.linalg.norm(place - self.at(self.along(place)), axis=2)
        late = np.abs(self.along(place[:, -1:])[:, 0] - self.due[place.shape[1] - 1]) if place.shape[1] else 0.0
        return np.asarray(off.max(1) + off.mean(1) + 2 * off[:, -1] + 0.2 * late)

    def overshot(self, place: FloatArray, stopping: float) -> FloatArray:
        """(N,) m by which those who still walk will pass the place where they are to wait, with a stopping distance."""
        frame = place.shape[1] - 1
        if not self.waits[frame]:
            return np.zeros(len(place))
        left = self.leg_end[frame] - self.along(place)[:, -1]
        return np.asarray(np.maximum(stopping - left, 0.0))

    def waiting_place(self, frame: int, within: float) -> FloatArray | None:
        """(2,) where characters are to wait who should come there within some metres; none if they walk on."""
        frame = min(frame, len(self.due) - 1)
        if not self.waits[frame] or self.leg_end[frame] - self.due[frame] > within:
            return None
        return self.at(self.leg_end[frame])

    def direction(self, place: FloatArray, frame: int) -> float:
        """The direction from the last place to the point of the path a little ahead, or to where it waits."""
        frame = min(frame, len(self.due) - 1)
        distance = self.due[frame] + PATH_LOOKAHEAD
        if self.waits[frame]:
            distance = min(distance, self.leg_end[frame])
        goal = self.at(np.array(min(distance, self.length[-1])))
        if distance > self.length[-1]:
            end = self.dense[-1] - self.dense[max(len(self.dense) - 3, 0)]
            goal = goal + end / max(np.linalg.norm(end), 1e-9) * (distance - self.length[-1])
        off = goal - place[-1]
        return float(math.atan2(off[0], off[1]))
