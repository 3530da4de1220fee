"""Progress and cancelling: one callback for everything that takes longer than a second.

A function that takes long accepts `progress=None`, which means `silent()`, and calls `progress(share, stage)`
after each unit of work. Kernels that run long get `progress.stop` and return early when it is set; `watch` runs them in
a worker thread, so that Ctrl-C and the callback work meanwhile.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from threading import Thread
from typing import Any, Protocol, TypeVar

import numpy as np

from motionloom.core.arrays import IntArray, UInt8Array
from motionloom.core.errors import MotionloomError

T = TypeVar("T")
R = TypeVar("R")

INTERVAL = 0.1  # s between two calls of the callback while a kernel runs


class Cancelled(MotionloomError):
    """The work was cancelled: `stop` was set, or Ctrl-C was pressed (the command exits with 130)."""

    def __init__(self, message: str = "cancelled") -> None:
        super().__init__(message)


class Progress(Protocol):
    """A callback that receives the share of the whole task that is done, and can cancel the task."""

    stop: UInt8Array  # (1,), set to cancel; polled inside long kernels

    def __call__(self, share: float | None, stage: str) -> None:
        """`share` is 0..1 of the whole task, or None while the total is unknown. Raises `Cancelled` if `stop` is set.

        The share never decreases and counts units of work; it ends at 1.
        """


class Silent:
    """A progress that shows nothing, but can be cancelled."""

    def __init__(self, stop: UInt8Array | None = None) -> None:
        self.stop: UInt8Array = np.zeros(1, np.uint8) if stop is None else stop

    def __call__(self, share: float | None, stage: str) -> None:
        check_stop(self)


def silent() -> Progress:
    """The progress used for `progress=None`: a new one for each call, never shared."""
    return Silent()


def check_stop(progress: Progress) -> None:
    """Raise `Cancelled` if `stop` is set."""
    if progress.stop[0]:
        raise Cancelled


def accepts_progress(function: Any) -> bool:
    """Whether a function has a parameter `progress`."""
    try:
        return "progress" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # some built-in functions have no signature
        return False


class StepProgress(Silent):
    """A step of a task: its own 0..1 is mapped to begin..end of the whole."""

    def __init__(self, whole: Progress, begin: float, end: float) -> None:
        super().__init__(whole.stop)
        self._whole, self._begin, self._end, self._last = whole, begin, end, 0.0

    def __call__(self, share: float | None, stage: str) -> None:
        if share is not None:  # else the total of this step is unknown: the whole stays where it is
            self._last = max(self._last, min(share, 1.0))
        inside = self._begin + (self._end - self._begin) * self._last
        self._whole(inside if self._last < 1.0 else self._end, stage)


def part(progress: Progress, begin: float, end: float) -> Progress:
    """The progress of one step of a task, whose own 0..1 is mapped to begin..end of the whole.

    >>> seen = []
    >>> class Show(Silent):
    ...     def __call__(self, share, stage): seen.append((share, stage))
    >>> part(Show(), 0.5, 1.0)(0.5, "reading")
    >>> seen
    [(0.75, 'reading')]
    """
    return StepProgress(progress, begin, end)


def parts(progress: Progress, sizes: Sequence[float]) -> list[Progress]:
    """The progress of the steps of a task, one after the other, whose units of work are `sizes`.

    >>> parts(silent(), [3, 1])[1]._begin
    0.75
    """
    ends = np.concatenate([[0.0], np.cumsum(sizes)])
    return [part(progress, *map(float, step)) for step in pairwise(ends / (ends[-1] or 1.0))]


def each(items: Sequence[T], progress: Progress, stage: str, sizes: Sequence[float] | None = None) -> Iterator[T]:
    """The items one by one, with progress before each and after the last; `sizes` are their units of work."""
    done = np.concatenate([[0.0], np.cumsum(np.ones(len(items)) if sizes is None else np.asarray(sizes, float))])
    total = float(done[-1]) or 1.0
    for item, share in zip(items, done[:-1] / total, strict=True):
        progress(float(share), stage)
        yield item
    progress(1.0, stage)


def slices(count: int, size: int, progress: Progress, stage: str) -> Iterator[slice]:
    """Slices of at most `size` of `count` items, one after the other, with progress as in `each`."""
    starts = range(0, max(count, 1), size)
    sizes = [min(size, count - start) for start in starts]
    for start in each(starts, progress, stage, sizes):
        yield slice(start, min(start + size, count))


def watch(
    progress: Progress,
    stage: str,
    function: Callable[..., R],
    *arguments: Any,
    units: int = 0,
    done: IntArray | None = None,
) -> R:
    """`function(*arguments)` in a worker thread, with progress and Ctrl-C meanwhile.

    The function releases the interpreter lock (a kernel) and polls `progress.stop`, so that it returns soon after that
    is set; what it returns then is discarded and `Cancelled` is raised. Where it counts its units of work in `done`
    (1,), of `units` in all, the share is reported; else None.
    """
    check_stop(progress)
    result: list[R] = []
    error: list[BaseException] = []

    def work() -> None:
        try:
            result.append(function(*arguments))
        except BaseException as raised:  # handed to the caller's thread
            error.append(raised)

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        thread.join(INTERVAL)
        while thread.is_alive():
            share = None if done is None or not units else min(1.0, float(done[0]) / units)
            progress(share, stage)
            thread.join(INTERVAL)
    except BaseException as raised:
        progress.stop[0] = 1
        thread.join()
        raise Cancelled from (None if isinstance(raised, (KeyboardInterrupt, Cancelled)) else raised)
    check_stop(progress)
    if error:
        raise error[0]
    return result[0]
