"""Results whose request gives no length: the length that its constraints imply is held to the same limits."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from motionloom.constraints import Constraint, Reach, Request, RootPath
from motionloom.core.limits import Limits
from motionloom.core.units import Moment, seconds_of

MAX_SPEED = 20.0  # m/s: no captured body travels faster, so a path takes at least its length divided by this


def check_implied_length(constraint: Constraint, request: Request, fps: float) -> None:
    """Raise if a result that contains this constraint would be above the limits, by its times or its distance.

    `reach.by` is a deadline, which makes no result longer. `fps` is the model's frame rate.
    """
    rate = request.fps or fps
    for name, when in _moments(constraint):
        if not str(when).startswith("end"):
            _check(constraint, name, seconds_of(when, 0, rate), max(rate, fps))
    if isinstance(constraint, RootPath):
        legs = np.linalg.norm(np.diff(np.array(constraint.points, float), axis=0), axis=1)
        _check(constraint, "points", float(legs.sum()) / MAX_SPEED, max(rate, fps))
    elif isinstance(constraint, Reach):
        begin = request.beginning(1, rate).position
        _check(constraint, "position", math.dist(begin, constraint.position) / MAX_SPEED, max(rate, fps))


def check_planned_length(frames: int, fps: float, request: Request) -> None:
    """Raise if a plan of so many frames at `fps` gives a result above the limits, at the request's frame rate."""
    if request.length(request.fps or fps) is None and frames > 0:
        Limits.current().check_length(frames / fps, max(request.fps or fps, fps))


def max_frames(constraint: Constraint, metres: float, pace: float, fps: float, *, factor: float, extra: float) -> int:
    """Most frames of a route of `metres` at a usual `pace` (m/s): `factor` times the usual time and `extra` seconds.

    At most the limits; `BadRequest` if already the usual time is above them.
    """
    usual, limits = metres / pace, Limits.current()
    if why := limits.exceeded(seconds=usual, frames=usual * fps):
        raise constraint.problem(f"{metres:.0f} m at the pace of the clips, {pace:.1f} m/s: {why}")
    return math.floor(min(np.ceil((factor * usual + extra) * fps), limits.seconds * fps, limits.frames))


def _check(constraint: Constraint, field: str, seconds: float, fps: float) -> None:
    if why := Limits.current().exceeded(seconds=seconds, frames=seconds * fps):
        raise constraint.problem(f"makes the result too long: {why}", field)


def _moments(constraint: Constraint) -> Iterator[tuple[str, Moment]]:
    """The times at which a result that contains the constraint must exist, each with its field."""
    if (time := getattr(constraint, "time", None)) is not None:
        yield "time", time
    for name in ("span", "times"):
        yield from ((name, when) for when in getattr(constraint, name, None) or ())
