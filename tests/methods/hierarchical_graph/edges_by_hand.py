"""A graph from edges that a test writes down."""

from __future__ import annotations

import numpy as np

from motionloom.methods.graph import Graph, Transitions


def make_graph(clips, edges, half=2, rng=None):
    """A graph from (a, b, cost) rows; how the clips lie on one another is drawn at random."""
    rng = rng or np.random.default_rng(0)
    rows = sorted(edges)
    a, b = (np.array([r[k] for r in rows], np.int64) for k in (0, 1))
    turn, shift = rng.uniform(-1, 1, len(rows)), rng.uniform(-1, 1, (len(rows), 2))
    return Graph(tuple(clips), Transitions(a, b, np.array([float(r[2]) for r in rows]), turn, shift), half)
