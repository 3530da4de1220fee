"""Feet, floor, balance and flight with values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Skeleton
from motionloom.evaluate.measures.floor import floating, penetration
from motionloom.evaluate.measures.physics import (
    Flight,
    distance_to_hull,
    flights,
    gravity_error,
    in_the_air,
    outside_support,
)
from motionloom.evaluate.measures.prepared_clip import NotApplicable, heights, off_the_floor
from motionloom.kinematics.mass import DE_LEVA, NoMass, centre_of_mass


def test_heights_are_above_the_joints_own_first_percentile_or_the_ground():
    points = np.zeros((101, 1, 3))
    points[:, 0, 1] = np.arange(101.0)
    assert heights(points, None)[:3, 0].tolist() == [-1.0, 0.0, 1.0]
    assert heights(points, 10.0)[0, 0] == -10.0


def test_penetration_of_a_known_floor():
    points = np.zeros((4, 1, 3))
    points[:, 0, 1] = [0.0, -0.04, 0.1, 0.0]
    assert penetration(points, ground=0.0) == (pytest.approx(0.04), pytest.approx(0.01))


def test_floating_counts_only_frames_that_touch():
    points = np.zeros((4, 1, 3))
    points[:, 0, 1] = [0.0, 0.02, 0.5, 0.04]
    touching = np.array([[True], [True], [False], [True]])
    assert floating(points, touching, ground=0.0) == pytest.approx(0.02)
    points[3, 0, 1] = -0.04  # below the floor it does not float: (0 + 2 + 0) / 3
    assert floating(points, touching, ground=0.0) == pytest.approx(0.02 / 3)
    with pytest.raises(NotApplicable, match="no foot ever touches"):
        floating(points, np.zeros((4, 1), bool))
    with pytest.raises(NotApplicable, match="no feet"):
        penetration(np.zeros((4, 0, 3)))


def test_distance_from_a_triangle_a_line_and_a_point():
    triangle = np.array([[0.0, 0], [4, 0], [0, 3]])
    assert distance_to_hull(np.array([1.0, 1.0]), triangle) == 0.0
    assert distance_to_hull(np.array([2.0, -0.5]), triangle) == pytest.approx(0.5)
    assert distance_to_hull(np.array([4.0, 3.0]), triangle) == pytest.approx(12 / 5)  # height over the long side
    assert distance_to_hull(np.array([2.0, 1.0]), triangle[:2]) == pytest.approx(1.0)
    assert distance_to_hull(np.array([3.0, 4.0]), triangle[:1]) == pytest.approx(5.0)


def test_a_centre_of_mass_ten_centimetres_beside_the_foot_is_five_outside():
    centre = np.tile([0.10, 0.9, 0.0], (12, 1))
    feet = np.tile([[0.0, 0, -0.1], [0.0, 0, 0.1]], (12, 1, 1))
    touching = np.ones((12, 2), bool)
    assert outside_support(centre, feet, touching, 30.0) == pytest.approx(np.full(12, 0.05))
    with pytest.raises(NotApplicable, match="never stands upright and still"):
        outside_support(centre + np.arange(12)[:, None] * [0.1, 0, 0], feet, touching, 30.0)


def test_a_body_that_sits_or_only_turns_back_does_not_stand_still():
    centre = np.tile([0.10, 0.9, 0.0], (12, 1))
    feet, touching = np.tile([0.0, 0.0, 0.0], (12, 1, 1)), np.ones((12, 1), bool)
    assert outside_support(centre, feet, touching, 30.0, leg=1.1) == pytest.approx(np.full(12, 0.05))  # 0.9 > 0.88
    with pytest.raises(NotApplicable, match="never stands upright and still"):
        outside_support(centre, feet, touching, 30.0, leg=1.2)  # 0.9 < 0.96: it sits
    swings = centre + np.abs(np.arange(12) - 6)[:, None] * [0.02, 0, 0]  # 0.6 m/s, at rest for one frame
    with pytest.raises(NotApplicable, match="never stands upright and still"):
        outside_support(swings, feet, touching, 30.0, leg=1.0)


def test_in_the_air_nothing_may_carry_the_body():
    feet, hands, centre = np.zeros((6, 2, 3)), np.ones((6, 2, 3)), np.tile([0, 1.0, 0], (6, 1))
    feet[1:, :, 1] = 0.05  # 4 cm is lifted
    feet[2, 0, 1] = 0.03
    hands[3, 1, 1] = 0.2  # a hand on the floor: a cartwheel
    centre[4, 1] = 0.6  # low: it sits
    assert in_the_air(feet, hands, centre, 0.9, 0.0).tolist() == [False, True, False, False, False, True]


def test_a_toe_that_is_held_above_its_lowest_level_carries_the_body():
    """Only a foot that never comes lower stands there: a walk of motion matching once fell at 3.1 m/s^2 in flight."""
    feet, hands, centre = np.zeros((20, 2, 3)), np.ones((20, 2, 3)), np.tile([0, 1.0, 0], (20, 1))
    feet[5:15, :, 1] = 0.05
    feet[:, 0, 2] = 0.05 * np.arange(20)
    feet[:, 1, 2] = 0.05 * np.maximum(np.arange(20), 11)  # still until frame 11, then it swings
    assert not in_the_air(feet, hands, centre, 0.9, 0.0).any()
    feet[:, 1, 2] = feet[:, 0, 2]
    assert in_the_air(feet, hands, centre, 0.9, 0.0).sum() == 10


def test_bodies_that_swim_or_fly_are_not_on_their_feet_and_others_are():
    kick = np.zeros((100, 1, 3))
    kick[:, 0, 1] = 0.3 * np.abs(np.sin(np.arange(100)))  # at the lowest 2.5 cm for few frames
    never = np.zeros((100, 1), bool)
    assert "it lies or swims" in str(off_the_floor(kick, never, 0.4, 0.9, None))
    assert "it flies or climbs" in str(off_the_floor(kick, never, 2.0, 0.9, None))
    assert off_the_floor(kick, never, 0.9, 0.9, None) is None  # upright: whatever it does, it should stand
    assert off_the_floor(kick, np.ones((100, 1), bool), 0.4, 0.9, None) is None  # it touches: it sits
    assert off_the_floor(0 * kick, never, 0.4, 0.9, None) is None  # its feet stay low: they slide


@pytest.mark.parametrize("fall", [9.81, 4.0])
def test_a_flight_shows_how_fast_it_falls(fall):
    t = (np.arange(30) - 15) / 60
    height = 1 - fall * t**2 / 2
    air = np.zeros(30, bool)
    air[4:26] = True
    found = flights(height, air, 60.0)
    assert [(f.start, f.stop) for f in found] == [(4, 26)]
    assert found[0].fall == pytest.approx(fall)
    assert gravity_error(found) == pytest.approx(abs(fall - 9.81), abs=1e-9)


def test_long_flights_weigh_more_than_short_ones():
    short, long = Flight(10, 20, 8.81, 0.0), Flight(40, 70, 12.81, 0.0)  # off by 1 and by 3, 10 and 30 frames
    assert gravity_error([short, long]) == pytest.approx((10 * 1 + 30 * 3) / 40)


def test_a_flight_that_the_clip_cuts_off_is_no_flight():
    air = np.ones(30, bool)
    assert flights(np.zeros(30), air, 60.0) == []
    with pytest.raises(NotApplicable, match="never in the air"):
        gravity_error([])


def test_masses_of_a_body_add_up_to_all_of_it():
    for k in (0, 1):
        whole = sum(s.mass[k] * (1 if name in ("head", "trunk") else 2) for name, s in DE_LEVA.items())
        assert whole == pytest.approx(100, abs=0.05)


def test_the_centre_of_mass_of_a_collapsed_body_is_where_it_lies():
    roles = (
        "hips",
        "head",
        *(f"{s}_{p}" for s in ("left", "right") for p in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")),
    )
    body = Skeleton(roles, np.array([-1] + [0] * (len(roles) - 1)), np.zeros((len(roles), 3)), roles)
    points = np.full((2, len(roles), 3), 0.7)
    assert centre_of_mass(body, points) == pytest.approx(np.full((2, 3), 0.7))
    points[:, body.joint("head"), 1] += 1.0  # the head weighs 6.81 of 100
    assert centre_of_mass(body, points)[0, 1] == pytest.approx(0.7 + 0.0681, abs=1e-4)
    with pytest.raises(NoMass, match="head"):
        centre_of_mass(Skeleton(("a",), np.array([-1]), np.zeros((1, 3))), np.zeros((1, 1, 3)))
