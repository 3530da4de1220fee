"""Work done in a process of its own, so that it can be stopped when its time is up, and its memory is its own."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from threading import Event, Timer
from typing import Any, TypeVar

from motionloom.core import MotionloomError

T = TypeVar("T")

READY, ITEM, END = "ready", "item", "end"


class TimeUp(MotionloomError):
    """Work that took longer than it was allowed to, and was stopped."""


def apart(work: Callable[..., Iterable[T]], *given: Any, seconds: float) -> Iterator[T]:
    """What `work(*given)` yields, one by one, from a process that is ended after so many seconds: `TimeUp` then.

    `work` is a function of a module. Time counts from when it begins, not from the start of the process. It is a
    process of our own making, not one of `multiprocessing`: a script that compares methods needs no main guard. The two
    speak by pickles, over pipes that only they hold: nothing is ever unpickled that comes from a file.
    """
    late = Event()
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=-1
    )
    assert child.stdin is not None
    assert child.stdout is not None

    def stop() -> None:
        late.set()
        child.kill()

    clock = Timer(seconds, stop)
    clock.daemon = True
    try:
        pickle.dump((work, given), child.stdin)
        child.stdin.close()
        while (message := pickle.load(child.stdout))[0] != END:
            if message[0] == READY:
                clock.start()
            else:
                yield message[1]
    except (EOFError, OSError, pickle.UnpicklingError):
        if late.is_set():
            raise TimeUp(f"stopped after {seconds:g} s") from None
        raise MotionloomError(f"its process ended by itself (code {child.wait()})") from None
    finally:
        clock.cancel()
        child.kill()
        child.stdout.close()
        child.wait()


def main() -> None:
    """The other side: read the work, do it, and send what it yields. What it prints goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asked is interrupted too, and ends this process
    with os.fdopen(os.dup(1), "wb") as pipe:
        os.dup2(2, 1)
        work, given = pickle.load(sys.stdin.buffer)
        _send(pipe, (READY, None))
        for item in work(*given):
            _send(pipe, (ITEM, item))
        _send(pipe, (END, None))


def _send(pipe: Any, message: tuple[str, Any]) -> None:
    pickle.dump(message, pipe)
    pipe.flush()


if __name__ == "__main__":
    main()
