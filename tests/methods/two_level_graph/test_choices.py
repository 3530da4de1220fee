"""What can be done now: choices with their motion, path and footprints, and following them."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
import pytest

from motionloom.constraints import Request
from motionloom.core import BadRequest, NoPath
from motionloom.kinematics.travel import travel
from motionloom.methods import learn, load_model, save_model, synthesize
from motionloom.methods.graph.frame_names import frame_name
from motionloom.methods.graph.render.root_tracks import track
from motionloom.methods.graph.search.scheduled_walk import route_end
from motionloom.methods.two_level_graph.choices import choice_motion, describe_choices, footprints
from motionloom.methods.two_level_graph.cluster_trees import arrival
from motionloom.methods.two_level_graph.model import follow_choices
from motionloom.samples import make


@pytest.fixture(scope="module")
def model():
    turns = ((0, 0.0), (1, 0.9), (2, -0.9))
    return learn("two-level-graph", [make("walk", seed=s, turn=t, seconds=4) for s, t in turns])


@pytest.fixture(scope="module")
def frame(model):
    return int(np.flatnonzero(model.walkable)[40])


def test_choices_lead_to_different_places(model, frame):
    found = model.choices(frame)
    assert len(found) > 1
    ends = [(c.clusters[-1], *arrival(model.graph, c)) for c in found]
    for i, (last, place, turn) in enumerate(ends):
        for other, there, way in ends[:i]:
            assert last != other or np.linalg.norm(place - there) >= 0.3 or abs(turn - way) >= np.radians(20)


def test_where_a_choice_leads_is_where_its_route_leads(model, frame):
    for choice in model.cluster_paths(frame):
        path = track(model.graph, choice.route)
        clip = choice_motion(model, choice)
        place, turn = arrival(model.graph, choice)
        np.testing.assert_allclose(travel(clip).place[-1], place, atol=1e-6)
        assert np.cos(turn - (path.heading[-1] - path.heading[0])) == pytest.approx(1)
        assert route_end(model.graph, choice.route) == (choice.end, choice.route.frames)
        assert model.clusters.of[choice.end] == choice.clusters[-1]


def test_offers_share_out_the_probability_and_can_be_read_back(model, frame):
    found = describe_choices(model, frame)
    assert sum(o.share for o in found) == pytest.approx(1)
    assert [o.number for o in found] == list(range(len(found)))
    assert found[0].share == max(o.share for o in found)
    assert {"number", "clusters", "ahead", "ends"} <= found[0].facts().keys()


def test_footprints_are_where_feet_stand():
    clip = make("walk", seed=0, speed=1.3, turn=0.0, seconds=4)
    prints = footprints(clip)
    assert {p.foot for p in prints} == {"left_foot", "right_foot"}
    assert all(a.time <= b.time for a, b in pairwise(prints))
    left = [p for p in prints if p.foot == "left_foot"]
    assert all(b.heel[1] > a.heel[1] + 0.8 for a, b in pairwise(left))  # a stride apart, along +z
    assert all(0.05 < np.hypot(p.toe[0] - p.heel[0], p.toe[1] - p.heel[1]) < 0.35 for p in prints)


def test_choices_can_be_followed_by_their_numbers(model, frame):
    numbers = ["1", "0", "0"]
    route = follow_choices(model, frame, numbers)
    at = frame
    frames = 1
    for n in numbers:
        choice = model.choices(at)[int(n)]
        at, frames = choice.end, frames + choice.route.frames - 1
    assert route.frames == frames
    assert route_end(model.graph, route)[0] == at
    name = frame_name(model.graph, frame)
    asked = Request(options={"start": name, "choices": [1, 0, 0]})
    assert len(synthesize(model, asked)) == frames
    longer = synthesize(model, Request(seconds=10, options={"start": name, "choices": [1, 0, 0]}))
    assert len(longer) == 300
    assert model.plan(asked, np.random.default_rng(0)).route == route


def test_a_choice_that_is_not_offered_is_refused(model, frame):
    with pytest.raises(BadRequest, match=r"options.choices\[1\]: expected a choice from 0 to \d+, found '99'"):
        follow_choices(model, frame, ["0", "99"])


def test_a_frame_that_leads_nowhere_names_one_that_does(model):
    dead = int(np.flatnonzero(~model.walkable)[0])
    with pytest.raises(NoPath, match=r"is a dead end; the most similar frame that is not: .*#\d+"):
        model.choices(dead)
    with pytest.raises(BadRequest, match="frame: expected 0 to"):
        model.choices(10**6)


def test_a_loaded_model_offers_the_same(model, frame, tmp_path):
    save_model(model, tmp_path / "g.loom")
    again = load_model(tmp_path / "g.loom")
    assert again.choices(frame) == model.choices(frame)
    assert again.pruned == model.pruned


def test_an_answer_comes_at_once(model):
    model.choices(int(np.flatnonzero(model.walkable)[0]))  # compiles
    took = []
    for f in np.flatnonzero(model.walkable)[::9]:
        start = time.perf_counter()
        model.choices(int(f))
        took.append(time.perf_counter() - start)
    assert np.median(took) < 0.2  # 50 ms is the figure; a busy machine is given room


def test_clips_that_cannot_be_joined_say_what_would_help():
    clips = [make("jump", seed=0), make("punch", seed=1)]
    with pytest.raises(NoPath, match=r"do not form a loop.*(with --limit|add clips with similar)"):
        learn("two-level-graph", clips, {"limit": 0.0001})
