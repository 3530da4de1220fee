"""Transitions whose blends would flip a joint over, or turn it faster than the clips ever do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motionloom.blend.crossfade import blend_weights
from motionloom.core import Clip, silent
from motionloom.kinematics.resample import resample
from motionloom.methods.graph.build.blend_check import (
    MIN_TURN,
    RELAXED_SPEED_RATIOS,
    find_rough_transitions,
    rough_transitions,
)
from motionloom.methods.graph.build.blended_hips import hips_ratios
from motionloom.methods.graph.build.prune import largest_component
from motionloom.methods.graph.build.transitions import find_transitions, graph_clips
from motionloom.methods.graph.graph import Graph, Transitions
from motionloom.rotation import angle_between, exp, from_axis_angle, multiply, normalize, slerp, yaw
from motionloom.samples import make


def graph_of(clips: list[Clip], pairs: list[tuple[int, int]], turn: list[float], half: int) -> Graph:
    a, b = np.array(pairs).T
    return Graph(tuple(clips), Transitions(a, b, np.zeros(len(a)), np.array(turn), np.zeros((len(a), 2))), half)


def rough_slow(graph: Graph, far: float, quick: float) -> list[bool]:
    """Every blend made and looked at."""
    rotations = np.concatenate([c.rotations for c in graph.clips])
    fastest = np.max([angle_between(c.rotations[:-1], c.rotations[1:]).max(0) for c in graph.clips], axis=0)
    alpha = np.concatenate([[0.0], blend_weights(graph.half), [1.0]])[:, None]
    near = np.arange(-graph.half, graph.half + 1)
    out = []
    for a, b, turn in zip(graph.transitions.a, graph.transitions.b, graph.transitions.turn, strict=True):
        p, q = rotations[a + near], rotations[b + near].copy()
        q[:, 0] = multiply(yaw(turn), q[:, 0])
        mixed = slerp(p, q, alpha)
        steps = angle_between(mixed[1:], mixed[:-1])
        own = np.maximum(*(angle_between(x[1:], x[:-1]) for x in (p, q)))
        apart = angle_between(p[graph.half], q[graph.half]).max()
        fast = (steps > np.maximum(quick * fastest, MIN_TURN)) & (steps > own + 1e-9)
        out.append(bool(apart > far or fast.any()))
    return out


def test_the_compiled_check_is_the_plain_one(arm):
    rng = np.random.default_rng(0)
    clips = []
    for _ in range(2):
        turns = np.cumsum(rng.normal(scale=0.12, size=(60, 3, 3)), axis=0)
        clips.append(Clip(arm, np.zeros((60, 3)), normalize(exp(turns)) * rng.choice([-1, 1], size=(60, 3, 1)), 30.0))
    pairs = [(int(x), int(y)) for x, y in zip(rng.integers(6, 54, 200), rng.integers(66, 114, 200), strict=True)]
    pairs = sorted(set(pairs))
    graph = graph_of(clips, pairs, rng.uniform(-3, 3, len(pairs)).tolist(), 5)
    for far, quick in ((1.5, 1.0), (3.0, 0.9), (np.pi, 1.2)):
        want = rough_slow(graph, far, quick)
        assert 0 < sum(want) < len(pairs)
        assert rough_transitions(graph, gap=far, speed_ratio=quick).tolist() == want


def bent(arm, angle: float, frames: int = 30) -> Clip:
    """The top joint held at an angle, after one quick nod of 0.4 rad at the start."""
    rotations = np.zeros((frames, 3, 4))
    rotations[..., 0] = 1
    rotations[:, 2] = from_axis_angle([0, 0, 1.0], np.where(np.arange(frames) == 1, angle - 0.4, angle))
    return Clip(arm, np.zeros((frames, 3)), rotations, 30.0)


@pytest.mark.parametrize(("angle", "wrong"), [(0.3, False), (1.2, False), (1.8, True), (3.1, True)])
def test_a_head_that_is_half_a_turn_off_is_rough(arm, angle, wrong):
    graph = graph_of([bent(arm, 0.0), bent(arm, angle)], [(15, 45)], [0.0], 12)
    assert rough_transitions(graph).tolist() == [wrong]


def test_a_turn_on_the_ground_is_not(arm):
    one = bent(arm, 0.0)
    rotations = one.rotations.copy()
    rotations[:, 0] = yaw(2.5)
    graph = graph_of([one, Clip(arm, one.root, rotations, 30.0)], [(15, 45)], [-2.5], 6)
    assert rough_transitions(graph).tolist() == [False]
    assert rough_transitions(graph_of(list(graph.clips), [(15, 45)], [0.0], 6)).tolist() == [True]


def test_a_blend_that_is_too_short_for_its_way_is_rough(arm):
    clips = [bent(arm, 0.0), bent(arm, 1.2)]
    assert rough_transitions(graph_of(clips, [(15, 45)], [0.0], 2)).tolist() == [True]
    assert rough_transitions(graph_of(clips, [(15, 45)], [0.0], 12)).tolist() == [False]


def test_clips_of_one_kind_are_not_torn_apart_by_a_rule_that_hardly_a_blend_keeps():
    walks = graph_clips([resample(make("walk", seed=s, speed=1.3 + 0.1 * s, seconds=4), 30.0) for s in range(3)])
    whole = Graph(walks, find_transitions(walks), 6)
    strict = replace(whole, transitions=whole.transitions[~rough_transitions(whole, speed_ratio=0.9)])
    kept = replace(whole, transitions=whole.transitions[~rough_transitions(whole)])
    assert largest_component(strict).sum() < 0.5 * largest_component(whole).sum()
    assert largest_component(kept).sum() >= 0.8 * largest_component(whole).sum()
    assert len(kept.transitions) < len(whole.transitions)


def test_what_even_clips_are_allowed_beyond_their_own_speed_is_said_and_has_an_end():
    walks = graph_clips([resample(make("walk", seed=s, speed=1.3 + 0.1 * s, seconds=4), 30.0) for s in range(3)])
    found = find_rough_transitions(Graph(walks, find_transitions(walks), 6))
    assert found.speed_ratio == 1.25
    [said] = map(str, found.notes())
    assert "up to 1.25 times as fast as the clips do" in said
    graph = Graph(walks, find_transitions(walks), 6)
    turning = rough_transitions(graph, speed_ratio=1.25)
    hurrying = hips_ratios(graph, silent(), "checking") > 1.25 / 0.95
    assert np.array_equal(found.marked, turning | hurrying)


def test_no_speed_beyond_the_last_step_is_allowed_however_torn_the_clips_are(arm):
    clips = [bent(arm, 0.0), bent(arm, 1.5)]
    there_and_back = graph_of(clips, [(15, 45), (50, 9)], [0.0, 0.0], 1)
    found = find_rough_transitions(there_and_back)
    assert found.speed_ratio == RELAXED_SPEED_RATIOS[-1] <= 1.6
    assert found.marked.tolist() == [True, True]
    assert found.flips == 0
