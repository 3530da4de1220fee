"""How well a result does as it was told: each constraint's own residual, path deviation, arrival."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from motionloom.constraints import Reach, Request, RootPath
from motionloom.constraints.residuals import residuals
from motionloom.core import Clip, MotionloomError


@dataclass(frozen=True)
class Control:
    """One constraint of the request: its largest residual beside what is allowed, and what its kind adds.

    A constraint that a clip cannot be asked about (its time is after the last frame) has no residual, and the reason.
    """

    asked: str
    hard: bool
    worst: float | None
    tolerance: float
    unit: str
    met: bool | None
    mean: float | None = None  # of a path: the mean deviation, metres
    arrival: float | None = None  # of a goal: seconds from the start at which the body is nearest to it
    reason: str = ""  # why there is no residual

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: `reason` only where there is no number."""
        return {k: v for k, v in asdict(self).items() if k != "reason" or self.worst is None}


def control(clip: Clip, request: Request) -> list[Control]:
    """Every constraint of a request, measured by its own `residual` on this clip.

    A `root_path` adds its mean deviation over frames; a `reach` adds the time of arrival, whose error is the residual.
    """
    out = []
    for wish in request.all_constraints:
        try:
            (row,) = residuals(clip, [wish])
            mean = float(np.abs(wish.residual(clip)).mean()) if isinstance(wish, RootPath) else None
            arrival = wish.arrival(clip) / clip.fps if isinstance(wish, Reach) else None
        except MotionloomError as error:
            out.append(Control(wish.describe(), wish.hard, None, wish.limit, wish.unit, False, reason=str(error)))
        else:
            out.append(Control(*row[:6], mean=mean, arrival=arrival, reason=row.reason))
    return out
