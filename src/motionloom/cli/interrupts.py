"""Ctrl-C on the command line: a library may lose its KeyboardInterrupt, or raise another error in its place."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def on_interrupt(action: Callable[[], object]) -> Iterator[None]:
    """Within the block, Ctrl-C also calls `action`, before KeyboardInterrupt is raised.

    Where Ctrl-C is ignored (a job in the background of a shell), and in other threads, nothing changes.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: Any) -> None:
        action()
        before(number, frame)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupts() -> Iterator[list[bool]]:
    """A list that is no longer empty after Ctrl-C, also where its KeyboardInterrupt is lost.

    That happens inside destructors and callbacks. numba, for one, then raises a RuntimeError. What Python prints about
    a lost KeyboardInterrupt is left out.
    """
    requested: list[bool] = []
    shown = sys.unraisablehook

    def show(lost: Any) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            shown(lost)

    sys.unraisablehook = show
    try:
        with on_interrupt(lambda: requested.append(True)):
            yield requested
    finally:
        sys.unraisablehook = shown
