"""The same task for many files, on all cores where it pays; a file whose process dies is reported like a broken one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from motionloom.cli.bars import busy

if TYPE_CHECKING:
    from motionloom.jobs import JobFailed

R = TypeVar("R")


def for_each_file(
    task: Callable[[Any], R],
    items: Sequence[Any],
    doing: str,
    *,
    failed: Callable[[Any, JobFailed], R] | None = None,
    worth: int = 24,
) -> Iterator[R]:
    """`task(item)` for paths, or tuples that begin with one, in order, with a progress bar; see `jobs.each`.

    Fewer than `worth` items are done in this process: reading a clip takes less time than starting another process.
    """
    from motionloom.jobs import each

    with busy(doing) as report:
        yield from each(task, items, failed=failed, name=lambda item: _path(item).name, progress=report, worth=worth)


def error_report(item: Any, error: JobFailed) -> dict[str, Any]:
    """What stands in a list of reports for a file whose process died."""
    return {"path": str(_path(item)), "error": str(error)}


def _path(item: Any) -> Path:
    return item if isinstance(item, Path) else item[0]
