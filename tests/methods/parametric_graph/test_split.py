"""Edges from a part of a node: found, reported, and taken once the parameters are in that part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motionloom.core import silent
from motionloom.core.poses import commands
from motionloom.methods import learn
from motionloom.methods.parametric_graph.edge_verification import changes_into
from motionloom.methods.parametric_graph.fit import WantedEdge, find_edges
from motionloom.methods.parametric_graph.graph_file import read_graph_file

GRAPH = """
[nodes.walk]
samples = [{name = "walk", turn = ["-70deg/s", "0deg/s", "70deg/s"], seconds = 4, fps = 30, seed = 1}]
parameter = ["turn"]

[nodes.leap]
samples = [{name = "leap", distance = [0.6, 0.76, 0.92], fps = 30, seed = 1}]
parameter = ["leap_length"]
cut = "run"
before = 1.7
after = 1.7

[settings]
sources = 10
targets = 40
verified = 300
samples = 30
"""


@pytest.fixture(scope="module")
def leaping(tmp_path_factory):
    path = tmp_path_factory.mktemp("split") / "leap.toml"
    path.write_text(GRAPH, encoding="utf-8")
    graph = read_graph_file(path)
    return learn("parametric-graph", graph.made, graph.config)


def test_only_gentle_turns_lead_into_a_leap(leaping):
    space = leaping.nodes[0].space
    edge = next(e for e in leaping.edges if (e.source, e.target) == (0, 1))
    assert edge.limited(leaping.nodes[0])
    assert edge.within[0, 0] > space.low[0]
    assert edge.within[1, 0] < space.high[0]
    assert (edge.values >= edge.within[0] - 1e-6).all()
    assert "only from turn" in edge.report.text
    own = next(e for e in leaping.edges if e.source == e.target == 0)
    assert not own.limited(leaping.nodes[0])
    assert changes_into(edge.within, own, space, 2)
    assert not changes_into(np.array([[9.0], [9.5]]), own, space, 2)  # a part that no motion is in


def test_a_character_that_turns_sharply_straightens_before_it_leaps(leaping):
    live = leaping.live
    edge = next(e for e in leaping.edges if (e.source, e.target) == (0, 1))
    space = leaping.nodes[0].space
    for half_life in (0.0, 0.12):
        options = type(live.default_options)(half_life=half_life, first="walk")
        state = live.begin([2], options=options)
        for _ in range(120):  # as sharp as it can
            state, _ = live.step(state, commands(action=[0], values=[[float(space.high[0])]]), 1 / 30)
        assert state.used[0, 0] * space.ranges[0] + space.middle[0] > edge.within[1, 0]
        before = state
        for _ in range(180):
            before, (state, _) = state, live.step(state, commands(action=[1]), 1 / 30)
            if state.node[0, 0] == 1:
                break
        assert state.node[0, 0] == 1
        left = before.used[0, 0] * space.ranges[0] + space.middle[0]
        assert left <= edge.within[1, 0] + 0.011 * space.ranges[0]
        assert state.gap[0] <= edge.report.bad_limit


def test_random_walks_take_edges_from_parts_only_there(leaping):
    live = leaping.live
    limits = {(e.source, e.target): e.report.bad_limit for e in leaping.edges}
    state = live.begin(np.arange(8))
    leaps = 0
    for _ in range(300):
        before = state
        state, _ = live.step(state, commands(), 1 / 15)
        for k in np.flatnonzero(state.clips > before.clips):
            pair = (int(before.node[k, 0]), int(state.node[k, 0]))
            leaps += pair == (0, 1)
            assert state.gap[k] <= limits[pair]
    assert leaps > 5


@pytest.mark.parametrize("possible", [True, False])
def test_where_no_motion_gets_into_a_part_the_edge_leaves_from_the_whole_node(leaping, monkeypatch, possible):
    own = next(e for e in leaping.edges if e.source == e.target == 0)
    part = np.array([[0.4], [0.5]])  # of its own node, which it can leave only by itself

    def build(tables, nodes, source, target, settings, limits, rng, progress):
        if settings.split:
            limited = own.report._replace(part="turn 23 to 29 deg")
            return replace(own, within=part, report=limited), limited
        refused = own.report._replace(reason="nothing follows turn 80 deg (nearest 6.9 cm)")
        return (own, own.report) if possible else (None, refused)

    monkeypatch.setitem(find_edges.__globals__, "build_edge", build)
    edges, [report] = find_edges(
        leaping.nodes, [WantedEdge(0, 0)], leaping.config, leaping.fps, np.random.default_rng(0), silent()
    )
    assert [e.limited(leaping.nodes[0]) for e in edges] == [False] * possible
    if not possible:
        assert (
            "it leaves from turn 23 to 29 deg only, and walk cannot change into that; from all of walk, " in report.text
        )
        assert "nearest 6.9 cm" in report.text
