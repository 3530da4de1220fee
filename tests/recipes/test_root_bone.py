"""Edits of a clip whose travel is on a bone on the floor."""

from __future__ import annotations

import numpy as np

from motionloom.core import replace
from motionloom.kinematics.fk import fk
from motionloom.kinematics.root_bone import with_root_bone
from motionloom.recipes import clean
from motionloom.samples import make


def test_cleaning_leaves_a_root_bone_on_the_floor_and_changes_the_body_as_without_it():
    """The hips go down for a foot that slides away from them, but the bone below them does not."""
    walk = make("walk", seconds=2, fps=60)
    away = walk.root + np.linspace(0, 0.15, len(walk))[:, None] * [0.6, 0.1, 1.0]
    walk = replace(walk, root=away)
    plain = clean(walk, find_contacts=True)
    carried = clean(with_root_bone(walk), find_contacts=True)
    assert plain.report.lowered > 1e-3
    assert plain.report.plants == carried.report.plants
    np.testing.assert_array_equal(carried.clip.root[:, 1], 0.0)
    np.testing.assert_allclose(fk(carried.clip)[:, 1:], fk(plain.clip), atol=1e-6)
    np.testing.assert_allclose(carried.clip.root[:, [0, 2]], plain.clip.root[:, [0, 2]], atol=1e-6)
