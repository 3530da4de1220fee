"""Multilinear interpolation: the grid, the order of axes, requests."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.blend.registered_clips import Registered
from motionloom.constraints import PARAMETERS, Parameters, Request
from motionloom.core import BadRequest
from motionloom.methods import attempt, learn, synthesize
from motionloom.methods.multilinear import Options
from motionloom.methods.multilinear.grid import Cell, cell_of, corner_weights, successively
from motionloom.rotation import angle_between, exp, slerp
from motionloom.samples import make


@pytest.fixture(scope="module")
def model():
    clips = [make("walk", seed=1, turn=t, speed=s, seconds=3, fps=30) for t in (-0.5, 0.5) for s in (1.0, 1.6)]
    settings = {"parameter": ["turn_rate", "speed"], "grid": 3, "samples": 64}
    return learn("multilinear", clips, settings)


def test_corners_and_shares_of_a_cell():
    low, high = np.zeros(2), np.array([2.0, 4.0])
    cell = cell_of(low, high, 3, np.array([0.5, 3.0]))
    np.testing.assert_array_equal(cell.corners, [1, 2, 4, 5])
    np.testing.assert_allclose(cell.shares, [0.5, 0.5])
    np.testing.assert_allclose(corner_weights(np.array([0.25, 0.1])), [0.675, 0.075, 0.225, 0.025])
    outside = cell_of(low, high, 3, np.array([-9.0, 9.0]))
    np.testing.assert_allclose(outside.shares, [0, 1])


def rows_of(turns):
    count, clips = turns.shape[:2]
    flat = np.ones((count, clips))
    return Registered(
        turns, flat, np.zeros((count, clips, 3)), flat, np.zeros((count, clips, 0)), flat, 1, count - 3, True
    )


@pytest.mark.parametrize("p", [1, 2, 3])
def test_successive_interpolation_is_nested_slerps_in_the_order_of_axes(p):
    rng = np.random.default_rng(p)
    turns = exp(rng.normal(size=(7, 2**p, 1, 3)) * 0.4)
    shares = rng.random(p)
    made = successively(rows_of(turns), Cell(np.arange(2**p), shares))
    parts = [turns[:, k] for k in range(2**p)]
    for share in shares:  # the obvious form: 2^p - 1 interpolations of pairs
        half = len(parts) // 2
        parts = [slerp(parts[k], parts[k + half], share) for k in range(half)]
    assert angle_between(made.turns[:, 0], parts[0]).max() < 1e-9


def test_a_point_of_the_grid_is_met_exactly_in_both_orders(model):
    inner = int(np.flatnonzero((np.abs(model.grid_values - model.grid_values.mean(0)) < 0.2).all(1))[0])
    low, high, count = model.space.low, model.space.high, model.config.grid
    at = np.array([np.linspace(low[d], high[d], count)[(inner // count ** (1 - d)) % count] for d in range(2)])
    both = [model.motion(at, Options(order=order)) for order in ("none", "axes")]
    for made in both:
        np.testing.assert_allclose(made.used, model.grid_values[inner], atol=1e-9)
    assert both[0].weights.max() == pytest.approx(1)


def test_a_request_is_made(model):
    text = "{{seconds: 2, parameters: {{turn_rate: 5deg/s, speed: 1.3}}, options: {{order: {}}}}}"
    for order in ("none", "axes"):
        clip = synthesize(model, Request.from_yaml(text.format(order)))
        assert len(clip) == 60
        np.testing.assert_allclose(clip.origin.weights.sum(2), 1)


def test_requests_beside_points_that_no_blend_reaches_are_met():
    """Three walks reach a triangle: at its corners and beyond its sides, points of the grid hold the nearest blend."""
    walks = [make("walk", seed=1, turn=t, speed=v, seconds=3, fps=30) for t, v in ((-0.5, 1.0), (0.5, 1.0), (0.0, 1.7))]
    settings = {"parameter": ["turn_rate", "speed"], "grid": 4, "samples": 64, "merge": 0.2}
    model = learn("multilinear", walks, settings)
    values, scale = model.space.values, model.space.ranges
    top, off = values[values[:, 1].argmax()], []
    for side in (values[:, 0].argmin(), values[:, 0].argmax()):
        for share in (0.3, 0.5, 0.7):
            turn, speed = (1 - share) * values[side] + share * top
            wish = Parameters(values={"turn_rate": f"{turn} rad/s", "speed": f"{speed} m/s"}, weight=1.0)
            made = attempt(model, Request(seconds=2, constraints=(wish,))).clip
            got = [float(PARAMETERS[name].measured(made)[0]) for name in ("turn_rate", "speed")]
            off.append((np.abs(np.array(got) - [turn, speed]) / scale).max())
    assert np.mean(off) < 0.015


def test_as_many_points_as_examples_of_other_lengths():
    """Frames at a point of the grid are those of a blend of the examples, not of the example with its number."""
    walks = [make("walk", seed=1, speed=v, seconds=3, fps=30) for v in (1.8, 1.4, 1.0)]
    model = learn("multilinear", walks, {"parameter": ["speed"], "grid": 5, "samples": 32})
    assert model.space.rows.size == model.grid.size == 5
    made = synthesize(model, Request.from_yaml("{seconds: 2, parameters: {speed: 1.2}}"))
    assert float(PARAMETERS["speed"].measured(made)[0]) == pytest.approx(1.2, abs=0.01)


def test_a_grid_that_is_too_large_is_refused():
    clips = [make("walk", seed=1, turn=t, speed=s, seconds=2, fps=30) for t in (-0.5, 0.5) for s in (1.0, 1.6)]
    settings = {"parameter": ["turn_rate", "speed", "distance"], "grid": 50, "samples": 0}
    with pytest.raises(BadRequest, match=r"125000 points|depend on each other"):
        learn("multilinear", clips, settings)
