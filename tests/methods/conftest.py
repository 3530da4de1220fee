"""Small clips that every method can learn from, and one model of each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import pytest

from learning_inputs import Lazy, learning_input
from motionloom.core import Clip
from motionloom.methods import Model, learn
from motionloom.samples import make


@pytest.fixture(scope="session")
def tiny_clips() -> list[Clip]:
    """Three short walks of one person; all carry the label `walk` and their contacts."""
    return [
        make("walk", seed=s, speed=v, turn=t, seconds=4) for s, v, t in ((0, 1.3, 0.0), (1, 1.4, 0.2), (2, 1.3, -0.2))
    ]


@pytest.fixture(scope="session")
def inputs(tiny_clips: list[Clip]) -> Mapping[str, Sequence[Any]]:
    """What each method learns from here."""
    return Lazy(lambda name: learning_input(name, tiny_clips))


@pytest.fixture(scope="session")
def models(inputs: Mapping[str, Sequence[Any]]) -> Mapping[str, Model]:
    """One model of each method."""
    return Lazy(lambda name: learn(name, inputs[name]))


@pytest.fixture
def without_solver(monkeypatch):
    """The geometric solver of the finishing pass raises: what holds was made by the method."""

    def swept(*_):
        raise AssertionError("the geometric solver was called")

    monkeypatch.setattr(import_module("motionloom.constraints.solve"), "_swept", swept)
