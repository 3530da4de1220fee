"""Dynamic time warping against slow versions that try everything, and against laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionloom.analysis.dtw import dtw_cost, dtw_path
from motionloom.core import BadRequest

ENDS = ["fixed", "free", "free-start", "free-end"]


def dtw_slow(cost, ends):
    """The recurrence as it is written, cell by cell."""
    rows, columns = cost.shape
    total = np.full((rows, columns), np.inf)
    for i in range(rows):
        for j in range(columns):
            start = i == 0 and (j == 0 or ends in ("free", "free-start"))
            before = [0.0] if start else []
            before += [total[i - 1, j - 1]] if i and j else []
            before += [total[i - 1, j]] if i else []
            before += [total[i, j - 1]] if j else []
            total[i, j] = cost[i, j] + min(before)
    return total[-1].min() if ends in ("free", "free-end") else total[-1, -1]


def dtw_limited_slow(cost, limit, ends, prices=None):
    """Every path there is, by recursion over (cell, run so far, direction of the run); also across next to down."""
    rows, columns = cost.shape
    known = {}
    by_row, by_column = (np.zeros(rows), np.zeros(columns)) if prices is None else prices

    def rest(i, j, direction, run):
        """Least cost from this cell on, this cell left out."""
        key = (i, j, direction, run)
        if key not in known:
            options = []
            if i == rows - 1 and (j == columns - 1 or ends in ("free", "free-end")):
                options.append(0.0)
            for step, (di, dj) in (("diagonal", (1, 1)), ("across", (0, 1)), ("down", (1, 0))):
                now = 0 if step == "diagonal" else run + 1 if step == direction else 1
                if i + di < rows and j + dj < columns and now <= limit:
                    price = 0.0 if step == "diagonal" else by_row[i + di] + by_column[j + dj]
                    options.append(cost[i + di, j + dj] + price + rest(i + di, j + dj, step, now))
            known[key] = min(options, default=np.inf)
        return known[key]

    starts = range(columns) if ends in ("free", "free-start") else [0]
    return min(cost[0, j] + rest(0, j, "diagonal", 0) for j in starts)


def longest_run(path):
    """The most steps across, or down, in a row."""
    longest = run = 0
    before = (1, 1)
    for step in map(tuple, np.diff(path, axis=0)):
        run = 0 if step == (1, 1) else run + 1 if step == before else 1
        longest, before = max(longest, run), step
    return longest


shapes = st.tuples(st.integers(1, 8), st.integers(1, 8))


@settings(max_examples=120, deadline=None)
@given(shapes, st.integers(0, 2**31), st.sampled_from(ENDS))
def test_the_kernel_agrees_with_the_plain_recurrence(shape, seed, ends):
    cost = np.random.default_rng(seed).integers(0, 5, shape).astype(float)
    assert dtw_cost(cost, ends=ends) == dtw_slow(cost, ends)


@settings(max_examples=200, deadline=None)
@given(shapes, st.integers(0, 2**31), st.sampled_from(ENDS), st.integers(1, 3))
def test_the_limited_kernel_agrees_with_trying_every_path(shape, seed, ends, limit):
    cost = np.random.default_rng(seed).integers(0, 5, shape).astype(float)
    expected = dtw_limited_slow(cost, limit, ends)
    if np.isinf(expected):
        with pytest.raises(BadRequest, match="no time-warping path"):
            dtw_cost(cost, limit=limit, ends=ends)
    else:
        assert dtw_cost(cost, limit=limit, ends=ends) == expected


@settings(max_examples=100, deadline=None)
@given(shapes, st.integers(0, 2**31), st.integers(1, 3))
def test_with_prices_of_steps_no_path_is_cheaper(shape, seed, limit):
    rng = np.random.default_rng(seed)
    cost, prices = rng.integers(0, 5, shape).astype(float), [rng.integers(0, 3, n).astype(float) for n in shape]
    expected = dtw_limited_slow(cost, limit, "fixed", prices)
    if np.isinf(expected):
        return
    path = dtw_path(cost, limit=limit, prices=(prices[0], prices[1]))
    aside = path[1:][(np.diff(path, axis=0) != 1).any(1)]
    assert cost[*path.T].sum() + prices[0][aside[:, 0]].sum() + prices[1][aside[:, 1]].sum() == expected


@settings(max_examples=120, deadline=None)
@given(shapes, st.integers(0, 2**31), st.sampled_from(ENDS), st.sampled_from([None, 1, 2, 5]))
def test_the_path_is_whole_monotonic_within_its_limit_and_costs_what_is_said(shape, seed, ends, limit):
    cost = np.random.default_rng(seed).random(shape)
    try:
        path = dtw_path(cost, limit=limit, ends=ends)
    except BadRequest:
        assert limit is not None
        return
    assert set(map(tuple, np.diff(path, axis=0))) <= {(0, 1), (1, 0), (1, 1)}
    assert path[0, 0] == 0
    assert path[-1, 0] == shape[0] - 1
    assert ends in ("free", "free-start") or path[0, 1] == 0
    assert ends in ("free", "free-end") or path[-1, 1] == shape[1] - 1
    assert limit is None or longest_run(path) <= limit
    assert cost[path[:, 0], path[:, 1]].sum() == pytest.approx(
        dtw_cost(cost, limit=limit, ends=ends), rel=1e-12, abs=1e-12
    )


def test_a_textbook_example():
    """Sequences 1 1 2 3 2 0 and 0 1 1 2 3 2 1 with absolute differences: cost 2."""
    a, b = np.array([1.0, 1, 2, 3, 2, 0]), np.array([0.0, 1, 1, 2, 3, 2, 1])
    assert dtw_cost(np.abs(a[:, None] - b)) == 2.0


def test_turning_both_clips_round_in_time_costs_the_same(rng):
    cost = rng.random((40, 31))
    for limit in (None, 2):
        assert dtw_cost(cost, limit=limit) == pytest.approx(dtw_cost(cost[::-1, ::-1], limit=limit), rel=1e-12)


def test_swapping_the_clips_transposes_the_answer(rng):
    cost = rng.random((25, 30))
    assert dtw_cost(cost, limit=3) == pytest.approx(dtw_cost(cost.T, limit=3), rel=1e-12)


def test_a_free_ended_path_finds_where_a_piece_came_from(rng):
    long = np.cumsum(rng.normal(size=200))
    piece = long[70:120]
    path = dtw_path((piece[:, None] - long) ** 2, ends="free", limit=2)
    assert path[0].tolist() == [0, 70]
    assert path[-1].tolist() == [49, 119]


def test_single_precision_costs_are_taken_as_they_are(rng):
    cost = rng.random((20, 20)).astype(np.float32)
    assert dtw_cost(cost) == pytest.approx(dtw_slow(cost.astype(float), "fixed"), rel=1e-12)


def test_an_infinite_cost_closes_a_cell():
    cost = np.zeros((3, 3))
    cost[1, 1] = np.inf
    assert [1, 1] not in dtw_path(cost).tolist()
    cost[1] = np.inf
    with pytest.raises(BadRequest, match="no time-warping path leads through 3 x 3"):
        dtw_path(cost)


def test_bad_costs_and_options_are_refused():
    with pytest.raises(BadRequest, match=r"found NaN \(first at \(1, 0\)\)"):
        dtw_path([[0.0, 1.0], [np.nan, 0.0]])
    with pytest.raises(BadRequest, match="costs of 0 or more, found -1"):
        dtw_cost([[0.0, -1.0]])
    with pytest.raises(BadRequest, match="found shape"):
        dtw_cost(np.zeros((0, 3)))
    with pytest.raises(BadRequest, match="slope limit"):
        dtw_cost(np.zeros((2, 2)), limit=0)
    with pytest.raises(BadRequest, match="expected fixed, free"):
        dtw_cost(np.zeros((2, 2)), ends="loose")
    with pytest.raises(BadRequest, match="stretch time by 3 at most"):
        dtw_path(np.zeros((3, 30)), limit=2)


def test_a_path_takes_one_byte_a_cell_beyond_the_costs(rng):
    import tracemalloc

    cost = rng.random((1000, 1000))
    dtw_path(cost[:5, :5].copy())
    dtw_path(cost[:5, :5].copy(), limit=2)
    for limit in (None, 2):
        tracemalloc.start()
        dtw_path(cost, limit=limit)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2 * cost.size


@pytest.mark.parametrize("limit", [None, 1, 3])
def test_either_end_has_the_least_mean_of_all_ends(rng, limit):
    cost = rng.uniform(0, 1, (7, 9))
    ends = [(6, j) for j in range(9)] + [(i, 8) for i in range(6)]
    found = []
    for i, j in ends:
        try:
            path = dtw_path(cost[: i + 1, : j + 1], limit=limit)
        except BadRequest:  # too steep for the limit
            continue
        found.append((cost[path[:, 0], path[:, 1]].mean(), path.tolist()))
    best = min(found)
    chosen = dtw_path(cost, limit=limit, ends="either")
    assert chosen.tolist() == best[1]
    assert dtw_cost(cost, limit=limit, ends="either") == pytest.approx(best[0] * len(chosen))


def test_either_end_of_equal_clips_is_their_common_end():
    frames = np.arange(6.0)
    assert dtw_path((frames[:, None] - frames) ** 2, limit=3, ends="either").tolist() == [[k, k] for k in range(6)]
