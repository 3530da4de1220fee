"""The worker process: `python -P -m motionloom.jobs.worker` runs tasks until its owner closes the pipe.

The main thread runs the tasks; a second one listens for requests to stop. A task with a parameter `progress` is stopped
through `Progress.stop`; any other one is interrupted as by Ctrl-C. What a task prints goes to standard error.
"""

from __future__ import annotations

import _thread
import os
import pickle
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread, main_thread
from time import monotonic
from typing import Any, BinaryIO

import numpy as np

from motionloom.core.arrays import UInt8Array
from motionloom.core.progress import Cancelled, accepts_progress, check_stop
from motionloom.jobs.environment import Surroundings
from motionloom.jobs.errors import BadTask
from motionloom.jobs.messages import END, ERROR, PROGRESS, RESULT, STARTED, STOP, VALUE, read_message, write_message
from motionloom.jobs.worker_handle import kill_tree

INTERVAL = 0.05  # s between two messages about progress


class Worker:
    """Runs tasks from one pipe and reports to another."""

    def __init__(self, inbound: BinaryIO, outbound: BinaryIO) -> None:
        self._inbound, self._outbound = inbound, outbound
        self._tasks: SimpleQueue[tuple[int, bytes, bool, Surroundings]] = SimpleQueue()
        self._writing = Lock()
        self._busy = False
        self._stopped = -1  # number of the latest job that is to stop
        self._current: tuple[int, UInt8Array, bool] | None = None  # number, stop, whether the task polls stop
        self._interruptible = False  # is the main thread inside a task that is stopped by an interrupt?

    def run(self) -> None:
        """Do one task after the other; never returns."""
        signal.signal(signal.SIGINT, self._interrupt)
        Thread(target=self._listen, daemon=True).start()
        while True:
            number, payload, reuse, surroundings = self._tasks.get()
            self._busy = True
            surroundings.adopt()
            try:
                self._do(number, payload)
            except OSError:  # the owner has closed the pipe
                _leave()
            self._busy = False
            if not reuse:
                _leave()

    def send(self, kind: str, content: Any = None) -> None:
        """Report to the owner."""
        with self._writing:
            write_message(self._outbound, kind, content)

    def _listen(self) -> None:
        while True:
            try:
                kind, content = read_message(self._inbound)
            except (EOFError, OSError):  # the owner has ended: the result is not needed
                if self._busy:
                    kill_tree(os.getpid())
                _leave()
            if kind == STOP:
                self._stop(content)
            else:
                self._tasks.put(content)

    def _stop(self, number: int) -> None:
        self._stopped = max(self._stopped, number)
        current = self._current
        if current is None or current[0] != number:
            return  # over, or not begun: then `_call` finds the number
        current[1][0] = 1
        if not current[2]:
            if hasattr(signal, "pthread_kill"):
                signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)  # also ends a wait
            else:
                _thread.interrupt_main()

    def _interrupt(self, number: int, frame: Any) -> None:
        if self._interruptible:
            self._interruptible = False
            raise KeyboardInterrupt

    def _do(self, number: int, payload: bytes) -> None:
        try:
            task, arguments = pickle.loads(payload)
        except Exception as error:
            why = f"the task cannot be imported in a worker process ({type(error).__name__}: {error})"
            self._fail(BadTask(f"{why}: it must be a function of a module that is installed"))
            return
        stop = np.zeros(1, np.uint8)
        polls = accepts_progress(task)
        self._current = (number, stop, polls)
        options = {"progress": _Reporter(self, stop)} if polls else {}
        try:
            self.send(STARTED)
            value = self._call(lambda: task(*arguments, **options))
            if isinstance(value, Iterator):
                self._send_values(value)
            else:
                self.send(RESULT, _packed(value))
        except KeyboardInterrupt:
            self._fail(Cancelled())
        except BaseException as error:  # an exit too: it must not end the worker
            self._fail(error)
        finally:
            self._current = None

    def _call(self, function: Callable[[], Any]) -> Any:
        """A stretch of the task's own code, the only part that may be interrupted."""
        assert self._current is not None
        number, _, polls = self._current
        try:
            self._interruptible = not polls
            if self._stopped == number:  # the request came before this stretch
                raise Cancelled
            return function()
        finally:
            self._interruptible = False

    def _send_values(self, values: Iterator[Any]) -> None:
        end = object()
        while (value := self._call(lambda: next(values, end))) is not end:
            self.send(VALUE, _packed(value))
        self.send(END)

    def _fail(self, error: BaseException) -> None:
        text = "".join(traceback.format_exception(error))
        self.send(ERROR, (_packed_error(error), f"{type(error).__name__}: {error}".rstrip(": "), text))


class _Reporter:
    """The `Progress` of a task: reports to the owner, at most every `INTERVAL`, and always the end."""

    def __init__(self, worker: Worker, stop: UInt8Array) -> None:
        self.stop = stop
        self._worker, self._last, self._sent = worker, -1.0, 0.0

    def __call__(self, share: float | None, stage: str) -> None:
        check_stop(self)
        now = monotonic()
        complete = share is not None and share >= 1.0 > self._last
        if complete or now - self._sent >= INTERVAL:
            self._worker.send(PROGRESS, (share, stage))
            self._sent, self._last = now, -1.0 if share is None else share


def _packed(value: Any) -> bytes:
    try:
        return pickle.dumps(value, protocol=5)
    except Exception as error:
        raise BadTask(f"the result ({type(value).__name__}) cannot be sent to another process: {error}") from None


def _packed_error(error: BaseException) -> bytes | None:
    """The exception, if it survives the journey and may be raised in the owner; else None."""
    try:
        data = pickle.dumps(error, protocol=5)
        pickle.loads(data)
    except Exception:
        return None
    return data if isinstance(error, Exception) else None


def _leave() -> None:
    sys.stderr.flush()
    os._exit(0)  # at once: libraries that are damaged (see io/fbx_scene.py) get no chance to crash while tidying up


def quiet() -> None:
    """Drop warnings of libraries: they are for developers, and would appear between the lines of a command."""
    warnings.simplefilter("ignore")


def main() -> None:
    """Take over the standard streams, so that nothing that a task prints or reads gets between the messages."""
    inbound, outbound = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    if hasattr(os, "register_at_fork"):  # a task that forks must not keep the pipes open after this process has ended
        for pipe in (inbound, outbound):
            os.register_at_fork(after_in_child=partial(os.close, pipe.fileno()))
    quiet()
    Worker(inbound, outbound).run()


if __name__ == "__main__":
    main()
