"""Recordings of live characters, and the time that they state until a command takes effect."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.control import record, run
from motionloom.core import Clip
from motionloom.core.poses import commands
from motionloom.methods import learn
from motionloom.samples import make


@pytest.mark.parametrize("method", ["motion-matching", "motion-graph"])
def test_clips_of_unknown_origin_are_recorded_without_sources(method):
    walk = make("walk", seconds=6, seed=1)
    unknown = Clip(walk.skeleton, walk.root, walk.rotations, walk.fps, walk.label_names, walk.labels)
    live = learn(method, [unknown]).live
    clip = record(live, run(live, live.begin([1]), commands(), [1 / 30] * 10), 30.0)
    assert (clip.origin.which == -1).all()
    assert (clip.origin.weights == 0).all()


def test_a_graph_states_the_time_until_a_frame_with_transitions():
    live = learn("motion-graph", [make("walk", seconds=6, seed=k, turn=t) for k, t in enumerate((0.0, 0.6))]).live
    tables = live.tables
    has_exit = np.diff(tables.first_out) > 0
    state = live.begin([3])
    checked = 0
    for _ in range(200):
        until = round(live.status(state).until_choice[0] * live.fps)
        if state.over[0] < 0:
            assert has_exit[state.frame[0] + until]
            checked += until > 0
        state, _ = live.step(state, commands(), 1 / live.fps)
    assert checked > 10
