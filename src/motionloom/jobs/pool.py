"""The pool of worker processes: started on demand, kept for the next job, ended at exit."""

from __future__ import annotations

import atexit
import os
import pickle
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import Any, TypeVar

from motionloom.jobs.errors import BadTask, JobFailed, WorkerDied
from motionloom.jobs.job import Job
from motionloom.jobs.messages import END, ERROR, PROGRESS, RESULT, STARTED, TASK, VALUE
from motionloom.jobs.worker_handle import WorkerProcess

R = TypeVar("R")

ATTEMPTS = 2  # to run a job: an idle process may have been killed


class Pool:
    """At most `maximum` workers (default: one per core, at least two), each with a thread that gives it jobs."""

    def __init__(self, maximum: int | None = None) -> None:
        self.maximum = maximum or max(2, os.cpu_count() or 1)
        self.owner = os.getpid()
        self._changed = Condition()
        self._waiting: deque[Job[Any]] = deque()
        self._processes: dict[int, WorkerProcess] = {}  # by the number of their thread
        self._threads = self._idle = 0
        self._closed = False

    def start(
        self, task: Callable[..., R], *arguments: Any, name: str = "", seconds: float | None = None, reuse: bool = True
    ) -> Job[R]:
        """As `start` of this module, with the workers of this pool."""
        name = name or _name(task, arguments)
        job: Job[R] = Job(name, _payload(task, arguments, name), seconds, reuse)
        with self._changed:
            if self._closed:
                raise JobFailed(f"{name}: this pool of workers is closed")
            self._waiting.append(job)
            if self._idle < len(self._waiting) and self._threads < self.maximum:
                Thread(target=self._serve, args=(self._threads,), daemon=True).start()
                self._threads += 1
            self._changed.notify()
        return job

    def close(self) -> None:
        """Kill every worker, whatever it does, and accept no more jobs."""
        if os.getpid() != self.owner:  # a fork of the owner must not end its workers
            return
        with self._changed:
            self._closed = True
            jobs, processes = list(self._waiting), list(self._processes.values())
            self._waiting.clear()
            self._changed.notify_all()
        for job in jobs:
            job.cancel()
        for process in processes:
            process.kill()  # all of them before any is waited for
        for process in processes:
            process.end()

    def _serve(self, slot: int) -> None:
        """One thread: jobs one after the other, each in the process of this slot."""
        while (job := self._next()) is not None:
            for attempt in range(ATTEMPTS):
                if self._run(job, slot, last=attempt + 1 == ATTEMPTS):
                    break

    def _next(self) -> Job[Any] | None:
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._waiting or self._closed)
            self._idle -= 1
            return None if self._closed else self._waiting.popleft()

    def _run(self, job: Job[Any], slot: int, *, last: bool) -> bool:
        """Do a job. False if the process ended before the task began, and there may be another attempt."""
        began, code = False, None
        try:
            process = self._process(slot)
            if process is None or not job.attach(process):
                job.finish(None, WorkerDied(job.name, None))
                return True
            process.send(TASK, (job.number, job.payload, job.reuse, job.surroundings))
            while True:
                kind, content = process.receive()
                began = True
                if kind == STARTED:
                    job.started()
                elif kind == PROGRESS:
                    job.report(*content)
                elif kind == VALUE:
                    job.add_value(content)
                elif kind in (RESULT, END, ERROR):
                    break
        except (EOFError, OSError):
            code = self._end(slot)
            if not (began or last or job.ending):
                return False
            job.finish(None, WorkerDied(job.name, code))
            return True
        if not job.reuse:
            self._end(slot)
        job.finish(content if kind == RESULT else None, _error(content, job.name) if kind == ERROR else None)
        return True

    def _process(self, slot: int) -> WorkerProcess | None:
        """The running process of a slot, a new one where there is none; None once the pool is closed."""
        old = self._processes.get(slot)
        if old is not None and old.running:
            return old
        with self._changed:
            if self._closed:
                return None
            new = self._processes[slot] = WorkerProcess()
            return new

    def _end(self, slot: int) -> int | None:
        with self._changed:
            process = self._processes.pop(slot, None)
        return None if process is None else process.end()


_lock = Lock()
_pool: Pool | None = None


def shared_pool() -> Pool:
    """The pool that `start` uses, made at its first call and closed at exit."""
    global _pool
    with _lock:
        if _pool is None or _pool.owner != os.getpid():
            _pool = Pool()
            atexit.register(_pool.close)
        return _pool


def start(
    task: Callable[..., R], *arguments: Any, name: str = "", seconds: float | None = None, reuse: bool = True
) -> Job[R]:
    """Run `task(*arguments)` in another process; the job waits if all workers have something to do.

    `task` is a function of an installed module, its arguments and result are values that can be pickled. If it has a
    parameter `progress`, it gets one whose reports appear in `Job.progress` and whose `stop` is set by `Job.cancel`; if
    it returns an iterator, its values are sent as they are made (`Job.values`). `name` is the name of the job in
    errors; `seconds` is the most time that the task may take; `reuse=False` ends the process after this job, for
    libraries that leave it in a bad state.
    """
    return shared_pool().start(task, *arguments, name=name, seconds=seconds, reuse=reuse)


def _name(task: Any, arguments: tuple[Any, ...]) -> str:
    """The task's name, with the first argument if that is a file: `load walk.bvh`."""
    function = task.func if isinstance(task, partial) else task
    name = str(getattr(function, "__name__", type(function).__name__)).lstrip("_")
    first = arguments[0] if arguments else None
    return f"{name} {first.name}" if isinstance(first, Path) else name


def _payload(task: Any, arguments: tuple[Any, ...], name: str) -> bytes:
    function = task.func if isinstance(task, partial) else task
    if getattr(function, "__module__", "") == "__main__":
        raise BadTask(f"{name}: the task is defined in the script itself; put it into a module that can be imported")
    try:
        return pickle.dumps((task, arguments), protocol=5)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise BadTask(
            f"{name}: cannot be sent to a worker process ({why}); a task is a function of a module, "
            "and its arguments are values that can be pickled"
        ) from None


def _error(content: tuple[bytes | None, str, str], name: str) -> Exception:
    """The task's exception, with the traceback of its own process as a note."""
    data, summary, trace = content
    error: Exception = JobFailed(f"{name}: {summary}")
    if data is not None:
        try:
            error = pickle.loads(data)
        except Exception as why:
            error = JobFailed(f"{name}: {summary} (and {type(why).__name__} while it was passed on)")
    error.add_note(f"In the process of {name}:\n{trace}")
    return error
