"""The edges of the three skate measures, worked out by hand: heights, vertical speed, one frame, given floors."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, Skeleton, replace
from motionloom.kinematics.feet.contacts import part_positions
from motionloom.kinematics.feet.skate_measures import measure_skate, skate_a, skate_b, skate_c


@pytest.fixture
def drawn(body: Skeleton) -> Clip:
    """Two seconds in the rest pose, drawn along z at 0.6 m/s; the toes keep their height."""
    z = 0.6 * np.arange(61) / 30
    root = np.stack([0 * z, 0.9 + 0 * z, z], 1)
    return Clip(body, root, np.tile([1.0, 0, 0, 0], (61, len(body), 1)), 30.0)


def floor_of(clip: Clip) -> float:
    return float(part_positions(clip)[0, 1, 1])  # the left toe


def test_contacts_of_c_rise_and_fall_slower_than_20_cm_per_second(drawn: Clip) -> None:
    up = np.arange(61) % 2  # every other frame higher
    for step, found in ((0.005, pytest.approx(60.0)), (0.01, None)):  # 0.15 and 0.3 m/s
        assert skate_c(replace(drawn, root=drawn.root + step * up[:, None] * [0, 1.0, 0])) == found
    high = replace(drawn, root=drawn.root + 0.01 * up[:, None] * [0, 1.0, 0])
    assert skate_b(high) == pytest.approx(60.0)  # (b) asks for the height only


def test_a_looks_at_toes_below_five_centimetres(drawn: Clip) -> None:
    floor = floor_of(drawn)
    assert skate_a(drawn, ground=floor - 0.049) == 1.0
    assert skate_a(drawn, ground=floor - 0.051) == 0.0


def test_c_looks_at_toes_below_two_and_a_half_centimetres_and_b_fades_out_there(drawn: Clip) -> None:
    floor = floor_of(drawn)
    assert skate_c(drawn, ground=floor - 0.024) == pytest.approx(60.0)
    assert skate_c(drawn, ground=floor - 0.026) is None
    assert skate_b(drawn, ground=floor - 0.026) is None


def test_heights_count_from_each_toes_own_first_percentile(drawn: Clip) -> None:
    """One frame of 61 is below the 1st percentile: a metre down, it does not become the floor."""
    root = drawn.root.copy()
    root[:, 1] += 0.3  # wherever the capture stands
    assert skate_b(replace(drawn, root=root)) == pytest.approx(skate_b(drawn))
    long = replace(drawn, root=np.tile(root[:1], (61, 1)))[np.zeros(300, int)]
    sunk = long.root.copy()
    sunk[100, 1] -= 1.0
    assert skate_b(replace(long, root=sunk)) == pytest.approx(0.0)  # the other 299 still count as on the floor


def test_one_frame_has_no_speed(drawn: Clip) -> None:
    assert measure_skate(drawn[:1]) == (None, None, None)
