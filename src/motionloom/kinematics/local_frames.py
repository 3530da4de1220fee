"""Local frames: a clip as poses without place and heading, velocities over the ground and heights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.core import Clip, FloatArray, IntArray, Skeleton
from motionloom.core.numbers import smoothstep, squared_distances
from motionloom.kinematics.fk import positions
from motionloom.kinematics.travel import (
    OVERTURN_ANGLE,
    Travel,
    from_root_motion,
    hips_up,
    path_motion,
    root_headings,
    travel,
)
from motionloom.rotation import multiply, yaw


@dataclass(frozen=True, eq=False)
class Frames:
    """Frames without their place and heading."""

    turns: FloatArray  # (F, J, 4) local rotations; the root's without its heading
    root: FloatArray  # (F, 4) left and forward velocity m/s, yaw rate rad/s, height m

    def __len__(self) -> int:
        return len(self.root)

    def __getitem__(self, index: slice | IntArray | list[int]) -> Frames:
        return Frames(self.turns[index], self.root[index])


def joined(parts: Sequence[Frames]) -> Frames:
    """Frames one after the other."""
    return Frames(np.concatenate([f.turns for f in parts]), np.concatenate([f.root for f in parts]))


def observe(clip: Clip) -> Frames:
    """A clip as frames. The last frame, which nothing follows, keeps the velocity of the one before."""
    path = travel(clip)
    turns = clip.rotations.copy()
    turns[:, 0] = multiply(yaw(-path.heading), turns[:, 0])
    root = np.zeros((len(clip), 4))
    root[:, :3] = path_motion(path) * clip.fps
    if len(clip) > 1:
        root[-1, :3] = root[-2, :3]
    root[:, 3] = clip.root[:, 1]
    return Frames(turns, root)


def path_of(frames: Frames, fps: float, start: Travel | None = None) -> Travel:
    """Where frames lead from a first place and heading (default: origin, facing +z): their velocities added up."""
    place, heading = ((0.0, 0.0), 0.0) if start is None else (start.place[-1], float(start.heading[-1]))
    return from_root_motion(frames.root[:, :3] / fps, place, heading)


def restore(frames: Frames, skeleton: Skeleton, fps: float, start: Travel | None = None) -> Clip:
    """Frames as a clip again, along the path that they lead."""
    path = path_of(frames, fps, start)
    turns = frames.turns.copy()
    own = root_headings(turns[:, 0], skeleton)  # heading in the tilt is removed, except while the body turns over
    share = smoothstep(0.5 + hips_up(turns[:, 0], skeleton) / (2 * np.cos(OVERTURN_ANGLE)))
    turns[:, 0] = multiply(yaw(path.heading - share * own), turns[:, 0])
    root = np.stack([path.place[:, 0], frames.root[:, 3], path.place[:, 1]], 1)
    return Clip(skeleton, root, turns, fps)


def pose_distance(a: Frames, b: Frames, skeleton: Skeleton) -> FloatArray:
    """(F_a, F_b) metres: RMS over joints of the distance between poses, placed on one spot and facing one direction."""
    pa, pb = (
        positions(skeleton, np.stack([0 * f.root[:, 3], f.root[:, 3], 0 * f.root[:, 3]], 1), f.turns) for f in (a, b)
    )
    flat_a, flat_b = pa.reshape(len(a), -1), pb.reshape(len(b), -1)
    return np.sqrt(squared_distances(flat_a, flat_b) / pa.shape[1])


def paired_distance(a: Frames, b: Frames, skeleton: Skeleton) -> FloatArray:
    """(F,) metres: `pose_distance` of each frame of a from the same frame of b."""
    pa, pb = (
        positions(skeleton, np.stack([0 * f.root[:, 3], f.root[:, 3], 0 * f.root[:, 3]], 1), f.turns) for f in (a, b)
    )
    return np.sqrt(((pa - pb) ** 2).sum(-1).mean(-1))
