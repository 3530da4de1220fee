"""Feet of textons on bodies that none of their settings were chosen on."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.constraints import Request
from motionloom.io import load
from motionloom.kinematics.feet.contacts import foot_parts, part_positions, runs
from motionloom.kinematics.feet.skate_measures import measure_skate
from motionloom.methods import learn, synthesize
from motionloom.methods.prepare_clips import prepare

SECONDS = 20
SUBJECTS = ("93", "83", "104", "127")  # dance; walks; zombie; runs, jumps and ducks


@pytest.fixture(scope="module", params=SUBJECTS)
def held_out(request, mocap):
    """The clips of one subject as they are learned from, and two results."""
    clips = [load(path) for path in sorted((mocap / "cmu").glob(f"{request.param}_*.bvh"))]
    model = learn("textons", clips, {"fps": 30.0})
    source = [c for c in prepare(clips, 30.0).clips if len(c) > 30]
    return source, [synthesize(model, Request(seconds=SECONDS), seed=seed) for seed in (0, 1)]


def test_unseen_bodies_skate_no_more_than_their_clips(held_out):
    """Measures (b) and (c) need no labels of contacts: a result that labels fewer does not look better."""
    source, made = held_out
    for kind in ("b", "c"):
        own = np.average([getattr(measure_skate(c), kind) for c in source], weights=[len(c) for c in source])
        assert np.mean([getattr(measure_skate(c), kind) for c in made]) <= own


def test_plants_of_unseen_bodies_stand_still(held_out):
    for clip in held_out[1]:
        points = part_positions(clip)
        for i, part in enumerate(foot_parts(clip.skeleton)):
            spans = runs(clip.label(part.label))
            assert spans
            assert max(np.ptp(points[a:b, i], axis=0).max() for a, b in spans) < 5e-4
