"""A rendered route is what a chain of blends would give; every frame knows its source; tracks need no rendering."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from motionloom.blend import blend_transition
from motionloom.blend.crossfade import CLOUD, blend_weights, laid_for_plants
from motionloom.blend.join import prepare
from motionloom.blend.transition_point import Point, laid_on
from motionloom.core import BadRequest, Clip, replace
from motionloom.kinematics.feet.contacts import part_positions, with_contacts
from motionloom.kinematics.resample import resample
from motionloom.kinematics.travel import ground_turn, travel, turned
from motionloom.methods.graph.graph import Graph, Route, Transitions
from motionloom.methods.graph.render.blends import blends
from motionloom.methods.graph.render.render import join_route, render, track, tracks
from motionloom.rotation import angle_between
from motionloom.samples import make

HALF = 6


def by_hand(clips: list[Clip], pairs: list[tuple[int, int, int, int]], half: int = HALF) -> Graph:
    """A graph with transitions (clip, frame, clip, frame), laid as `blend_transition` lays them, one by one."""
    starts = np.concatenate([[0], np.cumsum([len(c) for c in clips])])
    rows = []
    for c, i, d, j in sorted(pairs):
        a, b, point = clips[c], clips[d], Point(i, j, 0.0)
        join = prepare(a, b, point, 2 * half / a.fps, plants=True)
        laid = laid_for_plants(join, laid_on(a, b, point, radius=CLOUD))
        first, then = travel(b), travel(laid)
        turn = then.heading[0] - first.heading[0]
        c_, s_ = np.cos(turn), np.sin(turn)
        x, z = first.place[0]
        shift = then.place[0] - [c_ * x + s_ * z, c_ * z - s_ * x]
        rows.append((starts[c] + i, starts[d] + j, turn, *shift))
    a, b, turn, x, z = (np.array(column) for column in zip(*rows, strict=True))
    return Graph(tuple(clips), Transitions(a, b, np.zeros(len(a)), turn, np.stack([x, z], 1)), half)


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    made = [
        make("walk", seconds=4, speed=1.3, seed=0),
        turned(make("walk", seconds=4, speed=1.4, turn=0.6, seed=1), 2.0),
        make("dance", seconds=4, seed=2),
    ]
    return [with_contacts(resample(clip, 30)) for clip in made]


@pytest.fixture(scope="module")
def graph(clips) -> Graph:
    return by_hand(clips, [(0, 50, 1, 22), (1, 60, 2, 30), (2, 80, 0, 10), (1, 44, 1, 20), (0, 30, 2, 15)])


def named(graph: Graph, *wanted: tuple[int, int]) -> tuple[int, ...]:
    """Transitions by the clips they go from and to, in order of their frames."""
    ends = list(zip(graph.clip_of[graph.transitions.a], graph.clip_of[graph.transitions.b], strict=True))
    return tuple(ends.index(pair) for pair in wanted)


@pytest.fixture(scope="module")
def route(graph) -> Route:
    """All three clips and once more the first: 0 -> 1 -> 1 -> 2 -> 0."""
    return Route(20, named(graph, (0, 1), (1, 1), (1, 2), (2, 0)), 150)


def chain(graph: Graph, route: Route, frames: int) -> Clip:
    """The slow way: one blend after the other."""
    c = int(graph.clip_of[route.start])
    out = graph.clips[c][route.start - int(graph.starts[c]) :]
    shown, at = 0, route.start
    for t in route.taken:
        a, b = int(graph.transitions.a[t]), int(graph.transitions.b[t])
        d = int(graph.clip_of[b])
        point = Point(shown + a - at, b - int(graph.starts[d]), 0.0)
        out = blend_transition(out, graph.clips[d], point, seconds=2 * graph.half / out.fps)
        shown, at = point.a + graph.half, int(graph.enter[t])
    return out[:frames]


def test_a_rendered_route_is_a_chain_of_blends(graph, route):
    slow, fast = chain(graph, route, route.frames), join_route(graph, route)
    assert len(fast) == len(slow) == route.frames
    np.testing.assert_allclose(fast.root, slow.root, atol=1e-9)
    assert angle_between(fast.rotations, slow.rotations).max() < 1e-9
    assert {n: fast.label(n).tolist() for n in slow.label_names} == {
        n: slow.label(n).tolist() for n in slow.label_names
    }


def test_a_transition_taken_twice_is_rendered_twice(graph):
    loop = named(graph, (1, 1)) * 3
    made = render(graph, Route(int(graph.starts[1]) + 20, loop, 90))
    slow = chain(graph, Route(int(graph.starts[1]) + 20, loop, 90), 90)
    np.testing.assert_allclose(made.root, slow.root, atol=1e-9)


def test_joints_that_slide_go_evenly_from_one_clip_to_the_other(clips):
    slides = np.zeros((len(clips[0]), len(clips[0].skeleton), 3))
    slides[:, 3, 1] = 0.1
    graph = by_hand([replace(clips[0], slides=slides), clips[1]], [(0, 50, 1, 22)])
    made = render(graph, Route(20, (0,), 60))
    np.testing.assert_allclose(made.slides, chain(graph, Route(20, (0,), 60), 60).slides, atol=1e-12)
    np.testing.assert_allclose(made.slides[24:37, 3, 1], np.linspace(0.1, 0, 13), atol=1e-12)


def test_standing_feet_stand_still_through_a_blend(graph, route):
    clip = render(graph, route)
    spans = [(s.start, s.start + s.frames) for s in clip.origin.spans() if len(s.sources) > 1]
    assert len(spans) == 4
    names = [n for n in clip.label_names if n.startswith("contact:")]
    moves = np.linalg.norm(np.diff(part_positions(clip)[..., [0, 2]], axis=0), axis=-1)
    on = np.stack([clip.label(n) for n in names], 1)
    both = on[1:] & on[:-1]
    inside = np.zeros(len(both), bool)
    for a, b in spans:
        inside[a:b] = True
    source = np.concatenate([_planted_steps(c, names) for c in graph.clips])
    assert (
        moves[inside][both[inside]].max() <= source.max() + 1e-3
    )  # m in a frame: no more than in the clips themselves


def _planted_steps(clip, names):
    on = np.stack([clip.label(n) for n in names], 1)
    steps = np.linalg.norm(np.diff(part_positions(clip)[..., [0, 2]], axis=0), axis=-1)
    return steps[on[1:] & on[:-1]]


def test_the_origin_of_a_frame_is_its_clip_and_frame_or_both_clips_of_a_blend_with_their_weights(graph, route):
    origin = render(graph, route).origin
    assert origin.which.shape == (route.frames, 1, 2)
    spans = origin.spans()
    first, second = (graph.clips[k].name for k in (0, 1))
    assert [([s.name for s in span.sources], span.first, span.frames) for span in spans[:3]] == [
        ([first], (_own(graph, 0, 20),), 25),  # 20 .. 44, the frame before the blend
        ([first, second], (_own(graph, 0, 45), _own(graph, 1, 17)), 11),
        ([second], (_own(graph, 1, 28),), 11),
    ]
    np.testing.assert_allclose(origin.weights[25:36, 0, 1], blend_weights(graph.half), atol=1e-15)
    assert sum(span.frames for span in spans) == route.frames


def _own(graph, clip, frame):
    """The frame's number in the clip's own file."""
    return int(graph.clips[clip].origin.main()[1][frame])


def test_a_route_may_end_anywhere_also_within_a_blend(graph, route):
    whole = render(graph, route)
    for frames in (1, 25, 26, 31, 36, 37):
        part = render(graph, route._replace(frames=frames))
        np.testing.assert_array_equal(part.root, whole.root[:frames])
        np.testing.assert_array_equal(part.labels, whole.labels[:frames])


def test_the_track_of_a_route_is_the_travel_of_its_clip(graph, route):
    known, made = track(graph, route), travel(render(graph, route))
    np.testing.assert_allclose(known.heading, made.heading, atol=1e-9)
    np.testing.assert_allclose(known.place, made.place, atol=0.02)  # hips give way by a centimetre or two at most
    plain = render(graph, route).origin.single
    np.testing.assert_allclose(known.place[plain], made.place[plain], atol=1e-9)


def test_a_track_without_plants_is_exact(arm):
    """A body without feet has no hips that give way."""
    t = np.arange(80) / 20
    rotations = np.zeros((80, 3, 4))
    rotations[..., 0], rotations[..., 2] = np.cos(t / 2)[:, None], np.sin(t / 2)[:, None]
    one = Clip(arm, np.stack([np.sin(t), 1 + 0 * t, t], 1), rotations, 20.0)
    graph = by_hand([one, turned(one, 3.0)], [(0, 40, 1, 20), (1, 60, 0, 12)])
    route = Route(5, (0, 1), 110)
    known, made = track(graph, route), travel(render(graph, route))
    np.testing.assert_allclose(known.place, made.place, atol=1e-9)
    np.testing.assert_allclose(known.heading, made.heading, atol=1e-9)


def test_tracks_add_up_as_they_say(graph, route):
    """The recipe of the module's docstring, step by step, against `track`."""
    known = tracks(graph)
    theta, s, place, heading, at = 0.0, np.zeros(2), [], [], route.start

    def turn(angle, xz):
        c, s_ = np.cos(angle), np.sin(angle)
        return xz @ np.array([[c, -s_], [s_, c]])

    for t in route.taken:
        plain = slice(at, int(graph.leave[t]) + 1)
        for xz, facing in ((known.place[plain], known.heading[plain]), np.split(known.blended[t], [2], axis=1)):
            place.append(turn(theta, xz) + s)
            heading.append(np.ravel(facing) + theta)
        s = turn(theta, known.shift[t]) + s
        theta += known.turn[t]
        at = int(graph.enter[t])
    want = track(graph, route)
    got = np.concatenate(place)[: route.frames]
    np.testing.assert_allclose(got, want.place[: len(got)], atol=1e-12)
    off = np.concatenate(heading)[: route.frames] - want.heading[: len(got)]
    np.testing.assert_allclose(off, 2 * np.pi * np.round(off / (2 * np.pi)), atol=1e-12)


