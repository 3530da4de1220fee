"""Walks over segments leave a corner of the material, and repeats are reported."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from motionloom.methods.textons.config import Options
from motionloom.methods.textons.plan.pieces import repeat_notes
from motionloom.methods.textons.plan.random_walk import SegmentWalk


class Segments(list):
    """As many segments as `count`, each a texton of its own, 30 frames long."""

    fps = 30.0

    def __init__(self, count):
        super().__init__(range(count))
        self.texton_count = count
        self.observed = [SimpleNamespace(move=(0.0, 0.1, 0.0), frames=np.zeros(30), length=30) for _ in range(count)]

    def __getitem__(self, i):
        return self.observed[i]

    def of_texton(self, i):
        return np.array([i])


def walk_over(chances, seed):
    """A walk over joins with these probabilities."""
    count = len(chances)
    joins = SimpleNamespace(chances=chances, inside=np.arange(count), distance=np.ones((count, count)), limit=1.0)
    finder = SimpleNamespace(segments=Segments(count), counts=chances, joins=lambda options: joins)
    walk = SegmentWalk(
        finder, SimpleNamespace(), Options(stage_radius=1000.0, key_variation=0.0), np.random.default_rng(seed)
    )
    walk.piece = lambda observed: SimpleNamespace(observed=observed, length=30, first=0, span=None)
    return walk


def shown(walk, count):
    out = [SimpleNamespace(observed=0, length=30, first=0, span=None)]
    for _ in range(count - 1):
        walk.advance(out[-1])
        out.append(walk.step(out[-1]))
    return [p.observed for p in out], out


@pytest.fixture
def corner():
    """Segments 0 and 1 (a dog that sits) follow each other; only 1 leads on, rarely, to a ring of ten others."""
    chances = np.zeros((12, 12))
    chances[0, 1] = 1.0
    chances[1, [0, 2]] = 0.98, 0.02
    for k in range(2, 12):
        chances[k, 2 + (k - 1) % 10] = 1.0
    chances[11, [2, 0]] = 0.5, 0.5
    return chances


def test_a_walk_leaves_a_corner_of_the_material(corner):
    for seed in range(5):
        order, _ = shown(walk_over(corner, seed), 30)
        assert sum(o < 2 for o in order) <= 8  # without looking ahead, up to 12
        assert len(set(order)) >= 11


def test_repeats_are_reported(corner):
    few = np.zeros((12, 12))
    few[0, 1] = few[1, 0] = 1.0
    few[2:, 0] = 1.0
    walk = walk_over(few, 0)
    _, pieces = shown(walk, 12)
    (note,) = repeat_notes(walk.segments, pieces)
    assert note.level == "warning"
    assert "10 of 12 s repeat frames" in note.text
    assert "2 of 12 s of the clips are shown" in note.text
    _, fresh = shown(walk_over(corner, 1), 12)
    assert not repeat_notes(walk.segments, fresh)
