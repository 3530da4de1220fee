"""Two short sample walks, and a texture of them."""

from __future__ import annotations

import pytest

from motionloom.core import Clip
from motionloom.methods import learn
from motionloom.samples import make


@pytest.fixture(scope="session")
def clips() -> list[Clip]:
    return [make("walk", seed=1, seconds=4), make("walk", seed=2, speed=1.0, turn=0.2, seconds=4)]


@pytest.fixture(scope="session")
def model(clips):
    return learn("texture", clips)
