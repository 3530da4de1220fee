"""Residuals of a clip against a request: one row per constraint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from motionloom.constraints.base import Constraint, text_with_unit
from motionloom.constraints.request import Request
from motionloom.core import Clip, Unmet


class Row(NamedTuple):
    """One constraint's line in the residual table."""

    constraint: str  # in one line
    hard: bool
    worst: float | None  # the largest absolute residual; None where it cannot be checked
    tolerance: float
    unit: str  # of `worst` and `tolerance`
    met: bool | None
    reason: str = ""  # why it cannot be checked
    text: str = ""  # `worst` for people: angles are in degrees
    allowed: str = ""  # `tolerance` for people

    @property
    def missed(self) -> bool:
        """Is it known not to be met?"""
        return self.met is False


def residuals(clip: Clip, asked: Request | Iterable[Constraint]) -> list[Row]:
    """The residual table of a clip: one row for each constraint, one for each motion parameter."""
    constraints = asked.all_constraints if isinstance(asked, Request) else [part for c in asked for part in c.parts()]
    return [_row(clip, c) for c in constraints]


def _row(clip: Clip, c: Constraint) -> Row:
    if c.unchecked:
        allowed = text_with_unit(c.limit, c.unit)
        return Row(c.describe(), c.hard, None, c.limit, c.unit, None, c.unchecked, allowed=allowed)
    worst = c.worst(clip)
    return Row(c.describe(), c.hard, worst, c.limit, c.unit, worst <= c.limit, "", *c.worst_text(clip))


def check(clip: Clip, asked: Request | Iterable[Constraint]) -> list[Row]:
    """The residual table, if every hard constraint is met; else `Unmet` with the clip and the table."""
    rows = residuals(clip, asked)
    if any(r.hard and r.missed for r in rows):
        raise unmet(clip, rows)
    return rows


def unmet(clip: Clip, rows: Sequence[Row]) -> Unmet:
    """The error that lists the hard constraints a clip does not meet, with their residuals."""
    missed = [r for r in rows if r.hard and r.missed]
    lines = [f"  {r.constraint}: {r.text}, allowed {r.allowed}" for r in missed]
    what = "a hard constraint is" if len(missed) == 1 else f"{len(missed)} hard constraints are"
    return Unmet("\n".join([f"{what} not met:", *lines]), best=clip, residuals=list(rows))
