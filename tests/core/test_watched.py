"""Watched functions: reports in order, the last one repeated meanwhile, and an end at the next Python instruction."""

from __future__ import annotations

import sys
import threading
import time
from itertools import count

import numpy as np
import pytest

from motionloom.core import Cancelled, part, silent
from motionloom.core import progress as reporting
from motionloom.core import watched as watching
from motionloom.core.progress import Silent
from motionloom.core.watched import watched


class Calls(Silent):
    """Keeps all that it is called with, and cancels at call number `most`."""

    def __init__(self, most=None):
        super().__init__()
        self.calls, self.most, self.threads = [], most, set()

    def __call__(self, share, stage):
        super().__call__(share, stage)
        self.calls.append((share, stage))
        self.threads.add(threading.get_ident())
        if len(self.calls) == self.most:
            self.stop[0] = 1
            super().__call__(share, stage)


@watched
def counted(steps, *, progress=None):
    report = progress or silent()
    for k in range(steps):
        report(k / steps, "counting")
    report(1.0, "counting")
    return steps


@watched
def endless(ended, *, progress=None):
    (progress or silent())(0.25, "waiting")
    try:
        for k in count():
            np.add(k, 1)
    finally:
        ended.append(True)


@pytest.fixture(autouse=True)
def often(monkeypatch):
    monkeypatch.setattr(reporting, "INTERVAL", 0.001)


def test_every_report_arrives_once_and_in_order_in_the_callers_thread(monkeypatch):
    monkeypatch.setattr(reporting, "INTERVAL", 3600.0)  # so that none is repeated
    for steps in (4, 1000):  # also more than wait at once
        progress = Calls()
        assert counted(steps, progress=progress) == steps
        assert [share for share, _ in progress.calls] == [k / steps for k in range(steps + 1)]
        assert progress.threads == {threading.get_ident()}


def test_a_report_that_comes_while_the_last_one_is_repeated_arrives_too():
    repeated = threading.Event()

    @watched
    def waits(*, progress=None):
        progress(0.0, "waiting")
        repeated.wait()
        progress(1.0, "done")

    class Slow(Calls):
        def __call__(self, share, stage):
            super().__call__(share, stage)
            if self.calls.count((0.0, "waiting")) == 2:
                repeated.set()
                time.sleep(0.05)  # the last report comes now

    progress = Slow()
    waits(progress=progress)
    assert progress.calls[-1] == (1.0, "done")


def test_the_function_does_not_wait_until_a_report_is_passed_on():
    reported, waited = threading.Event(), []

    @watched
    def quick(*, progress=None):
        for k in range(4):
            progress(k / 4, "working")
        reported.set()

    class Slow(Calls):
        def __call__(self, share, stage):
            super().__call__(share, stage)
            waited.append(reported.wait(5.0))

    quick(progress=Slow())
    assert waited
    assert all(waited)


def test_reports_that_a_slow_callback_has_not_had_yet_are_few():
    made, behind = [0], []

    @watched
    def many(*, progress=None):
        for k in range(1000):
            made[0] = k
            progress(k / 1000, "working")

    class Slow(Calls):
        def __call__(self, share, stage):
            super().__call__(share, stage)
            behind.append(made[0] - round(1000 * share) if share else 0)

    progress = Slow()
    many(progress=progress)
    assert max(behind) <= 2 * watching.LONGEST_QUEUE
    assert sorted({share for share, _ in progress.calls if share is not None}) == [k / 1000 for k in range(1000)]


def test_a_function_that_reports_nothing_more_is_cancelled_by_a_repeated_report():
    ended, progress = [], Calls(most=20)
    with pytest.raises(Cancelled):
        endless(ended, progress=progress)
    assert ended == [True]
    assert set(progress.calls) <= {(None, "endless"), (0.25, "waiting")}
    assert len(progress.calls) == 20


def test_ctrl_c_ends_the_function():
    class Interrupted(Calls):
        def __call__(self, share, stage):
            super().__call__(share, stage)
            if len(self.calls) > 5:
                raise KeyboardInterrupt

    ended, progress = [], Interrupted()
    with pytest.raises(Cancelled):
        endless(ended, progress=progress)
    assert ended == [True]
    assert progress.stop[0] == 1


