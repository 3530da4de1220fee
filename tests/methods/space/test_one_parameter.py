"""Tables of weights of one parameter: blends are formulas, so that nothing is rendered, one of motion."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import silent
from motionloom.methods import learn
from motionloom.methods.space.one_parameter import motion_changes, tabulated
from motionloom.methods.space.sampling import moment_table, polynomial_size, sample_space
from motionloom.methods.space.space import Space, SpaceParameter
from motionloom.samples import make


def space_of(values, measure, spread=0.02):
    values = np.asarray(values, float)[:, None]
    rng = np.random.default_rng(0)
    found = sample_space(values, measure, most=128, together=3, smoothness=1.0, rng=rng, progress=silent())
    curve = np.zeros((len(moment_table(1)), polynomial_size(1), 1))
    parameters = (SpaceParameter("p", "m", 1),)
    return Space(
        None, parameters, values, found.middle, found.ranges, curve, spread, found.weights, found.values,
        np.zeros((0, len(values) + 2)), np.zeros((0, 1)), np.zeros((0, 1)),
    )  # fmt: skip


def bent(values):
    """A parameter that rises unevenly with the blended value, with a kink."""
    return lambda w: np.array([max((float(w @ values) + float(w @ values) ** 3) / 2, 1.4 * float(w @ values) - 0.45)])


def test_weights_of_a_table_have_the_requested_parameter():
    inner = np.array([0.0, 0.2, 0.35, 0.7, 1.0])
    measure = bent(inner)
    space = space_of([float(measure(w)[0]) for w in np.eye(5)], measure)
    table = tabulated(space, measure, silent())
    low, high = table[[0, -1], 0] * space.ranges[0] + space.middle[0]
    asked = np.linspace(low, high, 1001)
    at = np.interp(asked, table[:, 0] * space.ranges[0] + space.middle[0], np.arange(len(table)))
    weights = np.stack([np.interp(at, np.arange(len(table)), column) for column in table[:, 2:].T], 1)
    assert weights.min() >= 0
    np.testing.assert_allclose(weights.sum(1), 1)
    off = np.abs([measure(w)[0] for w in weights] - asked) / space.ranges[0]
    assert off.mean() < 1e-3
    assert off.max() < 2e-3


def test_a_table_reaches_what_only_blends_reach():
    values = np.array([0.0, 0.5, 1.0])

    def measure(w):
        return np.array([float(w @ values) + 1.2 * float(w[1] * w[2])])

    space = space_of(values, measure)
    table = tabulated(space, measure, silent())
    most = float(space.sample_values.max())
    assert most > 1.005
    assert table[-1, 1] * space.ranges[0] + space.middle[0] >= most - 1e-9


@pytest.fixture(scope="module")
def turning():
    walks = [make("walk", seed=1, turn=t, seconds=3, fps=30) for t in (-0.6, -0.2, 0.0, 0.1, 0.6)]
    return learn("parametric-space", walks, {"parameter": ["turn_rate"], "samples": 64})


def test_the_motion_of_a_space_changes_evenly_with_its_parameter(turning):
    space = turning.space
    largest = []
    for steps in (100, 200, 400, 800):
        weights = space.weights(np.linspace(space.low, space.high, steps + 1)).weights
        changes = motion_changes(space.rows, turning.skeleton, turning.tables, weights)
        assert changes.max() <= 3 * changes.mean()
        largest.append(changes.max())
    ratios = np.array(largest[:-1]) / largest[1:]
    assert (np.abs(ratios - 2) <= 0.2).all()


def test_changes_of_motion_are_distances_of_joints(turning):
    rows = turning.space.rows
    weights = np.eye(rows.size)[[0, 0, 1]]
    changes = motion_changes(rows, turning.skeleton, turning.tables, weights)
    assert changes[0] == 0
    assert 0.005 < changes[1] < 0.5


def test_an_example_with_another_motion_but_nearly_the_same_parameter_is_passed_over():
    # the second jump goes as far as the first one, but far higher
    jumps = [
        make("jump", seed=1, height=h, distance=d, fps=30)
        for h, d in ((0.3, 0.3), (0.7, 0.32), (0.4, 1.1), (0.45, 1.5))
    ]
    settings = {"parameter": ["distance"], "repeat": "no", "cut": "none", "samples": 64}
    model = learn("parametric-space", jumps, settings)
    space = model.space
    assert [str(note).split(" is ")[0] for note in model.notes if "passed over" in str(note)]
    assert (space.section[:, 3] == 0).all()
    changes = motion_changes(
        space.rows, model.skeleton, model.tables, space.weights(np.linspace(space.low, space.high, 101)).weights
    )
    assert changes.max() <= 3 * changes.mean()
    forced = learn("parametric-space", jumps, {**settings, "smoothness": 1.0}).space  # without a choice of the spread
    weights = forced.weights(np.linspace(space.low, space.high, 101)).weights
    changes = motion_changes(forced.rows, model.skeleton, model.tables, weights)
    assert weights[:, 1].max() > 0.5
    assert changes.max() > 3 * changes.mean()
