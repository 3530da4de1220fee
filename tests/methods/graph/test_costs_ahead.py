"""A narrow beam keeps the candidates that can still show the labels ahead, and turn with the line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from small_graphs import graph_of, labels_shown, placed_track, walker

from motionloom.constraints import Start
from motionloom.methods.graph.query.goal import GroundGoal
from motionloom.methods.graph.query.polyline import line_through
from motionloom.methods.graph.search.beam import search_beam
from motionloom.methods.graph.search.moves import ground_moves


def narrow(graph, goal, starts):
    own = {"width": 4, "least": 0.01, "look": 5, "budget": 10**9}
    return search_beam(ground_moves(graph), goal, Start(), np.array(starts), np.zeros((0, 0), np.uint8), **own)


def along(corners):
    line = line_through(corners)
    return GroundGoal(line, np.ones(len(line.points)), 300, False)


def test_a_detour_is_taken_in_time_for_a_label_far_ahead(arm):
    """Only the second clip, which sways a little, leads to the run; the first is straighter until it is too late."""
    straight, sway, run = (
        walker(arm, np.full(80, 0.1), np.zeros(80)),
        walker(arm, np.full(80, 0.1), 0.1 * np.cos(np.arange(80) * np.pi / 4)),
        walker(arm, np.full(40, 0.2), np.zeros(40)),
    )
    graph = graph_of([straight, sway, run], [(p, 5 + p) for p in range(5, 70, 5)] + [(10, 81 + 12), (81 + 40, 162 + 2)])
    goal = along([[0, 0], [0, 8]])
    metres = np.arange(len(goal.line.points)) * goal.line.spacing
    missing = np.where(np.arange(graph.count) < 162, 250.0, 0.0)
    goal = replace(goal, parts=np.where(metres < 5, -1, 0), frame_costs=missing[None], usual_step=0.05)
    found = narrow(graph, goal, range(30))
    assert found.arrived
    assert (labels_shown(graph, found.route)[-10:] >= 162).all()


def test_the_clip_that_turns_is_entered_before_the_bend(arm):
    """The gate to the turning clip is 3 m before the bend, and leads through a slightly crooked clip."""
    straight, crooked, turning = (
        walker(arm, np.full(100, 0.1), np.zeros(100)),
        walker(arm, np.full(30, 0.1), 0.05 * np.cos(np.arange(30) * np.pi / 4)),
        walker(arm, np.full(90, 0.1), np.where(np.arange(90) < 60, np.pi / 60, 0)),
    )
    gates = [(25, 101 + 2), (101 + 28, 132 + 2)]
    graph = graph_of([straight, crooked, turning], gates)
    bend = np.linspace(0, np.pi, 20)
    radius = 0.1 * 60 / np.pi
    corners = np.column_stack([radius - radius * np.cos(bend), 5.3 + radius * np.sin(bend)])
    found = narrow(graph, along(np.concatenate([[[0, 0]], corners])), range(20))
    place = placed_track(graph, found.route, (0, 0, 0))
    assert found.arrived
    assert np.linalg.norm(place[-1] - corners[-1]) < 0.5
