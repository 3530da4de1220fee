"""The same work for many files, on all cores where it pays."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from motionloom.cli.options import progress

T = TypeVar("T")
R = TypeVar("R")


def each(work: Callable[[T], R], items: Sequence[T], doing: str, *, worth: int = 24) -> Iterator[R]:
    """`work` done on each item, in order, with a progress bar; in several processes from `worth` items on.

    Processes are forked after the first item, so that imports and compiled code are there already; elsewhere than on
    Linux, and on a single core, everything stays in this process. `work` must be a function of a module.
    """
    cores = os.cpu_count() or 1
    if len(items) < worth or cores < 2 or sys.platform != "linux":
        yield from (work(item) for item in progress(items, doing))
        return
    from multiprocessing import get_context

    yield work(items[0])
    with get_context("fork").Pool(cores) as pool:
        rest = pool.imap(work, items[1:], chunksize=4)
        for _ in progress(items[1:], doing):
            yield next(rest)
