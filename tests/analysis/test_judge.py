"""Judging measures by their pairs (GUAN 4.2), and the search for attribute weights."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.analysis import (
    MEASURES,
    JointAngles,
    JointPositions,
    Judge,
    Pairs,
    best_share,
    even_grid,
    judge,
    optimal_attributes,
    uneven_grid,
)
from motionloom.analysis.comparison import frame_weights
from motionloom.core import BadRequest
from motionloom.kinematics.fk import accelerations, fk, velocities
from motionloom.rotation import to_matrix


def slow_verdict(a, b, frames, radius, weights):
    """GUAN 4.1-4.3 with 4 x 4 matrices: M_i0 M_j0^-1 carries clip b onto clip a; velocities are only turned."""
    w = weights / weights.sum()
    wf = frame_weights(radius, "triangle")
    pa, pb = fk(a), fk(b)
    va, vb, aa, ab = (d(p, 30.0) for d in (velocities, accelerations) for p in (pa, pb))
    dp = dv = da = 0.0
    for i, j in frames:
        m = []
        for clip, f in ((a, i), (b, j)):
            m.append(np.eye(4))
            m[-1][:3, :3] = to_matrix(clip.rotations[f, 0])
            m[-1][:3, 3] = clip.root[f]
        carry = m[0] @ np.linalg.inv(m[1])
        for f in range(-radius, radius + 1):
            moved = pb[j + f] @ carry[:3, :3].T + carry[:3, 3]
            dp += wf[f + radius] * (w @ ((pa[i + f] - moved) ** 2).sum(1))
        dv += w @ ((va[i] - vb[j] @ carry[:3, :3].T) ** 2).sum(1)
        da += w @ ((aa[i] - ab[j] @ carry[:3, :3].T) ** 2).sum(1)
    return np.array([dp, dv, da]) / len(frames)


def test_the_verdict_equals_the_equations_with_matrices(motion):
    a, b = motion(1), motion(2)
    frames = np.array([[5, 9], [20, 30], [34, 5]])
    by = Judge(weights="uniform")
    found = by.pairs(a, b, Pairs(frames, np.zeros(3)))
    slow = slow_verdict(a, b, frames, 5, np.ones(11))
    np.testing.assert_allclose([found.position, found.velocity, found.acceleration], slow, rtol=1e-10)
    np.testing.assert_allclose(by.matrix(a, b)[[0, 15, 29], [4, 25, 0]].mean(), slow[0], rtol=1e-5)
    assert found.position_rms == pytest.approx(slow[0] ** 0.5)


def test_no_rigid_motion_changes_a_verdict(motion, carried):
    a, b = motion(1), motion(2)
    pairs = Pairs(np.array([[8, 9], [20, 30]]), np.zeros(2))
    before, after = (Judge().pairs(a, c, pairs) for c in (b, carried(b, (0.3, 1.0, -0.2), (1, 2, 3))))
    assert after.position == pytest.approx(before.position)
    assert after.velocity == pytest.approx(before.velocity)
    assert after.acceleration == pytest.approx(before.acceleration)


def test_pairs_too_near_the_ends_are_left_out_and_none_at_all_is_said(motion):
    a, b = motion(1), motion(2)
    assert Judge().pairs(a, b, Pairs(np.array([[0, 9], [20, 30]]), np.zeros(2))).pairs == 1
    with pytest.raises(BadRequest, match="none of the 1 pairs"):
        Judge().pairs(a, b, Pairs(np.array([[0, 9]]), np.zeros(1)))


def test_all_measures_get_the_same_number_of_pairs_and_nobody_beats_the_criterion_itself(motion):
    a, b = motion(1, 80), motion(2, 70)
    table = judge([cls() for cls in MEASURES.values()], a, b, share=0.01)
    assert list(table) == list(MEASURES)
    assert {v.pairs for v, _ in table.values()} == {42}
    ideal = Judge().pairs(a, b, best_share(Judge().matrix(a, b), 0.01, first=(5, 5)))
    assert all(v.position >= ideal.position - 1e-9 and v.seconds > 0 for v, _ in table.values())


def slow_search(measure_class, a, b, grid, share):
    """Every weight set: build the matrix, sort it, judge its pairs."""
    best = (np.inf, None)
    for w in grid:
        matrix = measure_class(tuple(w), precision="double").matrix(a, b)[5:-5, 5:-5]
        score = Judge().pairs(a, b, best_share(matrix, share, first=(5, 5))).position
        best = min(best, (score, tuple(np.array(w) / max(w))))
    return best


def test_the_search_finds_what_trying_every_set_finds(motion):
    a, b = motion(1, 30), motion(2, 30)
    values = np.array([0.1, 1.0])
    grid = [(x, y, z) for x in values for y in values for z in values]
    score, _ = slow_search(JointAngles, a, b, grid, 0.02)
    found = optimal_attributes(JointAngles(precision="double"), [(a, b)], share=0.02, grid=values, rounds=1)
    assert found.score == pytest.approx(score, rel=1e-4)
    assert len(found.sets) == 7  # eight sets, of which (0.1, 0.1, 0.1) and (1, 1, 1) are the same
    assert found.best_possible <= found.score


def test_a_finer_round_never_makes_it_worse_and_the_largest_weight_is_one(motion):
    pairs = [(motion(1), motion(2)), (motion(3), motion(4))]
    coarse, fine = (optimal_attributes(JointPositions(), pairs, grid=uneven_grid(3), rounds=n) for n in (1, 3))
    assert fine.score <= coarse.score
    assert max(fine.weights) == 1.0
    assert fine.names == ("joint positions", "joint velocities", "root velocity", "root acceleration")


def test_the_grids_are_those_of_the_source():
    assert even_grid().tolist() == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    assert uneven_grid(4).tolist() == pytest.approx([0.001, 0.01, 0.1, 1.0])


def test_a_search_without_clips_or_with_a_grid_of_zeros_is_refused(motion):
    with pytest.raises(BadRequest, match="at least one pair"):
        optimal_attributes(JointAngles(), [])
    with pytest.raises(BadRequest, match="above 0"):
        optimal_attributes(JointAngles(), [(motion(1), motion(2))], grid=np.array([0.0, 1.0]))
    with pytest.raises(BadRequest, match="share of pairs"):
        optimal_attributes(JointAngles(), [(motion(1), motion(2))], share=2.0)


class Sum:
    """A measure of two terms, and a judge for whom the second counts 0.03 of the first."""

    terms_of, radius = ("one", "two"), 0

    def __init__(self):
        self.tables = np.random.default_rng(5).random((2, 60, 60))

    def terms(self, a, b):
        return self.tables

    def matrix(self, a, b):
        return self.tables[0] + 0.03 * self.tables[1]


@pytest.mark.parametrize("grid", [even_grid(), uneven_grid()], ids=["even", "uneven"])
def test_a_finer_grid_lies_between_the_neighbours_of_the_best(grid, motion):
    """An evenly spaced grid, whose smallest weight is 0.1, must be refined downwards too."""
    both = [(motion(0, frames=60), motion(1, frames=60))]
    found = optimal_attributes(Sum(), both, grid=grid, rounds=3, by=Sum())
    assert found.score <= 1.0005 * found.best_possible
    assert found.weights[1] / found.weights[0] == pytest.approx(0.03, rel=0.5)