def test_tracks_are_worked_out_once(graph):
    assert tracks(graph) is tracks(graph)
    assert not tracks(graph).place.flags.writeable


def test_routes_that_are_none_are_refused(graph, clips):
    with pytest.raises(BadRequest, match=f"a start frame from 0 to {graph.count - 1}, found {graph.count}"):
        render(graph, Route(graph.count, (), 5))
    with pytest.raises(BadRequest, match="does not leave after"):
        render(graph, Route(0, named(graph, (1, 2)), 150))
    with pytest.raises(BadRequest, match=f"{clips[0].name!r} ends after 120 of 500 frames"):
        track(graph, Route(0, (), 500))


def test_linear_blends_mix_both_clips_evenly_and_hold_no_plants(graph, route):
    linear = dataclasses.replace(graph, linear=True)
    weights = np.arange(1, graph.blend) / graph.blend
    made = blends(linear, np.arange(len(graph.transitions)))
    for t, (a, b) in enumerate(zip(graph.transitions.a, graph.transitions.b, strict=True)):
        inside = np.arange(-graph.half + 1, graph.half)
        first, second = (np.concatenate([clip.root for clip in graph.clips])[frame + inside] for frame in (a, b))
        second[:, [0, 2]] = ground_turn(graph.transitions.turn[t], second[:, [0, 2]]) + graph.transitions.shift[t]
        np.testing.assert_allclose(made.root[t], (1 - weights)[:, None] * first + weights[:, None] * second)
    np.testing.assert_allclose(join_route(linear, route).origin.weights[25:36, 0, 1], weights, atol=1e-15)
