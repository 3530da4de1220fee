"""The path that a request asked for is drawn with its result."""

from __future__ import annotations

import numpy as np

from motionloom.constraints import Request
from motionloom.methods import learn, synthesize
from motionloom.plot.filmstrip import filmstrip
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
