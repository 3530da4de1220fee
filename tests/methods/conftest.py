"""Small clips that every method can learn from, and one model of each method."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from motionloom.core import Clip
from motionloom.methods import METHODS, Model, learn
from motionloom.samples import make

sys.path.insert(0, str(Path(__file__).parent))  # for feasible.py, which the contract tests share


@pytest.fixture(scope="session")
def tiny_clips() -> list[Clip]:
    """Three short walks of one person; all carry the label `walk` and their contacts."""
    return [
        make("walk", seed=s, speed=v, turn=t, seconds=4) for s, v, t in ((0, 1.3, 0.0), (1, 1.4, 0.2), (2, 1.3, -0.2))
    ]


@pytest.fixture(scope="session")
def models(tiny_clips: list[Clip]) -> dict[str, Model]:
    """One model of each method, learned from the tiny clips."""
    return {name: learn(name, tiny_clips) for name in METHODS}
