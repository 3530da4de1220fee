"""A job: a task that runs in another process, with progress, cancelling and a result."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Iterator
from itertools import count
from threading import Condition, Timer
from typing import Any, Generic, NamedTuple, TypeVar

from motionloom.core.progress import INTERVAL, Cancelled, Progress, silent
from motionloom.jobs.environment import surroundings
from motionloom.jobs.errors import JobFailed, TimeUp
from motionloom.jobs.messages import STOP
from motionloom.jobs.worker_handle import WorkerProcess

R = TypeVar("R")

GRACE = 0.5  # s from the request to stop until the process is killed
MAX_BUFFERED = 64  # values that a task may have made before the caller takes one

_numbers = count(1)


class JobProgress(NamedTuple):
    """The latest progress that a task has reported."""

    share: float | None  # 0..1, None while the total is unknown
    stage: str


class Job(Generic[R]):
    """A task in another process. Any thread may look at it, wait for it or cancel it."""

    def __init__(self, name: str, payload: bytes, seconds: float | None = None, reuse: bool = True) -> None:
        self.name, self.payload, self.reuse = name, payload, reuse
        self.number = next(_numbers)
        self.surroundings = surroundings()
        self._seconds = seconds
        self._state = JobProgress(None, name)
        self._changed = Condition()
        self._process: WorkerProcess | None = None
        self._values: deque[bytes] = deque()  # of a task that yields
        self._done = False
        self._ending: Exception | None = None  # why the job is being stopped
        self._error: Exception | None = None
        self._result: bytes | None = None  # None for a task that yields
        self._taken: list[Any] = []  # the result, once it was taken
        self._timers: list[Timer] = []

    @property
    def progress(self) -> JobProgress:
        """The latest share and stage that the task has reported."""
        return self._state

    @property
    def done(self) -> bool:
        """Whether it has ended, successfully or not."""
        return self._done

    def cancel(self, grace: float = GRACE) -> None:
        """Request a stop; after `grace` seconds the process and its children are killed. Does not wait."""
        self._halt(Cancelled(f"{self.name}: cancelled"), grace)

    def result(self, progress: Progress | None = None) -> R:
        """Wait for what the task returns (a list, if it yields); its exception is raised here.

        `progress` receives what the task reports; if that cancels, or on Ctrl-C, the job is cancelled. `Cancelled`
        after `cancel`, `TimeUp` after its time, `WorkerDied` if its process ended.
        """
        values = list(self.values(progress))
        if not self._taken:
            self._taken = [values if self._result is None else _unpacked(self._result, self.name)]
            self._result = None
        return self._taken[0]

    def values(self, progress: Progress | None = None) -> Iterator[Any]:
        """What a task that yields has made, one by one as it is made; errors as in `result`.

        The job is cancelled if the iterator is closed before the end.
        """
        report = progress or silent()
        try:
            while (value := self._next_value()) is not None or not self._done or self._values:
                if value is not None:
                    yield _unpacked(value, self.name)
                report(*self._state)
        except BaseException as raised:
            self.cancel()
            self.wait()
            if isinstance(raised, (KeyboardInterrupt, Cancelled)):
                raise Cancelled(f"{self.name}: cancelled") from None
            raise
        if self._error is not None:
            raise self._error
        report(1.0, self._state.stage)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, at most so long; whether it has ended."""
        with self._changed:
            return self._changed.wait_for(lambda: self._done, seconds)

    def _next_value(self) -> bytes | None:
        """The next value; None if there is none within `INTERVAL`."""
        with self._changed:
            self._changed.wait_for(lambda: self._values or self._done, INTERVAL)
            value = self._values.popleft() if self._values else None
            self._changed.notify_all()
            return value

    def _halt(self, why: Exception, grace: float) -> None:
        with self._changed:
            if self._done or self._ending is not None:
                return
            self._ending = why
            process = self._process
            if process is None:
                self._finish(None, None)
                return
            self._after(grace, self._kill)
            self._changed.notify_all()
        try:
            process.send(STOP, self.number)
        except OSError:  # it has ended already
            return

    def _kill(self) -> None:
        with self._changed:  # so that the process does not start another job meanwhile
            if not self._done and self._process is not None:
                self._process.kill()

    def _after(self, seconds: float, action: Any) -> None:
        timer = Timer(seconds, action)
        timer.daemon = True
        timer.start()
        self._timers.append(timer)

    # What follows is called by the thread that owns the process.

    def attach(self, process: WorkerProcess) -> bool:
        """The process that will do it; False if it was cancelled while it waited."""
        with self._changed:
            self._process = None if self._done else process
            return not self._done

    def started(self) -> None:
        """The task begins: its time counts from now on."""
        with self._changed:
            if self._seconds is not None and not self._done:
                late = TimeUp(f"{self.name}: stopped after {self._seconds:g} s")
                self._after(self._seconds, lambda: self._halt(late, GRACE))

    def report(self, share: float | None, stage: str) -> None:
        """The task has reported progress."""
        self._state = JobProgress(share, stage)

    def add_value(self, value: bytes) -> None:
        """The task has yielded; waits while the caller is far behind."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._values) < MAX_BUFFERED or self._ending is not None)
            if self._ending is None:
                self._values.append(value)
            self._changed.notify_all()

    @property
    def ending(self) -> bool:
        """Whether it is being stopped."""
        return self._ending is not None

    def finish(self, result: bytes | None, error: Exception | None) -> None:
        """The end, with the result or with an error."""
        with self._changed:
            self._finish(result, error)

    def _finish(self, result: bytes | None, error: Exception | None) -> None:
        if self._done:
            return
        self._result, self._error, self._done = result, self._ending or error, True
        self._process, self.payload = None, b""
        for timer in self._timers:
            timer.cancel()
        self._changed.notify_all()


def _unpacked(data: bytes, name: str) -> Any:
    try:
        return pickle.loads(data)
    except Exception as error:
        raise JobFailed(f"{name}: its result cannot be read ({type(error).__name__}: {error})") from error
