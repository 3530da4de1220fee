"""Joints turn hardly farther than in the clips, however much a motion is varied."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_array_equal

from motionloom.constraints import Request
from motionloom.io import load
from motionloom.kinematics.capture.wrong_bends import wrong_bends
from motionloom.methods import learn, synthesize
from motionloom.methods.textons.render.joint_ranges import SOFTNESS


def test_coordinates_inside_the_ranges_are_not_changed_and_others_end_a_little_beyond(model):
    synthesizer = model.synthesizer
    y = synthesizer.charts.unbroken(model.observed[0].frames, model.observed[0].texton)
    assert_array_equal(synthesizer.ranges.within(y), y)
    y = model.textons[0].dynamics.mean + 3 * (y - model.textons[0].dynamics.mean)
    kept = synthesizer.ranges.within(y)
    own = synthesizer.ranges
    more = SOFTNESS * (own.high - own.low) + 1e-6
    assert np.abs(kept - y).max() > 0.05
    assert_array_equal(own._replace(low=own.low - more, high=own.high + more).within(kept), kept)


def test_elbows_of_captured_dances_do_not_bend_to_the_wrong_side(mocap):
    model = learn("textons", [load(mocap / f"cmu/93_0{k}.bvh", trim_tpose=True) for k in (3, 4, 5, 6)])
    made = synthesize(model, Request(seconds=20), seed=30)
    assert not [b for b in wrong_bends(made) if b.part == "elbow"]
