"""From where the rest of a way can be walked: against a slow version, and what the search makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from edges_by_hand import make_graph

from motionloom.constraints import Request
from motionloom.methods.hierarchical_graph.edge_trees import grow_trees
from motionloom.methods.hierarchical_graph.model import Options
from motionloom.methods.hierarchical_graph.objective import hard_frames, material, score_terms
from motionloom.methods.hierarchical_graph.search import RandomSearch, search_net
from motionloom.methods.schedule import Reachable, allowed_nodes, frames_with_label

FRAMES = 45


def slow_alive(graph, poses, styles, frames):
    """(F, N) by trying every way on, frame by frame; what is shown in a blend changes over at its middle."""
    labels = {name: np.concatenate([c.label(name) for c in graph.clips]) for _, name in styles}

    def may(time, frame):
        return (time not in poses or poses[time][frame]) and all(
            time not in span or labels[name][frame] for span, name in styles
        )

    out = np.zeros((frames, graph.count), bool)
    half = graph.half
    for time in range(frames - 1, -1, -1):
        for n in range(graph.count):
            if not may(time, n):
                continue
            if time == frames - 1:
                out[time, n] = True
                continue
            same = n + 1 < graph.starts[graph.clip_of[n] + 1]
            if same and out[time + 1, n + 1]:
                out[time, n] = True
                continue
            for e in np.flatnonzero(graph.leave == n):
                a, b = int(graph.transitions.a[e]), int(graph.transitions.b[e])
                middle = time + half
                between = [(time + k, n + k) for k in range(half)] + [(middle + k, b + k) for k in range(half)]
                pure = not any(time < t < time + 2 * half for t in poses)
                if a - half != n or middle > frames - 1 or not pure:
                    continue
                if all(t >= frames or may(t, f) for t, f in between):
                    out[time, n] |= middle + half >= frames or out[middle + half, b + half]
    return out


def reachable(graph, m, poses, styles):
    spans = [(span, frames_with_label(graph.clips, label)) for span, label in styles]
    return Reachable(search_net(m), FRAMES, allowed_nodes(spans, poses, FRAMES, graph.count), pure=tuple(poses))


def frames_of(graph, *frames):
    out = np.zeros(graph.count, bool)
    out[list(frames)] = True
    return out


@pytest.fixture(scope="module")
def cases(graph):
    return {
        "free": ({}, ()),
        "a pose": ({20: frames_of(graph, 10, 45, 80)}, ()),
        "two poses": ({8: frames_of(graph, *range(15, 25)), 30: frames_of(graph, 50, 51, 52, 53)}, ()),
        "a style": ({}, ((range(10, 30), "slow"),)),
        "a style and a pose": ({5: frames_of(graph, 50, 55)}, ((range(20, 45), "slow"),)),
        "two styles": ({}, ((range(10), "fast"), (range(25, 45), "slow"))),
    }


@pytest.mark.parametrize("case", ["free", "a pose", "two poses", "a style", "a style and a pose", "two styles"])
def test_the_same_frames_are_alive_as_by_trying(graph, cases, case):
    poses, styles = cases[case]
    m = material(graph, grow_trees(graph, widest=3))
    found = reachable(graph, m, poses, styles)
    expected = slow_alive(graph, poses, styles, FRAMES)
    if not expected[0].any():
        assert found.first_dead >= 0
        assert not expected[: found.first_dead + 1].any()
    else:
        assert found.first_dead == -1
        np.testing.assert_array_equal([found.at(t) for t in range(FRAMES)], expected)


@pytest.mark.parametrize("case", ["a pose", "two poses", "a style", "a style and a pose", "two styles"])
def test_seeds_and_mutations_keep_what_is_hard(graph, cases, case):
    poses, styles = cases[case]
    m, hard = (
        material(graph, grow_trees(graph, widest=3)),
        hard_frames(graph, poses, [(span, frames_with_label(graph.clips, name)) for span, name in styles]),
    )
    found = reachable(graph, m, poses, styles)
    if found.first_dead >= 0:
        pytest.skip("this graph has no such way")
    labels = {name: np.concatenate([c.label(name) for c in graph.clips]) for _, name in styles}
    terms = score_terms(graph, Request(frames=FRAMES, fps=10), Options())
    search = RandomSearch(m, terms, hard, found, np.random.default_rng(1), gap=0)
    for _ in range(30):
        seed = search.seed()
        for way in [seed, *search.mutations(seed)]:
            assert np.isfinite(way.score)
            shown, blended = frame_by_frame(graph, way, FRAMES)
            assert all(poses[t][shown[t]] and not blended[t] for t in poses)
            assert all(labels[name][shown[t]] for span, name in styles for t in span)


def frame_by_frame(graph, way, frames):
    """The frame of the material that each frame of a way shows, and whether it is inside a blend."""
    shown, blended = np.full(frames, -1), np.zeros(frames + 99, bool)
    time, frame, free = 0, way.start, way.start
    for e in [*way.leaves, -1]:
        end = frames if e < 0 else time + int(graph.transitions.a[e]) - frame
        stop = min(end, frames)
        shown[time:stop] = np.arange(frame, frame + stop - time)
        assert graph.clip_of[shown[stop - 1]] == graph.clip_of[frame]
        if e < 0 or end > frames - 1:
            break
        assert graph.leave[e] >= free
        time, frame, free = end, int(graph.transitions.b[e]), int(graph.enter[e])
        blended[time - graph.half + 1 : time + graph.half] = True
    assert (shown >= 0).all()
    return shown, blended[:frames]


def test_a_way_that_cannot_last_is_told(arms):
    graph = make_graph(arms, [(35, 45, 0.1)])  # from the first clip to the second, and no way on from there
    m = material(graph, grow_trees(graph, widest=3))
    longest = 35 + 25  # all of the first clip up to the transition, then the second from its fifth frame on
    for frames, can in ((longest, True), (longest + 1, False)):
        dead = Reachable(search_net(m), frames).first_dead
        assert (dead < 0) == can
    assert dead == 0  # the last 60 frames could be walked, the first could not
