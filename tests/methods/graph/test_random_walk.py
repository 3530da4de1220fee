"""Random walks stay where one can go on for ever, take what they may, and seldom show the same again."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from motionloom.core import BadRequest, Clip, NoPath
from motionloom.methods.graph.build.prune import largest_component, usable_transitions
from motionloom.methods.graph.graph import Graph, Route, Transitions
from motionloom.methods.graph.render.render import render
from motionloom.methods.graph.render.root_tracks import stretches
from motionloom.methods.graph.search.random_walk import (
    NEVER_SHOWN,
    _weights,
    random_route,
    repeats_after,
    shown_frames,
)


def graph_of(arm, lengths: list[int], pairs: list[tuple[int, int]], half: int = 2, distance=None) -> Graph:
    """Clips that stand still, at 10 fps, with these transitions (frames counted through all clips)."""
    clips = []
    for n in lengths:
        rotations = np.zeros((n, 3, 4))
        rotations[..., 0] = 1
        clips.append(
            Clip(arm, np.stack([0 * np.arange(n), 1 + 0 * np.arange(n), 0.1 * np.arange(n)], 1), rotations, 10.0)
        )
    a, b = np.array(sorted(pairs)).T
    far = np.ones(len(a)) if distance is None else np.array(distance, float)
    return Graph(tuple(clips), Transitions(a, b, far, np.zeros(len(a)), np.zeros((len(a), 2))), half)


@pytest.fixture(scope="session")
def rings(arm) -> Graph:
    """Two clips of 40 frames: each leads back into itself and over into the other; its last ten frames lead nowhere."""
    pairs = [(28, 6), (20, 4), (18, 46), (24, 52), (66, 45), (60, 48), (58, 5), (64, 10)]
    return graph_of(arm, [40, 40], pairs)


def edges_are_real(graph: Graph, route: Route) -> bool:
    """Do consecutive frames follow in a clip, or over a transition that leaves and enters there?"""
    shown = shown_frames(graph, route)
    for s, n in itertools.pairwise(shown.tolist()):
        if n < graph.count and s < graph.count:
            if n != s + 1 or graph.clip_of[s] != graph.clip_of[n]:
                return False
        elif s < graph.count:
            t, k = divmod(n - graph.count, graph.blend - 1)
            if k or graph.leave[t] != s:
                return False
        else:
            t, k = divmod(s - graph.count, graph.blend - 1)
            if (n != s + 1) if k < graph.blend - 2 else graph.enter[t] != n:
                return False
    return True


@pytest.mark.parametrize("seed", range(8))
def test_a_walk_goes_along_the_graph_and_never_leaves_its_connected_part(rings, seed):
    route = random_route(rings, 400, np.random.default_rng(seed), shortest=0.3)
    shown = shown_frames(rings, route)
    assert len(shown) == 400
    assert edges_are_real(rings, route)
    assert largest_component(rings)[shown[shown < rings.count]].all()
    assert len(render(rings, route)) == 400


def test_the_same_seed_gives_the_same_walk_and_another_seed_another(rings):
    one, same, other = (random_route(rings, 300, np.random.default_rng(s)) for s in (1, 1, 2))
    assert one == same != other


def test_a_longer_walk_begins_like_a_shorter_one(rings):
    short, long = (random_route(rings, n, np.random.default_rng(4)) for n in (120, 300))
    assert long.start == short.start
    assert long.taken[: len(short.taken)] == short.taken


def test_a_walk_starts_where_it_is_told_and_ends_anywhere(rings):
    for frames in range(1, 40):
        route = random_route(rings, frames, np.random.default_rng(frames), start=12)
        assert route.start == 12
        assert sum(s.frames for s in stretches(rings, route)) == frames


def test_transitions_keep_their_time_where_there_is_a_choice(rings):
    for seed in range(20):
        pieces = rings.pieces(random_route(rings, 400, np.random.default_rng(seed), shortest=1.2))
        for clip, first, stop in pieces[1:-1]:
            forced = first + rings.starts[clip] > max(rings.leave[rings.clip_of[rings.leave] == clip]) - 12
            assert stop - first > 12 or forced


def test_short_pieces_leave_a_choice_although_they_are_shorter_than_the_time_between_transitions(arm):
    """From frame 6 one can go on to 18 at most: the way out at 14 is after half of that, the one at 9 is not."""
    graph = graph_of(arm, [40, 40], [(11, 44), (16, 44), (20, 4), (60, 4)])
    ways = {random_route(graph, 40, np.random.default_rng(s), start=6, shortest=2.0).taken[0] for s in range(50)}
    assert ways == {1, 2}


def test_a_walk_that_must_leave_transitions_out_says_nothing_about_them(arm):
    """Those between frames that are more alike than any allowed one once overflowed."""
    graph = graph_of(arm, [40, 40], [(20, 4), (30, 4), (60, 44)], distance=[0.0, 0.0, 900.0])
    with np.errstate(all="raise"):
        route = random_route(graph, 200, np.random.default_rng(0), allowed=graph.clip_of == 1)
    assert set(route.taken) == {2}


def test_all_choices_are_equally_likely_if_asked_for(arm):
    """One choice, at frame 18: back to 6 or to 10; going on leads to the forced one at 28."""
    graph = graph_of(arm, [40], [(20, 4), (20, 8), (30, 4)], distance=[0.1, 0.5, 0.3])
    counts = np.zeros(3)
    for seed in range(3000):
        route = random_route(
            graph, 40, np.random.default_rng(seed), start=16, shortest=0, sampling="uniform", avoid_repeats=False
        )
        counts[route.taken[0]] += 1
    np.testing.assert_allclose(counts / counts.sum(), 1 / 3, atol=0.03)


def test_alike_frames_are_preferred_if_asked_for(arm):
    """With distances d the chances are exp(-(d - least) / (mean - least)) to each other, and 1 for going on."""
    graph = graph_of(arm, [40], [(20, 4), (20, 8), (30, 4)], distance=[0.1, 0.5, 0.3])
    want = np.array([1.0, np.exp(-0.4 / 0.2), 1.0])
    counts = np.zeros(3)
    for seed in range(3000):
        route = random_route(
            graph, 40, np.random.default_rng(seed), start=16, shortest=0, sampling="similarity", avoid_repeats=False
        )
        counts[route.taken[0]] += 1
    np.testing.assert_allclose(counts / counts.sum(), want / want.sum(), atol=0.03)


def next_slow(graph, at, clock, shortest, ahead, forget, draws, weight, go, stay, shown):
    """`next_transition`, written down plainly."""

    def fresh(frame):
        seen = [shown[frame]]
        while len(seen) < ahead and stay[frame]:
            frame += 1
            seen.append(shown[frame])
        return max(min(1.0, (now - max(seen)) / forget) ** 4, 1e-9)

    survived = 1.0
    for n in range(at, graph.count):
        now = clock + n - at
        shown[n] = now
        out = [t for t in range(len(graph.transitions)) if graph.leave[t] == n and weight[t] > 0]
        if not out or (n - at < shortest and stay[n]):
            continue
        ways = [weight[t] * fresh(graph.enter[t]) for t in out]
        on = go[n] * fresh(n + 1) if stay[n] else 0.0
        survived *= on / (on + sum(ways))
        if 1 - survived >= draws[0] or not stay[n]:
            return out[int(np.searchsorted(np.cumsum(ways), draws[1] * sum(ways), side="right"))]
    raise AssertionError("a dead end")


@pytest.mark.parametrize("shortest", [0, 3, 9])
def test_the_compiled_walk_is_the_plain_one(rings, shortest):
    from motionloom.methods.graph.render._kernels import next_transition

    rng = np.random.default_rng(shortest)
    inside = largest_component(rings)
    stay = np.append(inside[:-1] & inside[1:] & (rings.clip_of[:-1] == rings.clip_of[1:]), False)
    weight = _weights(rings, inside, None, "uniform", None) * rng.random(len(rings.transitions))
    go = rng.random(rings.count)
    shown, slow = np.full(rings.count + 1, NEVER_SHOWN), np.full(rings.count + 1, NEVER_SHOWN)
    at, clock = int(np.flatnonzero(inside)[0]), 0
    for _ in range(200):
        draws = rng.random(2)
        args = (rings.first_out, rings.enter, weight, go, stay)
        t = next_transition(at, clock, shortest, 10, 50.0, draws, *args, shown)
        assert t == next_slow(rings, at, clock, shortest, 10, 50.0, draws, weight, go, stay, slow)
        np.testing.assert_array_equal(shown, slow)
        clock += int(rings.leave[t]) - at + rings.blend
        at = int(rings.enter[t])


def test_only_allowed_frames_are_shown_also_in_blends(rings):
    allowed = rings.clip_of == 1
    allowed[69:] = False
    route = random_route(rings, 300, np.random.default_rng(0), allowed=allowed)
    shown = shown_frames(rings, route)
    assert allowed[shown[shown < rings.count]].all()
    assert usable_transitions(rings, allowed)[list(route.taken)].all()


def test_what_was_shown_lately_is_avoided(arm):
    """Four short loops off one clip: a walk that does not look back repeats itself sooner."""
    pairs = [(a, b) for a in (30, 50, 70, 90) for b in (10, 28, 48, 68) if abs(a - b) > 4]
    graph = graph_of(arm, [100], pairs)
    variety = [
        [
            repeats_after(graph, random_route(graph, 600, np.random.default_rng(s), avoid_repeats=fresh, shortest=0.2))
            for s in range(60)
        ]
        for fresh in (True, False)
    ]
    assert np.mean(variety[0]) > 1.3 * np.mean(variety[1])


def test_a_walk_repeats_itself_where_a_second_of_it_comes_again(rings):
    loop = int(np.flatnonzero((rings.transitions.a == 20) & (rings.transitions.b == 4))[0])  # 6 .. 18 and 3 blended
    assert repeats_after(rings, Route(6, (loop,) * 3, 60)) == 16
    assert repeats_after(rings, Route(6, (loop,) * 3, 60), seconds=0.1) == 16
    assert repeats_after(rings, Route(6, (loop,), 29)) == 16  # 13 frames are shown again
    assert repeats_after(rings, Route(6, (loop,), 25)) == 25  # only 9
    assert repeats_after(rings, Route(6, (), 20)) == 20


def test_where_no_way_leads_round_it_is_said(arm):
    straight = graph_of(arm, [40, 30], [(20, 60)])
    with pytest.raises(NoPath, match=r"1 transitions, none leads back; the longest clip lasts 4\.00 s"):
        random_route(straight, 50, np.random.default_rng(0))


def test_a_start_that_leads_nowhere_is_refused_with_the_nearest_one_that_does(rings):
    with pytest.raises(NoPath, match=r"clip 0#39 is a dead end; the nearest frame that is not: clip 0#26"):
        random_route(rings, 50, np.random.default_rng(0), start=39)
    with pytest.raises(BadRequest, match="a frame from 0 to 79, found 80"):
        random_route(rings, 50, np.random.default_rng(0), start=80)


def test_wrong_wishes_are_refused(rings):
    with pytest.raises(BadRequest, match="frames: expected at least 1, found 0"):
        random_route(rings, 0, np.random.default_rng(0))
    with pytest.raises(BadRequest, match="expected uniform or similarity, found 'best'"):
        random_route(rings, 5, np.random.default_rng(0), sampling="best")  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match="expected 0 s or more between transitions, found -1 s"):
        random_route(rings, 5, np.random.default_rng(0), shortest=-1)
