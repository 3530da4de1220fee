"""Failures of jobs other than an exception of the task: unsuitable tasks, time limits, dead workers."""

from __future__ import annotations

import signal
from typing import Any

from motionloom.core.errors import MotionloomError


class JobFailed(MotionloomError):
    """A job without a result, for a reason that is not an exception which could be passed on."""


class BadTask(JobFailed):
    """A task, its arguments or its result cannot be sent from one process to another."""


class TimeUp(JobFailed):
    """A job took longer than it was allowed to and was stopped."""


class WorkerDied(JobFailed):
    """The process of a job ended before the job did: a crash of a library, or a kill."""

    def __init__(self, name: str, code: int | None) -> None:
        self.name, self.code = name, code
        super().__init__(f"{name}: its process {describe_exit(code)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (WorkerDied, (self.name, self.code))


def describe_exit(code: int | None) -> str:
    """The exit code of a process in words.

    >>> describe_exit(3), describe_exit(-11)
    ('ended with code 3', 'was killed by SIGSEGV')
    """
    if code is None:
        return "could not be started"
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
