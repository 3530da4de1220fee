"""What every measure promises, present and future: shapes, invariance, bad input, no NaN."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis import MEASURES
from motionloom.core import BadRequest, InvalidClip, Skeleton, SkeletonMismatch, replace
from motionloom.kinematics.travel import moved, turned


@pytest.fixture(params=list(MEASURES))
def measure(request):
    return MEASURES[request.param]()


def test_a_measure_is_found_by_its_name(measure):
    assert MEASURES[measure.name] is type(measure)
    assert measure.unit


def test_a_row_stands_for_each_frame_that_has_its_window(measure, motion):
    a, b = motion(1, 31), motion(2, 27)
    ready = measure.prepare(a, b)
    assert ready.first == (measure.radius, measure.radius)
    assert ready.shape == measure.matrix(a, b).shape == (31 - 2 * measure.radius, 27 - 2 * measure.radius)


def test_tiles_put_together_are_the_matrix(measure, motion):
    ready = measure.prepare(motion(1, 33), motion(2, 29))
    whole, built = ready.matrix(), np.full(ready.shape, np.nan)
    for tile in ready.tiles(8, halo=1):
        built[tile.rows, tile.columns] = tile.values[tile.inner]
    np.testing.assert_allclose(built, whole, rtol=2e-5, atol=1e-5 * whole.max())


def test_standing_elsewhere_and_facing_elsewhere_change_nothing(measure, motion):
    a, b = motion(1), motion(2)
    before, after = measure.matrix(a, b), measure.matrix(a, moved(turned(b, -1.2), (4.0, 7.0)))
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-5 * before.max())


@pytest.mark.parametrize("name", ["joint-angles", "joint-positions", "curvature"])
def test_a_ramp_and_another_level_change_nothing_but_point_clouds(name, motion, carried):
    a, b = motion(1), motion(2)
    ramp = carried(b, (0.0, 0.0, np.radians(15)), (0, -0.6, 0))
    before, after = MEASURES[name]().matrix(a, b), MEASURES[name]().matrix(a, ramp)
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-5 * before.max())


def test_the_most_alike_frame_of_a_clip_is_itself(measure, motion):
    a = motion(4, 60)
    matrix = measure.matrix(a, a)
    if measure.name == "curvature":  # raw correlation prefers strong bends; normalised, nothing beats oneself
        matrix = type(measure)(normalised=True).matrix(a, a)
    assert (matrix.argmin(1) == np.arange(len(matrix))).all()


def test_nothing_is_negative_or_nan_even_for_clips_that_never_move(measure, motion):
    still = motion(1)[np.zeros(30, int)]
    for a, b in ((still, still), (still, motion(2)), (motion(2), still), (motion(1), motion(2))):
        matrix = measure.matrix(a, b)
        assert np.isfinite(matrix).all()
        assert (matrix >= 0).all()


def test_different_skeletons_are_refused_naming_both_joints(measure, motion, body):
    names = (*body.names[:5], "Paw", *body.names[6:])
    other = Skeleton(names, body.parents, body.offsets, body.roles, body.ends)
    with pytest.raises(SkeletonMismatch, match="joint 5 is 'LeftLeg' in one, 'Paw' in the other"):
        measure.matrix(motion(1), replace(motion(2), skeleton=other))


def test_different_frame_rates_are_refused(measure, motion):
    with pytest.raises(BadRequest, match=r"'clip1' and 'clip2' differ in frame rate: 30 and 60 fps; resample"):
        measure.matrix(motion(1), motion(2, fps=60.0))


def test_a_clip_shorter_than_the_window_is_refused(measure, motion):
    short = max(2 * measure.radius, 1)
    with pytest.raises(InvalidClip, match=rf"clip 'clip2' is too short: .* needs at least \d+ frames, found {short}"):
        measure.matrix(motion(1), motion(2)[:short])


def test_the_shortest_clips_that_fit_give_a_finite_answer(measure, motion):
    least = max(2 * measure.radius + 1, 3)
    assert np.isfinite(measure.matrix(motion(1, least), motion(2, least))).all()
