"""A small person with legs, and walks of it whose foot plants are known."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, End, FloatArray, Skeleton
from motionloom.kinematics.limb import place_limb

JOINTS = (
    ("Hips", None, (0, 0, 0), "hips"),
    ("Spine", "Hips", (0, 0.12, 0), "spine"),
    ("Neck", "Spine", (0, 0.4, 0), "neck"),
    ("Head", "Neck", (0, 0.12, 0), "head"),
    *(
        (f"{side}{name}", parent.format(side), (x * sign, y, z), f"{side.lower()}_{role}")
        for side, sign in (("Left", 1), ("Right", -1))
        for name, parent, (x, y, z), role in (
            ("UpArm", "Spine", (0.18, 0.35, 0), "upper_arm"),
            ("ForeArm", "{}UpArm", (0.28, 0, 0), "forearm"),
            ("Hand", "{}ForeArm", (0.26, 0, 0), "hand"),
            ("UpLeg", "Hips", (0.1, -0.05, 0), "thigh"),
            ("Leg", "{}UpLeg", (0, -0.42, 0), "shin"),
            ("Foot", "{}Leg", (0, -0.4, 0), "foot"),
            ("Toe", "{}Foot", (0, -0.06, 0.15), "toe"),
        )
    ),
)


@pytest.fixture(scope="session")
def person() -> Skeleton:
    """1.5 m tall, in a T-pose, facing +z, left along +x, with toes and end sites."""
    names = [n for n, *_ in JOINTS]
    return Skeleton(
        tuple(names),
        np.array([-1 if p is None else names.index(p) for _, p, *_ in JOINTS]),
        np.array([offset for *_, offset, _ in JOINTS], float),
        tuple(role for *_, role in JOINTS),
        tuple(End(names.index(f"{side}Toe"), (0.0, 0.0, 0.05)) for side in ("Left", "Right")),
    )


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
