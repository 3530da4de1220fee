"""Characters with more time than their way takes: they stand at its end, or circle near it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motionloom.constraints import Request, RootPath
from motionloom.core.poses import commands
from motionloom.kinematics.travel import travel
from motionloom.methods import learn
from motionloom.methods.synthesis import attempt
from motionloom.samples import make

SMALL = {"sources": 8, "targets": 60, "verified": 400, "samples": 40}
EDGES = ("walk>walk", "walk>stop", "stop>stand", "stand>stand", "stand>start", "start>walk")


@pytest.fixture(scope="module")
def standing():
    walks = [make("walk", seed=1, turn=t, seconds=5, fps=30) for t in (-1.2, -0.6, 0.0, 0.6, 1.2)]
    others = [make(name, seed=1, fps=30) for name in ("stop", "stand", "start")]
    nodes = ("walk parameter=turn", *(f"{name} cut=none" for name in ("stop", "stand", "start")))
    return learn("parametric-graph", [*walks, *others], {**SMALL, "node": nodes, "edge": EDGES})


def test_characters_stop_at_a_place_and_stay_there(standing):
    """They stop at the end of a clip, at most half a stride too early or too late."""
    live, places = standing.live, np.array([[0.0, 7.0], [5.0, 5.0], [-4.0, 6.0], [3.0, 5.0], [-6.0, 3.0], [1.0, 6.0]])
    state, roots = live.begin(np.arange(len(places))), []
    for _ in range(20 * 30):
        state, poses = live.step(state, commands(place=places), 1 / 30)
        roots.append(poses.root[:, [0, 2]])
    assert (state.node[:, 0] == live.actions.index("stand")).all()
    assert np.linalg.norm(roots[-1] - roots[-150], axis=1).max() < 0.05
    off = np.linalg.norm(roots[-1] - places, axis=1)
    assert off.max() < 0.5 * live.tables.stride + 0.2
    assert off.mean() < 0.5


def test_a_character_with_more_time_than_its_route_takes_stands_at_the_end(standing):
    """It stops at the end of a clip, so that half a stride is the tolerance that it needs."""
    route = RootPath(points=((0, 0), (0, 5)), tolerance=0.7)
    found = attempt(standing, Request(seconds=9, constraints=(route,)))
    assert found.met, found.reason
    assert np.ptp(travel(found.clip).place[-60:], axis=0).max() < 0.05

    tight = attempt(standing, Request(seconds=9, constraints=(replace(route, tolerance=0.01),)))
    assert "stops at the end of a clip of 1." in tight.reason


def test_without_a_node_that_stands_it_walks_to_the_end_first_and_then_back_to_it(walking):
    found = attempt(walking, Request(seconds=7, constraints=(RootPath(points=((0, 0), (0, 4)), weight=1),)))
    far = np.linalg.norm(travel(found.clip).place - [0, 4], axis=1)
    assert far[: 4 * 30].min() < 0.25  # the route takes 3 s
    assert far[4 * 30 :].max() < 2.5  # the diameter of its turning circles is 2 m
    assert "nearest requests" in found.clip.origin.notes[-1].text
