"""What a job costs: seconds and peak memory."""

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
    """Wall-clock seconds, and the largest memory the process held meanwhile, in bytes (None where it cannot tell)."""

    seconds: float
    peak: int | None


def measured(job: Callable[[], T]) -> tuple[T, Cost]:
    """Do a job; return what it returned and what it cost.

    Linux can forget the peak before the job (clear_refs), so `peak` belongs to this job, with what was loaded before
    it. Elsewhere the peak of an earlier job would be in the number, so there is none.
    """
    fresh = _forget_peak()
    start = time.perf_counter()
    out = job()
    seconds = time.perf_counter() - start
    return out, Cost(seconds, _peak() if fresh else None)


def _forget_peak() -> bool:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
        return True
    return False


def _peak() -> int | None:
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024
    return None
