"""Each pruning rule alone, and all of them against a slow version."""

from __future__ import annotations

import numpy as np
import pytest
from hand_made import graph_of

from motionloom.analysis import PointCloud
from motionloom.kinematics.feet.contacts import contacts
from motionloom.methods.graph.build.prune import prune
from motionloom.methods.graph.build.transitions import graph_clips
from motionloom.methods.two_level_graph.rules import (
    best_around,
    best_of_rows,
    differ_in_contact,
    lower_level,
    stances,
)
from motionloom.samples import make

SETTINGS = {
    "measure": "point-cloud",
    "window": 0.2,
    "blend": 0.2,
    "limit": 0.09,
    "limits": "",
    "apart": 0.1,
    "shortest": 0.5,
}


@pytest.fixture(scope="module")
def clips():
    return graph_clips([make("walk", seed=s, seconds=1.6, fps=30) for s in (0, 2)])


def test_contact_rule_tells_a_foot_that_leaves_from_one_that_comes_down(clips):
    on = contacts(clips[0])
    left = on["contact:left_toe"]
    code = stances(clips)[: len(clips[0])]
    lifts = np.flatnonzero(left[:-1] & ~left[1:])
    assert len(lifts)
    stands = np.flatnonzero(left[:-1] & left[1:])
    assert differ_in_contact(code[lifts][:, None], code[stands]).all()


def test_contact_rule_removes_exactly_pairs_with_other_feet_on_the_ground():
    assert differ_in_contact(np.array([1, 2, 5]), np.array([1, 3, 5])).tolist() == [False, True, False]


def test_a_body_without_feet_has_one_stance(tiny):
    assert not stances([tiny, tiny]).any()


def test_local_maximum_rule_keeps_the_most_probable_around():
    a, b = np.array([1, 1, 3]), np.array([11, 12, 15])
    distance, clip = np.array([0.2, 0.1, 0.3]), np.repeat([0, 1], 10)
    assert best_around(a, b, distance, clip, 1).tolist() == [False, True, True]
    assert best_around(a, b, distance, clip, 4).tolist() == [False, True, False]
    other = np.repeat([0, 1, 2], [2, 12, 6])  # frame 3 lies in another clip: its pair competes with nobody
    assert best_around(a, b, distance, other, 4).tolist() == [False, True, True]


@pytest.mark.parametrize("seed", range(4))
def test_local_maximum_rule_against_a_slow_version(seed):
    rng = np.random.default_rng(seed)
    clip = np.repeat([0, 1, 2], [9, 12, 11])
    dense = np.where(rng.random((32, 32)) < 0.4, rng.integers(1, 30, size=(32, 32)) / 10.0, np.inf)  # with ties
    a, b = np.nonzero(np.isfinite(dense))
    kept = best_around(a, b, dense[a, b], clip, 2)
    for i, j, best in zip(a, b, kept, strict=True):
        rivals = [
            (dense[k, m], k, m)
            for k in range(max(i - 2, 0), min(i + 3, 32))
            for m in range(max(j - 2, 0), min(j + 3, 32))
            if clip[k] == clip[i] and clip[m] == clip[j]
        ]
        assert best == (min(rivals) == (dense[i, j], i, j))
    borders = np.searchsorted(a, [0, 3, 4, 12, 12, 13, 30, 40])
    rows = [(np.stack([a[s], b[s]], 1), dense[a[s], b[s]]) for s in map(slice, borders, borders[1:])]
    found = np.concatenate([pairs for pairs, _ in best_of_rows(rows, clip, 2)])
    assert np.array_equal(found, np.stack([a[kept], b[kept]], 1))


def test_connectedness_rule_removes_dead_ends_and_sinks():
    around = [(6, 14, 0.1), (16, 4, 0.1)]  # there and back: 5 -> 15, 15 -> 5
    dead = [(7, 23, 0.1), (8, 25, 0.1)]  # the third clip cannot be left
    graph, report = prune(graph_of([10, 10, 10], around + dead))
    assert report.transitions == 2
    assert sorted(zip(graph.transitions.a.tolist(), graph.transitions.b.tolist(), strict=True)) == [(6, 14), (16, 4)]


def test_all_rules_together_against_a_slow_version(clips):
    found = lower_level(clips, **SETTINGS)
    starts = np.array([0, len(clips[0]), len(clips[0]) + len(clips[1])])
    code, radius, near, r = stances(clips), 3, 15, 3
    pairs, counts = {}, np.zeros(4, int)
    for i, a in enumerate(clips):
        for j, b in enumerate(clips):
            matrix = np.sqrt(PointCloud(radius=r).matrix(a, b))
            values = np.full((len(a), len(b)), np.inf)
            for f in range(r, len(a) - r):
                for g in range(r, len(b) - r):
                    if i == j and abs(f - g) < near:
                        continue
                    counts[0] += 1
                    if code[starts[i] + f] != code[starts[j] + g]:
                        continue
                    counts[1] += 1
                    if matrix[f - r, g - r] > 0.09:
                        continue
                    counts[2] += 1
                    values[f, g] = matrix[f - r, g - r]
            for f, g in np.argwhere(np.isfinite(values)):
                around = values[max(f - radius, 0) : f + radius + 1, max(g - radius, 0) : g + radius + 1]
                if values[f, g] <= around.min():
                    pairs[int(starts[i] + f), int(starts[j] + g)] = values[f, g]
    counts[3] = len(pairs)
    assert len(pairs) > 10
    made = dict(
        zip(
            zip(found.transitions.a.tolist(), found.transitions.b.tolist(), strict=True),
            found.transitions.distance,
            strict=True,
        )
    )
    assert made.keys() == pairs.keys()
    for pair, value in pairs.items():
        assert made[pair] == pytest.approx(value, abs=2e-4)
    removed = found.pruned
    assert (removed.pairs, removed.contact, removed.similarity, removed.maximum) == (
        counts[0],
        counts[0] - counts[1],
        counts[1] - counts[2],
        counts[2] - counts[3],
    )
    assert removed.kept == len(found.transitions)


def test_what_each_rule_removed_is_said_in_words(clips):
    line = lower_level(clips, **SETTINGS).pruned.note().text
    assert "have different contacts" in line
    assert "are no local maximum" in line


@pytest.mark.parametrize("measure", ["joint-angles", "joint-positions", "curvature"])
def test_other_measures_choose_their_own_limit(measure):
    clips = graph_clips([make("walk", seed=s, seconds=5, fps=30) for s in (0, 1)])
    found = lower_level(clips, **(SETTINGS | {"measure": measure, "limit": None}))
    assert found.limit > 0
    assert len(found.transitions)
    assert found.transitions.distance.max() <= found.limit + 1e-6
