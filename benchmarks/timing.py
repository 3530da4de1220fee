"""How everything here is timed: alternately, in one run, best of several, so that a noisy machine cancels out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

MOCAP = Path(__file__).resolve().parents[2] / "shared" / "mocap"


def best_seconds(
    jobs: Sequence[Callable[[], Any]], *, rounds: int = 7, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """The best time of each job by a clock; the jobs take turns, so that a slow spell of the machine meets all of them.

    `time.process_time` counts the work of all threads and leaves out that of other programs.
    """
    best = [float("inf")] * len(jobs)
    for _ in range(rounds):
        for i, job in enumerate(jobs):
            start = clock()
            job()
            best[i] = min(best[i], clock() - start)
    return best


def paired_ratio(
    plain: Callable[[], Any], other: Callable[[], Any], *, rounds: int, clock: Callable[[], float] = time.process_time
) -> tuple[float, float, float]:
    """The median of other / plain over rounds, its standard error (from the median deviation), and plain's median (s).

    Both run in every round, in alternating order, so that a spell in which the machine is slow meets both.
    """
    ratios, times = [], []
    for n in range(rounds):
        spent = {}
        for job in (plain, other) if n % 2 else (other, plain):
            start = clock()
            job()
            spent[job] = clock() - start
        ratios.append(spent[other] / spent[plain])
        times.append(spent[plain])
    middle = median(ratios)
    deviation = median(abs(ratio - middle) for ratio in ratios)
    return middle, 1.2533 * 1.4826 * deviation / math.sqrt(rounds), median(times)


def figure(name: str, value: float | None, target: str, *, unit: str = "", note: str = "") -> dict[str, Any]:
    """One entry of figures.json. `target` is "<= 6", "< 0.4", ">= 1.5" or "" (reported only); None is missed."""
    return {"name": name, "value": value, "target": target, "met": _met(value, target), "unit": unit, "note": note}


def _met(value: float | None, target: str) -> bool | None:
    if not target:
        return None
    if value is None:
        return False
    sign, bound = target.split()
    limit = float(bound)
    return {"<=": value <= limit, "<": value < limit, ">=": value >= limit, ">": value > limit}[sign]
