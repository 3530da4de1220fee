"""A small person with legs, and walks of it whose foot plants are known."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, FloatArray, Skeleton
from motionloom.kinematics.ik.limb import place_limb


@pytest.fixture(scope="session")
def person(body: Skeleton) -> Skeleton:
    return body


def walk(skeleton: Skeleton, *, speed: float, fps: float = 60, seconds: float = 4.0, phase: float = 0.0) -> Clip:
    """Flat feet: each stands for 0.6 of a 1 s cycle and swings for the rest; the arms hang and swing."""
    t = np.arange(round(seconds * fps)) / fps
    rotations = np.zeros((len(t), len(skeleton), 4))
    rotations[..., 0] = 1
    for side, sign in (("left", 1.0), ("right", -1.0)):
        swing = 0.4 * speed * sign * np.cos(2 * np.pi * (t + phase))
        hang = np.array([np.cos(sign * np.pi / 4), 0, 0, -np.sin(sign * np.pi / 4)])  # from the T-pose down
        rotations[:, skeleton.joint(f"{side}_upper_arm")] = _product(
            np.stack([np.cos(swing / 2), np.sin(swing / 2)]), hang
        )
    root = np.stack([0 * t, 0.81 + 0.01 * np.cos(4 * np.pi * (t + phase)), speed * t], 1)
    clip = Clip(skeleton, root, rotations, fps)
    for side, lag in (("left", 0.0), ("right", 0.5)):
        path = ankle_path(t + phase, speed, lag, 0.1 if side == "left" else -0.1)
        path[:, 2] -= speed * phase
        clip, missed = place_limb(clip, [f"{side}_{r}" for r in ("thigh", "shin", "foot")], path)
        assert missed.max() < 1e-6
    return clip


def _product(about_x: FloatArray, q: FloatArray) -> FloatArray:
    from motionloom.rotation import multiply

    c, s = about_x
    return multiply(np.stack([c, s, 0 * s, 0 * s], -1), q)


def ankle_path(t: FloatArray, speed: float, phase: float, x: float) -> FloatArray:
    cycle, p = np.divmod(t + phase, 1.0)
    u = np.clip((p - 0.6) / 0.4, 0, 1)
    swing = u * u * u * (10 + u * (6 * u - 15))
    z = speed * (cycle - phase + 0.3 + swing)
    return np.stack([x + 0 * t, 0.06 + 0.12 * np.sin(np.pi * u) ** 2, z], 1)


@pytest.fixture(scope="session")
def stroll(person: Skeleton) -> Clip:
    """Four seconds at 0.9 m/s."""
    return walk(person, speed=0.9)


@pytest.fixture(scope="session")
def march(person: Skeleton) -> Clip:
    """Four seconds at 1.15 m/s, begun in another phase."""
    return walk(person, speed=1.15, phase=0.3)
