"""Which plants decide where the second clip is laid, and legs that never snap straight."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.blend import append, transition_point
from motionloom.blend.quality import window_quality
from motionloom.kinematics.feet.contacts import runs
from motionloom.kinematics.feet.transition_contacts import MAX_TURN, fit_places_to_plants
from motionloom.kinematics.feet.transition_hold import MAX_REACH, _Posed, _within_reach, ties
from motionloom.kinematics.fk import fk_rotations
from motionloom.kinematics.ground_alignment import Alignment, ground_alignment
from motionloom.kinematics.travel import ground_turn
from motionloom.rotation import rotate, yaw
from motionloom.samples import make

FRAMES = 25  # the window's 23 and one at each end; the cut is before frame 12
HALF = 12


def plant(first: int, last: int) -> np.ndarray:
    on = np.zeros(FRAMES, bool)
    on[first:last] = True
    return on


def still(*places: tuple[float, float]) -> np.ndarray:
    """Parts that stay at these (x, z) for all frames, (F, P, 3)."""
    return np.broadcast_to([(x, 0.0, z) for x, z in places], (FRAMES, len(places), 3))


def fit_of(plants: list[np.ndarray], a: np.ndarray, b: np.ndarray) -> Alignment:
    """The move of B for parts that stand in both clips as given, at places a and b (F, P, 3)."""
    on, spans = np.stack(plants, 1), np.repeat([[0, FRAMES], [FRAMES, 2 * FRAMES]], FRAMES, axis=0)
    turn, shift = np.zeros(1), np.zeros((1, 2))
    cut = np.array([HALF]), np.array([FRAMES + HALF])
    fit_places_to_plants(np.concatenate([a, b]), np.concatenate([on, on]), spans, *cut, HALF, 60.0, turn, shift)
    found = Alignment(float(turn[0]), *map(float, shift[0]), 0.0)
    assert found[:3] == pytest.approx(plant_fit(plants, a, b)[:3], abs=1e-12)
    return found


def plant_fit(plants: list[np.ndarray], a: np.ndarray, b: np.ndarray) -> Alignment:
    """The slow version of `fit_plants`, for plants that go straight over the cut."""
    here, there, held = [], [], []
    for i, on in enumerate(plants):
        if on[HALF - 1] and on[HALF]:
            first, last = next(run for run in runs(on) if run[0] < HALF < run[1])
            here.append(a[[HALF - 1, HALF], i].mean(0))
            there.append(b[[HALF - 1, HALF], i].mean(0))
            held.append(float(np.prod(ties(first, last, FRAMES))))
    if not held:
        return Alignment(0.0, 0.0, 0.0, 0.0)
    p, q, w = np.array(here), np.array(there), np.array(held)
    turn = 0.0
    if (w > 0.5).sum() > 1:
        turn = float(np.clip(ground_alignment(p, q, w).angle, -MAX_TURN, MAX_TURN))
    shift = (w + 1e-3) @ (p[:, [0, 2]] - ground_turn(turn, q[:, [0, 2]])) / (w + 1e-3).sum()
    return Alignment(turn, float(shift[0]), float(shift[1]), 0.0)


def test_a_foot_that_stands_all_the_time_decides_and_a_passing_one_does_not():
    found = [plant(8, 14), plant(0, FRAMES)]
    fit = fit_of(found, still((0.2, 0), (-0.2, 0)), still((0.5, 0.3), (-0.1, 0.05)))
    assert fit.angle == 0
    np.testing.assert_allclose((fit.x, fit.z), (-0.1, -0.05), atol=5e-4)


def test_a_passing_foot_decides_where_no_other_stands():
    fit = fit_of([plant(8, 14)], still((0.2, 0)), still((0.5, 0.3)))
    np.testing.assert_allclose((fit.x, fit.z), (-0.3, -0.3), atol=1e-12)


def test_heel_and_toe_that_stand_all_the_time_also_decide_the_turn():
    found = [plant(0, FRAMES), plant(0, FRAMES)]
    a = still((0.1, 1.0), (0.12, 1.15))
    b = rotate(yaw(np.radians(9.0)), a) + [0.3, 0, -0.2]
    fit = fit_of(found, a, b)
    assert np.degrees(fit.angle) == pytest.approx(-9)
    np.testing.assert_allclose(fit.points(b), a, atol=1e-12)


def test_feet_that_point_elsewhere_turn_the_clip_by_15_degrees_at_most():
    found = [plant(0, FRAMES), plant(0, FRAMES)]
    a = still((0.1, 1.0), (0.12, 1.15))
    fit = fit_of(found, a, rotate(yaw(np.radians(-60.0)), a))
    assert np.degrees(fit.angle) == pytest.approx(15)


def test_nothing_standing_moves_nothing():
    fit = fit_of([plant(0, 4)], still((0, 0)), still((1, 1)))
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
    assert reached.max() <= MAX_REACH
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
