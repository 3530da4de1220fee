"""Weights of a space: against brute force, and laws. The blends are formulas, so that nothing is rendered."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from motionloom.core import silent
from motionloom.methods.space._kernels_blended_value import blended_value, slope_at
from motionloom.methods.space._kernels_nearest import nearest_weights
from motionloom.methods.space._kernels_weights import (
    _solved,
    linear_weights,
    missed_at,
)
from motionloom.methods.space.radial import solve_misses
from motionloom.methods.space.sampling import (
    features,
    fit_map,
    moment_table,
    polynomial_size,
    predict,
    random_weights,
    sample_space,
    spread_of,
    weights_for,
)

ARMS = np.array([[a, b, c] for a in (-0.6, 0, 0.6) for b in (-0.5, 0.0, 0.5) for c in (0.5, 0.65, 0.8)])


def reach(w):
    """Where a hand is whose two angles and extension are blended: not linear in w."""
    a, b, c = w @ ARMS
    return np.array([c * np.sin(a) * np.cos(b), 1.3 + c * np.sin(b), c * np.cos(a) * np.cos(b)])


@pytest.fixture(scope="module")
def arms():
    """Values in units of the range, the map, and a function that measures in these units."""
    values = np.stack([reach(w) for w in np.eye(len(ARMS))])
    rng = np.random.default_rng(0)
    found = sample_space(values, reach, most=800, together=5, smoothness=1.0, rng=rng, progress=silent())
    return (values - found.middle) / found.ranges, found.curve, lambda w: (reach(w) - found.middle) / found.ranges


def test_the_map_and_its_slope_are_those_of_the_formula(rng):
    values, table = rng.normal(size=(6, 2)), moment_table(2)
    curve, w = np.zeros((len(table), polynomial_size(2), 2)), rng.dirichlet(np.ones(6))
    for place in features(values, table, w[None])[1]:
        curve[place] = rng.normal(size=2)
    out, jac, slope = np.zeros(2), np.zeros((6, 2)), (np.zeros(2), np.zeros((2, 2)), np.zeros((len(table), 2)))
    blended_value(values, table, curve, w, True, out, *slope)
    for k in range(6):
        slope_at(values[k], table, *slope, jac[k])
    np.testing.assert_allclose(out, predict(values, table, curve, w[None])[0], atol=1e-12)
    for _ in range(5):
        step = rng.normal(size=6)
        step -= step.mean()
        ends = [predict(values, table, curve, (w + s * 1e-6 * step)[None])[0] for s in (1, -1)]
        np.testing.assert_allclose(step @ jac, (ends[0] - ends[1]) / 2e-6, rtol=1e-4, atol=1e-6)


def test_linear_weights_solve_the_quadratic_programme(rng):
    for _ in range(10):
        values, p = rng.normal(size=(8, 2)), rng.normal(size=2) * 0.2
        cost = ((values - p) ** 2).sum(1)
        y, w = np.array([0.0, 0.0, cost.min() + 0.1]), np.zeros(8)
        linear_weights(values - p, cost, 0.1, np.zeros(2), y, w)
        rules = [
            {"type": "eq", "fun": lambda x: x.sum() - 1},
            {"type": "eq", "fun": lambda x, v=values, q=p: x @ v - q},
        ]
        best = minimize(
            lambda x, c=cost: c @ x + 0.05 * x @ x, np.full(8, 1 / 8), bounds=[(0, 1)] * 8, constraints=rules,
            options={"maxiter": 500, "ftol": 1e-14},
        )  # fmt: skip
        if best.success and linprog(np.zeros(8), A_eq=np.vstack([values.T, np.ones(8)]), b_eq=[*p, 1]).success:
            np.testing.assert_allclose(w, best.x, atol=2e-3)


def test_linear_weights_do_not_depend_on_where_their_search_begins(rng):
    values, p = rng.normal(size=(8, 2)), np.array([0.05, -0.1])
    cost = ((values - p) ** 2).sum(1)
    found = []
    for start in (
        [0.0, 0.0, cost.min() + 0.1],
        [0.3, -0.4, -10.0],
    ):  # with the second start, all weights are 0 at first
        y, w = np.array(start), np.zeros(8)
        linear_weights(values - p, cost, 0.1, np.zeros(2), y, w)
        found.append(w)
    assert found[1].sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found[1], found[0], atol=1e-6)


def test_what_the_map_misses_is_interpolated(rng):
    def off(x):
        return np.stack([np.sin(2 * x[:, 0]) * x[:, 1], x[:, 0] ** 2 - 0.3 * x[:, 1]], 1)

    at, asked = rng.uniform(-0.5, 0.5, (200, 2)), rng.uniform(-0.4, 0.4, (50, 2))
    by = solve_misses(at, off(at))
    for x, within in ((at, 1e-9), (asked, 0.02)):
        found = np.empty(x.shape)
        missed_at(at, by, x, found)
        np.testing.assert_allclose(found, off(x), atol=within)


def test_linear_parameters_are_met_exactly_and_examples_are_themselves(rng):
    values = rng.normal(size=(12, 2))
    values = (values - values.mean(0)) / np.ptp(values, axis=0)
    curve = np.zeros((len(moment_table(2)), polynomial_size(2), 2))
    asked = rng.dirichlet(np.ones(12), 50) @ values
    w, used = weights_for(values, moment_table(2), curve, 0.02, asked)
    assert w.min() >= 0
    np.testing.assert_allclose(w.sum(1), 1)
    np.testing.assert_allclose(w @ values, asked, atol=1e-4)
    np.testing.assert_allclose(used, asked, atol=1e-4)
    apart = ((values[:, None] - values[None]) ** 2).sum(-1) + 10 * np.eye(12)
    w, _ = weights_for(values, moment_table(2), curve, 0.3 * float(apart.min()), values)
    np.testing.assert_allclose(w, np.eye(12), atol=0.02)


def test_requests_from_other_blends_are_met(arms):
    values, curve, measure = arms
    rng = np.random.default_rng(5)
    near = np.argsort(((values[:, None] - values[None]) ** 2).sum(-1), axis=1)
    asked = np.stack([measure(random_weights(near, 5, rng)) for _ in range(300)])
    w, _ = weights_for(values, moment_table(3), curve, spread_of(values, 1.0), asked)
    off = np.abs(np.stack([measure(x) for x in w]) - asked).max(1)
    assert off.mean() < 0.002
    assert off.max() < 0.02
    assert w.min() >= 0


def test_far_requests_get_the_border(arms):
    values, curve, _ = arms
    w, used = weights_for(values, moment_table(3), curve, spread_of(values, 1.0), np.array([[0.0, 5.0, 0.0]]))
    assert used[0, 1] > 0.9 * values[:, 1].max()
    assert w.min() >= 0


def test_weights_are_continuous(arms):
    values, curve, _ = arms
    line = np.linspace(-0.3, 0.3, 401)[:, None] * [1.0, 0.6, -0.2]
    changes = []
    for every in (2, 1):
        w, _ = weights_for(values, moment_table(3), curve, spread_of(values, 1.0), np.ascontiguousarray(line[::every]))
        changes.append(np.linalg.norm(np.diff(w, axis=0), axis=1).max())
    assert 1.6 < changes[0] / changes[1] < 2.4


def crowded(rng, *, size=3):
    """Six crowds of 25 examples whose parameters are not linear in the weights: values, moments, map, spread."""
    values = np.repeat(rng.uniform(-0.45, 0.45, (6, size)), 25, axis=0) + rng.normal(size=(150, size)) * 0.05
    table = moment_table(size)
    curve = np.zeros((len(table), polynomial_size(size), size))
    curve[: size * (size + 1) // 2, 0] = rng.normal(size=(size * (size + 1) // 2, size)) * 0.7
    return values, table, curve, spread_of(values, 3.0)


def test_the_weights_do_not_depend_on_the_examples_that_are_tried_first(rng):
    values, *known = crowded(rng)
    for request in rng.dirichlet(np.ones(150) / 25, 40) @ values:
        found = []
        for first in (6, 24, len(values)):
            w, used = np.zeros(len(values)), np.zeros(3)
            _solved(values, *known, request, first, w, used)
            found.append(w)
        np.testing.assert_allclose(found[0], found[2], atol=1e-6)
        np.testing.assert_allclose(found[1], found[2], atol=1e-6)


def test_weights_of_many_examples_do_not_jump(rng):
    """Of 150 examples: the steepest place of each line is halved until the change is small, or a jump is left."""
    values, *known = crowded(rng)
    for a, b in rng.dirichlet(np.ones(150) / 25, (8, 2)) @ values:
        ends = np.array([0.0, 1.0])
        for points in (401, 9, 9, 9, 9):
            share = np.linspace(*ends, points)
            requests = (1 - share[:, None]) * a + share[:, None] * b
            w, _ = weights_for(values, *known, requests)
            change = np.abs(np.diff(w, axis=0)).sum(1)
            ends = share[change.argmax() :][:2]
        assert change.max() < 1e-3


def test_a_request_between_two_crowds_of_examples_is_met_by_both(rng):
    crowd = rng.uniform(-0.1, 0.1, (64, 2))
    values = np.concatenate([crowd - [0.5, 0], crowd + [0.5, 0]])
    table, curve = np.zeros((0, 4), np.int64), np.zeros((0, 1, 2))
    weights, used = weights_for(values, table, curve, 1e-3, np.array([[0.1, 0.0]]))
    np.testing.assert_allclose(used, [[0.1, 0.0]], atol=1e-3)
    assert weights[0, :64].sum() > 0.3


def test_nearest_weights_are_equations_6_1_and_6_2(rng):
    known, blends, asked = rng.normal(size=(40, 2)), rng.dirichlet(np.ones(5), 40), rng.normal(size=(7, 2)) * 0.5
    w, used = np.zeros((7, 5)), np.zeros((7, 2))
    nearest_weights(known, blends, asked, 4, w, used)
    for n in range(7):
        apart = np.linalg.norm(known - asked[n], axis=1)
        near = np.argsort(apart)[:4]
        share = 1 / apart[near] - 1 / apart[near[-1]]
        np.testing.assert_allclose(w[n], share @ blends[near] / share.sum(), atol=1e-9)


def test_the_fit_finds_a_map_of_its_own_form(rng):
    values, table = rng.uniform(-0.5, 0.5, size=(7, 1)), moment_table(1)
    curve = np.zeros((len(table), polynomial_size(1), 1))
    curve[0, 0], curve[0, 1], curve[1, 0] = 0.4, -0.3, 0.8
    w = rng.dirichlet(np.ones(7), 200)
    again = fit_map(values, table, w, predict(values, table, curve, w))
    np.testing.assert_allclose(predict(values, table, again, w), predict(values, table, curve, w), atol=1e-3)
