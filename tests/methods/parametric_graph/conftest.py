"""A small graph of walks."""

from __future__ import annotations

import pytest

from motionloom.methods import learn
from motionloom.samples import make

SMALL = {"sources": 8, "targets": 60, "verified": 400, "samples": 40}


@pytest.fixture(scope="session")
def walks():
    return [make("walk", seed=1, turn=t, seconds=4, fps=30) for t in (-1.2, -0.6, 0.0, 0.6, 1.2)]


@pytest.fixture(scope="session")
def walking(walks):
    return learn("parametric-graph", walks, SMALL)
