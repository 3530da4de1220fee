"""Parameters of a space at which a result moves over the ground at requested speeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from motionloom.constraints import Pace
from motionloom.core import Clip, FloatArray, Progress
from motionloom.kinematics.pace import pace
from motionloom.methods.nearest_request import nearest_pace
from motionloom.methods.space.space import Space

DRAWS = 24  # random parameters that are tried
STEPS = 40  # steps from the best of them
ROOM = 0.5  # of the tolerance: a result that deviates less is taken; the rest is left to the feet that are locked


class PaceSearch(NamedTuple):
    """Parameters, how far their result is from the requested paces in tolerances, and the paces that were found."""

    values: FloatArray  # (D,)
    missed: float
    slowest: float  # m/s, of all tried results
    fastest: float

    def problem(self, paces: Sequence[Pace]) -> str:
        """Why a hard pace is not met, or ""; with the nearest speed that a blend of the examples has."""
        hard = [c for c in paces if c.hard]
        if self.missed <= 1.0 or not hard:
            return ""
        nearest = nearest_pace(hard[0], self.slowest, self.fastest)
        return f"no blend of the examples keeps {hard[0].describe()}; they move at {nearest}"


def values_at_pace(
    space: Space,
    paces: Sequence[Pace],
    first: FloatArray,
    free: FloatArray,
    played: Callable[[FloatArray], Clip],
    rng: Generator,
    progress: Progress,
) -> PaceSearch:
    """Parameters (D,) at which `played` keeps the paces best; only the columns `free` (D,) differ from `first`.

    The first random parameters that keep them are taken, so that results differ from seed to seed as without a pace;
    if none does, the best are improved one column after the other, with a step that is halved where nothing improves.
    """
    slowest, fastest = np.inf, -np.inf

    def missed(values: FloatArray) -> float:
        nonlocal slowest, fastest
        clip = played(values)
        speeds = pace(clip)
        slowest, fastest = min(slowest, float(speeds.mean())), max(fastest, float(speeds.mean()))
        return max(c.worst(clip) / max(c.tolerance, 1e-9) for c in paces)

    best, least = first, missed(first)
    for n in range(DRAWS if free.any() else 0):
        progress(0.5 * n / DRAWS, "searching a pace")
        if least <= ROOM:
            break
        tried = np.where(free, space.draw(rng), first)
        off = missed(tried)
        if off < least:
            best, least = tried, off
    columns = np.flatnonzero(free)
    step = 0.25 * space.ranges
    for n in range(STEPS if len(columns) else 0):
        progress(0.5 + 0.5 * n / STEPS, "searching a pace")
        if least <= ROOM:
            break
        column = columns[n % len(columns)]
        moved = [
            np.clip(best + sign * step * (np.arange(space.size) == column), space.low, space.high) for sign in (1, -1)
        ]
        offs = [missed(values) for values in moved]
        if min(offs) < least:
            best, least = moved[int(np.argmin(offs))], min(offs)
        else:
            step[column] /= 2
    progress(1.0, "searching a pace")
    return PaceSearch(best, least, slowest, fastest)
