"""Clips for flat ground put onto slopes and steps."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip
from motionloom.kinematics.feet.contacts import foot_parts, part_positions
from motionloom.kinematics.feet.skate_removal import pin_plants
from motionloom.kinematics.feet.terrain import on_ground
from motionloom.kinematics.fk import fk
from motionloom.samples import make


@pytest.fixture(scope="module")
def walk() -> Clip:
    return pin_plants(make("walk", seed=1, seconds=4)).clip


def slope(x, z):
    return 0.1 * np.asarray(z) + 0.05 * np.asarray(x)


def stairs(x, z):
    return 0.15 * np.floor(np.clip(np.asarray(z), 0, None) / 0.9)


def test_flat_ground_changes_nothing(walk):
    same = on_ground(walk, lambda x, z: np.zeros(np.shape(x)))
    np.testing.assert_allclose(fk(same), fk(walk), atol=1e-6)
    higher = on_ground(walk, lambda x, z: np.full(np.shape(x), 0.5))
    np.testing.assert_allclose(fk(higher), fk(walk) + [0, 0.5, 0], atol=1e-6)


@pytest.mark.parametrize("ground", [slope, stairs])
def test_feet_stand_still_on_the_ground_and_are_never_in_it(walk, ground):
    made = on_ground(walk, ground)
    points, flat = part_positions(made), part_positions(walk)
    over = points[..., 1] - ground(points[..., 0], points[..., 2])
    for i, part in enumerate(foot_parts(walk.skeleton)):
        on = walk.label(part.label)
        steps = np.linalg.norm(np.diff(points[:, i], axis=0), axis=1)[on[1:] & on[:-1]]
        assert steps.max() < 2e-3
        if ground is slope:
            np.testing.assert_allclose(over[on, i], flat[on, i, 1], atol=0.01)
        assert over[:, i].min() > flat[:, i, 1].min() - 0.01


def test_the_hips_go_up_with_the_ground(walk):
    made = on_ground(walk, slope)
    rise = made.root[:, 1] - walk.root[:, 1] - slope(walk.root[:, 0], walk.root[:, 2])
    assert np.abs(rise).max() < 0.08
    np.testing.assert_array_equal(made.root[:, [0, 2]], walk.root[:, [0, 2]])
