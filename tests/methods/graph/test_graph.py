"""Frames, transitions and routes: what follows from what."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, InvalidClip
from motionloom.methods.graph import Graph, Piece, Route, Transitions


def still(skeleton, frames):
    rotations = np.zeros((frames, len(skeleton), 4))
    rotations[..., 0] = 1
    return Clip(skeleton, np.zeros((frames, 3)), rotations, 10.0)


def transitions(pairs):
    a, b = np.array(sorted(pairs), np.int64).reshape(-1, 2).T
    return Transitions(a, b, np.zeros(len(a)), np.zeros(len(a)), np.zeros((len(a), 2)))


@pytest.fixture
def graph(arm):
    """Ten frames and twelve; blends two frames wide on each side."""
    return Graph((still(arm, 10), still(arm, 12)), transitions([(3, 14), (7, 13), (19, 2), (7, 17)]), 2)


def test_frames_are_counted_through_all_clips(graph):
    assert graph.starts.tolist() == [0, 10, 22]
    assert graph.count == 22
    assert graph.clip_of.tolist() == [0] * 10 + [1] * 12


def test_a_transition_leaves_before_its_blend_and_enters_after_it(graph):
    assert graph.leave.tolist() == [1, 5, 5, 17]
    assert graph.enter.tolist() == [16, 15, 19, 4]
    assert graph.blend == 4


def test_the_transitions_that_leave_a_frame_are_found_at_once(graph):
    out = [list(range(graph.first_out[n], graph.first_out[n + 1])) for n in range(graph.count)]
    assert out[1] == [0]
    assert out[5] == [1, 2]
    assert out[17] == [3]
    assert sum(map(len, out)) == 4


def test_pieces_and_the_blends_between_them_last_as_long_as_the_route(graph):
    route = Route(0, (1, 3), 16)
    pieces = graph.pieces(route)
    assert pieces == [Piece(0, 0, 6), Piece(1, 5, 8), Piece(0, 4, 5)]  # 6 + 3 + 1 frames and two blends of 3
    assert sum(p.stop - p.start for p in pieces) + 2 * (graph.blend - 1) == route.frames


def test_a_route_may_end_inside_a_blend(graph):
    assert graph.pieces(Route(0, (1,), 8)) == [Piece(0, 0, 6)]


def test_transitions_cannot_be_written_to(graph):
    with pytest.raises(ValueError, match="read-only"):
        graph.transitions.distance[0] = 1.0


def test_transitions_must_be_as_many_everywhere_and_finite():
    one = np.zeros(1, np.int64)
    with pytest.raises(InvalidClip, match=r"transitions: shift: expected shape \(1, 2\)"):
        Transitions(one, one, np.zeros(1), np.zeros(1), np.zeros((2, 2)))
    with pytest.raises(InvalidClip, match="distance"):
        Transitions(one, one, np.array([np.nan]), np.zeros(1), np.zeros((1, 2)))


def test_some_transitions_are_transitions(graph):
    some = graph.transitions[graph.transitions.a == 7]
    assert some.b.tolist() == [13, 17]
    assert len(some) == 2
