"""Quantities as people write them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionloom.core import BadRequest
from motionloom.core.units import (
    Quantity,
    angle,
    frame_of,
    frames_of,
    length,
    moment,
    quantity,
    seconds_of,
    whole,
    written,
    written_angle,
)


def test_lengths_are_metres_and_may_be_written_in_centimetres():
    assert [length(v) for v in (1.2, 2, "90cm", "5mm", "1.5m", " 90 cm ", "-0.25", "1e-2")] == [
        1.2,
        2.0,
        0.9,
        0.005,
        1.5,
        0.9,
        -0.25,
        0.01,
    ]


def test_angles_need_their_unit():
    assert angle("180deg") == math.pi
    assert angle("0.6rad") == 0.6
    assert angle("-90deg") == -math.pi / 2
    with pytest.raises(BadRequest, match=r"^root_at.heading: expected an angle with its unit.*found 90; a bare angle"):
        angle(90, ("root_at", "heading"))
    with pytest.raises(BadRequest, match="a bare angle is an error"):
        angle("0")


def test_a_wrong_unit_says_what_was_found():
    with pytest.raises(BadRequest, match=r"^start: expected a length.*found '35deg' .angle."):
        length("35deg", ("start",))
    with pytest.raises(BadRequest, match=r"expected a length, as 1.2 .metres. or 90cm, found '3 bananas'"):
        length("3 bananas")
    with pytest.raises(BadRequest, match="expected a unit out of m, cm"):
        quantity("3furlong")


@pytest.mark.parametrize("bad", [None, True, [1], "", "1..2", "nan", float("nan"), float("inf"), "1e999", {}])
def test_what_is_no_number_is_refused(bad):
    with pytest.raises(BadRequest):
        length(bad)


def test_quantities_keep_what_they_measure():
    assert quantity("35deg") == Quantity(math.radians(35), "angle")
    assert quantity(1.4) == Quantity(1.4, "number")
    assert quantity("20cm/s") == Quantity(0.2, "speed")


def test_whole_numbers_are_whole():
    assert whole("360") == 360
    with pytest.raises(BadRequest, match="whole number"):
        whole(1.5)


@given(st.floats(-1e3, 1e3))
def test_a_written_angle_reads_back_to_the_same_bits(radians):
    assert angle(written_angle(radians)) == radians
    assert quantity(written(radians, "turn rate")).value == radians


def test_round_degrees_are_written_as_degrees():
    assert written_angle(math.radians(35)) == "35deg"
    assert written(quantity("25deg/s").value, "turn rate") == "25deg/s"


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (2.5, 2.5),
        (0, 0.0),
        ("2.5", 2.5),
        ("250ms", 0.25),
        ("90f", "90f"),
        ("end", "end"),
        ("end-0.5", "end-0.5"),
        ("end - 500ms", "end-0.5"),
        ("end-15f", "end-15f"),
    ],
)
def test_moments_have_one_plain_form(written, plain):
    assert moment(written) == plain
    assert moment(moment(written)) == plain


@pytest.mark.parametrize("bad", [-1, "-1s", "3deg", "end+1", "end-end", "1.5f", "later", None, True, "end--1"])
def test_what_is_no_time_is_refused(bad):
    with pytest.raises(BadRequest):
        moment(bad)


def test_a_moment_is_its_nearest_frame():
    # 12 s at 30 fps: frame n is at n / 30 s
    assert frame_of(0, 360, 30) == 0
    assert frame_of(2.5, 360, 30) == 75
    assert frame_of(0.016, 360, 30) == 0
    assert frame_of(0.017, 360, 30) == 1
    assert frame_of(0.05, 360, 30) == 2  # 1.5 frames: halves go up
    assert frame_of("90f", 360, 30) == 90
    assert frame_of("end", 360, 30) == 359
    assert frame_of(12, 360, 30) == 359
    assert frame_of("end-0.5", 360, 30) == 345
    assert frame_of("end-15f", 360, 30) == 345


@pytest.mark.parametrize("outside", [12.1, "361f", "end-13", "end-400f"])
def test_a_time_outside_of_the_result_is_an_error(outside):
    with pytest.raises(BadRequest, match=r"^plant.span: expected a time in the result, which lasts 12 s"):
        frame_of(outside, 360, 30, ("plant", "span"))


def test_spans_leave_out_their_end_and_end_is_behind_the_last_frame():
    assert frames_of((1.0, 1.6), 360, 30) == range(30, 48)
    assert frames_of(("end-0.5", "end"), 360, 30) == range(345, 360)
    assert frames_of(None, 360, 30) == range(360)
    assert frames_of((0.0, 12.0), 360, 30) == range(360)
    with pytest.raises(BadRequest, match="at least one frame"):
        frames_of((2.0, 2.0), 360, 30)


def test_spans_that_meet_share_no_frame_and_leave_none_out():
    parts = [frames_of((a / 10, (a + 7) / 10), 300, 30) for a in range(0, 70, 7)]
    assert [f for part in parts for f in part] == list(range(parts[0].start, parts[-1].stop))


def test_end_is_frames_over_fps():
    assert seconds_of("end", 90, 30.0) == 3.0
    assert seconds_of("end-0.5", 90, 30.0) == 2.5
    assert seconds_of("45f", 90, 30.0) == 1.5
