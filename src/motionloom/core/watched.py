"""Progress and cancelling for functions made of many array operations, none of which polls.

`watched` runs such a function in a worker thread. What it reports is passed on by the caller's thread, ten times a
second: all new reports in order, else the last one again. When that cancels, the worker is interrupted, as by Ctrl-C.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from contextvars import ContextVar, copy_context
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from motionloom.core import progress as reporting
from motionloom.core.progress import Cancelled, Progress, Silent, check_stop

P = ParamSpec("P")
R = TypeVar("R")

GRACE = 0.1  # s that a function has to end by itself
REPEAT = 0.4  # s until it is interrupted again
LONGEST_QUEUE = 64  # reports: waiting for the other thread at each would cost more than many a piece of work


def watched(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator for a function with a keyword `progress`: the callback is called at least every `INTERVAL`.

    Meanwhile the share stays what the function reported last. After a cancel the function ends at its next report, or
    `GRACE` later at its next Python instruction. Without a callback it runs in the caller's thread, as does a watched
    function inside another. Ctrl-C raises `Cancelled` with and without a callback.

    >>> @watched
    ... def double(number, *, progress=None):
    ...     progress(0.5, "doubling")
    ...     return 2 * number
    >>> double(4, progress=reporting.silent())
    8
    """

    @wraps(function)
    def call(*arguments: P.args, **options: P.kwargs) -> R:
        progress: Any = options.get("progress")
        if _relay.get() is not None:
            return function(*arguments, **options)
        if progress is None:
            try:
                return function(*arguments, **options)
            except KeyboardInterrupt:
                raise Cancelled from None
        relay = _Relay(progress, function.__name__.replace("_", " "))
        options["progress"] = relay
        return relay.run(lambda: function(*arguments, **options))

    return call


class _Relay(Silent):
    """The progress that the worker is given: reports wait in a queue until the caller's thread passes them on."""

    def __init__(self, whole: Progress, stage: str) -> None:
        super().__init__(whole.stop)
        self._whole = whole
        self._changed = threading.Condition()
        self._last: tuple[float | None, str] = (None, stage)
        self._queue: list[tuple[float | None, str]] = []
        self._flushing = self._done = self._refused = False
        self._result: list[Any] = []
        self._error: BaseException | None = None

    def __call__(self, share: float | None, stage: str) -> None:
        check_stop(self)
        with self._changed:
            self._queue.append((share, stage))
        if len(self._queue) >= LONGEST_QUEUE:
            self.flush()

    def flush(self) -> None:
        """Wait until all reports so far are passed on."""
        with self._changed:
            self._flushing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._queue or self._refused)
            self._flushing = False
        if self._refused:
            raise Cancelled

    def run(self, function: Callable[[], R]) -> R:
        check_stop(self)
        context = copy_context()
        context.run(_relay.set, self)
        worker = threading.Thread(target=context.run, args=(self._work, function), daemon=True)
        try:
            worker.start()
            while not (self._done and not self._queue):
                reports = self._new_reports()
                for report in reports or [self._last]:
                    self._whole(*report)
                    check_stop(self)  # also for a callback that does not raise
                    self._last = report
                self._answer(len(reports))
            worker.join()
        except BaseException as raised:
            self._end(worker)
            if isinstance(raised, (KeyboardInterrupt, Cancelled)):
                raise Cancelled from None
            raise
        if self._error is not None:
            raise self._error
        found: R = self._result[0]
        return found

    def _new_reports(self) -> list[tuple[float | None, str]]:
        """What is in the queue after `INTERVAL`, or earlier where the function has ended or waits."""
        with self._changed:
            self._changed.wait_for(lambda: (self._flushing and self._queue) or self._done, reporting.INTERVAL)
            return self._queue.copy()

    def _answer(self, number: int) -> None:
        """That many reports are passed on."""
        with self._changed:
            del self._queue[:number]
            self._changed.notify_all()

    def _work(self, function: Callable[[], Any]) -> None:
        try:
            try:
                self._result.append(function())
            except BaseException as raised:  # handed to the caller's thread
                self._error = raised
            self._finish()
        except KeyboardInterrupt as raised:  # the interrupt arrived just after the end
            self._error = raised
            self._finish()

    def _finish(self) -> None:
        with self._changed:
            self._done = True
            self._changed.notify_all()

    def _end(self, worker: threading.Thread) -> None:
        """Stop the function: its next report raises `Cancelled`; where it makes none, it is interrupted."""
        self.stop[0] = 1
        with self._changed:
            self._refused = True
            self._changed.notify_all()
        if worker.is_alive():
            worker.join(GRACE)  # what has ended by itself is not interrupted while it cleans up
        while worker.is_alive():
            with self._changed:
                if not self._done:
                    _interrupt(worker)
            worker.join(REPEAT)  # an interrupt is lost where it arrives in a destructor


_relay: ContextVar[_Relay | None] = ContextVar("the progress of the watched function that runs here", default=None)


def pass_on_reports() -> None:
    """Wait until the callback has had all reports; raises `Cancelled` if it cancels. Before what cannot be undone."""
    relay = _relay.get()
    if relay is not None:
        relay.flush()


def _interrupt(thread: threading.Thread) -> None:
    """Raise KeyboardInterrupt in a thread at its next Python instruction."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt))
