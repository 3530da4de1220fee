"""Small functions of numbers, and their compiled versions."""

from __future__ import annotations

import numpy as np

from motionloom.core import _kernels_numbers as compiled
from motionloom.core.numbers import smoothstep, squared_distances
from motionloom.rotation import wrap_angle


def test_a_smooth_step_is_flat_at_both_ends():
    x = np.linspace(-0.5, 1.5, 201)
    y = smoothstep(x)
    inside = (x >= 0) & (x <= 1)
    np.testing.assert_allclose(y[inside], (3 * x**2 - 2 * x**3)[inside], atol=1e-15)
    assert (y[x <= 0] == 0).all()
    assert (y[x >= 1] == 1).all()
    np.testing.assert_array_equal([compiled.smoothstep(v) for v in x], y)


def test_wrapped_angles_are_the_same_directions(rng):
    angles = np.concatenate([rng.uniform(-50, 50, 200), [np.pi, -np.pi, 0.0, 3 * np.pi]])
    out = wrap_angle(angles)
    assert (out >= -np.pi).all()
    assert (out < np.pi).all()
    np.testing.assert_allclose(np.exp(1j * out), np.exp(1j * angles), atol=1e-12)
    np.testing.assert_array_equal([compiled.wrap_angle(v) for v in angles], out)


def test_squared_distances_are_those_of_all_pairs_and_never_negative(rng):
    a, b = rng.normal(size=(7, 4)), rng.normal(size=(5, 4))
    np.testing.assert_allclose(squared_distances(a, b), ((a[:, None] - b) ** 2).sum(-1), atol=1e-13)
    assert (squared_distances(a + 1e6, a + 1e6) >= 0).all()
    assert squared_distances(a.astype(np.float32), b.astype(np.float32)).dtype == np.float32
