"""Tasks in threads: results in order, errors, progress, cancelling."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from motionloom.core import Cancelled
from motionloom.core.progress import Silent
from motionloom.core.threads import in_threads


class Seen(Silent):
    def __init__(self, limit: float = 2.0) -> None:
        super().__init__()
        self.shares: list[float] = []
        self.threads: set[int] = set()
        self.limit = limit

    def __call__(self, share, stage):
        self.shares.append(share)
        self.threads.add(threading.get_ident())
        if share >= self.limit:
            self.stop[0] = 1
        super().__call__(share, stage)


def slow(i, task, progress):
    for n in range(5):
        time.sleep(0.01 * task)
        progress((n + 1) / 5, "sleeping")
    return i, task


def test_results_keep_their_order_and_progress_comes_from_the_calling_thread():
    seen = Seen()
    assert in_threads(slow, [4, 3, 2, 1], seen) == [(0, 4), (1, 3), (2, 2), (3, 1)]
    assert (np.diff(seen.shares) >= 0).all()
    assert seen.shares[-1] == 1.0
    assert seen.threads == {threading.get_ident()}
    assert in_threads(slow, [], Seen()) == []


def test_an_error_of_a_task_stops_the_others():
    finished = []

    def task(i, wrong, progress):
        if wrong:
            raise ValueError("no such motion")
        for _ in range(3000):
            time.sleep(0.01)
            progress(0.0, "waiting")
        finished.append(i)

    with pytest.raises(ValueError, match="no such motion"):
        in_threads(task, [False, True], Seen())
    assert finished == []


def test_tasks_are_cancelled():
    with pytest.raises(Cancelled):
        in_threads(slow, [20] * 6, Seen(limit=0.1))
