"""Tiny clips for the tests, and the real ones where they are at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motionloom.core import Clip, End, Skeleton
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
