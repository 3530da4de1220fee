"""Hips in blends: transitions in which they would have to hurry are left out."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, silent
from motionloom.kinematics.pace import acceleration_along
from motionloom.methods.graph.build.blend_check import rough_transitions
from motionloom.methods.graph.build.blended_hips import UNNOTICED, hips_ratios
from motionloom.methods.graph.graph import Graph, Route, Transitions
from motionloom.methods.graph.render.render import join_route

SPEED = 1.3  # m/s


def glides(arm, gap: float) -> Graph:
    """Two bodies that move at one speed, and a transition that lays the second so many metres ahead of the first."""
    root = np.outer(np.arange(80) * SPEED / 30, [0.0, 0.0, 1.0])
    still = np.tile([1.0, 0.0, 0.0, 0.0], (80, len(arm), 1))
    one = Transitions(np.array([40]), np.array([120]), np.zeros(1), np.zeros(1), np.array([[0.0, gap]]))
    return Graph((Clip(arm, root, still, 30.0), Clip(arm, root, still, 30.0)), one, 6)


@pytest.mark.parametrize(("gap", "rough"), [(0.0, False), (0.02, False), (0.12, True), (-0.12, True)])
def test_a_blend_in_which_the_hips_catch_up_is_rough(arm, gap, rough):
    """12 cm in a blend of 0.4 s are an acceleration of 1.8 m/s^2."""
    assert rough_transitions(glides(arm, gap)).tolist() == [rough]


def test_ratios_are_those_of_the_rendered_motion(arm):
    graph = glides(arm, 0.12)
    shown = join_route(graph, Route(0, (0,), 75)).root[:, [0, 2]]
    want = acceleration_along(shown, 30.0).max() / UNNOTICED
    assert hips_ratios(graph, silent(), "checking") == pytest.approx([want])
    assert want > 1
