"""Reading files with third-party libraries in a separate process, because these can crash, hang or exhaust memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from motionloom.core import FormatError
from motionloom.jobs import JobFailed, TimeUp, start

R = TypeVar("R")

SECONDS = 600.0  # time limit for one file
MEMORY = 4 << 30  # address space in bytes, libraries included


def read_in_own_process(
    task: Callable[..., R], path: str | Path, *arguments: Any, library: str, reuse: bool = True
) -> R:
    """`task(path, *arguments)` as a job; `FormatError` if it takes too long or its process ends.

    `reuse=False` for a library that leaves its process damaged.
    """
    name = Path(path).name
    job = start(_limited, task, str(Path(path).resolve()), *arguments, name=name, seconds=SECONDS, reuse=reuse)
    try:
        return job.result()
    except TimeUp:
        raise FormatError(f"not read within {SECONDS:g} s", path=path) from None
    except MemoryError:
        raise FormatError(f"needs more than {MEMORY >> 30} GB of memory to be read", path=path) from None
    except JobFailed as error:
        why = str(error).removeprefix(f"{name}: ")
        raise FormatError(f"the {library} library failed ({why})", path=path) from None


def _limited(task: Callable[..., R], *arguments: Any) -> R:
    with _limited_memory():
        return task(*arguments)


@contextmanager
def _limited_memory() -> Iterator[None]:
    """A limit of memory where the system has one."""
    try:
        import resource
    except ImportError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    least = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (least, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
