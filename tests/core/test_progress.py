"""Progress and cancelling: the callback, its parts, and kernels in a worker thread."""

from __future__ import annotations

import numpy as np
import pytest

from motionloom.core import Cancelled, part, silent
from motionloom.core._jit import kernel
from motionloom.core.progress import Silent, each, watch


class Recorded(Silent):
    """Keeps all that it is called with."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __call__(self, share, stage):
        super().__call__(share, stage)
        self.calls.append((share, stage))


@kernel
def count_to(units, stop, done):
    for k in range(units):
        if stop[0]:
            return -1
        done[0] = k + 1
        for _ in range(200):
            done[0] += 0
    return units


def test_every_silent_progress_is_its_own():
    first = silent()
    first.stop[0] = 1
    silent()(0.5, "working")
    with pytest.raises(Cancelled):
        first(0.5, "working")


def test_a_part_maps_its_own_share_to_the_whole_and_shares_the_stop():
    whole = Recorded()
    step = part(part(whole, 0.5, 1.0), 0.0, 0.5)
    step(0.5, "reading")
    step(None, "reading")  # its total is unknown: the whole stays where it is
    step(0.2, "reading")  # shares never decrease
    step(2.0, "reading")
    assert [share for share, _ in whole.calls] == [0.625, 0.625, 0.625, 0.75]
    whole.stop[0] = 1
    with pytest.raises(Cancelled):
        step(1.0, "reading")


def test_items_are_weighed_by_their_size_and_end_at_one():
    whole = Recorded()
    assert list(each(["short", "long"], whole, "reading", sizes=[1, 3])) == ["short", "long"]
    assert [share for share, _ in whole.calls] == [0.0, 0.25, 1.0]


def test_a_watched_kernel_returns_what_it_returns():
    done = np.zeros(1, np.int64)
    assert watch(silent(), "counting", count_to, 1000, np.zeros(1, np.uint8), done) == 1000


def test_a_watched_kernel_is_cancelled_by_its_callback():
    whole, done = Recorded(), np.zeros(1, np.int64)

    class Impatient(Recorded):
        def __call__(self, share, stage):
            super().__call__(share, stage)
            self.stop[0] = 1

    whole = Impatient()
    with pytest.raises(Cancelled):
        watch(whole, "counting", count_to, 2**62, whole.stop, done, units=2**62, done=done)
    assert 0 < done[0] < 2**62


def test_an_interrupt_while_a_kernel_runs_cancels_it():
    class Interrupted(Recorded):
        def __call__(self, share, stage):
            raise KeyboardInterrupt

    whole, done = Interrupted(), np.zeros(1, np.int64)
    with pytest.raises(Cancelled):
        watch(whole, "counting", count_to, 2**62, whole.stop, done)
    assert whole.stop[0]


def test_a_stop_that_is_set_before_the_work_starts_starts_nothing():
    whole, done = Recorded(), np.zeros(1, np.int64)
    whole.stop[0] = 1
    with pytest.raises(Cancelled):
        watch(whole, "counting", count_to, 10, whole.stop, done)
    assert done[0] == 0


def test_an_error_in_the_worker_is_raised_here():
    def fails():
        raise ValueError("no good")

    with pytest.raises(ValueError, match="no good"):
        watch(silent(), "failing", fails)
