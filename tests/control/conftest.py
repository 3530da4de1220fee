"""Every live method, present and future, learned from the same walks; and each with the foot lock on top."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from learning_inputs import Lazy, learning_input
from motionloom.control import foot_locked, varied
from motionloom.core import Clip
from motionloom.methods import METHODS, Model, learn
from motionloom.methods.live import Live
from motionloom.samples import make

QUICK = {"variation": {"rounds": 1, "candidates": 2, "tries": 2, "least_gain": 1.0}}  # networks need not be good here
LIVE = [name for name, method in METHODS.items() if method.module().MODEL.live_commands]


@pytest.fixture(scope="session")
def walks() -> list[Clip]:
    """Straight walks and turns to both sides; all carry the label `walk`."""
    return [make("walk", seed=i, turn=t, seconds=6) for i, t in enumerate((0.0, 0.5, -0.5, 0.9, -0.9))]


@pytest.fixture(scope="session")
def models(walks: list[Clip]) -> Mapping[str, Model]:
    """One model of every method with live characters."""
    return Lazy(lambda name: learn(name, learning_input(name, walks), QUICK.get(name)))


@pytest.fixture(scope="session")
def lives(models: Mapping[str, Model]) -> Mapping[str, Live]:
    """The live characters of every method."""
    return Lazy(lambda name: models[name].live)  # type: ignore[attr-defined]


@pytest.fixture(params=[*LIVE, "motion-matching, foot lock", "motion-matching, variation"], scope="session")
def live(request: pytest.FixtureRequest, lives: Mapping[str, Live], models: Mapping[str, Model]) -> Live:
    """One live method at a time, and one with each of the layers on top."""
    name, *layers = request.param.split(", ")
    if layers == ["variation"]:
        return varied(lives[name], models["variation"])
    return foot_locked(lives[name]) if layers else lives[name]
