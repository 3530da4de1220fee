"""Similar pairs out of a matrix."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis.contact_agreement import contacts_agree
from motionloom.analysis.curvature_similarity import Curvature
from motionloom.analysis.pairs import Pairs, below, best_share, local_minima
from motionloom.analysis.point_cloud import PointCloud
from motionloom.analysis.similarity import find_similar
from motionloom.core import BadRequest, with_labels

HILLS = np.array(
    [
        [5, 4, 5, 6, 7, 1],
        [4, 2, 4, 6, 7, 7],
        [5, 4, 5, 6, 0, 7],
        [6, 6, 6, 6, 7, 7],
    ],
    float,
)


def test_the_best_share_is_the_smallest_cells_best_first():
    found = best_share(HILLS, 3 / 24, first=(10, 20))
    assert found.frames.tolist() == [[12, 24], [10, 25], [11, 21]]
    assert found.values.tolist() == [0, 1, 2]


def test_the_best_share_of_a_small_matrix_is_at_least_one_pair():
    assert len(best_share(HILLS, 0.001)) == 1
    assert len(best_share(HILLS, 1.0)) == 24


def test_a_share_equals_sorting_everything(rng):
    matrix = rng.random((40, 30))
    found = best_share(matrix, 0.015)
    assert len(found) == 18
    np.testing.assert_array_equal(found.values, np.sort(matrix.ravel())[:18])


def test_cells_below_a_threshold_may_be_none():
    assert len(below(HILLS, 2.0)) == 3
    assert len(below(HILLS, -1.0)) == 0


def test_local_minima_are_smaller_than_all_around_them():
    assert local_minima(HILLS).frames.tolist() == [[2, 4], [0, 5], [1, 1]]
    assert local_minima(HILLS, threshold=1.0).frames.tolist() == [[2, 4], [0, 5]]
    assert local_minima(HILLS, radius=3).frames.tolist() == [[2, 4]]


def test_a_flat_stretch_is_one_minimum():
    assert local_minima(np.zeros((5, 7))).frames.tolist() == [[0, 0]]


def test_contacts_agree_where_the_same_feet_are_down(motion):
    left, right = np.arange(40) % 8 < 4, np.arange(40) % 8 >= 4
    a = with_labels(motion(1), {"contact:left_heel": left, "contact:right_heel": right, "happy": left})
    b = with_labels(motion(2), {"contact:left_heel": left, "contact:right_heel": right})
    pairs = Pairs(np.array([[0, 0], [0, 4], [1, 11], [5, 3]]), np.zeros(4))
    assert contacts_agree(a, b, pairs).tolist() == [True, False, True, False]
    assert len(pairs.where(contacts_agree(a, b, pairs))) == 2


def test_contacts_that_nobody_looked_for_are_said(motion):
    with pytest.raises(BadRequest, match=r"'clip1' has no contact labels: use with_contacts"):
        contacts_agree(motion(1), motion(2), Pairs(np.zeros((1, 2), int), np.zeros(1)))


@pytest.mark.parametrize("share", [0.0, -0.1, 1.5])
def test_a_share_outside_0_to_1_is_refused(share):
    with pytest.raises(BadRequest, match="share of pairs"):
        best_share(HILLS, share)


def test_nan_and_empty_matrices_and_a_radius_of_none_are_refused():
    with pytest.raises(BadRequest, match="NaN"):
        below(np.array([[1.0, np.nan]]), 1.0)
    with pytest.raises(BadRequest, match="at least one cell"):
        best_share(np.zeros((0, 4)))
    with pytest.raises(BadRequest, match="radius of 1"):
        local_minima(HILLS, radius=0)


def test_the_threshold_of_point_clouds_is_a_root_mean_square_distance(motion):
    a, b = motion(0), motion(1)
    limit = float(np.sqrt(np.median(PointCloud().matrix(a, b))))
    found = find_similar(a, b, PointCloud(), threshold=limit)
    assert 0.4 < len(found.pairs) / found.matrix.size < 0.6
    assert np.sqrt(found.pairs.values.max()) <= limit * (1 + 1e-6)


def test_pairs_that_curvature_rejects_are_never_chosen(motion):
    found = find_similar(motion(0), motion(1), Curvature(share=0.05), share=0.2)
    assert 0 < len(found.pairs) <= 0.06 * found.matrix.size
    assert found.pairs.values.max() < found.matrix.max()
