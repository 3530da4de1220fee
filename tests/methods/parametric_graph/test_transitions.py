"""Transitions as they are laid on the ground: never above T_bad of their edge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motionloom.blend._kernels_registered import advance
from motionloom.core.poses import commands
from motionloom.methods import learn
from motionloom.methods.parametric_graph._kernels_body import cloud, empty_cloud, retreat, rows_of, scratch_of
from motionloom.methods.parametric_graph.config import LiveOptions
from motionloom.samples import make

TICK, STEPS, CHARACTERS = 1 / 30, 300, 12
SMALL = {"sources": 8, "targets": 60, "verified": 400, "samples": 40}
OPTIONS = {
    "followed": LiveOptions(),
    "once": LiveOptions(half_life=0.0),
    "inertial": LiveOptions(transitions="inertial"),
    "longer": LiveOptions(half_life=0.0, window=0.4),
}


@pytest.fixture(scope="module")
def leaping():
    """Walks, and leaps that only straight walks lead to."""
    walks = [make("walk", seed=1, turn=t, seconds=4, fps=30) for t in (-1.4, 0.0, 1.4)]
    leaps = [make("leap", seed=1, distance=d, fps=30) for d in (0.6, 0.76, 0.92)]
    walk = "walk clips=sample:walk parameter=turn"
    leap = "leap clips=sample:leap parameter=leap_length cut=run before=1.7 after=1.7"
    small = {"sources": 10, "targets": 60, "verified": 1000, "samples": 40}
    asked = {"node": [walk, leap], "edge": ["walk>walk", "walk>leap", "leap>walk"], **small}
    return learn("parametric-graph", [*walks, *leaps], asked)


@pytest.fixture(scope="module")
def turning(walks):
    return learn("parametric-graph", walks, SMALL)


def random_orders(model, count, rng):
    """Commands that change every half to four seconds: headings, nodes and their parameters, or none."""
    width = model.graph.tables.scale.shape[2]
    left, heading, action = np.zeros(CHARACTERS), np.zeros(CHARACTERS), np.zeros(CHARACTERS, int)
    values = np.full((CHARACTERS, width), np.nan)
    for _ in range(count):
        for k in np.flatnonzero(left <= 0):
            heading[k], values[k], action[k] = rng.uniform(-np.pi, np.pi), np.nan, rng.integers(-1, len(model.nodes))
            if action[k] >= 0 and rng.random() < 0.4:
                space, heading[k] = model.nodes[action[k]].space, np.nan
                values[k, : space.size] = space.middle + rng.uniform(-1, 1, space.size) * (space.high - space.low)
        left = np.where(left <= 0, rng.uniform(0.5, 4.0, CHARACTERS), left) - TICK
        yield commands(heading=heading.copy(), action=action.copy(), values=values.copy())


def laid_apart(tables, state, k, until):
    """m: RMS distance of the joints of both clips in the world, `until` seconds from now, over the time of a cloud."""
    out = []
    for clip in (0, 1):
        n, place, weights = int(state.node[k, clip]), state.place[k, clip].copy(), state.weights[k, clip].copy()
        move = advance if until >= 0 else retreat
        move(rows_of(tables, n), weights, place, abs(until), scratch_of(tables)[0])
        points, feet, touch = empty_cloud(tables)
        cloud(tables, n, weights, place, tables.radius[n], state.level[k, clip], points, feet, touch)
        out.append(points)
    square = ((out[0] - out[1]) ** 2).sum(1).reshape(3, -1).mean(1)
    return float(np.sqrt(square @ tables.cloud))


@pytest.mark.parametrize("how", OPTIONS)
@pytest.mark.parametrize("name", ["leaping", "turning"])
def test_no_transition_is_above_the_limit_of_its_edge(name, how, request):
    model, options = request.getfixturevalue(name), OPTIONS[how]
    limits = {(e.source, e.target): e.report.bad_limit for e in model.edges}
    live, made = model.graph, set()
    half = 0.0 if how == "inertial" else 0.5 * options.window
    for at_random in (True, False):
        state = live.begin(np.arange(CHARACTERS), options=options)
        for given in random_orders(model, STEPS, np.random.default_rng(2)):
            before = state
            state, _ = live.step(state, commands() if at_random else given, TICK)
            for k in np.flatnonzero(state.clips > before.clips):
                pair = int(before.node[k, 0]), int(state.node[k, 0])
                made.add(pair)
                assert state.gap[k] <= limits[pair], pair
                if how != "inertial":  # the point is half a window from the beginning, to a tick
                    apart = [laid_apart(model.tables, state, k, half - x * TICK) for x in (0, 1, 2)]
                    assert min(apart) - 0.01 < state.gap[k] < max(apart) + 0.01
    assert made == set(limits)


def test_a_clip_above_the_limit_goes_nearer_to_the_middle_of_its_box(turning):
    """Random pairs do not exclude such clips; here they are made by a limit below that of learning."""
    limit = 0.65 * turning.edges[0].report.bad_limit
    live = replace(turning.graph, tables=turning.tables._replace(edge_limit=np.array([limit])))
    for options in (LiveOptions(), LiveOptions(alignment="cloud")):
        state, gaps = live.begin(np.arange(CHARACTERS), options=options), []
        for _ in range(STEPS):
            before = state
            state, _ = live.step(state, commands(), TICK)
            gaps += list(state.gap[state.clips > before.clips])
        assert len(gaps) > 50
        assert max(gaps) <= limit
