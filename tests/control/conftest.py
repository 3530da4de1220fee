"""Every live method, present and future, learned from the same walks; and each with the foot lock on top."""

from __future__ import annotations

import pytest

from motionloom.control import foot_locked
from motionloom.core import Clip
from motionloom.methods import METHODS, learn
from motionloom.methods.live import Live
from motionloom.samples import make

LIVE = [name for name, method in METHODS.items() if hasattr(method.module().MODEL, "live")]


@pytest.fixture(scope="session")
def walks() -> list[Clip]:
    """Straight walks and turns to both sides; all carry the label `walk`."""
    return [make("walk", seed=i, turn=t, seconds=6) for i, t in enumerate((0.0, 0.5, -0.5, 0.9, -0.9))]


@pytest.fixture(scope="session")
def lives(walks: list[Clip]) -> dict[str, Live]:
    """The live characters of every method."""
    return {name: learn(name, walks).live for name in LIVE}  # type: ignore[attr-defined]


@pytest.fixture(params=[*LIVE, "motion-matching, foot lock"], scope="session")
def live(request: pytest.FixtureRequest, lives: dict[str, Live]) -> Live:
    """One live method at a time, and one with a layer on top."""
    name, *locked = request.param.split(", ")
    return foot_locked(lives[name]) if locked else lives[name]
