"""Knees in blends: transitions in which a foot is brought to its plant so quickly that its knee snaps are left out."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, silent
from motionloom.kinematics.body.roles import feet
from motionloom.kinematics.resample import resample
from motionloom.methods.graph.build.blend_check import rough_transitions
from motionloom.methods.graph.build.blended_knees import _legs_and_spine, knee_ratios
from motionloom.methods.graph.build.transitions import find_transitions, graph_clips
from motionloom.methods.graph.graph import Graph, Transitions
from motionloom.methods.graph.render.blends import blends
from motionloom.samples import make


@pytest.fixture(scope="module")
def walks() -> Graph:
    """Two walks, with transitions between all frames that are within 20 cm: some in another phase of the stride."""
    clips = graph_clips([resample(make("walk", seed=s, speed=1.3, seconds=3), 30.0) for s in (0, 1)])
    return Graph(clips, find_transitions(clips, limit=0.2, minima=False), 6)


def test_legs_alone_move_in_blends_as_those_of_whole_bodies(walks: Graph) -> None:
    some = np.arange(0, len(walks.transitions), 40)
    legs = _legs_and_spine(walks)
    names = legs.clips[0].skeleton.names
    assert len(names) < len(walks.clips[0].skeleton)
    joints = [walks.clips[0].skeleton.names.index(name) for name in names]
    assert np.allclose(blends(legs, some).rotations, blends(walks, some).rotations[:, :, joints], atol=1e-9)


def test_transitions_in_which_a_knee_snaps_are_rough_and_those_in_phase_are_not(walks: Graph) -> None:
    ratios = knee_ratios(walks, silent(), "checking")
    whole = blends(walks, np.arange(len(walks.transitions))).rotations
    knees = [foot.shin for foot in feet(walks.clips[0].skeleton)]
    turned = 2 * np.arccos(np.clip(np.abs(whole[:, :, knees, 0]), 0, 1))  # samples: shins are straight at rest
    jumps = np.degrees(np.abs(np.diff(turned, n=2, axis=1))).max((1, 2))
    sudden = jumps > 25.0  # degrees off the frames around it, at 30 fps; the walks themselves have 10 to 12
    assert sudden.any()
    assert (ratios[sudden] > 1).all()
    assert rough_transitions(walks)[sudden].all()
    close = walks.transitions.distance < 0.02
    assert close.any()
    assert (ratios[close] <= 1).all()


def test_bodies_without_legs_have_no_knees(arm) -> None:
    still = Clip(arm, np.zeros((30, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (30, len(arm), 1)), 30.0)
    one = Transitions(np.array([15]), np.array([45]), np.zeros(1), np.zeros(1), np.zeros((1, 2)))
    assert knee_ratios(Graph((still, still), one, 6), silent(), "checking").tolist() == [0.0]
