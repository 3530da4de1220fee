"""Live characters learned from captured walks, driven round a square."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.control import foot_locked, record, run
from motionloom.core.poses import commands
from motionloom.io import load
from motionloom.kinematics.feet.contacts import foot_parts, part_positions
from motionloom.methods import learn
from motionloom.methods.live import live_of

CORNERS = np.array([[0.0, 6.0], [6.0, 6.0], [6.0, 0.0], [0.0, 0.0]])


def drift(clip):
    """m/s: mean speed over the ground of foot parts that touch."""
    on = np.stack([clip.label(p.label) for p in foot_parts(clip.skeleton)], 1)
    step = np.linalg.norm(np.diff(part_positions(clip)[..., [0, 2]], axis=0), axis=-1) * clip.fps
    return step[on[1:] & on[:-1]].mean()


@pytest.mark.parametrize(("method", "least"), [("motion-matching", 6), ("motion-graph", 4), ("texture", 6)])
def test_a_square_is_walked_round(method, least, mocap):
    """Corners of 6 m by 6 m are passed in 45 s, and locked feet slide no more than those of the capture."""
    clips = [load(p, trim_tpose=True) for p in sorted(mocap.glob("cmu/16_[12]*.bvh"))]
    if not clips:
        pytest.skip("needs the walks of CMU's subject 16")
    model = learn(method, clips)
    live = foot_locked(live_of(model))
    passed = 0

    def steer(time, poses):
        nonlocal passed
        if poses is not None and np.linalg.norm(poses.root[0, [0, 2]] - CORNERS[passed % 4]) < 0.8:
            passed += 1
        return commands(place=CORNERS[passed % 4])

    clip = record(live, run(live, live.begin([1]), steer, [1 / 30] * 1350), 30.0)
    assert passed >= least
    known = model.graph.clips if method == "motion-graph" else model.clips
    assert drift(clip) < np.mean([drift(c) for c in known])
