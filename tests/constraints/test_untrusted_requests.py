"""Requests of unknown origin: the smallest texts that once ended in a traceback or took seconds."""

from __future__ import annotations

import time

import pytest

from motionloom.constraints import Request
from motionloom.core import BadRequest, FormatError
from motionloom.core.files import Files
from motionloom.methods import learn
from motionloom.methods.request_check import check_request
from motionloom.samples import make

HUGE = "9" * 400

TEXTS = [
    'seconds: !!int ""',
    'seconds: !!float ""',
    'seconds: !!bool ""',
    'seconds: !!timestamp ""',
    f"seconds: {HUGE}",
    f"frames: {HUGE}",
    f"fps: {HUGE}",
    "{seconds: 1, fps: 1e300}",
    f"parameters: {{speed: {HUGE}}}",
    f"start: {{position: [{HUGE}, 0]}}",
    f"constraints: [{{root_at: {{time: {HUGE}, position: [0, 0]}}}}]",
    f"constraints: [{{root_at: {{time: 1, position: [{HUGE}, 0]}}}}]",
    f"constraints: [{{style: {{label: walk, weight: {HUGE}}}}}]",
    f"constraints: [{{plant: {{joint: left_foot, span: [0, {HUGE}]}}}}]",
    "seconds: 0x" + "f" * 5000,
    "seconds: 1" + ":1" * 50_000,
    "[" * 3000,
    "{a: " * 3000,
    "a: &a [*a]",
    f"constraints: [{'[],' * 100_001}",  # refused before the missing bracket is noticed
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:30])
def test_a_hostile_request_is_one_readable_error(text):
    began = time.process_time()
    with pytest.raises(BadRequest) as caught:
        Request.from_yaml(text)
    assert len(str(caught.value)) < 400
    assert time.process_time() - began < 5


@pytest.mark.parametrize("cell", ["9" * 200_000, '"' + "9" * 200_000 + '"', "x" * 100_000])
def test_a_huge_cell_of_a_height_file_is_an_error_with_its_line(tmp_path, cell):
    (tmp_path / "ground.csv").write_text(f"x,z,y\n0,0,0\n{cell},0,0\n")
    with pytest.raises(FormatError, match=r"ground\.csv:3: ") as caught:
        Request.from_yaml("{seconds: 1, ground: {heights: ground.csv}}", None, Files(tmp_path))
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("text", ["frames: 1e300", "seconds: 1e300", "seconds: 7201", "{seconds: 3600, fps: 1000}"])
def test_a_length_above_the_limits_is_an_error_before_any_work(text):
    model = learn("cuts", [make("walk", seconds=1, fps=30)])
    with pytest.raises(BadRequest, match=r"more than the limit of .* raises it"):
        check_request(model, Request.from_yaml(text))
