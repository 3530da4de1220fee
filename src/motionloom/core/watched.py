"""Progress and cancelling for functions made of many array operations, none of which polls.

`watched` runs such a function in a worker thread. What it reports is passed on by the caller's thread, which also
repeats the last report every tenth of a second; when that cancels, the worker is interrupted, as by Ctrl-C.
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

_inside: ContextVar[bool] = ContextVar("inside a watched function", default=False)


def watched(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator for a function with a keyword `progress`: the callback is called at least every `INTERVAL`.

    Meanwhile the share stays what the function reported last. After a cancel the function ends at its next report, or
    `GRACE` later at its next Python instruction. Without a callback it runs in the caller's thread, as does a watched
    function inside another.

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
        if progress is None or _inside.get():
            return function(*arguments, **options)
        relay = _Relay(progress, function.__name__.replace("_", " "))
        options["progress"] = relay
        return relay.run(lambda: function(*arguments, **options))

    return call


class _Relay(Silent):
    """The progress that the worker is given: each report waits until the caller's thread has passed it on."""

    def __init__(self, whole: Progress, stage: str) -> None:
        super().__init__(whole.stop)
        self._whole = whole
        self._changed = threading.Condition()
        self._last: tuple[float | None, str] = (None, stage)
        self._sent = self._passed = 0  # number of the last report, and of the last one that was passed on
        self._done = self._refused = False
        self._result: list[Any] = []
        self._error: BaseException | None = None

    def __call__(self, share: float | None, stage: str) -> None:
        check_stop(self)
        with self._changed:
            self._last, self._sent = (share, stage), self._sent + 1
            number = self._sent
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._passed >= number or self._refused)
        if self._refused:
            raise Cancelled

    def run(self, function: Callable[[], R]) -> R:
        check_stop(self)
        context = copy_context()
        context.run(_inside.set, True)
        worker = threading.Thread(target=context.run, args=(self._work, function), daemon=True)
        try:
            worker.start()
            while (following := self._next_report()) is not None:
                number, report = following
                self._whole(*report)
                check_stop(self)  # also for a callback that does not raise
                self._answer(number)
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

    def _next_report(self) -> tuple[int, tuple[float | None, str]] | None:
        """The last report with its number, a new one or after `INTERVAL`; None where the function has ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._sent > self._passed or self._done, reporting.INTERVAL)
            return None if self._done and self._sent == self._passed else (self._sent, self._last)

    def _answer(self, number: int) -> None:
        """The report is passed on; one that came meanwhile still waits."""
        with self._changed:
            self._passed = number
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


def _interrupt(thread: threading.Thread) -> None:
    """Raise KeyboardInterrupt in a thread at its next Python instruction."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt))
