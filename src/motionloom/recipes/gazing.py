"""Gaze shifts put on a clip, with their recipe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from motionloom.constraints import GivenClip, LookAt, PoseAlong, Request
from motionloom.core import BadRequest, Clip, Progress
from motionloom.methods import attempt, load_model
from motionloom.methods.gaze import GazeModel
from motionloom.methods.synthesis import Attempt


def gaze_request(clip: Clip, request: Request | None, options: dict[str, Any]) -> Request:
    """The request of `synthesize` for this base motion: the looks of a request, and options of the method."""
    asked = Request() if request is None else request
    for i, constraint in enumerate(asked.constraints):
        if not isinstance(constraint, LookAt):
            raise BadRequest("a gaze map honours only look_at", where=("constraints", i))
    given = {**asked.options, **{name: value for name, value in options.items() if value is not None}}
    if not asked.constraints and "along" not in given:
        raise BadRequest("nothing to look at: give a request with look_at, or the distance to look ahead")
    read = clip.origin.read
    base = PoseAlong(clip=GivenClip(clip, "" if read is None else read.name), weight=1.0)
    return replace(asked, constraints=(base, *asked.constraints), options=given)


def turn_gaze(
    clip: Clip,
    model: GazeModel | str | Path,
    request: Request | None = None,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> Clip:
    """The clip looking where the constraints `look_at` of a request ask, with the gaze shifts of a map.

    It is `synthesize` with the clip as base motion; `options` are those of the method (`along=2.5` looks at the ground
    ahead where nothing else is asked, `eyes=True` adds eye joints). Hips, legs and arms keep their bits. `Unmet` if a
    hard look_at is missed.
    """
    found = try_gaze(clip, model, request, progress=progress, **options)
    if found.met and found.clip is not None:
        return found.clip
    from motionloom.core import Unmet

    raise Unmet(found.reason, best=found.clip, residuals=list(found.residuals))


def try_gaze(
    clip: Clip,
    model: GazeModel | str | Path,
    request: Request | None = None,
    *,
    progress: Progress | None = None,
    **options: Any,
) -> Attempt:
    """The attempt of `turn_gaze`, which reports a look_at that is missed."""
    return attempt(gaze_model(model), gaze_request(clip, request, options), progress=progress)


def gaze_model(model: Any) -> GazeModel:
    """The model, read if it is a file; `BadRequest` if it is of another method."""
    found = load_model(model) if isinstance(model, (str, Path)) else model
    if not isinstance(found, GazeModel):
        kind = getattr(found, "method", type(found).__name__)
        raise BadRequest(f"expected a gaze map, as `motionloom learn gaze` writes it; found a model of {kind}")
    return found
