"""Running one task for many items on all cores, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from motionloom.core.progress import INTERVAL, Cancelled, Progress, accepts_progress, parts, silent
from motionloom.jobs.errors import JobFailed
from motionloom.jobs.job import Job
from motionloom.jobs.pool import Pool, shared_pool

T = TypeVar("T")
R = TypeVar("R")

MIN_FILES = 24  # files from which on reading them in several processes pays
INTERRUPT_GRACE = 0.2  # s that running tasks have to stop when the whole is cancelled


def each(
    task: Callable[..., R],
    items: Sequence[T],
    *,
    failed: Callable[[T, JobFailed], R] | None = None,
    name: Callable[[T], str] = str,
    stage: str = "",
    progress: Progress | None = None,
    seconds: float | None = None,
    worth: int = 2,
    pool: Pool | None = None,
) -> Iterator[R]:
    """`task(item)` for every item, in order, in as many processes as there are cores.

    A process that dies, or a task that takes longer than `seconds`, affects its own item only: `failed(item, error)`
    gives the result that takes its place (without it, the error is raised), and `name(item)` is the item's name in that
    error. An exception of the task itself is raised and ends the rest. A task with a parameter `progress` reports its
    own share through it. Fewer than `worth` items are done in this process, because a new one takes longer to start;
    there is no time limit then.

    >>> list(each(abs, [-3, 1, -2]))
    [3, 1, 2]
    """
    report = progress or silent()
    if len(items) < worth:
        for item, step in zip(items, parts(report, [1] * len(items)), strict=True):
            step(0.0, stage)
            options: dict[str, Any] = {"progress": step} if accepts_progress(task) else {}
            yield task(item, **options)
        report(1.0, stage)
        return
    workers = pool or shared_pool()
    ahead: deque[tuple[T, Job[R]]] = deque()
    given = 0
    try:
        for done in range(len(items)):
            while given < len(items) and len(ahead) < 2 * workers.maximum:
                item = items[given]
                ahead.append((item, workers.start(task, item, name=name(item), seconds=seconds)))
                given += 1
            item, job = ahead[0]
            report(_share(done, ahead, len(items)), stage)
            while not job.wait(INTERVAL):
                report(_share(done, ahead, len(items)), stage)
            try:
                value = job.result()
            except JobFailed as error:
                if failed is None:
                    raise
                value = failed(item, error)
            ahead.popleft()
            yield value
        report(1.0, stage)
    except KeyboardInterrupt:
        raise Cancelled from None
    finally:
        for _, job in reversed(ahead):  # those that wait first, so that none of them starts in a process set free
            job.cancel(INTERRUPT_GRACE)
        for _, job in ahead:
            job.wait()


def _share(done: int, ahead: deque[tuple[T, Job[R]]], total: int) -> float:
    """The share of finished items, with the reported shares of those under way."""
    return (done + sum(1.0 if job.done else job.progress.share or 0.0 for _, job in ahead)) / total
