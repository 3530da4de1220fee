"""Motion in place: nothing of it stands still, so nothing is pinned."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.kinematics import fk
from motionloom.kinematics.feet.skate_removal import remove_skate
from motionloom.kinematics.feet.treadmill import IN_PLACE, moves_in_place
from motionloom.kinematics.retarget import retarget
from motionloom.kinematics.travel import in_place
from motionloom.samples import make


@pytest.mark.parametrize("speed", [0.8, 1.4])
def test_feet_that_slide_back_under_a_body_in_place_are_left_alone(speed):
    """An engine's cycle without its travel: a foot that was pinned would freeze and catch up."""
    walk = make("walk", seconds=2, fps=60, speed=speed)
    assert not moves_in_place(walk)
    still = in_place(walk)
    out, report = remove_skate(still)
    assert np.array_equal(fk(out), fk(still))
    assert report.plants == 0
    assert str(out.origin.notes[-1]) == IN_PLACE


def test_a_cycle_in_place_stays_closed_on_another_body():
    walk = make("walk", seconds=2, fps=60)
    cycle = in_place(walk)
    assert np.abs(fk(retarget(cycle, walk)[0]) - fk(cycle)).max() < 1e-6


def test_standing_is_no_motion_in_place():
    assert not moves_in_place(make("stand", seconds=2))
