"""How well a result does as it was told: each constraint's own residual, path deviation, arrival."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from motionloom.constraints import MEASURES, Measure, Reach, Request, RootPath
from motionloom.constraints.residuals import residuals
from motionloom.core import Clip


@dataclass(frozen=True)
class Control:
    """One constraint of the request: its largest residual beside what is allowed, and what its kind adds."""

    asked: str
    hard: bool
    worst: float
    tolerance: float
    unit: str
    met: bool
    mean: float | None = None  # of a path: the mean deviation, metres
    arrival: float | None = None  # of a goal: seconds from the start at which the body is nearest to it

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def control(clip: Clip, request: Request, *, measures: Mapping[str, Measure] = MEASURES) -> list[Control]:
    """Every constraint of a request, measured by its own `residual` on this clip.

    A `root_path` adds its mean deviation over frames; a `reach` adds the time of arrival, whose error is the residual.
    """
    out = []
    for wish, row in zip(request.wishes, residuals(clip, request, measures=measures), strict=True):
        mean = float(np.abs(wish.residual(clip)).mean()) if isinstance(wish, RootPath) else None
        arrival = wish.arrival(clip) / clip.fps if isinstance(wish, Reach) else None
        out.append(Control(*row, mean=mean, arrival=arrival))
    return out
