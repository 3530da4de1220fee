"""Tiny material for the tests of variation; slow.py holds the obvious versions of what kernels compute."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from motionloom.core import Clip
from motionloom.kinematics.resample import resample
from motionloom.kinematics.trim import trim_contacts
from motionloom.methods.variation import VariationModel, fit
from motionloom.samples import make

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def walks() -> list[Clip]:
    """Three takes of two strides of a walk, from one touch-down of the left heel to another."""
    clips = [make("walk", seed=s, speed=1.3 + 0.05 * s, seconds=4) for s in range(3)]
    return [resample(trim_contacts(clip, "left_heel", strides=2), 30.0) for clip in clips]


@pytest.fixture(scope="session")
def walker(walks) -> VariationModel:
    from variation_helpers import QUICK

    return fit(walks, QUICK, rng=np.random.default_rng(0))


@pytest.fixture(scope="session")
def strokes() -> list[Clip]:
    """Four takes of a letter."""
    return [make("stroke", seed=s) for s in range(4)]
