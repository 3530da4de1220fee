"""Walks through a graph change their speed no more often than its clips."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.kinematics.pace import SPEED_CHANGE, change_rate, step_speed
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.render.root_tracks import track
from motionloom.methods.graph.search.random_walk import random_route
from motionloom.methods.learning import learn
from motionloom.samples import make


@pytest.fixture(scope="module")
def changing() -> Graph:
    """Clips that walk, run and walk again, and two that keep to one of them."""
    takes = [make("walk_run", seed=k, seconds=8.0, fps=30.0) for k in (1, 2, 3)]
    steady = [make("walk", seed=4, speed=1.5, fps=30.0), make("run", seed=5, speed=3.0, fps=30.0)]
    return learn("motion-graph", [*takes, *steady]).graph


def test_the_rate_of_changes_counts_spans_by_the_time_in_which_they_can_be_seen() -> None:
    clip = make("walk_run", seed=1, seconds=8.0, fps=30.0)
    speed, second = step_speed(clip), 30
    over = [abs(speed[f + second] - speed[f]) > SPEED_CHANGE for f in range(len(speed) - second)]
    spans = sum(now and not before for before, now in zip([False, *over], over, strict=False))
    assert spans >= 2
    assert change_rate([clip.root[:, [0, 2]]], 30.0) == pytest.approx(60 * spans / (len(over) / 30))
    twice = change_rate([clip.root[:, [0, 2]]] * 2, 30.0)
    assert twice == pytest.approx(60 * spans / (len(over) / 30))
    assert change_rate([clip.root[:20, [0, 2]]], 30.0) == 0.0


def test_walks_change_their_speed_no_more_often_than_the_clips(changing: Graph) -> None:
    def rates(steadiness: float) -> list[float]:
        routes = [random_route(changing, 900, np.random.default_rng(k), steadiness=steadiness) for k in range(4)]
        return [change_rate([track(changing, route).place], 30.0) for route in routes]

    usual = change_rate([clip.root[:, [0, 2]] for clip in changing.clips], 30.0)
    assert max(rates(1.0)) <= usual
    assert max(rates(0.0)) > usual  # not for lack of opportunities
