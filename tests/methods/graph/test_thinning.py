"""Transitions thinned to a bound: the best of each square, however they were found."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.methods.graph.build.thinning import Thinner

STARTS = np.array([0, 13, 20, 41])


def some_pairs(rng, count=300):
    cells = rng.permutation(41 * 41)[:count]
    return np.stack([cells // 41, cells % 41], 1), rng.integers(0, 20, count) / 10


def slow_thinning(pairs, values, cell):
    """Pair by pair: a dictionary from the square to its best pair; of equal ones the first by its frames."""
    best = {}
    for (a, b), v in sorted(zip(map(tuple, pairs.tolist()), values.tolist(), strict=True)):
        clip = [int(np.searchsorted(STARTS, f, side="right")) - 1 for f in (a, b)]
        square = tuple((c, int(f - STARTS[c]) // cell) for c, f in zip(clip, (a, b), strict=True))
        if square not in best or v < best[square][1]:
            best[square] = ((a, b), v)
    return sorted(best.values())


@pytest.mark.parametrize("most", [1000, 200, 60, 20, 9])
def test_what_is_left_is_the_best_of_each_square_whatever_the_tiles(rng, most):
    pairs, values = some_pairs(rng)
    results = []
    for size in (300, 41, 7):
        thinner = Thinner(STARTS, most)
        tile = (pairs[:, 0] // size) * 41 + pairs[:, 1] // size
        for t in np.unique(tile):
            order = np.lexsort((pairs[tile == t, 1], pairs[tile == t, 0]))
            thinner.add(pairs[tile == t][order], values[tile == t][order])
        kept, held = thinner.result()
        assert len(kept) <= most
        expected = slow_thinning(pairs, values, thinner.cell)
        assert [((a, b), v) for (a, b), v in zip(kept.tolist(), held.tolist(), strict=True)] == [
            (tuple(p), v) for p, v in expected
        ]
        results.append(thinner.cell)
    assert len(set(results)) == 1 or most < 300
    half = slow_thinning(pairs, values, max(1, min(results) // 2))
    assert min(results) == 1 or len(half) > most  # no smaller squares would have done


def test_nothing_is_lost_below_the_bound(rng):
    pairs, values = some_pairs(rng, 50)
    thinner = Thinner(STARTS, 50)
    thinner.add(pairs, values)
    kept, held = thinner.result()
    assert thinner.cell == 1
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    assert np.array_equal(kept, pairs[order])
    assert np.array_equal(held, values[order])


def test_each_two_clips_keep_a_pair_even_if_that_is_too_many(rng):
    pairs, values = some_pairs(rng)
    thinner = Thinner(STARTS, 2)
    thinner.add(pairs, values)
    assert len(thinner.result()[0]) == 9
