"""Residuals of a request's constraints on a clip, with path deviations and arrival times."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from motionloom.constraints import Reach, Request, RootPath
from motionloom.constraints.base import text_with_unit
from motionloom.constraints.residual_table import residuals
from motionloom.core import Clip, MotionloomError


@dataclass(frozen=True)
class ConstraintResult:
    """One constraint of the request: its largest residual, the tolerance, and values of its kind.

    A constraint that cannot be evaluated on the clip (its time is after the last frame) has a reason instead.
    """

    constraint: str
    hard: bool
    worst: float | None
    tolerance: float
    unit: str
    met: bool | None
    mean: float | None = None  # for a path: mean distance of the hips from it, metres
    arrival: float | None = None  # for a goal: time at which the body is nearest to it, seconds
    reason: str = ""  # why there is no residual
    text: str = "n/a"  # `worst` for people: angles are in degrees
    allowed: str = ""  # `tolerance` for people

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: `reason` only where there is no number."""
        return {k: v for k, v in asdict(self).items() if k != "reason" or self.worst is None}


def constraint_results(clip: Clip, request: Request) -> list[ConstraintResult]:
    """Evaluate the `residual` of every constraint of a request on a clip.

    A `root_path` adds the mean distance of the hips from it, a `reach` the time of arrival, whose error is the
    residual.
    """
    out = []
    for constraint in request.all_constraints:
        try:
            (row,) = residuals(clip, [constraint])
            mean = constraint.mean_distance(clip) if isinstance(constraint, RootPath) else None
            arrival = constraint.arrival(clip) / clip.fps if isinstance(constraint, Reach) else None
        except MotionloomError as error:
            out.append(
                ConstraintResult(
                    constraint.describe(),
                    constraint.hard,
                    None,
                    constraint.limit,
                    constraint.unit,
                    False,
                    reason=str(error),
                    allowed=text_with_unit(constraint.limit, constraint.unit),
                )
            )
        else:
            out.append(ConstraintResult(*row[:6], mean, arrival, row.reason, row.text or "n/a", row.allowed))
    return out
