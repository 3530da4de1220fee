"""Graph characters on given routes: what they show is what rendering the route gives."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.control.graph_walks import chosen_moves, random_walk, record_route, run_route
from motionloom.core import BadRequest, NoPath, replace, with_labels
from motionloom.core.poses import commands
from motionloom.kinematics.fk import fk
from motionloom.kinematics.pace import change_rate
from motionloom.kinematics.travel import placed
from motionloom.methods import learn
from motionloom.methods.graph.graph import FREE, STAY
from motionloom.methods.graph.live import GraphLive
from motionloom.methods.graph.model import GraphModel
from motionloom.methods.graph.render.render import join_route
from motionloom.methods.graph.search.random_walk import random_route
from motionloom.methods.two_level_graph.model import follow_choices
from motionloom.samples import make


@pytest.fixture(scope="module")
def model() -> GraphModel:
    """Walks and turns; one of them carries two labels."""
    clips = [make("walk", seed=i, turn=turn, seconds=5) for i, turn in enumerate((0.0, 0.6, -0.6))]
    clips[0] = with_labels(clips[0], {"slow": np.arange(len(clips[0])) % 60 < 30})
    return learn("two-level-graph", clips)


@pytest.fixture(scope="module")
def route(model: GraphModel):
    return random_route(model.graph, 400, np.random.default_rng(5))


def test_a_recorded_route_is_the_rendered_one(model, route):
    recorded, rendered = record_route(model, route), join_route(model.graph, route)
    assert len(route.taken) > 5
    a, b = placed(recorded), placed(rendered)
    np.testing.assert_allclose(a.root, b.root, atol=1e-9)
    assert np.linalg.norm(fk(a) - fk(b), axis=-1).max() < 1e-3  # joints of a blend: normalised sums instead of slerp
    assert recorded.label_names == rendered.label_names
    np.testing.assert_array_equal(recorded.labels, rendered.labels)
    for name in ("which", "frames", "weights"):
        np.testing.assert_array_equal(getattr(recorded.origin, name), getattr(rendered.origin, name))


def test_sources_of_the_steps_are_those_of_the_route(model, route):
    origin = join_route(model.graph, route).origin
    for n, (state, _) in enumerate(run_route(model.live, route)):
        found = model.live.sources(state)
        np.testing.assert_allclose(found.weights[0, 0], origin.weights[n, 0], atol=1e-12)
        on = found.weights[0, 0] > 0
        np.testing.assert_array_equal(found.frames[0, 0][on], origin.frames[n, 0][on])


def test_slides_of_the_clips_are_kept():
    clips = [make("walk", seed=i, turn=turn, seconds=5) for i, turn in enumerate((0.0, 0.6))]
    slides = np.zeros((len(clips[0]), len(clips[0].skeleton), 3))
    slides[:, 5, 1] = np.linspace(0.0, 0.01, len(slides))
    model = learn("motion-graph", [replace(clips[0], slides=slides), clips[1]])
    route = random_route(model.graph, 200, np.random.default_rng(1))
    np.testing.assert_array_equal(record_route(model, route).slides, join_route(model.graph, route).slides)


def test_orders_change_nothing_else_and_wrong_ones_are_errors(model, route):
    live: GraphLive = model.live
    state = live.begin_at(route.start)
    ordered = live.order(state, route.taken[0])
    assert state.ordered[0] == FREE
    assert ordered.ordered[0] == route.taken[0]
    behind = int(np.flatnonzero(live.tables.leave < route.start)[0])
    with pytest.raises(BadRequest, match=f"order: transition {behind} does not leave after frame {route.start}"):
        live.order(state, behind)
    with pytest.raises(BadRequest, match="order: expected transitions from 0 to"):
        live.order(state, len(live.tables.leave))
    with pytest.raises(BadRequest, match="frame: expected 0 to"):
        live.begin_at(model.graph.count)
    with pytest.raises(NoPath, match="is a dead end"):
        live.begin_at(int(np.flatnonzero(live.tables.exit_end < 0)[0]))


def test_characters_that_are_ordered_to_stay_continue_their_clip(model):
    live: GraphLive = model.live
    start = int(live.tables.starts[0])
    state = live.order(live.begin_at(start), STAY)
    for _ in range(4):
        state, _ = live.step(state, commands(heading=2.0), 1 / live.fps)
    assert state.frame[0] == start + 4
    assert state.over[0] < 0


def test_choices_lead_where_their_route_leads(model):
    start = int(model.walkable.argmax())
    clip = chosen_moves(model, start, ["0", "1"])
    rendered = placed(join_route(model.graph, follow_choices(model, start, ["0", "1"])))
    assert len(clip) == len(rendered)
    np.testing.assert_allclose(clip.root[:, [0, 2]], rendered.root[:, [0, 2]], atol=0.03)  # hips follow cleaned feet
    assert clip.origin.made[-1].command == "choices"


def test_a_walk_through_captured_walks_is_steady(mocap):
    """The case `pace`: 15, 10 and 6 changes of speed in 30 s before; the clips themselves have 4.8 a minute."""
    from motionloom.io import load

    numbers = (11, 13, 15, 16, 17, 19, 21, 23, 25, 27, 29)
    walks = learn("motion-graph", [load(mocap / f"cmu/16_{n}.bvh", trim_tpose=True) for n in numbers])
    clips = [random_walk(walks, 30, seed=seed).clip for seed in (7, 11, 12)]
    assert max(change_rate([clip.root[:, [0, 2]]], clip.fps) for clip in clips) <= 4.8
