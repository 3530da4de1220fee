"""Motion as seen from the hips: positions, velocities and accelerations that no rigid move of the clip changes."""

from __future__ import annotations

import numpy as np

from motionloom.core import Clip, FloatArray
from motionloom.kinematics.fk import accelerations, fk, velocities
from motionloom.rotation import to_matrix


def in_root_frame(clip: Clip, vectors: FloatArray) -> FloatArray:
    """World vectors (F, 3) or (F, K, 3) in the axes of the hips of the same frame."""
    world_from_hips = to_matrix(clip.rotations[:, 0])
    rows = vectors if vectors.ndim == 3 else vectors[:, None]
    return (rows @ world_from_hips).reshape(vectors.shape)  # rows times R is R^-1 times columns


def angular_velocities(rotations: FloatArray, fps: float) -> FloatArray:
    """How fast rotations (F, ..., 4) turn: rad/s (F, ..., 3), in their own axes; central, one-sided at the ends."""
    if len(rotations) < 2:
        return np.zeros((*rotations.shape[:-1], 3))
    from motionloom.analysis._kernels import turning

    out = np.empty((*rotations.shape[:-1], 3))
    frames = len(rotations)
    turning(np.ascontiguousarray(rotations).reshape(frames, -1, 4), fps, out.reshape(frames, -1, 3))
    return out


def root_velocity(clip: Clip) -> FloatArray:
    """The hips' velocity (F, 3) m/s, in their own axes."""
    return in_root_frame(clip, velocities(clip.root, clip.fps))


def joint_velocities(clip: Clip) -> FloatArray:
    """World velocities of all joints (F, J, 3) m/s, in the hips' axes of the same frame."""
    return in_root_frame(clip, velocities(fk(clip), clip.fps))


def joint_accelerations(clip: Clip) -> FloatArray:
    """World accelerations of all joints (F, J, 3) m/s^2, in the hips' axes of the same frame."""
    return in_root_frame(clip, accelerations(fk(clip), clip.fps))
