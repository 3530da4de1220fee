"""A clip in an animation: its pose, path and trails in each picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray
from motionloom.kinematics.travel import travel
from motionloom.plot.body import body, body_points
from motionloom.plot.shape import DrawnBody
from motionloom.plot.view import FootTrail, foot_trails, ground_height


@dataclass(frozen=True, eq=False)
class Actor:
    """A clip in an animation: its body in each of the N pictures."""

    title: str
    shape: DrawnBody
    clip: Clip
    frames: IntArray  # (N,) frame of the clip in each picture
    points: FloatArray  # (N, P, 3) world
    path: FloatArray  # (N, 2) place of the hips on the ground: x, z
    ground: float  # m
    trails: tuple[FootTrail, ...]  # contacts (N,)
    streamers: tuple[int, ...]  # points whose trails are drawn
    first_frame: int  # number of the clip's first frame in its file

    def frame_number(self, k: int) -> str:
        """The frame of its file that picture `k` shows."""
        held = k > 0 and self.frames[k] == self.frames[k - 1] == len(self.clip) - 1
        return f"frame {self.first_frame + int(self.frames[k])}" + (" (end)" if held else "")


def make_actor(
    clip: Clip, title: str, times: FloatArray, *, trails: bool = True, streamers: Sequence[str] = (), start: float = 0.0
) -> Actor:
    """A clip at `times` (N,) in seconds from its first frame; it holds its last pose where it has ended.

    `start` (s) is the time of its first frame on the clock of the file.
    """
    shape = body(clip)
    frames = np.minimum((times * clip.fps + 1e-6).astype(np.int64), len(clip) - 1)
    points = body_points(clip[frames], shape)
    size = shape.size if shape.parts else float(np.ptp(clip.root, axis=0).max()) or 1.0
    feet = foot_trails(clip, shape) if trails else ()
    return Actor(
        title,
        shape,
        clip,
        frames,
        points,
        travel(clip).place[frames],
        ground_height(points, size) if shape.parts else 0.0,
        tuple(FootTrail(foot.side, foot.points, foot.contact[frames]) for foot in feet),
        tuple(clip.skeleton.joint(name) for name in streamers),
        round(start * clip.fps),
    )
