"""Independent tasks in threads, with progress and cancelling: for kernels, which release the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np

from motionloom.core.progress import INTERVAL, Progress, Silent

T = TypeVar("T")
R = TypeVar("R")


class _Share(Silent):
    """The progress of one task, which the main thread reads."""

    share, stage = 0.0, ""

    def __call__(self, share: float | None, stage: str) -> None:
        super().__call__(share, stage)
        self.share, self.stage = max(self.share, share or 0.0), stage


def in_threads(function: Callable[[int, T, Progress], R], tasks: Sequence[T], progress: Progress) -> list[R]:
    """`function(i, task, progress)` for each task, in as many threads as numba may use; the results in order.

    The callback is called from this thread only. After an error or Ctrl-C, tasks that run are stopped.

    >>> from motionloom.core import silent
    >>> in_threads(lambda i, task, progress: task * i, [5, 6, 7], silent())
    [0, 6, 14]
    """
    from motionloom.core._jit import thread_count

    stop = np.zeros(1, np.uint8)
    shares = [_Share(stop) for _ in tasks]
    with ThreadPoolExecutor(thread_count()) as pool:
        running = [pool.submit(function, i, task, shares[i]) for i, task in enumerate(tasks)]
        left = set(running)
        try:
            while left:
                done, left = wait(left, INTERVAL, return_when="FIRST_EXCEPTION")
                for future in done:
                    future.result()
                stage = next((s.stage for s in reversed(shares) if s.stage), "")
                whole = sum(1.0 if f.done() else s.share for f, s in zip(running, shares, strict=True))
                progress(whole / len(tasks), stage)
        except BaseException:
            stop[0] = 1
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [future.result() for future in running]