@pytest.mark.parametrize("most", range(1, 6))
def test_a_callback_that_cancels_at_a_report_ends_the_function_there(most, monkeypatch):
    monkeypatch.setattr(reporting, "INTERVAL", 3600.0)
    progress = Calls(most)
    with pytest.raises(Cancelled):
        counted(10, progress=progress)
    assert len(progress.calls) == most


def test_a_stop_that_is_set_before_starts_nothing():
    ended, progress = [], Calls()
    progress.stop[0] = 1
    with pytest.raises(Cancelled):
        endless(ended, progress=progress)
    assert (ended, progress.calls) == ([], [])


def test_a_stop_counts_where_the_callback_does_not_raise():
    class Plain:
        stop = np.zeros(1, np.uint8)

        def __call__(self, share, stage):
            self.stop[0] = share is not None

    with pytest.raises(Cancelled):
        endless([], progress=Plain())


def test_an_interrupt_before_the_worker_runs_cancels(monkeypatch):
    def start(thread):
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", start)
    ended, progress = [], Calls()
    with pytest.raises(Cancelled):
        endless(ended, progress=progress)
    assert (ended, progress.calls) == ([], [])


def test_an_error_shows_where_in_the_function_it_arose():
    @watched
    def fails(*, progress=None):
        return 1 / (progress is None)

    with pytest.raises(ZeroDivisionError) as raised:
        fails(progress=silent())
    assert [entry.name for entry in raised.traceback][-1] == "fails"


def test_errors_of_the_function_and_of_the_callback_arrive_as_they_are():
    @watched
    def fails(*, progress=None):
        raise ValueError("no good")

    class Broken(Silent):
        def __call__(self, share, stage):
            raise LookupError("no bar")

    with pytest.raises(ValueError, match="no good"):
        fails(progress=silent())
    with pytest.raises(LookupError, match="no bar"):
        counted(3, progress=Broken())


def test_a_watched_function_inside_another_runs_in_the_same_thread():
    seen = []

    @watched
    def inner(*, progress=None):
        seen.append(threading.get_ident())
        progress(1.0, "inside")

    @watched
    def outer(*, progress=None):
        seen.append(threading.get_ident())
        inner(progress=part(progress, 0.0, 1.0))

    outer(progress=Calls())
    assert len(set(seen)) == 1
    assert seen[0] != threading.get_ident()


def test_calls_from_several_threads_do_not_disturb_each_other():
    reports = [Calls() for _ in range(6)]
    callers = [threading.Thread(target=counted, args=(40,), kwargs={"progress": report}) for report in reports]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    for report, caller in zip(reports, callers, strict=True):
        assert report.threads == {caller.ident}
        assert sorted({share for share, _ in report.calls if share is not None}) == [k / 40 for k in range(41)]


def test_without_a_callback_it_runs_in_the_callers_thread():
    seen = []

    @watched
    def own(*, progress=None):
        seen.append(threading.get_ident())

    own()
    assert seen == [threading.get_ident()]


def test_ctrl_c_without_a_callback_cancels_too():
    @watched
    def interrupted(*, progress=None):
        raise KeyboardInterrupt

    with pytest.raises(Cancelled):
        interrupted()


def test_settings_of_the_caller_hold_in_the_worker():
    @watched
    def divide(*, progress=None):
        return np.array([1.0]) / 0.0

    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        divide(progress=silent())


def test_an_interrupt_just_before_or_after_the_end_leaves_no_stray_error(monkeypatch, capfd):
    monkeypatch.setattr(reporting, "INTERVAL", 1e-5)
    monkeypatch.setattr(watching, "GRACE", 0.0)

    @watched
    def short(steps, *, progress=None):
        for _ in range(steps):
            pass
        return steps

    ends, interval = set(), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for k in range(400):
            try:
                ends.add(short(50 * k, progress=Calls(most=1 + k % 3)) >= 0)
            except Cancelled:
                ends.add("cancelled")
    finally:
        sys.setswitchinterval(interval)
    assert ends == {True, "cancelled"}
    assert capfd.readouterr().err == ""
