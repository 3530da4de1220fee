"""A notice while kernels are compiled: that happens once after installation, and can take a minute.

numba takes long to import, and this module does without, so that a command can request the notice before it is known
whether kernels are used. `_jit` calls `begin` and `end` around each compilation of a kernel that is not in the cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Timer

DELAY = 1.0  # s of compiling, in all, before the notice is shown


class Notice:
    """Shown once, when compiling has taken `DELAY`."""

    def __init__(self, show: Callable[[], None]) -> None:
        self._show = show
        self._depth, self._begun, self._spent = 0, 0.0, 0.0
        self._timer: Timer | None = None
        self._shown = False

    def begin(self) -> None:
        """A compilation begins, perhaps within another one."""
        self._depth += 1
        if self._depth > 1 or self._shown:
            return
        self._begun = time.monotonic()
        self._timer = Timer(max(0.0, DELAY - self._spent), self._show_once)
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """A compilation is over."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._spent += time.monotonic() - self._begun

    def _show_once(self) -> None:
        self._shown = True
        self._show()


_plain: ContextVar[bool] = ContextVar("plain", default=False)


@contextmanager
def without_kernels() -> Iterator[None]:
    """Within it, clips are read and forward kinematics computed by numpy alone, equal up to rounding.

    For short commands that only print: importing numba and loading kernels takes longer than reading a clip.
    """
    token = _plain.set(True)
    try:
        yield
    finally:
        _plain.reset(token)


def kernels_wanted() -> bool:
    """False within `without_kernels`."""
    return not _plain.get()


ONCE = "once after installation; `motionloom warm` compiles everything in advance"
ALWAYS = (
    "at every start, because neither the package folder nor the cache folder can be written to; set NUMBA_CACHE_DIR "
    "to a folder of your own"
)

_notices: list[Notice] = []
_uncached: list[bool] = []


def not_cached() -> None:
    """A kernel cannot be cached: it will be compiled again at the next start."""
    if not _uncached:
        _uncached.append(True)


def how_often() -> str:
    """When kernels are compiled, in words for the notice."""
    return ALWAYS if _uncached else ONCE


def notify(show: Callable[[], None]) -> None:
    """Call `show` from another thread when kernels have been compiled for `DELAY` seconds: once in a process.

    Only the first call of this function counts.
    """
    if not _notices:
        _notices.append(Notice(show))


class _Clock:
    """Time spent compiling in this process."""

    depth, begun, spent = 0, 0.0, 0.0


def seconds() -> float:
    """Time that this process has spent on compiling kernels, which estimates of the time left do not count."""
    return _Clock.spent


def begin() -> None:
    """A kernel that is not in the cache begins to compile, perhaps within another one."""
    if _Clock.depth == 0:
        _Clock.begun = time.monotonic()
    _Clock.depth += 1
    for notice in _notices:
        notice.begin()


def end() -> None:
    """Its compilation is over."""
    _Clock.depth -= 1
    if _Clock.depth == 0:
        _Clock.spent += time.monotonic() - _Clock.begun
    for notice in _notices:
        notice.end()
