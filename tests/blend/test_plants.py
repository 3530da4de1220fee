"""Which plants decide where the second clip is laid, and legs that never snap straight."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.blend import append, transition_point
from motionloom.blend.quality import window_quality
from motionloom.kinematics.feet.contacts import foot_parts
from motionloom.kinematics.feet.transition_hold import STRETCHED, _Posed, _within_reach
from motionloom.kinematics.feet.transition_plants import Near, Standing, plant_fit
from motionloom.kinematics.fk import fk_rotations
from motionloom.rotation import rotate, yaw
from motionloom.samples import make

FRAMES = 25  # the window's 23 and one at each end; the cut is before frame 12


def plant(person, part: str, first: int, last: int) -> Standing:
    on = np.zeros(FRAMES, bool)
    on[first:last] = True
    return Standing(next(p for p in foot_parts(person) if p.name == part), on, 11, 12)


def still(*places: tuple[float, float]) -> np.ndarray:
    """Parts that stay at these (x, z) for all frames, (F, P, 3)."""
    return np.broadcast_to([(x, 0.0, z) for x, z in places], (FRAMES, len(places), 3))


def test_a_foot_that_stands_all_the_time_decides_and_a_passing_one_does_not(person):
    found = [plant(person, "left_toe", 8, 14), plant(person, "right_toe", 0, FRAMES)]
    fit = plant_fit(found, Near(still((0.2, 0), (-0.2, 0)), still((0.5, 0.3), (-0.1, 0.05))))
    assert fit.angle == 0
    np.testing.assert_allclose((fit.x, fit.z), (-0.1, -0.05), atol=5e-4)


def test_a_passing_foot_decides_where_no_other_stands(person):
    fit = plant_fit([plant(person, "left_toe", 8, 14)], Near(still((0.2, 0)), still((0.5, 0.3))))
    np.testing.assert_allclose((fit.x, fit.z), (-0.3, -0.3), atol=1e-12)


def test_heel_and_toe_that_stand_all_the_time_also_decide_the_turn(person):
    found = [plant(person, "left_heel", 0, FRAMES), plant(person, "left_toe", 0, FRAMES)]
    a = still((0.1, 1.0), (0.12, 1.15))
    b = rotate(yaw(np.radians(9.0)), a) + [0.3, 0, -0.2]
    fit = plant_fit(found, Near(a, b))
    assert np.degrees(fit.angle) == pytest.approx(-9)
    np.testing.assert_allclose(fit.points(b), a, atol=1e-12)


def test_feet_that_point_elsewhere_turn_the_clip_by_15_degrees_at_most(person):
    found = [plant(person, "left_heel", 0, FRAMES), plant(person, "left_toe", 0, FRAMES)]
    a = still((0.1, 1.0), (0.12, 1.15))
    fit = plant_fit(found, Near(a, rotate(yaw(np.radians(-60.0)), a)))
    assert np.degrees(fit.angle) == pytest.approx(15)


def test_nothing_standing_moves_nothing(person):
    fit = plant_fit([plant(person, "left_toe", 0, 4)], Near(still((0, 0)), still((1, 1))))
    assert fit[:3] == (0, 0, 0)


def test_a_leg_in_the_air_slows_down_before_it_is_straight(stroll):
    few = stroll[:FRAMES]
    posed = _Posed(*(values[None] for values in fk_rotations(few)))
    limb = tuple(few.skeleton.joint(f"left_{role}") for role in ("thigh", "shin", "foot"))
    hip = posed.places[0, :, limb[0]]
    length = np.linalg.norm(few.skeleton.offsets[list(limb[1:])], axis=1).sum()
    asked = np.linspace(0.6, 1.3, FRAMES)
    air = np.zeros(FRAMES, bool)
    wanted = hip + [0, -1, 0] * (asked * length)[:, None]
    [got] = _within_reach(posed, limb, wanted[None], air[None], few.fps)
    reached = np.linalg.norm(got - hip, axis=1) / length
    assert reached.max() <= STRETCHED
    np.testing.assert_allclose(reached[asked < 0.94], asked[asked < 0.94])
    assert (np.diff(reached)[asked[1:] < 0.98] > 0).all()


@pytest.mark.parametrize("method", ["blend", "spacetime"])
@pytest.mark.parametrize("pair", ["turn dance", "dance walk", "walk run", "dance duck"])
def test_no_knee_snaps_and_no_foot_slides_between_samples(pair, method):
    first, second = pair.split()
    a, b = make(first, seed=0)[-150:], make(second, seed=1)
    point = transition_point(a, b, half=12)
    quality = window_quality(a, b, append(a, b, method=method, at=point), point, 12)
    assert quality.jump < 4  # a run's own foot: 3.4
    assert quality.slide is None or quality.slide < 3
