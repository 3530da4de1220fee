"""Reading files with third-party libraries in a separate process, because these can crash, hang or exhaust memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from mmap import PAGESIZE as PAGE
from pathlib import Path
from typing import Any, TypeVar

from motionloom.core import FormatError, Progress
from motionloom.jobs import JobFailed, TimeUp, start

R = TypeVar("R")

SECONDS, SECONDS_PER_MB = 10.0, 10.0  # processor time for one file
SLOWDOWN = 6.0  # of a busy machine: so many times the processor time may pass
MEMORY, MEMORY_PER_BYTE = 1 << 30, 200  # for one file, besides what the process has when it starts to read
LIBRARIES = 8 << 30  # address space of the process itself, where the system does not report it


def read_in_own_process(
    task: Callable[..., R],
    path: str | Path,
    *arguments: Any,
    library: str,
    modules: tuple[str, ...],
    reuse: bool = True,
    progress: Progress | None = None,
) -> R:
    """`task(path, *arguments)` as a job; `FormatError` if it takes too long or its process ends.

    Time and memory are limited in proportion to the size of the file. The `modules` of the library are imported
    before the limits hold. `reuse=False` for a library that leaves its process damaged.
    """
    name = Path(path).name
    size = Path(path).stat().st_size if Path(path).exists() else 0
    seconds, memory = SECONDS + SECONDS_PER_MB * size / 1e6, MEMORY + MEMORY_PER_BYTE * size
    limited = partial(_limited, task, modules, seconds, memory)
    job = start(limited, str(Path(path).resolve()), *arguments, name=name, seconds=SLOWDOWN * seconds, reuse=reuse)
    too_long = FormatError(f"not read within {seconds:.0f} s", path=path)
    try:
        return job.result(progress)
    except TimeUp:
        raise too_long from None
    except MemoryError:
        raise FormatError(f"needs more than {memory / (1 << 30):.1f} GB of memory to be read", path=path) from None
    except JobFailed as error:
        why = str(error).removeprefix(f"{name}: ")
        if "SIGXCPU" in why:
            raise too_long from None
        raise FormatError(f"the {library} library failed ({why})", path=path) from None


def _limited(task: Callable[..., R], modules: tuple[str, ...], seconds: float, memory: int, *arguments: Any) -> R:
    for module in modules:
        import_module(module)
    with _limits(seconds, memory):
        return task(*arguments)


@contextmanager
def _limits(seconds: float, memory: int) -> Iterator[None]:
    """Limits of memory and processor time, where the system has them."""
    try:
        import resource
    except ImportError:
        yield
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    wanted = {
        resource.RLIMIT_AS: _address_space() + memory,
        resource.RLIMIT_CPU: round(used.ru_utime + used.ru_stime + seconds) + 1,
    }
    before = {kind: resource.getrlimit(kind) for kind in wanted}
    for kind, value in wanted.items():
        hard = before[kind][1]
        resource.setrlimit(kind, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
    try:
        yield
    finally:
        for kind, limits in before.items():
            resource.setrlimit(kind, limits)


def _address_space() -> int:
    """The address space that this process has, in bytes."""
    with suppress(OSError, ValueError):
        return int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
    return LIBRARIES
