"""Walks of one person that turn both ways, and the model learned from them."""

from __future__ import annotations

import pytest

from motionloom.methods import learn
from motionloom.methods.motion_matching import MotionMatchingModel
from motionloom.samples import make


@pytest.fixture(scope="session")
def matching() -> MotionMatchingModel:
    """Straight walks and turns to both sides, of 8 s each."""
    turns = (0.0, 0.4, -0.4, 0.9, -0.9)
    model = learn("motion-matching", [make("walk", seed=i, turn=t, seconds=8) for i, t in enumerate(turns)])
    assert isinstance(model, MotionMatchingModel)
    return model
