"""A small body with roles, and short smooth random motions of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from motionloom.core import Clip, End, Origin, Skeleton
from motionloom.rotation import exp, multiply, rotate

Maker = Callable[..., Clip]


@pytest.fixture(scope="session")
def body() -> Skeleton:
    """Hips, spine, head, two arms of two joints and two legs of two joints, with end sites at their tips."""
    names = ["Hips", "Spine", "Head"]
    parents, roles = [-1, 0, 1], ["hips", "spine", "head"]
    offsets = [[0, 0, 0], [0, 0.2, 0], [0, 0.4, 0.05]]
    for side, x in (("Left", 1), ("Right", -1)):
        names += [f"{side}Arm", f"{side}Elbow", f"{side}Leg", f"{side}Knee"]
        base = len(parents)
        parents += [1, base, 0, base + 2]
        roles += [f"{side.lower()}_{part}" for part in ("upper_arm", "forearm", "thigh", "shin")]
        offsets += [[0.2 * x, 0.35, 0], [0.28 * x, 0, 0], [0.1 * x, -0.05, 0], [0, -0.42, 0]]
    ends = tuple(End(j, (0.0, -0.3, 0.1)) for j in (4, 6, 8, 10))
    return Skeleton(tuple(names), np.array(parents), np.array(offsets, float), tuple(roles), ends)


@pytest.fixture(scope="session")
def motion(body: Skeleton) -> Maker:
    """motion(seed, frames=40): a smooth random motion that travels about a metre a second."""

    def make(seed: int, frames: int = 40, fps: float = 30.0, name: str = "") -> Clip:
        rng = np.random.default_rng(seed)
        t = np.arange(frames) / fps
        waves = rng.uniform(1, 3, (len(body), 3, 1)) * 2 * np.pi * t / 2 + rng.uniform(0, 6, (len(body), 3, 1))
        rotations = exp(0.5 * np.sin(waves).transpose(2, 0, 1) + rng.normal(0, 0.2, (len(body), 3)))
        root = np.stack([0.1 * np.sin(5 * t), 0.95 + 0.04 * np.sin(9 * t), 1.1 * t], 1) + rng.normal(0, 0.3, 3)
        return Clip(body, root, rotations, fps, origin=Origin(name=name or f"clip{seed}"))

    return make


@pytest.fixture(scope="session")
def carried() -> Callable[..., Clip]:
    """carried(clip, rotation_vector, shift): the clip under any rigid move in space."""
    from motionloom.core import replace

    def carry(clip: Clip, turn: tuple[float, float, float], shift: tuple[float, float, float]) -> Clip:
        q = exp(np.array(turn))
        rotations = clip.rotations.copy()
        rotations[:, 0] = multiply(q, rotations[:, 0])
        return replace(clip, root=rotate(q, clip.root) + shift, rotations=rotations)

    return carry
