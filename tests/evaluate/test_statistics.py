"""Correlations, ranges and spectra with values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.evaluate.measures.prepared_clip import NotApplicable
from motionloom.evaluate.measures.statistics import (
    centre_of,
    correlation_error,
    range_violations,
    spectrum_distance,
)
from motionloom.kinematics.channels.centred import centred_angles
from motionloom.rotation import from_axis_angle


def test_channels_that_move_together_or_against_each_other_differ_by_two():
    t = np.sin(np.arange(40.0))
    together, against = np.stack([t, t], 1), np.stack([t, -t], 1)
    assert correlation_error(together, against) == pytest.approx(2.0)
    assert correlation_error(together, 3 * together) == pytest.approx(0.0, abs=1e-12)


def test_correlations_need_two_channels_that_move():
    t = np.sin(np.arange(40.0))[:, None]
    with pytest.raises(NotApplicable, match="fewer than two"):
        correlation_error(np.hstack([t, 0 * t]), np.hstack([t, t]))


def test_a_joint_beyond_the_sources_range_is_found():
    source = np.zeros((10, 2, 3))
    source[:, 0, 0] = np.linspace(-0.5, 0.5, 10)
    result = np.zeros((4, 2, 3))
    result[2, 0, 0] = 0.8  # 0.3 rad beyond
    result[3, 1, 2] = 0.05  # below 5 degrees: no violation
    found = range_violations(result, source)
    assert found.share == pytest.approx(1 / 8)
    assert found.worst == pytest.approx(0.3)
    assert (found.frame, found.joint) == (2, 0)


def test_channels_are_measured_from_the_mean_rotation():
    angles = np.linspace(-0.4, 0.4, 9)
    turns = from_axis_angle([0, 0, 1.0], 3.0 + angles)[:, None]  # near pi, where exponential maps jump
    assert centred_angles(turns, centre_of([turns]))[:, 0, 2] == pytest.approx(angles, abs=1e-9)


def test_spectra_of_two_waves_are_as_far_apart_as_their_frequencies():
    t = np.arange(640) / 30
    bin_width = 30 / 64
    slow, fast = (np.sin(2 * np.pi * f * bin_width * t)[:, None] for f in (4, 10))
    assert spectrum_distance(fast, [slow], 30.0) == pytest.approx(6 * bin_width, rel=1e-3)
    assert spectrum_distance(slow, [3 * slow], 30.0) == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(NotApplicable, match="needs 64"):
        spectrum_distance(slow[:63], [slow], 30.0)


def test_channels_weigh_by_the_sources_power_and_clips_by_their_length():
    """By hand: amplitudes 3 and 1 have powers 9 and 1, and only the weak channel is six bins off: a tenth of six."""
    t = np.arange(1920) / 30
    bin_width = 30 / 64
    slow, fast = (np.sin(2 * np.pi * f * bin_width * t)[:, None] for f in (4, 10))
    found = spectrum_distance(np.hstack([3 * slow, fast]), [np.hstack([3 * slow, slow])], 30.0)
    assert found == pytest.approx(6 * bin_width / 10, rel=1e-3)
    # a quarter of the source's frames is fast, so a quarter of its power has to be moved by six bins
    assert spectrum_distance(slow, [slow, fast[:640]], 30.0) == pytest.approx(6 * bin_width / 4, rel=0.01)
