"""Peak acceleration, jumps, flips and jerk with values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Clip, replace
from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.evaluate.measures.smoothness import (
    flips,
    joint_jerk,
    largest_jump,
    mean_jerk,
    peak_acceleration,
    rough_share,
)
from motionloom.rotation import from_axis_angle, multiply, yaw


def test_peak_acceleration_of_a_single_nudge():
    points = np.zeros((9, 3, 3))  # root and two joints
    points[4, 1, 0] = 0.01  # one joint 1 cm aside for one frame: second difference -2 cm, at 10 fps 2 m/s^2
    assert peak_acceleration(points, 10.0) == pytest.approx(np.sqrt(2.0**2 / 2))  # RMS over two joints


def test_peak_acceleration_does_not_see_the_root_move():
    points = np.zeros((9, 2, 3)) + (np.arange(9.0) ** 2)[:, None, None]
    assert peak_acceleration(points, 30.0) == 0.0


def test_the_largest_jump_names_frame_and_joint(tiny: Clip):
    rotations = tiny.rotations.copy()
    rotations[6:, 2] = multiply(from_axis_angle([1.0, 0, 0], 1.0), rotations[6:, 2])
    size, frame, joint = largest_jump(replace(tiny, rotations=rotations))
    assert (frame, joint) == (6, 2)
    assert size == pytest.approx(1.0, abs=0.1)
    assert largest_jump(replace(tiny, rotations=rotations), joints=[0, 1])[2] != 2  # only those that are looked at


def test_a_flip_is_a_turn_of_more_than_90_degrees_in_a_frame(tiny: Clip):
    def turned_at(frame: int, degrees: float) -> Clip:
        rotations = tiny.rotations.copy()
        rotations[frame:, 0] = multiply(yaw(np.radians(degrees)), rotations[frame:, 0])
        return replace(tiny, rotations=rotations)

    assert flips(tiny) == []
    assert flips(turned_at(5, 80)) == []
    assert flips(turned_at(5, 100)) == [5]
    assert flips(turned_at(5, -170)) == [5]


def test_jerk_of_a_cubic_is_its_third_derivative():
    t = np.arange(12) / 30
    points = np.zeros((12, 1, 3))
    points[:, 0, 1] = 5 * t**3
    assert joint_jerk(points, 30.0) == pytest.approx(np.full((9, 1), 30.0))  # 5 * 3!
    assert mean_jerk(points, 30.0) == pytest.approx(30.0)


def test_a_clip_is_as_rough_as_itself_in_one_frame_of_twenty(rng):
    points = rng.normal(size=(403, 2, 3))
    assert rough_share(points, [points], 30.0) == pytest.approx([0.05, 0.05])
    assert rough_share(10 * points, [points], 30.0).min() > 0.9
    assert rough_share(0 * points, [0 * points], 30.0).max() == 0


def test_clips_too_short_say_so(tiny: Clip):
    with pytest.raises(NotApplicable, match="acceleration needs 3"):
        peak_acceleration(np.zeros((2, 3, 3)), 30.0)
    with pytest.raises(NotApplicable, match="only joint is the root"):
        peak_acceleration(np.zeros((9, 1, 3)), 30.0)
    with pytest.raises(NotApplicable, match="jerk needs 4"):
        joint_jerk(np.zeros((3, 1, 3)), 30.0)
    with pytest.raises(NotApplicable, match="a single frame"):
        largest_jump(tiny[:1])
