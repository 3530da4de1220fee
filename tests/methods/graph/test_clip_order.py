"""The order of the clips does not matter to any graph, whatever the measure (once the jump between clips did)."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from learning_inputs import Lazy, from_files
from motionloom.constraints import Request, RootPath
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import moved
from motionloom.methods import learn, synthesize
from motionloom.methods.graph.clip_order import in_fixed_order
from motionloom.methods.two_level_graph.markov import chain, edge_weights
from motionloom.samples import make

GRAPHS = ("motion-graph", "two-level-graph", "hierarchical-graph")
MEASURES = ("point-cloud", "joint-angles", "joint-positions", "curvature")
ORDERS = ((0, 1, 2), (2, 0, 1))
CURVE = RootPath(points=((0, 0), (0.3, 2), (1.2, 4)), weight=1)
SEARCHES = [
    ("motion-graph", {}),
    ("motion-graph", {"search": "branch-and-bound"}),
    ("two-level-graph", {}),
    ("two-level-graph", {"search": "clusters"}),
    ("hierarchical-graph", {"budget": 3_000}),
]


@pytest.fixture(scope="module")
def nameless():
    """Walks far from each other, as takes on different days; all have the same name."""
    found = [resample(make("walk", seconds=4, seed=k, turn=0.2 * k), 30) for k in range(3)]
    return [moved(clip, np.array([50.0 * k, -30.0 * k])) for k, clip in enumerate(found)]


@pytest.fixture(scope="module")
def clips(nameless):
    return from_files(nameless)


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
    assert found[0] == found[1]


@pytest.fixture(scope="module")
def in_two_orders(nameless):
    """Models of each graph method, from the same clips in two orders."""
    return Lazy(lambda method: [learn(method, [nameless[k] for k in order]) for order in ORDERS])


@pytest.mark.parametrize(("method", "options"), SEARCHES)
@pytest.mark.parametrize("constraints", [(CURVE,), ()], ids=["path", "walk"])
def test_the_same_frames_are_shown_in_any_order_of_clips(in_two_orders, method, options, constraints):
    """Once, branch and bound took the route through the clip that was given first, where two were equally good."""
    request = Request(seconds=4.0, constraints=constraints, options=options)
    first, second = (synthesize(model, request, seed=5) for model in in_two_orders[method])
    np.testing.assert_array_equal(first.root, second.root)
    np.testing.assert_array_equal(first.rotations, second.rotations)


def test_clips_are_ordered_by_name_then_first_frame_then_contents(clips, nameless):
    pieces = [clips[1][60:], clips[1][:50]]
    wanted = ["0.bvh", "1.bvh", "1.bvh", "2.bvh"]
    for order in permutations([clips[0], *pieces, clips[2]]):
        found = in_fixed_order(order)
        assert [clip.name for clip in found] == wanted
        assert [len(clip) for clip in found[1:3]] == [50, len(clips[1]) - 60]
    alike = {tuple(float(clip.root[0, 0]) for clip in in_fixed_order(order)) for order in permutations(nameless)}
    assert len(alike) == 1


def test_probabilities_and_costs_by_curvature_differ_from_edge_to_edge(clips):
    """On the scale of the jump between two clips, costs were 0.999996 to 1 and probabilities agreed to 1e-5."""
    two, tree = (learn(method, clips, {"measure": "curvature"}) for method in GRAPHS[1:])
    weights = edge_weights(chain(two.graph, two.delta)).take
    assert weights.max() > 1.2 * weights.min()
    costs = tree.graph.transitions.distance
    assert np.ptp(costs) > 0.05 * costs.max()
