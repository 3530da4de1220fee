"""Walks through a graph change their speed no more often than its clips."""

from __future__ import annotations

import numpy as np
import pytest

from learning_inputs import from_files
from motionloom.constraints import Request
from motionloom.control import record, run
from motionloom.core.poses import commands
from motionloom.kinematics.pace import SPEED_CHANGE, change_rate, step_speed
from motionloom.methods.graph.graph import Graph
from motionloom.methods.graph.live import graph_live
from motionloom.methods.graph.render.root_tracks import track
from motionloom.methods.graph.search.random_walk import random_route
from motionloom.methods.learning import learn
from motionloom.methods.redraw_uneven_pace import ChangeRates, steadiest
from motionloom.methods.synthesis import synthesize
from motionloom.samples import make


@pytest.fixture(scope="module")
def changing() -> Graph:
    """Clips that walk, run and walk again, and two that keep to one of them."""
    takes = [make("walk_run", seed=k, seconds=8.0, fps=30.0) for k in (1, 2, 3)]
    steady = [make("walk", seed=4, speed=1.5, fps=30.0), make("run", seed=5, speed=3.0, fps=30.0)]
    return learn("motion-graph", [*takes, *steady], {"bridges": False}).graph


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


def test_live_walks_keep_their_pace_without_staying_in_a_loop(changing: Graph) -> None:
    live = graph_live(changing)
    usual = change_rate([clip.root[:, [0, 2]] for clip in changing.clips], 30.0)
    for seed in range(4):
        clip = record(live, run(live, live.begin([seed]), commands(), [1 / 30] * 900), 30.0)
        assert change_rate([clip.root[:, [0, 2]]], 30.0) <= usual
        which, frames = clip.origin.main()
        assert len(set(zip(which.tolist(), frames.tolist(), strict=True))) > 200  # a loop of two seconds has 60


@pytest.mark.parametrize("method", ["cuts", "hierarchical-graph", "motion-graph"])
def test_no_method_changes_its_speed_more_often_than_the_clips(method: str) -> None:
    takes = [make("walk_run", seed=k, seconds=8.0, fps=30.0) for k in (1, 2)]
    steady = [make("walk", seed=4, speed=1.5, fps=30.0), make("run", seed=5, speed=3.0, fps=30.0)]
    model = learn(method, from_files([*takes, *steady]))
    usual = change_rate([clip.root[:, [0, 2]] for clip in [*takes, *steady]], 30.0)

    def rates() -> list[float]:
        made = [synthesize(model, Request(seconds=20.0), seed=k) for k in range(3)]
        return [change_rate([clip.root[:, [0, 2]]], clip.fps) for clip in made]

    assert max(rates()) <= usual


def test_walks_over_trees_keep_their_pace_for_a_minute_without_staying_in_a_loop() -> None:
    takes = [make("walk_run", seed=k, seconds=8.0, fps=30.0) for k in (1, 2)]
    steady = [make("walk", seed=4, speed=1.5, fps=30.0), make("run", seed=5, speed=3.0, fps=30.0)]
    model = learn("hierarchical-graph", from_files([*takes, *steady]))
    usual = change_rate([clip.root[:, [0, 2]] for clip in [*takes, *steady]], 30.0)
    for seed, seconds in [(4, 20.0), (6, 20.0), (0, 60.0), (2, 60.0), (3, 60.0)]:  # all exceeded it, up to 12.6
        clip = synthesize(model, Request(seconds=seconds), seed=seed)
        assert change_rate([clip.root[:, [0, 2]]], 30.0) <= usual
        which, frames = clip.origin.main()
        assert len(set(zip(which.tolist(), frames.tolist(), strict=True))) > 200


def test_of_many_draws_the_first_steady_one_is_taken_or_the_steadiest() -> None:
    def place(speeds: float) -> np.ndarray:
        steps = np.repeat([1.0, speeds, 1.0, speeds, 1.0], 60) / 30
        return np.stack([np.cumsum(steps), 0 * steps], 1)

    never = ChangeRates(0.0, 0.0)
    draws = iter([3.0, 1.05, 1.0])
    assert steadiest(lambda: next(draws), place, never, 30.0) == 1.05
    rough = iter(np.linspace(3.0, 2.0, 20))
    assert change_rate([place(steadiest(lambda: next(rough), place, never, 30.0))], 30.0) > 0.0
    assert steadiest(lambda: 3.0, place, None, 30.0) == 3.0


def test_starts_and_stops_do_not_count_as_changes_while_moving() -> None:
    speeds = [0.0, 1.0, 2.0, 2.0, 1.0, 0.0]  # m/s for three seconds each: it starts, gets faster, slower, and stops
    place = np.stack([np.cumsum(np.repeat(speeds, 90)) / 30, np.zeros(540)], 1)
    minutes = (540 - 30) / 30 / 60
    assert change_rate([place], 30.0) == pytest.approx(4 / minutes)
    assert change_rate([place], 30.0, moving=True) == pytest.approx(2 / minutes)
    assert ChangeRates.of([place], 30.0).beyond(ChangeRates(4 / minutes, 0.0)) == pytest.approx(2 / minutes)
