"""Progress on the command line: a bar on a terminal, a line every few seconds where the output is piped."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from motionloom.cli.interrupts import on_interrupt
from motionloom.core import compiling
from motionloom.core.progress import Progress, Silent, each

if TYPE_CHECKING:
    from motionloom.core import Clip

T = TypeVar("T")

REDRAW_INTERVAL = 0.1  # s between two updates of a bar
FIRST_LINE, LINE_INTERVAL = 3.0, 5.0  # s until the first line, and between lines


@contextmanager
def busy(doing: str) -> Iterator[Progress]:
    """The progress of one task: a bar with the share done and the time left, or lines where standard error is piped.

    The bar is removed when the task is done. Ctrl-C also sets `stop`.
    """
    if not sys.stderr.isatty():
        lines = Lines(doing)
        with on_interrupt(lambda: lines.stop.fill(1)):
            yield lines
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    parts = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    both = sys.stdout.isatty()  # lines printed meanwhile appear above the bar, unless they go to a file
    drawn = RichProgress(*parts, console=Console(stderr=True), transient=True, redirect_stdout=both)
    with drawn as shown:
        bar = Bar(doing, shown)
        with on_interrupt(lambda: bar.stop.fill(1)):
            yield bar


def write_clip(clip: Clip, path: Path) -> None:
    """Save a clip, with its progress."""
    from motionloom.io import save

    with busy("writing") as report:
        save(clip, path, progress=report)


def progress(items: Sequence[T], doing: str) -> Iterator[T]:
    """The items one by one, with their progress."""
    with busy(doing) as report:
        yield from each(items, report, "")


class Bar(Silent):
    """A bar of rich."""

    def __init__(self, doing: str, shown: Any) -> None:
        super().__init__()
        self._doing, self._shown, self._last = doing, shown, 0.0
        self._share: float | None = None
        self._task = shown.add_task(doing, total=None)

    def __call__(self, share: float | None, stage: str) -> None:
        super().__call__(share, stage)
        now = time.monotonic()
        if now - self._last < REDRAW_INTERVAL and share != 1.0:
            return
        self._last = now
        self._share = self._share if share is None else share  # while a total is unknown, a bar stays where it was
        text = f"{self._doing}: {stage}" if stage not in ("", self._doing) else self._doing
        total = None if self._share is None else 1.0
        self._shown.update(self._task, total=total, completed=self._share or 0.0, description=text)


class Lines(Silent):
    """A line every few seconds; none for a task that is done earlier."""

    def __init__(self, doing: str) -> None:
        super().__init__()
        self._doing, self._begin, self._compiled = doing, time.monotonic(), compiling.seconds()
        self._next, self._share = self._begin + FIRST_LINE, 0.0

    def __call__(self, share: float | None, stage: str) -> None:
        super().__call__(share, stage)
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + LINE_INTERVAL
        working = now - self._begin - (compiling.seconds() - self._compiled)
        stands, self._share = share == self._share, share or 0.0
        print(progress_line(self._doing, share, stage, working, stands=stands), file=sys.stderr, flush=True)


def progress_line(doing: str, share: float | None, stage: str, seconds: float, *, stands: bool = False) -> str:
    """The share done and the time left, estimated from the `seconds` so far, those of compiling left out.

    While the share `stands` still (a search that may end at any time), the time so far.

    >>> progress_line("learning", 0.25, "segmenting", 10.0)
    'motionloom: learning: segmenting, 25 %, about 30 s left'
    """
    text = f"motionloom: {doing}" + (f": {stage}" if stage not in ("", doing) else "")
    if not share:
        return f"{text}, {seconds:.0f} s"
    if stands:
        return f"{text}, {100 * share:.0f} %, {seconds:.0f} s so far"
    return f"{text}, {100 * share:.0f} %, about {seconds / share - seconds:.0f} s left"
