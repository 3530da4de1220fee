"""Tiny clips for the tests, and the real ones where they are at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom.core import Clip, End, Skeleton
from motionloom.core.progress import Silent
from motionloom.rotation import from_axis_angle, multiply, yaw

MOCAP = Path(__file__).resolve().parents[2] / "shared" / "mocap"


@pytest.fixture(scope="session")
def mocap() -> Path:
    """The folder of real clips; a test that needs it says so when it is not there."""
    if not MOCAP.is_dir():
        pytest.skip("needs the real clips of ../shared/mocap, which are not here")
    return MOCAP


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def arm() -> Skeleton:
    """Three joints in a row, each 1 m above the other, with an end site."""
    return Skeleton(
        ("Hips", "Mid", "Top"),
        np.array([-1, 0, 1]),
        np.array([[0.0, 0, 0], [0, 1, 0], [0, 1, 0]]),
        ("hips", "spine", "head"),
        (End(2, (0.0, 0.5, 0.0)),),
    )


@pytest.fixture(scope="session")
def tiny(arm: Skeleton) -> Clip:
    """Ten frames of the arm: it moves along z, turns left slowly, and bends."""
    t = np.arange(10) / 10
    rotations = np.zeros((10, 3, 4))
    rotations[..., 0] = 1
    rotations[:, 0] = yaw(t)
    rotations[:, 1] = from_axis_angle([1.0, 0, 0], 0.8 * np.sin(2 * t))
    rotations[:, 2] = multiply(yaw(0.3 * t), from_axis_angle([0, 0, 1.0], 0.5 * t))
    return Clip(arm, np.stack([0 * t, 1 + 0 * t, t], 1), rotations, 10.0)


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
def body() -> Skeleton:
    """A person of 1.5 m in a T-pose, facing +z, left along +x, with toes and end sites."""
    names = [n for n, *_ in JOINTS]
    return Skeleton(
        tuple(names),
        np.array([-1 if p is None else names.index(p) for _, p, *_ in JOINTS]),
        np.array([offset for *_, offset, _ in JOINTS], float),
        tuple(role for *_, role in JOINTS),
        tuple(End(names.index(f"{side}Toe"), (0.0, 0.0, 0.05)) for side in ("Left", "Right")),
    )


class Recorded(Silent):
    """Keeps the shares; cancels when it has been called `most` times."""

    def __init__(self, most=None):
        super().__init__()
        self.shares, self.stages, self.most = [], [], most

    def __call__(self, share, stage):
        super().__call__(share, stage)
        self.shares.append(share)
        self.stages.append(stage)
        if self.most is not None and len(self.shares) >= self.most:
            self.stop[0] = 1

    def lawful(self):
        """Shares within 0..1 that never decrease and end at 1."""
        known = [share for share in self.shares if share is not None]
        return known == sorted(known) and known[0] >= 0.0 and known[-1] == 1.0


@pytest.fixture
def recorded():
    """The class of progress that keeps what is reported: `progress = recorded()`."""
    return Recorded
