"""A small body with legs that really walks: its foot plants are known."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.kinematics.ik.limb import place_limb


def walk(skeleton: Skeleton, *, speed: float = 1.0, fps: float = 60, seconds: float = 3.0, slip: float = 0.0) -> Clip:
    """Flat feet: each stands for 0.6 of a 1 s cycle and swings for the rest. `slip` (m/s) slides planted feet."""
    t = np.arange(round(seconds * fps)) / fps
    rotations = np.zeros((len(t), len(skeleton), 4))
    rotations[..., 0] = 1
    root = np.stack([0 * t, 0.83 + 0.01 * np.cos(4 * np.pi * t), speed * t], 1)
    clip = Clip(skeleton, root, rotations, fps)
    for side, phase in (("left", 0.0), ("right", 0.5)):
        limb = [f"{side}_{r}" for r in ("thigh", "shin", "foot")]
        clip, missed = place_limb(clip, limb, ankle_path(t, speed, phase, 0.1 if side == "left" else -0.1, slip))
        assert missed.max() < 1e-6
    return clip


def ankle_path(t: FloatArray, speed: float, phase: float, x: float, slip: float = 0.0) -> FloatArray:
    cycle, p = np.divmod(t + phase, 1.0)
    u = np.clip((p - 0.6) / 0.4, 0, 1)
    swing = u * u * u * (10 + u * (6 * u - 15))
    z = speed * (cycle - phase + 0.3 + swing) + slip * np.minimum(p, 0.6) * (1 - swing)
    return np.stack([x + 0 * t, 0.06 + 0.12 * np.sin(np.pi * u) ** 2, z], 1)


@pytest.fixture(scope="session")
def walker(body: Skeleton) -> Clip:
    """Three seconds of walking at 1 m/s with true plants."""
    return walk(body)
