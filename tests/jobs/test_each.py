"""One task for many items: order, progress, dead workers, cancelling."""

from __future__ import annotations

import os
import sys

import pytest

from motionloom.core.progress import Cancelled, Silent
from motionloom.jobs import JobFailed, TimeUp, WorkerDied, each

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and process numbers are POSIX")


class Shares(Silent):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[float] = []

    def __call__(self, share, stage):
        self.seen.append(share)
        super().__call__(share, stage)


def test_results_are_in_order_whichever_is_done_first(pool, tasks):
    shares = Shares()
    assert list(each(tasks.later_first, range(9), progress=shares, pool=pool)) == list(range(9))
    assert shares.seen == sorted(shares.seen)
    assert shares.seen[-1] == 1.0


def test_few_items_stay_in_this_process(pool, tasks):
    assert set(each(tasks.pid_of, range(4), worth=5, pool=pool)) == {os.getpid()}
    assert os.getpid() not in set(each(tasks.pid_of, range(5), worth=5, pool=pool))
    assert list(each(tasks.pid_of, [], pool=pool)) == []


def test_a_dead_worker_is_named_and_the_rest_is_done(pool, tasks):
    lost: list[JobFailed] = []

    def failed(item, error):
        lost.append(error)
        return -1

    found = list(each(tasks.kill_on, range(6), failed=failed, name=lambda k: f"walk_{k}.bvh", pool=pool))
    assert found == [0, 10, 20, -1, 40, 50]
    assert [str(error) for error in lost] == ["walk_3.bvh: its process was killed by SIGKILL"]


def test_without_a_substitute_a_dead_worker_is_an_error(pool, tasks):
    with pytest.raises(WorkerDied, match=r"^3: its process"):
        list(each(tasks.kill_on, range(6), pool=pool))


def test_an_item_that_takes_too_long_is_named_and_the_rest_is_done(pool, tasks):
    found = list(each(tasks.slow_on, range(4), seconds=1.0, failed=lambda item, error: type(error), pool=pool))
    assert found == [0, TimeUp, 2, 3]


def test_an_exception_of_the_task_ends_the_rest(pool, tasks):
    with pytest.raises(ValueError, match="a"):
        list(each(tasks.raise_value_error, "abc", pool=pool))


def test_stop_set_before_the_work_starts_cancels_it(pool, tasks, tmp_path):
    shares = Shares()
    shares.stop[0] = 1
    with pytest.raises(Cancelled):
        next(each(tasks.sleep_for_ever, [tmp_path / "a", tmp_path / "b"], progress=shares, pool=pool))


def test_cancelling_ends_the_jobs_that_were_started(pool, tasks, tmp_path, appears):
    class StopLater(Silent):
        def __call__(self, share, stage):
            if (tmp_path / "a").exists() and (tmp_path / "b").exists():
                self.stop[0] = 1
            super().__call__(share, stage)

    notes = [tmp_path / name for name in "abcde"]
    with pytest.raises(Cancelled):
        list(each(tasks.sleep_for_ever, notes, progress=StopLater(), pool=pool))
    assert [note.exists() for note in notes] == [True, True, False, False, False]
    assert os.getpid() != pool.start(tasks.pid_of, 0).result()


def test_dropping_the_iterator_ends_the_jobs(pool, tasks):
    results = each(tasks.slow_on, [0, 1, 1], pool=pool)
    assert next(results) == 0
    results.close()
    assert pool.start(tasks.pid_of, 0).result() != os.getpid()
