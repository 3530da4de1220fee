"""The path that a request asked for is drawn with its result."""

from __future__ import annotations

import numpy as np

from motionloom.constraints import Request
from motionloom.core import replace
from motionloom.core.origin import Origin
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, synthesize
from motionloom.plot.filmstrip import filmstrip
from motionloom.plot.filmstrip_layout import lay_out
from motionloom.plot.requested_paths import requested_paths
from motionloom.plot.style import SOURCES
from motionloom.recipes.recorded_edits import clean
from motionloom.samples import make


def test_the_path_and_the_obstacles_of_a_recipe_lie_on_the_floor():
    walks = [make("walk", seed=seed, seconds=3) for seed in range(2)]
    asked = Request.from_yaml("{constraints: [root_path: {points: [[0, 0], [0, 3]], weight: 1}]}")
    made = synthesize(learn("motion-graph", walks), asked, seed=1)
    [path] = requested_paths(made)
    np.testing.assert_array_equal(path, [[0, 0], [0, 3]])
    assert sum(line.get_color() == SOURCES[1] for line in filmstrip(made).lines) == 1
    assert requested_paths(walks[0]) == []
    text = "{constraints: [{root_path: {points: [[0, 0], [0, 3]], weight: 1}}, {avoid: {center: [2, 1], radius: 0.5}}]}"
    _, pillar = requested_paths(synthesize(learn("motion-graph", walks), Request.from_yaml(text), seed=1))
    np.testing.assert_allclose(np.linalg.norm(pillar - [2, 1], axis=1), 0.5)
    assert requested_paths(clean(made).clip) == []  # it may have been moved since


def test_a_bent_path_is_drawn_under_the_poses_that_followed_it():
    """Side by side, where a bent walk without a request is put, poses stand beside no path."""
    walks = [make("walk", speed=1.3, turn=turn, seed=k, fps=30) for k, turn in enumerate((0.0, 0.7, -0.7))]
    bent = Request.from_yaml("{constraints: [root_path: {points: [[0, 0], [0, 3], [3, 3.4]], weight: 1}]}")
    made = synthesize(learn("motion-graph", walks), bent, seed=1)
    place = travel(made).place
    straight = np.linalg.norm(place[-1] - place[0]) / np.linalg.norm(np.diff(place, axis=0), axis=1).sum()
    assert 0.7 < straight < 0.8
    assert lay_out(made, "").connected
    assert not lay_out(replace(made, origin=Origin()), "").connected
