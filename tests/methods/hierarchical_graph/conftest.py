"""Hand-made graphs for the hierarchical graph's tests."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from motionloom.core import Clip
from motionloom.methods.graph import Graph

sys.path.insert(0, str(Path(__file__).parent))  # for edges_by_hand.py
from edges_by_hand import make_graph


@pytest.fixture(scope="session")
def arms(arm) -> list[Clip]:
    """Three clips of the three-joint arm, 40, 30 and 24 frames at 10 fps, that wander and turn; two carry a label."""
    rng = np.random.default_rng(5)
    out = []
    for count, label in ((40, "slow"), (30, "fast"), (24, "slow")):
        turns = np.cumsum(rng.normal(0, 0.05, (count, 3)), 0)
        rotations = np.zeros((count, 3, 4))
        rotations[..., 0], rotations[..., 2] = np.cos(turns), np.sin(turns)
        root = np.cumsum(rng.normal(0.05, 0.05, (count, 3)), 0)
        out.append(Clip(arm, root, rotations, 10.0, (label,), np.ones((count, 1), bool)))
    return out


@pytest.fixture(scope="session")
def graph(arms) -> Graph:
    """Islands of edges between the three clips, so that one can go on for ever."""
    rng = np.random.default_rng(1)
    starts, edges = [0, 40, 70, 94], {}
    for _ in range(14):
        s, t = rng.integers(0, 3, 2)
        x = rng.integers(starts[s] + 3, starts[s + 1] - 3)
        y = rng.integers(starts[t] + 3, starts[t + 1] - 3)
        for i in range(-2, 3):
            for j in range(-2, 3):
                a, b = int(x + i), int(y + j)
                inside = starts[s] + 2 <= a < starts[s + 1] - 2 and starts[t] + 2 <= b < starts[t + 1] - 2
                if inside and abs(a - b) > 4 and rng.random() < 0.8:
                    edges[a, b] = 0.01 * (i * i + j * j) + 0.001 * rng.random()
    return make_graph(arms, [(a, b, c) for (a, b), c in edges.items()])
