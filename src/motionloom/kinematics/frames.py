"""Frames without their place and heading: what is left of a clip is pose, velocity over the ground and height."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.core.numbers import smoothstep
from motionloom.kinematics.travel import Travel, body_axes, from_root_motion, ground_turn, headings
from motionloom.rotation import multiply, twist, yaw

OVER = np.pi / 3  # rad: nearer to upside down than this, the body is turning over and has no heading of its own
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Frames:
    """Frames without their place and heading: what a texton describes."""

    turns: FloatArray  # (F, J, 4) local rotations; the root's without its heading
    root: FloatArray  # (F, 4) left and forward velocity m/s, yaw rate rad/s, height m

    def __len__(self) -> int:
        return len(self.root)

    def __getitem__(self, index: slice | FloatArray | list[int]) -> Frames:
        return Frames(self.turns[index], self.root[index])


def joined(parts: Sequence[Frames]) -> Frames:
    """Frames one after the other."""
    return Frames(np.concatenate([f.turns for f in parts]), np.concatenate([f.root for f in parts]))


def facing(clip: Clip) -> FloatArray:
    """(F,) rad: the heading of the hips, continuous in time, also while the body turns over.

    Near upside down the twist about the vertical spins wildly (a cartwheel would count as a full turn within a few
    frames), so where the hips are nearer than `OVER` to upside down the heading runs smoothly from the frame before
    to the frame after; the turning over itself is then tilt. At a clip's ends, the nearest heading stays.
    """
    heading = headings(clip)
    ok = np.flatnonzero(_hips_up(clip.rotations[:, 0], clip.skeleton) > -np.cos(OVER))
    if not len(ok):
        return np.full(len(clip), heading[0])
    if len(ok) == len(clip):
        return np.unwrap(heading)
    known = np.unwrap(heading[ok])
    out = np.interp(np.arange(len(clip)), ok, known)
    for a in np.flatnonzero(np.diff(ok) > 1):  # from known[a] to known[a + 1], beginning and ending as fast as around
        first, last = ok[a], ok[a + 1]
        n = last - first
        before = known[a] - known[a - 1] if a > 0 and ok[a - 1] == first - 1 else 0.0
        after = known[a + 2] - known[a + 1] if a + 2 < len(ok) and ok[a + 2] == last + 1 else 0.0
        p = np.arange(n) / n
        most = abs(known[a + 1] - known[a]) / n
        before, after = np.clip([before, after], -3 * most, 3 * most)  # a cubic with these does not overshoot
        out[first:last] = (
            known[a]
            + smoothstep(p) * (known[a + 1] - known[a])
            + n * (p * (1 - p) ** 2 * before - p**2 * (1 - p) * after)
        )
    return out


def _hips_up(turn: FloatArray, skeleton: Skeleton) -> FloatArray:
    """(F,) the height of the hips' own up axis: 1 upright, 0 lying, -1 upside down."""
    q = multiply(turn, body_axes(skeleton))
    return np.asarray(1 - 2 * (q[:, 1] ** 2 + q[:, 3] ** 2))


def observe(clip: Clip) -> Frames:
    """A clip as frames. The last frame, which nothing follows, keeps the velocity of the one before."""
    heading = facing(clip)
    turns = clip.rotations.copy()
    turns[:, 0] = multiply(yaw(-heading), turns[:, 0])
    root = np.zeros((len(clip), 4))
    root[:-1, :2] = ground_turn(-heading[:-1], np.diff(clip.root[:, [0, 2]], axis=0)) * clip.fps
    root[:-1, 2] = np.diff(heading) * clip.fps
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
    own = twist(multiply(turns[:, 0], body_axes(skeleton)), UP)  # a tilt that has picked up some heading gives it back,
    share = smoothstep(0.5 + _hips_up(turns[:, 0], skeleton) / (2 * np.cos(OVER)))  # but not while it turns over
    turns[:, 0] = multiply(yaw(path.heading - share * own), turns[:, 0])
    root = np.stack([path.place[:, 0], frames.root[:, 3], path.place[:, 1]], 1)
    return Clip(skeleton, root, turns, fps)


def upright(turn: FloatArray, skeleton: Skeleton) -> FloatArray:
    """A root rotation (4,) or (F, 4) without its heading."""
    return multiply(yaw(-twist(multiply(turn, body_axes(skeleton)), UP)), turn)
