"""Paths at another pace than that of the clips: strides and the time that they take are scaled together."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from motionloom.constraints import Request, RootPath, Start
from motionloom.core import Clip, Note, replace
from motionloom.kinematics.resample import at_frames
from motionloom.methods.nearest_request import nearest_path

PACE_FACTORS = (1.1, 1.2)  # tried in turn: strides become so many times shorter and slower, or longer and faster


class PaceChange(NamedTuple):
    """A route with strides that are `factor` times shorter, spread evenly over `frames` frames."""

    factor: float
    frames: int

    def apply(self, clip: Clip) -> Clip:
        """The clip with its travel scaled about its first frame, at its new length."""
        root = clip.root.copy()
        root[:, [0, 2]] = root[0, [0, 2]] + (root[:, [0, 2]] - root[0, [0, 2]]) / self.factor
        at = np.linspace(0.0, len(clip) - 1, self.frames)
        return at_frames(replace(clip, root=root), at, clip.fps, cubic=self.frames > len(clip))

    def request(self, request: Request, path: RootPath, start: Start) -> Request:
        """The request for the route itself: a path `factor` times as long, seen from the start, in less time."""
        begin = np.array(start.position)
        points = begin + self.factor * (np.array(path.points) - begin)
        own = dataclasses.replace(path, points=tuple((float(x), float(z)) for x, z in points))
        frames = max(2, round((self.frames - 1) / self.factor) + 1)
        return dataclasses.replace(request, seconds=None, frames=frames, constraints=(own,))

    def note(self) -> Note:
        """A note about the change."""
        shorter, slower = ("shorter", "slower") if self.factor > 1 else ("longer", "faster")
        by = max(self.factor, 1 / self.factor)
        return Note(f"the clips have another pace: strides are {by:.1f} times {shorter} and {by:.1f} times {slower}")


def nearest_requests(length: float, seconds: float, pace: float) -> str:
    """A message about a path that cannot be followed in its time; `pace` is that of the clips along it, m/s."""
    limit = PACE_FACTORS[-1] ** 2
    speed = pace / limit if length < pace * seconds else pace * limit
    return (
        f"the clips do not walk forwards for {length:.1f} m in {seconds:.1f} s; the nearest requests that they can "
        f"meet: about {nearest_path(length, seconds, speed)}"
    )
