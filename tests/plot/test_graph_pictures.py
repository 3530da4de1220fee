"""Pictures of motion graphs."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.methods.graph.diagnose.coverage import Coverage
from motionloom.plot.graph import coverage_picture

pytest.importorskip("matplotlib")


def test_left_turns_are_on_the_left():
    shown = np.array([True, True, False])
    found = Coverage(np.array([1.0, 2.0, 3.0]), np.radians([40.0, -10.0, 0.0]), np.zeros(3), shown, 30.0)
    ax = coverage_picture(found)
    dots = ax.collections[0].get_offsets()
    np.testing.assert_allclose(dots, [[40, 1], [-10, 2]])
    low, high = ax.get_xlim()
    assert low > high
