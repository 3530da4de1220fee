"""Work in a process of its own: what it yields comes back, and it can be stopped."""

from __future__ import annotations

import os
import time
from collections import deque
from itertools import repeat

import pytest

from motionloom.core import MotionloomError
from motionloom.evaluate.apart import TimeUp, apart


def test_what_the_work_yields_comes_back_in_order():
    assert list(apart(range, 3, 9, 2, seconds=60)) == [3, 5, 7]


def test_work_is_done_in_another_process():
    numbers = apart(iter, os.getpid, 0, seconds=60)  # its number, again and again
    other = next(numbers)
    assert other == next(numbers) != os.getpid()
    numbers.close()
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)  # it is gone


def test_work_that_takes_too_long_is_stopped_after_what_it_has_yielded():
    steps = apart(map, time.sleep, [0.0, 600.0], seconds=0.5)
    assert next(steps) is None
    start = time.perf_counter()
    with pytest.raises(TimeUp, match=r"stopped after 0\.5 s"):
        next(steps)
    assert time.perf_counter() - start < 30


def test_an_endless_stream_is_cut_even_in_the_middle_of_an_item():
    with pytest.raises(TimeUp):
        deque(apart(repeat, "x" * 100_000, seconds=0.3), maxlen=1)


def test_a_process_that_dies_is_told_with_its_code():
    with pytest.raises(MotionloomError, match=r"ended by itself \(code 3\)"):
        list(apart(map, os._exit, [3], seconds=60))
