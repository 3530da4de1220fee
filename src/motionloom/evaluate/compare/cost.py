"""Measure the time and peak memory of a function call."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Cost:
    """Wall-clock seconds, and the largest memory the process held meanwhile, in bytes (None where unknown)."""

    seconds: float
    peak: int | None


def measured(job: Callable[[], T]) -> tuple[T, Cost]:
    """Call a function; return its result and its cost.

    On Linux the peak is reset first (clear_refs), so that it is that of this call and of what was loaded before.
    Elsewhere it could be that of an earlier call, so `peak` is None.
    """
    fresh = _reset_peak()
    start = time.perf_counter()
    out = job()
    seconds = time.perf_counter() - start
    return out, Cost(seconds, _peak() if fresh else None)


def _reset_peak() -> bool:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
        return True
    return False


def _peak() -> int | None:
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    return None
