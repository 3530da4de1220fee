"""Live characters of a texture: what the status states is what the body does."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core.poses import commands
from motionloom.io import load
from motionloom.methods import learn
from motionloom.methods.live import live_of
from motionloom.samples import make

SPEEDS = (0.8, 1.2, 1.9)


@pytest.fixture(scope="module")
def live():
    return live_of(learn("texture", [make("walk", seconds=5, speed=v, seed=k) for k, v in enumerate(SPEEDS)]))


def driven(live, asked):
    """The mean speed of the status and that of the body over the last 8 of 14 seconds, and the last status."""
    given = commands() if asked is None else commands(speed=asked)
    state, places, used = live.begin([3]), [], []
    for _ in range(14 * 30):
        state, poses = live.step(state, given, 1 / 30)
        places.append(poses.root[0, [0, 2]])
        used.append(live.status(state).used[0, 0])
    moved = np.linalg.norm(np.diff(np.array(places[-241::15]), axis=0), axis=1).sum() / 8
    return np.mean(used[-240:]), moved, live.status(state)


@pytest.mark.parametrize("asked", [None, 0.0, 0.8, 1.0, 1.2, 1.5, 1.9, 3.0])
def test_the_speed_of_the_status_is_that_of_the_body(live, asked):
    """Over the last 8 of 14 seconds, within 0.05 m/s; speeds that no clip holds are clamped to the nearest that is."""
    stated, moved, status = driven(live, asked)
    assert stated == pytest.approx(moved, abs=0.05)
    assert status.clamped[0] == (asked is not None and status.used[0, 0] != asked)
    if asked is not None:
        assert status.clamped[0] == (min(abs(asked - v) for v in SPEEDS) > 0.1)
        assert min(abs(status.used[0, 0] - v) for v in SPEEDS) < 0.1


def test_captured_walks_that_slow_down_are_driven_at_the_commanded_speeds(mocap):
    """No clip of 16 is as slow as 0.85 m/s, or as 1.4, for long: faster frames are made up for by slower ones."""
    takes = [load(mocap / "cmu" / f"16_{n}.bvh") for n in (11, 13, 15, 17, 19, 21, 25, 27, 29)]
    live = live_of(learn("texture", takes))
    for asked in (0.6, 0.85, 1.05, 1.4):
        stated, moved, _ = driven(live, asked)
        assert stated == pytest.approx(moved, abs=0.05)
