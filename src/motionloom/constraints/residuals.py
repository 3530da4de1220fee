"""How well a clip keeps a request: one row for each constraint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from motionloom.constraints.base import Constraint
from motionloom.constraints.request import Request
from motionloom.constraints.style import MEASURES, Measure, Parameters
from motionloom.core import Clip, Unmet


class Row(NamedTuple):
    """One constraint's line in the residual table."""

    constraint: str  # what was asked, in one line
    hard: bool
    worst: float  # the largest absolute residual
    tolerance: float
    unit: str  # of `worst` and `tolerance`
    met: bool


def residuals(
    clip: Clip, asked: Request | Iterable[Constraint], *, measures: Mapping[str, Measure] = MEASURES
) -> list[Row]:
    """The residual table of a clip. `measures` reads a method's own parameters off a clip."""
    rows = []
    for c in asked.wishes if isinstance(asked, Request) else asked:
        found = c.residual(clip, measures) if isinstance(c, Parameters) else c.residual(clip)
        worst = float(np.abs(found).max(initial=0.0))
        rows.append(Row(c.describe(), c.hard, worst, c.limit, c.unit, worst <= c.limit))
    return rows


def check(
    clip: Clip, asked: Request | Iterable[Constraint], *, measures: Mapping[str, Measure] = MEASURES
) -> list[Row]:
    """The residual table, if every hard constraint is met; else `Unmet` with the clip and the table."""
    rows = residuals(clip, asked, measures=measures)
    missed = [r for r in rows if r.hard and not r.met]
    if missed:
        raise unmet(clip, rows)
    return rows


def unmet(clip: Clip, rows: Sequence[Row]) -> Unmet:
    """The error that says which hard constraints a clip misses, and by how much."""
    missed = [r for r in rows if r.hard and not r.met]
    lines = [f"  {r.constraint}: {r.worst:.3g} {r.unit}, allowed {r.tolerance:.3g}" for r in missed]
    what = "a hard constraint is" if len(missed) == 1 else f"{len(missed)} hard constraints are"
    return Unmet("\n".join([f"{what} not met:", *lines]), best=clip, residuals=list(rows))
