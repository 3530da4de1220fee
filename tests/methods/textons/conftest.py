"""One small model of two dances and a walk, learnt once for all tests of textons."""

from __future__ import annotations

import pytest

from motionloom import samples
from motionloom.core import Clip
from motionloom.kinematics.resample import resample
from motionloom.methods import learn
from motionloom.methods.textons import TextonModel


@pytest.fixture(scope="session")
def takes() -> list[Clip]:
    return [
        resample(samples.make(name, seconds=8, seed=seed), 30)
        for name, seed in (("dance", 0), ("dance", 1), ("walk", 2))
    ]


@pytest.fixture(scope="session")
def model(takes: list[Clip]) -> TextonModel:
    found = learn("textons", takes, {"fps": 30.0, "shortest": 0.5, "tolerance": 0.7})
    assert isinstance(found, TextonModel)
    return found
