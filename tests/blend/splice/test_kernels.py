"""The best rotation between point clouds, against the SVD form and brute force."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from motionloom.blend.splice._kernels import best_rotation, largest_eigenvector
from motionloom.rotation import from_axis_angle, normalize, rotate, to_matrix


def by_svd(a, b):
    """Kabsch: the rotation matrix R with the least sum |R a_k - b_k|^2."""
    u, _, vt = np.linalg.svd(b.T @ a)
    return u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt


def test_horn_agrees_with_svd(rng):
    for count in (2, 3, 6):
        for _ in range(20):
            a, b = rng.normal(size=(2, count, 3))
            out = np.empty(4)
            best_rotation(a, b, out)
            assert_allclose(to_matrix(out), by_svd(a, b), atol=1e-9)


def test_a_turned_cloud_is_turned_back(rng):
    a = rng.normal(size=(5, 3))
    q = from_axis_angle([1.0, 2, -1], 2.9)
    out = np.empty(4)
    best_rotation(a, rotate(q, a), out)
    assert_allclose(rotate(out, a), rotate(q, a), atol=1e-12)


def test_equal_clouds_need_no_rotation(rng):
    a = rng.normal(size=(4, 3))
    out = np.empty(4)
    best_rotation(a, a, out)
    assert_allclose(out, [1, 0, 0, 0], atol=1e-15)


def test_no_other_rotation_is_better(rng):
    a, b = rng.normal(size=(2, 4, 3))
    out = np.empty(4)
    best_rotation(a, b, out)
    error = lambda q: ((rotate(q, a) - b) ** 2).sum()
    others = normalize(out + rng.normal(size=(200, 4)) * 0.1)
    assert all(error(out) <= error(q) + 1e-12 for q in others)


def test_the_largest_eigenvector_is_that_of_numpy(rng):
    for _ in range(20):
        m = rng.normal(size=(4, 4))
        m = m + m.T
        out = np.empty(4)
        _, vectors = np.linalg.eigh(m)
        largest_eigenvector(m.copy(), np.empty((4, 4)), out)
        assert_allclose(np.abs(out @ vectors[:, -1]), 1, atol=1e-12)
