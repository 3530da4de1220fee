"""10,000-deep nesting, gigabyte line, 10^9 declared frames: refused or streamed without exhausting memory."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from motionloom.core import FormatError
from motionloom.io import load


@pytest.fixture
def bounded(read, two):
    """Fails a test that takes over 10 s or 64 MB of its own memory."""
    read(two)  # compiled before the clock starts
    tracemalloc.start()
    start = time.perf_counter()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6
    assert time.perf_counter() - start < 10


def test_nesting_10_000_deep_is_refused(bvh, bounded):
    text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
    text += "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\n" for n in range(10_000)) + "}\n" * 10_001
    with pytest.raises(FormatError, match=r"walk.bvh:\d+: joints nested more than 256 deep"):
        load(bvh(text + "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n"))


def test_too_many_joints_are_refused(bvh, bounded):
    text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
    text += "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\n}}\n" for n in range(10_001)) + "}\n"
    with pytest.raises(FormatError, match="more than 10000 joints"):
        load(bvh(text + "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n"))


def test_a_thousand_joints_are_read(bvh, bounded):
    text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
    text += "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\n}}\n" for n in range(1000)) + "}\n"
    assert len(load(bvh(text + "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0\n")).skeleton) == 1001


def test_an_endless_line_of_numbers_is_streamed(bvh, two, tmp_path):
    path = bvh(two.rsplit("\n", 2)[0] + "\n")
    with path.open("ab") as file:
        for _ in range(50):
            file.write(b"0 " * 500_000)  # 50 MB on one line; a gigabyte takes as little memory
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"walk.bvh:20: expected 9 values .*, found 25000000"):
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 64e6
    tracemalloc.stop()


def test_an_endless_header_is_refused(bvh, two):
    path = bvh(two.split("MOTION")[0])
    with path.open("ab") as file:
        for _ in range(50):
            file.write(b"x" * 1_000_000)
    tracemalloc.start()
    with pytest.raises(FormatError, match="no MOTION in the first 8 MB"):
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 64e6
    tracemalloc.stop()


def test_a_billion_declared_frames_take_no_memory(bvh, two, bounded):
    clip = load(bvh(two.replace("Frames: 2", "Frames: 1000000000")))
    assert len(clip) == 2


def test_a_number_of_a_million_digits_is_read(read, two, bounded):
    clip = read(two.replace("0 1 0 0", "0 1." + "0" * 1_000_000 + " 0 0", 1))
    assert clip.root[0, 1] == 1


def test_numbers_too_large_for_any_body_are_refused(read, two):
    with pytest.raises(FormatError, match=r"frame 0, value 2: 1e\+300 is beyond any place or angle"):
        read(two.replace("0 1 0 0", "0 1e300 0 0", 1))
    with pytest.raises(FormatError, match="OFFSET of 'Head': 1e300 is beyond"):
        read(two.replace("0 0.5 0", "0 1e300 0"))
