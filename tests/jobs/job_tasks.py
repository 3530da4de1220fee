"""Tasks of the tests. Worker processes import this module, whose folder the tests add to PYTHONPATH."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from motionloom.core.progress import Progress, check_stop, silent


class Odd(Exception):
    """An exception that cannot be made again from its message."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def pid_of(item: object) -> int:
    return os.getpid()


def work_in_steps(steps: int, progress: Progress | None = None) -> int:
    progress = progress or silent()
    for k in range(steps):
        progress(k / steps, f"step {k}")
    progress(1.0, "done")
    return steps


def poll_for_ever(note: Path, progress: Progress) -> None:
    """Stops only when told to; the note appears when the task runs."""
    note.write_text("running")
    while True:
        check_stop(progress)
        time.sleep(0.01)


def sleep_for_ever(note: Path) -> None:
    """A task without progress; it ends cleanly when interrupted."""
    try:
        note.write_text("running")
        time.sleep(600)
    except KeyboardInterrupt:
        note.write_text("interrupted")
        raise


def ignore_stop(note: Path, progress: Progress) -> None:
    """Never looks at stop, and has a child and, in a session of its own, another."""
    sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
    children = [subprocess.Popen(sleep), subprocess.Popen(sleep, start_new_session=True)]
    part = note.with_suffix(".part")
    part.write_text(" ".join(str(n) for n in (os.getpid(), *(child.pid for child in children))))
    part.rename(note)
    while True:
        time.sleep(600)


def kill_on(item: int) -> int:
    """Dies on item 3."""
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return 10 * item


def later_first(item: int) -> int:
    """Later items are done earlier."""
    time.sleep(0.02 * max(0, 4 - item))
    return item


def slow_on(item: int) -> int:
    """Never ends on item 1."""
    time.sleep(600 if item == 1 else 0)
    return item


def raise_value_error(text: str) -> None:
    raise ValueError(text)


def raise_odd() -> None:
    raise Odd(1, 2)


def leave() -> None:
    sys.exit(4)


def print_and_read() -> str:
    print("this must not get between the messages")
    return sys.stdin.read()


def count_then_wait(stop: int) -> Iterator[int]:
    yield from range(stop)
    time.sleep(600)


def not_picklable() -> object:
    return lambda: 0
