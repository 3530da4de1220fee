"""Match webs: paths against a slow search, queries, rounds."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import numpy as np
import pytest

from motionloom.analysis._kernels_chains import chains
from motionloom.analysis.match_web import COVER, MatchWeb, build_web, find_matches, matches_of
from motionloom.core import BadRequest, replace
from motionloom.kinematics.body.roles import group
from motionloom.samples import make


@pytest.fixture(scope="module")
def web():
    walks = [make("walk", seed=s, speed=v, seconds=3, fps=30) for s, v in ((1, 1.2), (2, 1.4), (3, 1.3))]
    return build_web([*walks, make("jump", seed=1, fps=30), make("dog_walk", seed=1, seconds=2, fps=30)])


def slow_longest(cells, reach, slope):
    """The length (rows and columns covered) of the longest chain that ends in each cell, by recursion."""
    known = {tuple(c) for c in cells}

    @lru_cache(None)
    def best(i, j):
        steps = [
            a + b + best(i - a, j - b)
            for a in range(1, reach + 1)
            for b in range(1, reach + 1)
            if a <= slope * b and b <= slope * a and (i - a, j - b) in known
        ]
        return max(steps, default=0)

    return max(best(i, j) for i, j in known)


def test_the_longest_chain_comes_first_and_no_cell_is_used_twice():
    rng = np.random.default_rng(0)
    for _ in range(20):
        mask = rng.random((12, 12)) < 0.25
        cells = np.argwhere(mask)
        kept, ends = chains(cells, rng.random(len(cells)), len(mask), 3, 2, 1)
        assert len(set(kept.tolist())) == len(kept)
        first = cells[kept[: ends[0]]]
        assert (first[-1] - first[0]).sum() == slow_longest(cells, 3, 2)
        for a, b in zip(np.concatenate([[0], ends[:-1]]), ends, strict=True):
            steps = np.diff(cells[kept[a:b]], axis=0)
            assert (steps >= 1).all()
            assert (steps <= 3).all()
            assert (steps.max(1) <= 2 * steps.min(1)).all()


def test_chains_of_hours_of_frames_take_memory_for_their_cells_alone():
    """A table of all pairs of these frames would take 4 TB, which cannot be allocated."""
    diagonal = np.arange(0, 1_000_000, 2)
    cells = np.stack([diagonal, diagonal], 1)
    kept, ends = chains(cells, np.zeros(len(cells)), 1_000_000, 4, 3, 9)
    assert len(kept) == len(cells)
    assert ends.tolist() == [len(cells)]


def test_too_many_similar_frames_are_a_clear_error(monkeypatch):
    monkeypatch.setattr("motionloom.analysis.match_web.MAX_CELLS", 50)
    with pytest.raises(BadRequest, match=r"GB; give a smaller threshold"):
        build_web([make("walk", seed=1, seconds=3, fps=30)])


def test_a_cycle_of_a_walk_finds_walks_and_no_jump(web):
    found = find_matches(web, 0, 20, 52)
    assert {m.clip for m in found} == {0, 1, 2}
    for m in found:
        assert m.of_last - m.of_first >= COVER * 30 or m.round > 1
        assert 15 <= m.last - m.first <= 60
    assert [m.round for m in found] == sorted(m.round for m in found)


def test_matches_do_not_overlap_the_query_or_each_other(web):
    found = [(0, 20, 52), *((m.clip, m.first, m.last) for m in find_matches(web, 0, 20, 52))]
    for n, (c, a, b) in enumerate(found):
        for d, e, f in found[:n]:
            assert c != d or min(b, f) - max(a, e) <= 0.5 * min(b - a, f - e)


def test_declined_stretches_are_left_out(web):
    first = matches_of(web, 0, 20, 52)[0]
    left = find_matches(web, 0, 20, 52, rounds=1, rejected=[(first.clip, first.first, first.last)])
    assert (first.clip, first.first) not in {(m.clip, m.first) for m in left}


def linked(*links):
    """A web of clips of 30 frames, in which the whole of some clips is like the whole of others."""
    pairs = np.array(links)
    cells = np.tile(np.stack([np.arange(30)] * 2, 1), (len(links), 1))
    count = int(pairs.max()) + 1
    names, ends = tuple(f"clip {k}" for k in range(count)), 30 * np.arange(1, len(links) + 1)
    return MatchWeb(names, np.full(count, 30), 30.0, 0.1, pairs, ends, cells, np.full(len(cells), 0.05))


def test_later_matches_need_as_many_supporters_as_asked_for():
    """Clips 1 and 2 are like the query, 3 is like both of them, 4 like 1 alone, and 5 like 3 and 4."""
    web = linked((0, 1), (0, 2), (1, 3), (2, 3), (1, 4), (3, 5), (4, 5))

    def found(**options):
        return {(m.clip, m.round) for m in find_matches(web, 0, 0, 29, **options)}

    assert found(rounds=3) == {(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)}
    assert found(rounds=3, support=2) == {(1, 1), (2, 1), (3, 2)}
    later = linked((0, 1), (0, 2), (1, 3), (2, 3), (1, 4), (3, 4))
    assert (4, 3) in {(m.clip, m.round) for m in find_matches(later, 0, 0, 29, rounds=3, support=2)}


def test_queries_below_the_shortest_path_are_errors_and_no_match_is_a_few_frames():
    web = linked((0, 1))
    with pytest.raises(BadRequest, match=r"query: expected 0.3 s or more, .* found 0.27 s"):
        find_matches(web, 0, 5, 12)
    cells = np.stack([np.arange(30), np.full(30, 7)], 1)  # one frame is like all of the query
    assert find_matches(web, 0, 5, 14)
    assert not find_matches(dataclasses.replace(web, cells=cells), 0, 5, 14)


def test_pairs_with_another_skeleton_are_skipped_and_counted(web):
    assert web.skipped == 4  # the dog with each of the others
    assert not (web.pairs == 4).any() or (web.pairs[(web.pairs == 4).any(1)] == 4).all()


def test_clips_with_two_frame_rates_are_compared_at_the_lower_one():
    slow, fast = make("walk", seed=1, seconds=2, fps=25), make("walk", seed=1, seconds=2, fps=50)
    web = build_web([slow, fast])
    assert web.fps == 25
    found = matches_of(web, 0, 10, 35)
    assert any(m.clip == 1 and abs(m.first - 10) <= 1 and m.distance < 0.01 for m in found)


def test_a_taller_walker_is_found_as_if_of_the_same_size():
    short, other = (make("walk", seed=s, seconds=3, fps=30) for s in (1, 2))
    body = other.skeleton
    tall = replace(
        other, skeleton=replace(body, offsets=1.25 * body.offsets, ends=()), root=1.25 * other.root, slides=None
    )
    found = [matches_of(build_web([short, clip]), 0, 20, 52) for clip in (other, tall)]
    assert [m.clip for m in found[0]].count(1) >= 1
    assert [(m.clip, m.first) for m in found[1]] == [(m.clip, m.first) for m in found[0]]


def test_only_the_chosen_joints_count():
    walk = make("walk", seed=1, seconds=3, fps=30)
    arm = group(walk.skeleton, "right_arm")
    raised = np.array(walk.rotations)
    raised[:, arm[1:]] = [1.0, 0.0, 0.0, 0.0]
    clips = [walk, replace(walk, rotations=raised)]
    legs, arms = (build_web(clips, joints=[name]) for name in ("lower", "right_arm"))
    between = [
        [web.values[web.starts[c] : web.ends[c]].min() for c in np.flatnonzero(web.pairs[:, 0] != web.pairs[:, 1])]
        for web in (legs, arms)
    ]
    assert min(between[0]) < 1e-3
    assert min(between[1], default=1.0) > 0.02
    with pytest.raises(BadRequest, match="no clip has any of the joints tail"):
        build_web(clips, joints=["tail"])


def test_no_clips():
    with pytest.raises(BadRequest, match="needs clips"):
        build_web([])
