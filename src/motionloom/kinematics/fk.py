"""Forward kinematics: where every joint is, and how it is turned, in the world."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.core.compiling import kernels_wanted
from motionloom.rotation import inverse, multiply, rotate

BLOCK_FRAMES = 2**14  # that one call of the kernel takes: some tens of milliseconds


def fk(clip: Clip) -> FloatArray:
    """World positions of all joints, (F, J, 3) metres, joints in file order."""
    return positions(clip.skeleton, clip.root, clip.rotations, clip.slides)


def fk_rotations(clip: Clip) -> tuple[FloatArray, FloatArray]:
    """World positions (F, J, 3) and world rotations (F, J, 4)."""
    return world(clip.skeleton, clip.root, clip.rotations, clip.slides)


def positions(
    skeleton: Skeleton, root: FloatArray, rotations: FloatArray, slides: FloatArray | None = None
) -> FloatArray:
    """`fk` on plain arrays: world positions (F, J, 3)."""
    return _forward(skeleton, root, rotations, slides, keep=False)[0]


def world(
    skeleton: Skeleton, root: FloatArray, rotations: FloatArray, slides: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """`fk_rotations` on plain arrays: world positions (F, J, 3) and world rotations (F, J, 4)."""
    return _forward(skeleton, root, rotations, slides, keep=True)


def _forward(
    skeleton: Skeleton, root: FloatArray, rotations: FloatArray, slides: FloatArray | None, *, keep: bool
) -> tuple[FloatArray, FloatArray]:
    if not kernels_wanted():
        return forward_in_numpy(skeleton, root, rotations, slides)
    from motionloom.kinematics._kernels import forward

    frames, joints = rotations.shape[:2]
    places = np.empty((frames, joints, 3))
    turns = np.empty((frames if keep else 1, joints, 4))
    offsets = skeleton.offsets[None] if slides is None else skeleton.offsets + slides
    root, rotations = np.ascontiguousarray(root), np.ascontiguousarray(rotations)
    for first in range(0, frames, BLOCK_FRAMES):  # so that Ctrl-C is noticed between two blocks
        at = slice(first, first + BLOCK_FRAMES)
        own = offsets if slides is None else offsets[at]
        forward(skeleton.parents, own, root[at], rotations[at], places[at], turns[at] if keep else turns)
    return places, turns


def forward_in_numpy(
    skeleton: Skeleton, root: FloatArray, rotations: FloatArray, slides: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """`world` without compiled kernels: about ten times slower, equal up to rounding."""
    places, turns = np.empty((*rotations.shape[:2], 3)), np.empty(rotations.shape)
    places[:, 0], turns[:, 0] = root, rotations[:, 0]
    for j in range(1, len(skeleton)):
        p = int(skeleton.parents[j])
        offset = skeleton.offsets[j] if slides is None else skeleton.offsets[j] + slides[:, j]
        places[:, j] = places[:, p] + rotate(turns[:, p], offset)
        turns[:, j] = multiply(turns[:, p], rotations[:, j])
    return places, turns


def end_positions(clip: Clip) -> FloatArray:
    """World positions of the end sites, (F, E, 3), in the order of `clip.skeleton.ends`."""
    places, turns = fk_rotations(clip)
    joints = [end.joint for end in clip.skeleton.ends]
    offsets = np.array([end.offset for end in clip.skeleton.ends]).reshape(-1, 3)
    return places[:, joints] + rotate(turns[:, joints], offsets)


def local_rotations(skeleton: Skeleton, turns: FloatArray) -> FloatArray:
    """World rotations (F, J, 4) back to local ones: q_j = Q_parent^-1 Q_j."""
    out = turns.copy()
    out[:, 1:] = multiply(inverse(turns[:, skeleton.parents[1:]]), turns[:, 1:])
    return out


def velocities(points: FloatArray, fps: float) -> FloatArray:
    """First time derivative along axis 0 by central differences (one-sided at the ends); one frame gives zeros."""
    if len(points) < 2:
        return np.zeros_like(points)
    return np.gradient(points, 1.0 / fps, axis=0)


def accelerations(points: FloatArray, fps: float) -> FloatArray:
    """Second time derivative along axis 0: p[t+1] - 2 p[t] + p[t-1] over dt^2; the ends repeat their neighbour."""
    if len(points) < 3:
        return np.zeros_like(points)
    inner = (points[2:] - 2 * points[1:-1] + points[:-2]) * fps**2
    return np.concatenate([inner[:1], inner, inner[-1:]])
