"""What is said of clips that are not connected: which, with which limit they would be, and when none helps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_graphs import graph_of, walker

from motionloom.core import NoPath, with_labels
from motionloom.core import replace as clip_with
from motionloom.methods import learn
from motionloom.methods.graph.build.blend_check import RoughTransitions
from motionloom.methods.graph.build.prune import largest_component, prune
from motionloom.methods.graph.connecting_limit import connected_share
from motionloom.methods.graph.diagnose.connectivity import connection_notes, find_islands, island_notes, round_up
from motionloom.methods.graph.diagnose.relax_threshold import TransitionFinder, relax_threshold
from motionloom.samples import make

METHODS = ["motion-graph", "two-level-graph", "hierarchical-graph"]


def named(clip, name):
    return clip_with(clip, origin=replace(clip.origin, name=name))


def looking(whole, limit, quick=1e6):
    """A look that finds the transitions of a whole graph up to a limit."""
    none = RoughTransitions(np.zeros(0, bool), quick, 0)
    at = whole.transitions
    return TransitionFinder(
        lambda clips, limit, limits: at[at.distance <= limit], limit, "point-cloud", 2 * whole.half / 10, none
    )


def least_by_trying(whole, clip, first):
    """The least distance with which a clip is connected with a frame: all of them, one after the other."""
    at = whole.transitions
    own = np.flatnonzero(whole.clip_of == clip)
    for level in np.unique(at.distance):
        some = replace(whole, transitions=at[at.distance <= level])
        if any(reaches(some, int(f), first) and reaches(some, first, int(f)) for f in own):
            return float(level)
    return None


def reaches(graph, start, goal):
    """Is there a way from one frame to another? Step by step."""
    seen, ahead = {start}, [start]
    while ahead:
        at = ahead.pop()
        onward = [int(graph.enter[t]) for t in np.flatnonzero(graph.leave == at)]
        if at + 1 < graph.count and graph.clip_of[at + 1] == graph.clip_of[at]:
            onward.append(at + 1)
        for n in set(onward) - seen:
            seen.add(n)
            ahead.append(n)
    return goal in seen


def test_the_limit_that_would_join_a_clip_is_the_least_of_all_that_do(arm):
    checked = 0
    for seed in range(30):
        whole = dense(arm, np.random.default_rng(seed))
        some = replace(whole, transitions=whole.transitions[whole.transitions.distance <= 0.4])
        core = largest_component(some)
        apart = [i for i in range(5) if core.any() and not core[whole.clip_of == i].any()]
        told = {n: i.limit for i in find_islands(some, looking(whole, 0.4)) for n in i.names}
        assert sorted(told) == [f"{i}.bvh" for i in apart]
        for i in apart:
            want, got = least_by_trying(whole, i, int(core.argmax())), told[f"{i}.bvh"]
            # files that one rounded limit joins share a line, and its least limit
            assert (got and round_up(got)) == (want and round_up(want))
            checked += want is not None
    assert checked >= 5


def dense(arm, rng):
    """Five clips joined at random frames, as unlike as chance has it."""
    clips = [named(straight(arm), f"{i}.bvh") for i in range(5)]
    inside = [20 * c + k for c in range(5) for k in range(1, 19)]
    graph = graph_of(clips, sorted({tuple(rng.choice(inside, 2, replace=False).tolist()) for _ in range(24)}))
    return replace(graph, transitions=replace(graph.transitions, distance=rng.permutation(graph.transitions.distance)))


def straight(arm, frames=20):
    return walker(arm, np.full(frames - 1, 0.1), np.zeros(frames - 1))


def test_label_sets_that_are_apart_are_told_once_and_their_files_not_again(arm):
    labels = ["walk", "walk", "run"]
    clips = [named(with_labels(straight(arm), {n: np.ones(20, bool)}), f"{n}{i}.bvh") for i, n in enumerate(labels)]
    graph = graph_of(clips, [(10, 25), (35, 5), (12, 45), (55, 8)])
    near = replace(graph, transitions=graph.transitions[np.array([True, False, True, False])])
    assert near.transitions.a.tolist() == [10, 35]
    look = looking(graph, 0.75)
    [island] = find_islands(near, look)
    assert (island.names, island.labelled) == (("run",), True)
    assert island.limit == graph.transitions.distance[3] == 1.0
    [line] = island_notes([island], look)
    assert (line.level, line.text) == (
        "warning",
        "frames labelled run: no transitions lead there and back; with --limit 100cm they would be connected, "
        "through run2.bvh#15 and walk0.bvh#8",
    )


def test_a_limit_that_adds_nothing_because_of_rough_blends_is_said(arm):
    clips = [named(straight(arm), f"{i}.bvh") for i in range(3)]
    graph = graph_of(clips, [(10, 25), (35, 5), (12, 45), (55, 8)])
    near = replace(graph, transitions=graph.transitions[np.array([True, False, True, False])])
    bad = replace(graph.transitions, turn=graph.transitions.turn + np.array([0, 2.5, 0, 2.5]))
    look = looking(replace(graph, transitions=bad), 0.75)
    [island] = find_islands(near, look)
    assert island.rough
    [line] = island_notes([island], look)
    assert (
        "2.bvh: no transitions lead there and back; a larger --limit does not help: from 100cm on frames are"
        in line.text
    )


def test_what_nothing_joins_is_said(arm):
    clips = [named(straight(arm), f"{i}.bvh") for i in range(3)]
    graph = graph_of(clips, [(10, 25), (35, 5)])
    look = looking(graph, 0.1)
    [line] = island_notes(find_islands(graph, look), look)
    assert str(line) == (
        "warning: 2.bvh: no transitions lead there and back, not even with --limit 40cm; add connecting clips"
    )


def test_of_very_many_frames_clips_are_left_out_evenly_and_what_is_said_stays_true(arm, monkeypatch):
    monkeypatch.setattr("motionloom.methods.graph.diagnose.relax_threshold.MAX_FRAMES", 100)
    clips = [straight(arm) for _ in range(12)]
    outside = np.repeat(np.arange(12) == 7, 20)
    graph = graph_of(clips, [])
    seen = []

    def find(clips, limit, limits):
        seen.append(clips)
        return graph.transitions

    look = replace(looking(graph, 0.1), find=find)
    wide = relax_threshold(graph, ~outside, outside, look, 1.0)
    assert len(seen[0]) == len(wide.graph.clips) <= 5
    assert set(graph.clip_of[wide.frames][~wide.core]) == {7}


def test_fast_models_are_looked_at_at_thirty_frames_a_second(arm):
    clips = [clip_with(straight(arm, 80), fps=120.0) for _ in range(2)]
    graph = graph_of(clips, [], half=24)
    found = []
    look = replace(looking(graph, 0.1), blend=0.4)
    look = replace(look, find=lambda clips, limit, limits: found.append(clips) or graph.transitions)
    wide = relax_threshold(graph, np.zeros(160, bool), np.ones(160, bool), look, 1.0)
    assert [(len(c), c.fps) for c in found[0]] == [(20, 30.0), (20, 30.0)]
    assert wide.graph.half == 6


def test_no_way_round_at_all_is_an_error_with_the_limit_that_would_do(arm):
    clips = [named(straight(arm), f"{i}.bvh") for i in range(2)]
    graph = graph_of(clips, [(10, 25), (35, 5)])
    one = replace(graph, transitions=graph.transitions[:1])
    said = "1 transition within 60 cm, none leads back; with --limit 100cm one does, through 1.bvh#15 and 0.bvh#5"
    with pytest.raises(NoPath, match=said):
        connection_notes(one, prune(one)[0], looking(graph, 0.6))


@pytest.mark.parametrize("method", METHODS)
def test_the_limit_that_learning_tells_joins_what_it_says(method):
    """Slow walks and fast ones: with the limit in the warning there is no such warning."""
    clips = [make("walk", seed=s, speed=v, seconds=4) for s, v in ((1, 0.7), (2, 1.7), (3, 1.75))]
    clips = [named(c, f"{i}.bvh") for i, c in enumerate(clips)]
    first = learn(method, clips, {"limit": 0.05})
    [said] = [n.text for n in first.notes if "no transitions lead there" in n.text]
    again = learn(method, clips, {"limit": said.split("--limit ")[1].split()[0]})
    assert not any("no transitions lead there" in str(n) for n in again.notes)


@pytest.mark.parametrize("method", METHODS)
def test_all_graphs_say_what_was_kept_and_what_was_left_out(method):
    model = learn(method, [make("walk", seed=s, speed=1.3, seconds=4) for s in (1, 2)])
    assert any(n.text.startswith("walk: ") and "frames kept" in n.text for n in model.notes)
    assert any(n.text.startswith("left out: ") for n in model.notes)


@pytest.mark.parametrize(
    ("value", "shown"), [(0.1003, 0.11), (0.11, 0.11), (0.1, 0.1), (0, 0), (37.2, 38), (1e-5, 1e-5)]
)
def test_limits_are_rounded_up(value, shown):
    assert round_up(value) == shown


@pytest.fixture(scope="module")
def runs():
    """Three runs so different in speed that less than half of their frames are connected within 8 cm."""
    return [make("run", seed=seed, seconds=2, speed=speed) for seed, speed in ((1, 2.4), (2, 3.2), (3, 4.2))]


@pytest.mark.parametrize("method", METHODS)
def test_the_default_limit_is_raised_where_it_leaves_most_frames_unconnected(method, runs):
    strict, default = learn(method, runs, {"limit": 0.08}), learn(method, runs)
    assert connected_share(strict) < 0.5 <= connected_share(default)
    assert "limit raised from 8cm to 1" in str(default.notes)
    assert default.config.limit is None  # as it was given


def test_a_given_limit_and_that_of_the_faithful_variant_are_not_raised(runs):
    notes = str(learn("motion-graph", runs, {"limit": 0.08}).notes)
    notes += str(learn("motion-graph", runs, {"variant": "faithful"}).notes)
    assert "limit raised" not in notes


def test_a_larger_limit_that_hardly_connects_more_is_not_used():
    walks = [make("walk", seed=seed, seconds=1.6, speed=speed) for seed, speed in ((1, 0.8), (2, 1.3), (3, 1.9))]
    model = learn("motion-graph", walks)
    assert connected_share(model) < 0.5
    assert "limit raised" not in str(model.notes)
