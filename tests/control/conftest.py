"""Every live method, present and future, learned from the same walks; one with each layer; and queued blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from learning_inputs import Lazy, learning_input
from motionloom.control import foot_locked, queued, varied
from motionloom.control.overlaid import overlaid
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


LAYERS: Mapping[str, Callable[[Live, Mapping[str, Model]], Live]] = {
    "foot lock": lambda live, models: foot_locked(live),
    "variation": lambda live, models: varied(live, models["variation"]),
    "splice": lambda live, models: overlaid(live, {"box": make("carry", seconds=5, seed=2, fps=30)}),
    "gaze": lambda live, models: overlaid(live, {}, models["gaze"]),
}


QUEUED = pytest.param("cuts, queued", marks=pytest.mark.long)  # minutes; test_queued.py has short ones


@pytest.fixture(params=[*LIVE, *(f"motion-matching, {layer}" for layer in LAYERS), QUEUED], scope="session")
def live(request: pytest.FixtureRequest, lives: Mapping[str, Live], models: Mapping[str, Model]) -> Live:
    """One live method at a time, one with each of the layers on top, and queued blocks of a method."""
    name, _, layer = request.param.partition(", ")
    if layer == "queued":
        return queued(models[name])
    return LAYERS[layer](lives[name], models) if layer else lives[name]
