"""What of a graph can be walked for ever, against plain reachability."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionloom.core import BadRequest, Clip, Origin, Skeleton, replace, with_labels
from motionloom.methods.graph import Graph, Transitions
from motionloom.methods.graph.build.distance_limits import read_limits
from motionloom.methods.graph.build.prune import (
    graph_facts,
    largest_component,
    prune,
    usable_transitions,
    walkable_frames,
)
from motionloom.methods.graph.labels import label_sets

POINT = Skeleton(("Hips",), np.array([-1]), np.zeros((1, 3)), ("hips",))


def still(frames, labels=None):
    """A point that rests; labels are stretches: {"walk": (0, 10)}."""
    clip = Clip(POINT, np.zeros((frames, 3)), np.tile([1.0, 0, 0, 0], (frames, 1, 1)), 10.0)
    at = np.arange(frames)
    return with_labels(clip, {n: (at >= a) & (at < b) for n, (a, b) in (labels or {}).items()})


def graph_of(clips, pairs, half=1):
    a, b = np.array(sorted(set(pairs)), np.int64).reshape(-1, 2).T
    return Graph(tuple(clips), Transitions(a, b, np.zeros(len(a)), np.zeros(len(a)), np.zeros((len(a), 2))), half)


def edges_of(graph, allowed=None):
    """[(from, to, frames it takes)], one by one."""
    fine = [True] * graph.count if allowed is None else list(allowed)
    out = [
        (n, n + 1, 1)
        for n in range(graph.count - 1)
        if graph.clip_of[n] == graph.clip_of[n + 1] and fine[n] and fine[n + 1]
    ]
    for a, b in zip(graph.transitions.a.tolist(), graph.transitions.b.tolist(), strict=True):
        if all(fine[a - graph.half : a]) and all(fine[b : b + graph.half + 1]):
            out.append((a - graph.half, b + graph.half, 2 * graph.half))
    return out


def reached(edges, start):
    """All frames that can be reached from `start` by at least one edge."""
    seen, todo = set(), [start]
    while todo:
        at = todo.pop()
        for m, n, _ in edges:
            if m == at and n not in seen:
                seen.add(n)
                todo.append(n)
    return seen


def slow_component(graph, allowed=None):
    edges = edges_of(graph, allowed)
    ways = {n: reached(edges, n) for n in range(graph.count)}
    parts = [frozenset(m for m in ways[n] if n in ways[m]) for n in range(graph.count) if n in ways[n]]
    inside = {p: sum(m in p and n in p and k > 1 for m, n, k in edges) for p in parts}  # transitions
    return max(parts, key=lambda p: (len(p), inside[p], -min(p)), default=frozenset())


@st.composite
def graphs(draw):
    half = draw(st.integers(1, 2))
    lengths = draw(st.lists(st.integers(2 * half + 1, 12), min_size=1, max_size=3))
    styles = draw(st.lists(st.sampled_from(["", "walk", "jog"]), min_size=len(lengths), max_size=len(lengths)))
    cuts = draw(st.lists(st.integers(0, 12), min_size=len(lengths), max_size=len(lengths)))
    clips = [still(n, {s: (0, c)} if s else None) for n, s, c in zip(lengths, styles, cuts, strict=True)]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    fine = [int(s + k) for s, n in zip(starts, lengths, strict=False) for k in range(half, n - half)]
    pairs = draw(st.lists(st.tuples(st.sampled_from(fine), st.sampled_from(fine)), max_size=10))
    return graph_of(clips, [(a, b) for a, b in pairs if a != b], half)


@given(graphs(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_largest_connected_part_is_the_one_that_plain_reachability_finds(graph, random):
    assert set(np.flatnonzero(largest_component(graph)).tolist()) == slow_component(graph)
    some = np.array([random.random() < 0.8 for _ in range(graph.count)])
    assert set(np.flatnonzero(largest_component(graph, some)).tolist()) == slow_component(graph, some)


@given(graphs())
@settings(max_examples=100, deadline=None)
def test_a_pruned_graph_keeps_the_label_sets_parts_and_the_ways_between_them(graph):
    found = label_sets(graph.clips)
    core = slow_component(graph).union(*(slow_component(graph, found.of == k) for k in range(len(found.sets))))
    edges = edges_of(graph)
    back = [(n, m, k) for m, n, k in edges]
    kept = {
        n
        for n in range(graph.count)
        if n in core or (core & reached(edges, n) and core & reached(back, n))
    }  # fmt: skip
    pruned, report = prune(graph)
    assert set(np.flatnonzero(walkable_frames(pruned)).tolist()) == kept
    stay = [k for k in range(len(graph.transitions)) if graph.leave[k] in kept and graph.enter[k] in kept]
    assert pruned.transitions.a.tolist() == graph.transitions.a[stay].tolist()
    assert report.frames == graph.count - len(kept)
    assert report.transitions == len(graph.transitions) - len(stay)
    assert sum(s.kept for s in report.sets) == len(kept)
    onward = {m for m, n, _ in edges_of(pruned) if n in kept}
    assert kept <= onward, "a dead end is left"
    again, _ = prune(pruned)
    assert len(again.transitions) == len(pruned.transitions)


@given(graphs())
@settings(max_examples=100, deadline=None)
def test_the_longest_time_between_choices_is_what_following_every_frame_finds(graph):
    part = slow_component(graph)
    edges = [(m, n, k) for m, n, k in edges_of(graph) if m in part and n in part]
    ways = {n: [(to, k) for m, to, k in edges if m == n] for n in part}
    longest = 0.0
    for first in part:
        for at, taken in ways[first] if len(ways[first]) > 1 else ():
            while len(ways[at]) == 1:
                at, taken = ways[at][0][0], taken + ways[at][0][1]
            longest = max(longest, taken / 10)
    found = graph_facts(graph)
    assert found.longest == pytest.approx(longest or np.inf)
    assert found.connected == pytest.approx(len(part) / graph.count)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 1, 0)])
def test_of_connected_parts_of_equal_size_the_same_is_kept_in_any_order_of_clips(order):
    """Three clips with one loop each: the last has a second transition, of the others one is nearer."""
    loops = {0: [(15, 5, 0.4)], 1: [(15, 5, 0.2)], 2: [(15, 5, 0.5), (12, 8, 0.5)]}
    for kept, known in ((2, (0, 1, 2)), (1, (0, 1))):
        given = [k for k in order if k in known]
        rows = sorted((20 * at + a, 20 * at + b, d) for at, k in enumerate(given) for a, b, d in loops[k])
        a, b, far = (np.array(column) for column in zip(*rows, strict=True))
        none = np.zeros((len(a), 2))
        graph = Graph(tuple(still(20) for _ in given), Transitions(a, b, far.astype(float), none[:, 0], none), 1)
        part = largest_component(graph)
        assert set(graph.clip_of[part].tolist()) == {given.index(kept)}


def test_dead_ends_and_sinks_are_taken_away():
    # GUAN fig. 2.8: the second clip can only go round in itself, the third leads nowhere
    graph = graph_of([still(20), still(8), still(8)], [(15, 3), (10, 22), (25, 23), (9, 30)])
    pruned, report = prune(graph)
    assert list(zip(pruned.transitions.a, pruned.transitions.b, strict=True)) == [(15, 3)]
    assert np.flatnonzero(walkable_frames(pruned)).tolist() == list(range(4, 15))
    assert report.clips == (1, 2)
    assert report.notes()[-1].text == "left out: 25 frames, 3 transitions, and all of clip 1, clip 2"
    *_, loop, warning = graph_facts(pruned).notes()  # 11 of 36 frames are left
    assert loop.text == "a single loop without choices"
    assert warning.text.startswith("most frames are dead ends")
    assert warning.level == "warning"


def test_a_file_is_named_as_left_out_only_if_none_of_its_parts_is_left():
    first, second = (replace(still(n), origin=Origin(name="walk.bvh")) for n in (20, 8))
    other = replace(still(8), origin=Origin(name="sit.bvh"))
    _, report = prune(graph_of([first, second, other], [(15, 3)]))
    assert report.clips == (1, 2)
    assert report.names == ("sit.bvh",)


def test_ways_from_one_style_to_the_other_are_kept():
    walk, jog = still(12, {"walk": (0, 12)}), still(12, {"jog": (0, 12)})
    change = still(12, {"walk": (0, 6), "jog": (6, 12)})
    loops = [(9, 2), (21, 14)]
    across = [(8, 26), (33, 15)]  # into the change while walking, out of it while jogging
    graph = graph_of([walk, jog, change], [*loops, *across])
    pruned, report = prune(graph)
    assert len(pruned.transitions) == 4
    assert walkable_frames(pruned)[27:33].all()  # though no way round leads through the change
    names = {s.name: s for s in report.sets}
    assert names["walk"].largest == 6
    assert names["walk"].kept == 6 + 3
    assert names["jog"].kept == 6 + 3


def test_a_jump_between_walks_is_kept_though_one_cannot_go_on_jumping():
    both = still(30, {"jump": (12, 18)})
    pruned, report = prune(graph_of([both], [(25, 3)]))
    assert walkable_frames(pruned)[12:18].all()
    assert {s.name: s.kept for s in report.sets} == {"no label": 15, "jump": 6}


def test_the_frames_that_a_blend_shows_must_all_be_allowed():
    graph = graph_of([still(20)], [(14, 5)], half=2)
    for frame in range(20):
        allowed = np.ones(20, bool)
        allowed[frame] = False
        # frames 12 and 13 of what is left, then 5 .. 7 of what is entered
        assert bool(usable_transitions(graph, allowed)[0]) == (frame not in (12, 13, 5, 6, 7))


def test_a_graph_without_any_way_round_has_no_connected_part():
    graph = graph_of([still(9), still(9)], [(3, 13)])
    assert not largest_component(graph).any()
    pruned, report = prune(graph)
    assert len(pruned.transitions) == 0
    assert not walkable_frames(pruned).any()
    assert report.clips == (0, 1)
    assert graph_facts(pruned).connected == 0


def test_facts_say_how_many_and_how_long():
    found = graph_facts(graph_of([still(20)], [(15, 3), (10, 3)]))
    # round it goes in frames 4 .. 14; at frame 9 one can go on, 5 frames to the end, 2 of blend, and 5 more to frame 9
    assert [str(note) for note in found.notes()] == [
        "2 transitions, 1.00 per second in 2.0 s",
        "55.0 % of the frames are strongly connected",
        "at most 1.20 s between choices",
    ]


def test_large_graphs_are_pruned_at_once():
    rng = np.random.default_rng(0)
    clips = [still(1000)] * 80
    fine = np.concatenate([np.arange(s + 6, s + 994) for s in range(0, 80_000, 1000)])
    pairs = rng.choice(fine, (200_000, 2))
    graph = graph_of(clips, map(tuple, pairs[pairs[:, 0] != pairs[:, 1]].tolist()), half=6)
    start = time.process_time()
    pruned, _ = prune(graph)
    graph_facts(pruned)
    assert time.process_time() - start < 2.0


def test_allowed_frames_must_be_as_many_as_the_graphs():
    with pytest.raises(BadRequest, match="expected"):
        largest_component(graph_of([still(9)], [(3, 5)]), np.ones(4, bool))


def test_label_sets_leave_out_contacts_and_know_the_empty_set():
    clips = [still(4, {"walk": (1, 3), "contact:left_heel": (0, 4)}), still(3, {"sad": (0, 2), "walk": (1, 3)})]
    found = label_sets(clips)
    assert found.sets == (frozenset(), {"walk"}, {"sad"}, {"sad", "walk"})
    assert found.of.tolist() == [0, 1, 1, 0, 2, 3, 1]
    assert label_sets([still(3)]).sets == (frozenset(),)


def test_limits_are_read_from_a_line():
    assert read_limits("") == {}
    assert read_limits("walk jog 9cm,jog jog 0.08") == {("walk", "jog"): 0.09, ("jog", "jog"): 0.08}
