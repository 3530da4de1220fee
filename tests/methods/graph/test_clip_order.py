"""The order of the clips does not matter to any graph, whatever the measure (once the jump between clips did)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionloom.core import replace as clip_with
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import moved
from motionloom.methods import learn
from motionloom.methods.two_level_graph.markov import chain, edge_weights
from motionloom.samples import make

GRAPHS = ("motion-graph", "two-level-graph", "hierarchical-graph")
MEASURES = ("point-cloud", "joint-angles", "joint-positions", "curvature")
ORDERS = ((0, 1, 2), (2, 0, 1))


@pytest.fixture(scope="module")
def clips():
    """Walks far from each other, as takes on different days."""
    found = [resample(make("walk", seconds=4, seed=k, turn=0.2 * k), 30) for k in range(3)]
    found = [moved(clip, np.array([50.0 * k, -30.0 * k])) for k, clip in enumerate(found)]
    return [clip_with(clip, origin=replace(clip.origin, name=f"{k}.bvh")) for k, clip in enumerate(found)]


def joined(model: Any) -> dict[tuple[str | int, ...], float]:
    """The distance of every transition, by clip and frame at both ends."""
    graph = model.graph
    starts = np.cumsum([0, *(len(clip) for clip in graph.clips)])
    names = [clip.name for clip in graph.clips]
    out = {}
    for a, b, distance in zip(graph.transitions.a, graph.transitions.b, graph.transitions.distance, strict=True):
        ends: list[str | int] = []
        for frame in (int(a), int(b)):
            k = int(np.searchsorted(starts, frame, side="right")) - 1
            ends += [names[k], frame - int(starts[k])]
        out[tuple(ends)] = float(distance)
    return out


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("method", GRAPHS)
def test_the_same_frames_are_joined_in_any_order_of_clips(clips, method, measure):
    models = [learn(method, [clips[k] for k in order], {"measure": measure}) for order in ORDERS]
    found = [joined(model) for model in models]
    assert len(found[0]) > 4
    assert found[0].keys() == found[1].keys()
    np.testing.assert_allclose(list(found[0].values()), [found[1][k] for k in found[0]], rtol=1e-3, atol=1e-5)


def test_probabilities_and_costs_by_curvature_differ_from_edge_to_edge(clips):
    """On the scale of the jump between two clips, costs were 0.999996 to 1 and probabilities agreed to 1e-5."""
    two, tree = (learn(method, clips, {"measure": "curvature"}) for method in GRAPHS[1:])
    weights = edge_weights(chain(two.graph, two.delta)).take
    assert weights.max() > 1.2 * weights.min()
    costs = tree.graph.transitions.distance
    assert np.ptp(costs) > 0.05 * costs.max()
